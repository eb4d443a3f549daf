from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.status import set_status
from pytest_benchbed.runs.status import with_history
from pytest_benchbed.runs.status import write_record
from tests.unit.runs.builders import SPANISH
from tests.unit.runs.builders import record
from tests.unit.runs.builders import save_run

AT = "2026-03-03T08:00:00Z"


@pytest.mark.parametrize("status", ["completed", "interrupted", "void"])
def test_a_new_status_is_saved_with_a_line_of_history(tmp_path: Path, status: str) -> None:
    root = save_run(tmp_path / "base", status="running", note=SPANISH)

    set_status(root, status, AT)  # type: ignore[arg-type]

    saved = Run.open(root).record
    assert saved.status == status
    assert [entry.to_json() for entry in saved.history] == [
        {"at": AT, "what": "status", "from": "running", "to": status}
    ]
    assert saved.note == SPANISH


def test_history_grows_at_its_end(tmp_path: Path) -> None:
    root = save_run(tmp_path / "base", status="running")

    set_status(root, "interrupted", AT)
    set_status(root, "running", AT)

    assert [entry.to for entry in Run.open(root).record.history] == ["interrupted", "running"]


def test_the_status_a_run_has_changes_nothing(tmp_path: Path) -> None:
    root = save_run(tmp_path / "base")
    before = RunPaths(root).run.read_bytes()

    assert set_status(root, "completed", AT).history == []
    assert RunPaths(root).run.read_bytes() == before


def test_any_step_can_be_noted() -> None:
    noted = with_history(record(), "reused", "old-run", 3, AT)

    assert noted.history[0].to_json() == {"at": AT, "what": "reused", "from": "old-run", "to": 3}


def test_a_record_keeps_its_form_when_written_twice(tmp_path: Path) -> None:
    write_record(tmp_path, record())
    first = RunPaths(tmp_path).run.read_bytes()

    write_record(tmp_path, Run.open(tmp_path).record)

    assert RunPaths(tmp_path).run.read_bytes() == first


def test_a_damaged_record_is_not_overwritten(tmp_path: Path) -> None:
    RunPaths(tmp_path).run.write_text("{")

    with pytest.raises(RunError, match="is damaged"):
        set_status(tmp_path, "void", AT)

    assert RunPaths(tmp_path).run.read_text() == "{"
