from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.runs.lock import lock_run
from pytest_benchbed.runs.retention import remove_old_partial_runs
from tests.unit.runs.builders import save_run


def run_id(day: int) -> str:
    return f"table-separators-202603{day:02}-100000-0a1b"


def partial_run(runs: Path, day: int, **changes: Any) -> str:
    """Save an unnamed partial run of that day."""
    name = changes.pop("name", run_id(day))
    changes = {"partial": ["case"], "started_at": f"2026-03-{day:02}T10:00:00Z"} | changes
    save_run(runs / name, **changes)
    return name


def names(runs: Path) -> set[str]:
    return {path.name for path in runs.iterdir()}


def test_the_newest_partial_runs_are_kept(tmp_path: Path) -> None:
    for day in (3, 1, 5, 2, 4):
        partial_run(tmp_path, day)

    removed = remove_old_partial_runs(tmp_path, 3, [])

    assert removed == [run_id(2), run_id(1)]
    assert names(tmp_path) == {run_id(day) for day in (3, 4, 5)}


@pytest.mark.parametrize("keep", [0, -1])
def test_none_may_be_kept(tmp_path: Path, keep: int) -> None:
    for day in (1, 2, 3):
        partial_run(tmp_path, day)

    remove_old_partial_runs(tmp_path, keep, [])

    assert names(tmp_path) == set()


@pytest.mark.parametrize(
    "change",
    [
        {"partial": []},
        {"name": "my-run"},
        {"shard": "1/2"},
        {"id": "another-20260301-100000-0a1b"},
        {"id": f"set/{run_id(1)}"},
    ],
    ids=["whole", "named by its user", "shard", "renamed by hand", "of a set"],
)
def test_every_other_run_stays(tmp_path: Path, change: dict[str, Any]) -> None:
    name = partial_run(tmp_path, 1, **change)

    assert remove_old_partial_runs(tmp_path, 0, []) == []
    assert names(tmp_path) == {name}


@pytest.mark.parametrize("text", [run_id(1), f"runs/{run_id(1)}", f"/abs/runs/{run_id(1)}"])
def test_a_run_that_a_bench_file_names_stays(tmp_path: Path, text: str) -> None:
    partial_run(tmp_path, 1)

    assert remove_old_partial_runs(tmp_path, 0, [text]) == []
    assert names(tmp_path) == {run_id(1)}


def test_a_named_run_does_not_count_among_the_newest(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        partial_run(tmp_path, day)

    assert remove_old_partial_runs(tmp_path, 1, [run_id(3)]) == [run_id(1)]


def test_a_run_that_somebody_works_on_stays(tmp_path: Path) -> None:
    partial_run(tmp_path, 1)

    with lock_run(tmp_path / run_id(1)):
        assert remove_old_partial_runs(tmp_path, 0, []) == []

    assert remove_old_partial_runs(tmp_path, 0, []) == [run_id(1)]


def test_a_link_to_a_run_is_not_followed(tmp_path: Path) -> None:
    outside = save_run(tmp_path / "elsewhere" / run_id(1), partial=["case"])
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / run_id(1)).symlink_to(outside, target_is_directory=True)

    assert remove_old_partial_runs(runs, 0, []) == []
    assert (outside / "run.json").is_file()
    assert names(runs) == {run_id(1)}


def test_a_record_that_is_a_link_does_not_condemn_its_folder(tmp_path: Path) -> None:
    outside = save_run(tmp_path / "elsewhere" / run_id(1), partial=["case"])
    folder = tmp_path / "runs" / run_id(1)
    folder.mkdir(parents=True)
    (folder / "run.json").symlink_to(outside / "run.json")

    assert remove_old_partial_runs(tmp_path / "runs", 0, []) == []
    assert folder.is_dir()


def test_what_a_link_inside_a_removed_run_shows_is_not_touched(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o750)
    (precious / "file").write_text("kept")
    mode = precious.stat().st_mode
    runs = tmp_path / "runs"
    partial_run(runs, 1)
    (runs / run_id(1) / "adapter").mkdir()
    (runs / run_id(1) / "adapter" / "link").symlink_to(precious, target_is_directory=True)

    assert remove_old_partial_runs(runs, 0, []) == [run_id(1)]
    assert names(runs) == set()
    assert (precious / "file").read_text() == "kept"
    assert precious.stat().st_mode == mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")
def test_folders_without_rights_are_removed_too(tmp_path: Path) -> None:
    partial_run(tmp_path, 1)
    closed = tmp_path / run_id(1) / "adapter" / "closed"
    closed.mkdir(parents=True)
    (closed / "file").touch()
    closed.chmod(0)

    assert remove_old_partial_runs(tmp_path, 0, []) == [run_id(1)]
    assert names(tmp_path) == set()


def test_a_run_that_cannot_be_read_stays(tmp_path: Path) -> None:
    partial_run(tmp_path, 1)
    (tmp_path / run_id(1) / "run.json").write_text("{")

    assert remove_old_partial_runs(tmp_path, 0, []) == []
    assert names(tmp_path) == {run_id(1)}


def test_a_run_that_cannot_be_renamed_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    partial_run(tmp_path, 1)

    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)

    assert remove_old_partial_runs(tmp_path, 0, []) == []
    assert (tmp_path / run_id(1) / "run.json").is_file()


def test_a_removal_that_was_cut_short_is_finished(tmp_path: Path) -> None:
    save_run(tmp_path / ".removing-0a1b2c3d", id="x")
    outside = save_run(tmp_path.parent / f"{tmp_path.name}-outside", id="y")
    (tmp_path / ".removing-link").symlink_to(outside, target_is_directory=True)

    remove_old_partial_runs(tmp_path, 3, [])

    assert names(tmp_path) == {".removing-link"}
    assert (outside / "run.json").is_file()


def test_files_and_other_folders_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / run_id(1)).touch()
    (tmp_path / run_id(2)).mkdir()
    (tmp_path / ".gitignore").touch()

    assert remove_old_partial_runs(tmp_path, 0, []) == []
    assert len(names(tmp_path)) == 3


def test_a_missing_runs_directory_is_no_fault(tmp_path: Path) -> None:
    assert remove_old_partial_runs(tmp_path / "runs", 3, []) == []
