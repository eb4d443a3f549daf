"""Write ``run.json`` and the history of its record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_benchbed.model.run import HistoryEntry
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.layout import RunPaths


def write_record(root: Path, record: RunRecord) -> None:
    """Put ``record`` into ``run.json`` as one step.

    Raises:
        RunError: the file cannot be written; the old record is unchanged.
    """
    write_json(RunPaths(root).run, record.to_json())


def with_history(record: RunRecord, what: str, before: Any, after: Any, at: str) -> RunRecord:
    """Return ``record`` with one more line of history; ``before`` and ``after`` are JSON."""
    entry = HistoryEntry(at=at, what=what, from_=before, to=after)
    return record.model_copy(update={"history": [*record.history, entry]})
