"""Write and change ``run.json``: the status of a run and the history of its record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_benchbed.model.run import HistoryEntry
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.run import RunStatus
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lines import read_document
from pytest_benchbed.runs.read import parse_record


def write_record(root: Path, record: RunRecord) -> None:
    """Put ``record`` into ``run.json`` as one step.

    Raises:
        RunError: the file cannot be written; the old record is unchanged.
    """
    write_json(RunPaths(root).run, record.to_json())


def set_status(root: Path, status: RunStatus, at: str) -> RunRecord:
    """Change the status of a saved run, note it in its history, and return the new record.

    For a run whose session is gone: the one that makes a run writes its record
    whole. ``at`` is a time in UTC, RFC 3339. A run that has the
    status already is left alone.

    Raises:
        RunError: the record cannot be read or written.
    """
    path = RunPaths(root).run
    record = parse_record(path, read_document(path))
    if record.status == status:
        return record
    changed = with_history(record, "status", record.status, status, at)
    changed = changed.model_copy(update={"status": status})
    write_record(root, changed)
    return changed


def with_history(record: RunRecord, what: str, before: Any, after: Any, at: str) -> RunRecord:
    """Return ``record`` with one more line of history; ``before`` and ``after`` are JSON."""
    entry = HistoryEntry(at=at, what=what, from_=before, to=after)
    return record.model_copy(update={"history": [*record.history, entry]})
