"""A saved run as the gate sees it: its record and its rows, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime

from pytest_benchbed.compare.judge import Row
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.run import RunRecord


@dataclass(frozen=True)
class RunFacts:
    """``run.json`` and ``results.jsonl`` of one run; a hole has no row."""

    record: RunRecord
    rows: Mapping[str, Row] = field(repr=False)
    """Rows by case id."""

    @property
    def id(self) -> str:
        """The run's id."""
        return self.record.id

    def groups(self) -> dict[str, str]:
        """Return the group of each case that has one; rows are read only if there are any."""
        if not self.record.counts.groups:
            return {}
        return {case: row["group"] for case, row in self.rows.items() if "group" in row}


def seconds_between(earlier: RunRecord, later: RunRecord) -> float:
    """Return the seconds from one run's start to another's; negative if it began after it.

    Raises:
        RunError: a start that is no time with a zone.
    """
    return (_start(later) - _start(earlier)).total_seconds()


def _start(record: RunRecord) -> datetime:
    try:
        start = datetime.fromisoformat(record.started_at)
    except ValueError:
        start = datetime.min
    if start.tzinfo is None:
        raise RunError(
            f"run {record.id!r}: started_at {record.started_at[:40]!a} in run.json is no UTC time "
            "such as 2026-01-31T12:00:00Z."
        )
    return start
