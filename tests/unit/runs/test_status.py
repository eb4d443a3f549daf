from __future__ import annotations

from pathlib import Path

from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.status import with_history
from pytest_benchbed.runs.status import write_record
from tests.unit.runs.builders import record

AT = "2026-03-03T08:00:00Z"


def test_history_grows_at_its_end() -> None:
    noted = with_history(with_history(record(), "one", 1, 2, AT), "two", 2, 3, AT)

    assert [entry.what for entry in noted.history] == ["one", "two"]


def test_any_step_can_be_noted() -> None:
    noted = with_history(record(), "reused", "old-run", 3, AT)

    assert noted.history[0].to_json() == {"at": AT, "what": "reused", "from": "old-run", "to": 3}


def test_a_record_keeps_its_form_when_written_twice(tmp_path: Path) -> None:
    write_record(tmp_path, record())
    first = RunPaths(tmp_path).run.read_bytes()

    write_record(tmp_path, Run.open(tmp_path).record)

    assert RunPaths(tmp_path).run.read_bytes() == first
