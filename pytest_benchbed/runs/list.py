"""The rows of ``benchbed runs``: what is saved below the runs directory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.find import run_folders
from pytest_benchbed.runs.read import Run


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


def list_runs(runs_dir: Path) -> list[RunRow]:
    """Return every run below ``runs_dir``, newest first; those that cannot be read come last.

    Runs of a run set are listed one by one. A missing folder has no runs.
    """
    rows = [_row(run_id, folder) for run_id, folder in run_folders(runs_dir)]
    return sorted(rows, key=lambda row: (row.date, row.id), reverse=True)


def _row(run_id: str, folder: Path) -> RunRow:
    try:
        run = Run.open(folder)
        metrics = run.metrics
    except RunError as error:
        # The first column says which run: the path down to it would fill the line.
        problem = str(error).removeprefix(f"{folder}{os.sep}")
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
    )


def _mean(metrics: object) -> float | None:
    quality = metrics.get("quality") if isinstance(metrics, dict) else None
    mean = quality.get("mean") if isinstance(quality, dict) else None
    return mean if isinstance(mean, int | float) else None
