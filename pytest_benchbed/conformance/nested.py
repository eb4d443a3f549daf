"""A real run of a type in a temporary folder: the whole machinery, with a scripted system.

The session runs in this process, because a type may be one that no other
process can import, and it loads no plugin but ours: neighbours, ``addopts``
and the user's ``conftest.py`` change nothing about what a rule says.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import pytest

from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.runs.read import Run

if TYPE_CHECKING:
    from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
    from pytest_benchbed.conformance.subject import Subject
    from pytest_benchbed.data.registry import DatasetRegistry

RUN = "run"
"""Id of the run of every nested session."""

_SYSTEM = """
import json

from pytest_benchbed import Adapter

# Beside the code: read by the adapter's own process.
with open({predictions!r}, encoding="utf-8") as file:
    PREDICTIONS = json.load(file)


class System(Adapter):
    version = "1"
    deterministic = True
    paid = False

    def predict(self, case):
        return PREDICTIONS[case.id]
"""


@dataclass(frozen=True)
class Nested:
    """What a session left."""

    exit_code: int
    output: str
    folder: Path

    @property
    def run(self) -> Run | None:
        """The run it wrote, if it can be read."""
        try:
            return Run.open(self.folder / "runs" / RUN)
        except BenchbedError:
            return None

    def last_lines(self) -> list[str]:
        """Return the end of what it printed, for a failure."""
        return [line for line in self.output.splitlines() if line.strip()][-5:]


def run_with_predictions(
    subject: Subject,
    folder: Path,
    predictions: Mapping[str, Any],
    cases: Sequence[str] = (),
    dataset: Path | None = None,
) -> Nested:
    """Run the dataset, or some cases of it, with a system that has these predictions.

    ``dataset``: another folder than the registered one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "predictions.json"
    file.write_text(json.dumps(predictions), encoding="utf-8", newline="\n")
    adapter = folder / "system.py"
    adapter.write_bytes(_SYSTEM.format(predictions=str(file)).encode("utf-8"))
    return run_adapter(subject, folder, f"{adapter}:System", cases, dataset)


def run_adapter(
    subject: Subject,
    folder: Path,
    adapter: str,
    cases: Sequence[str] = (),
    dataset: Path | None = None,
) -> Nested:
    """Run with an adapter of that name; ``dataset`` as above."""
    root = dataset or subject.registered.root
    ini = folder / "pytest.ini"
    ini.write_text("[pytest]\n", encoding="utf-8", newline="\n")
    words = [
        "--disable-plugin-autoload",
        "--noconftest",
        *("-p", "pytest_benchbed.plugin"),
        # They change this process, and its own session has them already.
        *(word for name in _LEFT_OUT for word in ("-p", f"no:{name}")),
        "--capture=no",
        "-c",
        str(ini),
        f"--rootdir={folder}",
        f"--bench={subject.id}",
        f"--bench-dataset={root}",
        f"--bench-adapter={adapter}",
        "--bench-unpaired",
        f"--bench-run={RUN}",
        f"--bench-runs-dir={folder / 'runs'}",
        *(f"--bench-select=case={case}" for case in cases),
    ]
    output = io.StringIO()
    with _undisturbed(), contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = pytest.main(words, plugins=[_Registrations(subject, root)])
    return Nested(int(code), output.getvalue(), folder)


_LEFT_OUT = ("cacheprovider", "faulthandler", "unraisableexception", "threadexception", "logging")


class _Registrations:
    """The plugin that registers the one type in the session inside."""

    def __init__(self, subject: Subject, root: Path) -> None:
        self.subject = subject
        self.root = root

    def pytest_benchbed_benchmarks(self, registry: BenchmarkRegistry) -> None:
        registry.add(type(self.subject.benchmark))

    def pytest_benchbed_datasets(self, registry: DatasetRegistry) -> None:
        registry.add(self.root, benchmark=self.subject.id)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep this process as it is: environment, import path, and what a session leaves there."""
    environment, path = dict(os.environ), list(sys.path)
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = path
