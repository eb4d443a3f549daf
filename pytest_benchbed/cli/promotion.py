"""One promotion: what it is of, and what the bench file and the next command then say."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.calls.line import utc_now
from pytest_benchbed.edge.baselines import entry_name
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.command import shell_word
from pytest_benchbed.report.command import whole_command
from pytest_benchbed.runs.bench_files import SCHEMA
from pytest_benchbed.runs.bench_write import new_text
from pytest_benchbed.runs.bench_write import with_entry
from pytest_benchbed.runs.noise_file import NoiseFile
from pytest_benchbed.runs.promote import fresh_entry
from pytest_benchbed.runs.promote import kept_entry
from pytest_benchbed.runs.promote import promoted_entry
from pytest_benchbed.runs.read import Run

_PATH_ENTRY = re.compile(r"(?P<file>.+\.py)(?P<name>:[^:/]+)|(?P<program>.+)", re.DOTALL)


@dataclass(frozen=True)
class PromoteChoice:
    """What was typed beside the run."""

    controls: Sequence[str] = ()
    snapshot: bool = False
    strict: bool = False
    reason: str | None = None


@dataclass
class Promotion:
    """One promotion at work."""

    config: pytest.Config
    registries: Registries
    runs_dir: Path
    choice: PromoteChoice
    run: Run
    benchmark: Benchmark
    path: Path
    """The bench file."""
    before: bytes | None
    bench: BenchFile
    adapter: str
    """Name of the adapter's entry."""
    controls: list[Run]
    notes: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """The bench file's folder, with the snapshots."""
        return self.path.parent

    @property
    def entry(self) -> dict[str, Any]:
        """The adapter's entry as it stands in the file; empty if there is none."""
        whole = json.loads(self.before) if self.before is not None else {}
        entry: dict[str, Any] = whole.get("adapters", {}).get(self.adapter, {})
        return entry

    @property
    def runs(self) -> list[Run]:
        """The baseline and its controls."""
        return [self.run, *self.controls]

    @property
    def is_promoted(self) -> bool:
        """Whether the run is this adapter's baseline already."""
        return self.entry.get("baseline") == self.run.id


def new_bench_text(work: Promotion) -> str:
    """Return the bench file's text after the promotion; equal to the old one if nothing changes."""
    record, controls = work.run.record, [control.id for control in work.controls]
    entry = work.entry
    if work.adapter in work.bench.adapters:
        work.notes += kept_entry(record, entry)
    else:
        entry, notes = fresh_entry(record, _entry_text(work))
        work.notes += notes
    changed = promoted_entry(entry, work.run.id, controls, at=utc_now(), reason=work.choice.reason)
    if work.before is None:
        return new_text(
            {
                "schema": SCHEMA,
                "dataset": record.dataset.id,
                "adapter": work.adapter,
                "adapters": {work.adapter: changed},
            }
        )
    text = work.before.decode("utf-8")
    return text if changed == work.entry else with_entry(text, work.adapter, changed)


def _entry_text(work: Promotion) -> str | None:
    """Return how the root folder finds an adapter that was named by a path; None: as named.

    A path that was typed below the root would not be found from elsewhere.
    """
    name = work.run.record.adapter.name
    if name in work.registries.adapters.names():
        return None
    found = _PATH_ENTRY.fullmatch(name)
    if found is None:
        return None
    root, here = work.config.rootpath, work.config.invocation_params.dir
    file = found["file"] or found["program"]
    with suppress(OSError, ValueError):
        if (here / file).is_file() and not (root / file).is_file():
            path = (here / file).resolve()
            text = path.as_posix()
            if path.is_relative_to(root.resolve()):
                text = Path(os.path.relpath(path, root.resolve())).as_posix()
            return f"{text}{found['name'] or ''}"
    return None


def former_runs(work: Promotion) -> set[str]:
    """Return the runs that are or were promoted for this adapter."""
    promotions = [work.entry, *work.entry.get("history", ())]
    named = [[one.get("baseline"), *(one.get("controls") or ())] for one in promotions]
    return {run_id for ids in named for run_id in ids if run_id}


def open_strikes(work: Promotion, profile: str) -> list[str]:
    """Return what the ledger of the present baseline holds; a new one begins empty."""
    baseline = work.entry.get("baseline")
    if not baseline:
        return []
    ledger = NoiseFile(work.runs_dir, baseline)
    found = ledger.strikes(work.benchmark.id, profile)
    where = "" if work.is_promoted else f" against the former baseline {baseline}"
    return [*(f"look at this: {one.text}{where}" for one in found), *ledger.notes]


def control_command(record: RunRecord) -> str:
    """Return the command that records a first control of a run."""
    name = f"{record.id}-control-1"
    run_id = name if is_case_id(name) else None
    return whole_command(record, is_unpaired=True, run_id=run_id)


def next_command(work: Promotion) -> str:
    """Return the shortest command that compares with what is promoted."""
    dataset, name = work.run.record.dataset.id, work.benchmark.id
    words = ["pytest", f"--bench={shell_word(name)}"]
    if work.before is not None:
        adapter = work.bench.adapter or work.config.getini("bench_adapter") or ""
        if entry_name(work.bench, adapter) != work.adapter:
            words.append(f"--bench-adapter={shell_word(work.adapter)}")
        several = len(work.registries.datasets.for_benchmark(name)) > 1
        if work.bench.dataset != dataset and (work.bench.dataset is not None or several):
            words.append(f"--bench-dataset={shell_word(dataset)}")
    return " ".join(words)
