"""The rows of ``benchbed runs``: what is saved below the runs directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path

from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.find import run_folders
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.snapshot import snapshots


@dataclass(frozen=True, slots=True)
class RunRow:
    """One saved run in a line. Text of run files is not escaped here."""

    id: str
    date: str
    """Start, RFC 3339 in UTC; "" for a run that cannot be read."""
    benchmark: str
    commit: str | None
    """Of the adapter's source; ``+`` at its end: the working tree was changed."""
    model: str | None
    quality: float | None
    """Mean over the cases, 0 to 1; null when nothing was scored."""
    cost_usd: float | None
    """What the run spent; None: unknown or not reported."""
    verdict: str
    """Status of the gate, else of the run (``running``, ``interrupted``, ``void``)."""
    is_partial: bool
    problem: str | None = None
    """Why the run cannot be read; everything else is empty then."""
    roles: tuple[str, ...] = ()
    """What it is promoted as: ``baseline of ADAPTER``, ``control of ADAPTER``."""
    is_snapshot: bool = False
    """It lies beside a bench file alone."""
    note: str | None = None
    """What ``--bench-note`` said of it."""


def list_runs(
    runs_dir: Path,
    promoted: Mapping[str, BenchFile] | None = None,
    bench_folders: Sequence[Path] = (),
) -> list[RunRow]:
    """Return every run below ``runs_dir``, newest first; those that cannot be read come last.

    Runs of a run set are listed one by one. A missing folder has no runs.

    Args:
        runs_dir: the runs directory.
        promoted: bench file of each benchmark.
        bench_folders: their folders; a snapshot that lies there alone is listed too.
    """
    rows = [_row(run_id, folder) for run_id, folder in run_folders(runs_dir)]
    known = {row.id for row in rows}
    for bench_folder in bench_folders:
        rows += [
            _snapshot_row(run_id, folder)
            for run_id, folder in snapshots(bench_folder)
            if run_id not in known
        ]
    rows = [
        replace(row, roles=tuple(_roles(row.id, promoted[row.benchmark])))
        if promoted and row.benchmark in promoted
        else row
        for row in rows
    ]
    return sorted(rows, key=lambda row: (row.date, row.id), reverse=True)


def _snapshot_row(run_id: str, folder: Path) -> RunRow:
    """Return the row of a snapshot, which has no metrics: its quality comes from its rows."""
    row = replace(_row(run_id, folder), is_snapshot=True)
    if row.problem is not None:
        return row
    try:
        found = [one["quality"] for one in Run.open(folder).results()]
    except RunError as error:
        return replace(row, verdict="unreadable", problem=_shown(error, folder))
    values = [value for value in found if isinstance(value, (int, float))]
    return replace(row, quality=sum(values) / len(values) if values else None)


def _shown(error: RunError, folder: Path) -> str:
    """The first column says which run: the path down to it would fill the line."""
    return str(error).removeprefix(f"{folder}{os.sep}")


def _roles(run_id: str, bench: BenchFile) -> Iterator[str]:
    for adapter, entry in bench.adapters.items():
        if run_id == entry.baseline:
            yield f"baseline of {adapter}"
        if run_id in entry.controls:
            yield f"control of {adapter}"


def _row(run_id: str, folder: Path) -> RunRow:
    try:
        run = Run.open(folder)
        metrics = run.metrics
    except RunError as error:
        problem = _shown(error, folder)
        return RunRow(run_id, "", "", None, None, None, None, "unreadable", False, problem)
    record = run.record
    source = record.adapter.source
    spent = record.spend.spent_usd
    return RunRow(
        id=run_id,
        date=record.started_at,
        benchmark=record.benchmark.id,
        commit=f"{source.commit[:10]}{'+' if source.dirty else ''}" if source else None,
        model=record.adapter.model,
        quality=_mean(metrics),
        cost_usd=None if spent is None else float(spent),
        verdict=record.gate.status
        if record.gate and record.status == "completed"
        else record.status,
        is_partial=bool(record.partial),
        note=record.note,
    )


def _mean(metrics: object) -> float | None:
    quality = metrics.get("quality") if isinstance(metrics, dict) else None
    mean = quality.get("mean") if isinstance(quality, dict) else None
    return mean if isinstance(mean, (int, float)) else None
