"""Where a promoted run is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs.promoted import copies_of
from pytest_benchbed.runs.promoted import find_promoted
from pytest_benchbed.runs.read import Run
from tests.unit.runs.builders import outcome
from tests.unit.runs.builders import record_json
from tests.unit.runs.builders import result
from tests.unit.runs.builders import save_run
from tests.unit.runs.builders import write_calls
from tests.unit.runs.builders import write_snapshot


def saved(tmp_path: Path, visibility: str = "public") -> Run:
    dataset = record_json()["dataset"] | {"visibility": visibility}
    run = Run.open(save_run(tmp_path / "runs" / "base", [result("a")], dataset=dataset))
    write_calls(run.path, [outcome("a", "1")])
    return run


def find(tmp_path: Path, run_id: str = "base") -> Run:
    return find_promoted(run_id, tmp_path / "bench", tmp_path / "runs", tmp_path)


def test_the_runs_directory_serves_where_there_is_no_snapshot(tmp_path: Path) -> None:
    run = saved(tmp_path)

    assert find(tmp_path).path == run.path
    assert find_promoted("base", None, tmp_path / "runs", tmp_path).path == run.path


def test_the_snapshot_goes_first(tmp_path: Path) -> None:
    folder = write_snapshot(saved(tmp_path), tmp_path / "bench")

    assert find(tmp_path).path == folder
    assert copies_of("base", tmp_path / "bench", tmp_path / "runs") == [
        folder,
        tmp_path / "runs" / "base",
    ]


@pytest.mark.parametrize(("started", "replies"), [(None, {"a": "1"}), ("2026-04-01T10:00:00Z", {})])
def test_replies_that_a_snapshot_lacks_are_those_of_the_same_run(
    tmp_path: Path, started: str | None, replies: dict[str, str]
) -> None:
    run = saved(tmp_path, "private")
    folder = write_snapshot(run, tmp_path / "bench")
    if started:
        # Another run of that id; the replies are not those of the snapshot.
        text = run.paths.run.read_text("utf-8")
        run.paths.run.write_text(text.replace(run.record.started_at, started), "utf-8")

    found = find(tmp_path)

    assert found.path == folder
    assert dict(found.predictions()) == replies
    copies = copies_of("base", tmp_path / "bench", tmp_path / "runs")
    assert copies == ([folder, run.path] if replies else [folder])


def test_a_run_that_is_nowhere_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="unknown run"):
        find(tmp_path)
    assert copies_of("base", None, tmp_path) == []


def test_a_snapshot_of_another_run_is_refused(tmp_path: Path) -> None:
    folder = write_snapshot(saved(tmp_path), tmp_path / "bench")
    folder.rename(folder.with_name("other"))

    with pytest.raises(RunError, match="holds the run 'base', not 'other'"):
        find(tmp_path, "other")
