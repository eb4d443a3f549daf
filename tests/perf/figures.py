"""Each figure with its mark, measured side by side in one run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.perf import http
from tests.perf.cost import Cost
from tests.perf.cost import Session
from tests.perf.cost import alternately
from tests.perf.cost import pytest_session
from tests.perf.workspace import BENCHMARK
from tests.perf.workspace import STOCK
from tests.perf.workspace import Workspace

PLUGIN = ("-p", "benchbed")
HEAVY = ("pydantic", "jiwer", "rapidfuzz", "jinja2")
_LOADED = """
import sys, pytest
pytest.main(["-q", "-p", "no:cacheprovider", "-p", "benchbed", "test_one.py"])
print("loaded:", *(name for name in sys.argv[1:] if name in sys.modules))
"""
ROOT = Path(__file__).parents[2]
HTTP_CASES = 1600
"""At most: they take a few seconds, and the rate does not depend on their number."""


class Figure(NamedTuple):
    """A measured value beside the value it may have at most."""

    name: str
    value: float
    unit: str
    mark: float
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the mark is kept."""
        return self.value <= self.mark


def figures(folder: Path, count: int) -> Iterator[Figure]:
    """Yield the figures, the quick ones first."""
    space = Workspace(folder / "space", count)
    _output([sys.executable, "-m", "tests.perf.workspace", str(space.path), str(count)], ROOT)
    yield from _idle(space)
    yield from _inside(space)
    yield from _rescore(space)
    yield from _fields(space)
    yield from _import(folder / "import", count)
    yield from _http(folder / "http", min(count, HTTP_CASES))
    yield from _collect(space)
    yield from _run(space)


def _ours(space: Workspace, *arguments: str, statuses: tuple[int, ...] = (0,)) -> Session:
    words = [*PLUGIN, f"--bench={BENCHMARK}", f"--bench-adapter=./{space.executable.name}"]
    return Session([*words, *arguments], space.path, statuses)


def _stock(space: Workspace, *arguments: str) -> Session:
    return Session([str(STOCK), *arguments], space.path / "stock")


def _compare(*sessions: Session) -> list[Cost]:
    return alternately(*(lambda session=session: pytest_session(session) for session in sessions))


def _note(ours: Cost, stock: Cost) -> str:
    return (
        f"({ours.cpu_s:.2f} s against {stock.cpu_s:.2f} s, "
        f"{ours.peak_mib:.0f} MiB against {stock.peak_mib:.0f} MiB)"
    )


def _idle(space: Workspace) -> Iterator[Figure]:
    stock = space.path / "stock"
    without, idle = _compare(
        Session(["test_one.py"], stock), Session([*PLUGIN, "test_one.py"], stock)
    )
    note = _note(idle, without)
    yield Figure("no --bench: CPU", (idle.cpu_s - without.cpu_s) * 1000, "ms", 50, note)
    yield Figure("no --bench: memory", idle.peak_mib - without.peak_mib, "MiB", 5)
    text = _output([sys.executable, "-c", _LOADED, *HEAVY], stock)
    loaded = text.rpartition("loaded:")[2].split()
    yield Figure("no --bench: heavy modules", len(loaded), "", 0, " ".join(loaded))


def _inside(space: Workspace) -> Iterator[Figure]:
    pytest_session(_ours(space, "--bench-run=saved"))
    run = space.path / "runs" / "saved"
    words = [sys.executable, "-m", "tests.perf.inside", str(space.path), str(run)]
    measured = json.loads(_output([*words, str(space.count)], ROOT))
    yield Figure("persistent host: per call beside its work", measured["host_ms"], "ms", 0.2)
    yield Figure("pair and gate, 4 profiles, 3 controls: CPU", measured["gate_s"], "s", 1)
    yield Figure("the same under confirm, 5 % unstable: CPU", measured["confirm_s"], "s", 1.5)
    yield Figure("bootstrap, 1,000 resamples: CPU", measured["bootstrap_s"], "s", 0.1)
    yield Figure("pair where lines are equal: CPU per case", measured["pair_us"], "us", 1)
    yield Figure("open a baseline: CPU", measured["open_s"], "s", 0.5)


def _rescore(space: Workspace) -> Iterator[Figure]:
    words = [sys.executable, "-m", "tests.perf.rescoring", str(space.path / "rescoring")]
    measured = json.loads(_output([*words, str(space.count)], ROOT))
    alone, whole = measured["alone_s"], measured["rescore_s"]
    note = f"({whole:.2f} s against {alone:.2f} s of scoring alone)"
    yield Figure("score a saved run again: CPU", whole / alone, "x", 1.5, note)


def _http(folder: Path, count: int) -> Iterator[Figure]:
    space = Workspace(folder, count)
    _output([sys.executable, "-m", "tests.perf.workspace", str(folder), str(count)], ROOT)
    found, ideal = http.rates(space), http.JOBS / http.DELAY_S
    note = f"({found.ours:.0f} calls a second of {ideal:g}; a bare client makes {found.bare:.0f})"
    yield Figure("http, 16 calls at once: time a call", ideal / found.ours, "x", 1 / 0.9, note)


def _import(folder: Path, count: int) -> Iterator[Figure]:
    words = [sys.executable, "-m", "tests.perf.importing", str(folder), str(count)]
    measured = json.loads(_output(words, ROOT))
    yield Figure(f"benchbed init of {count:,} rows", measured["import_s"], "s", 3)


def _fields(space: Workspace) -> Iterator[Figure]:
    words = [sys.executable, "-m", "tests.perf.fields", str(space.count)]
    measured = json.loads(_output(words, ROOT))
    name = f"score {space.count:,} cases of 12 fields: CPU"
    yield Figure(name, measured["fields_s"], "s", 3)


def _collect(space: Workspace) -> Iterator[Figure]:
    ours, stock = _compare(_ours(space, "--collect-only"), _stock(space, "--collect-only"))
    yield Figure("collect: CPU", ours.cpu_s / stock.cpu_s, "x", 1.3, _note(ours, stock))
    yield Figure("collect: memory", ours.peak_mib / stock.peak_mib, "x", 1.3)


def _run(space: Workspace) -> Iterator[Figure]:
    ours, wrong, stock = _compare(
        _ours(space),
        _ours(space, "--bench-adapter-option=wrong=10", statuses=(1,)),
        _stock(space),
    )
    yield Figure("run: CPU", ours.cpu_s / stock.cpu_s, "x", 1.3, _note(ours, stock))
    yield Figure("run: memory", ours.peak_mib / stock.peak_mib, "x", 1.3)
    yield Figure("run, 10 % wrong: CPU", wrong.cpu_s / ours.cpu_s, "x", 2, _note(wrong, ours))
    yield Figure("run, 10 % wrong: peak", wrong.peak_mib, "MiB", 150)


def _output(words: list[str], folder: Path) -> str:
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout
