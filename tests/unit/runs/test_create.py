from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs import create
from pytest_benchbed.runs.create import create_run
from pytest_benchbed.runs.create import create_run_set
from pytest_benchbed.runs.layout import RunPaths

MIB = 2**20


def test_a_new_run_is_a_folder_with_its_three_folders(tmp_path: Path) -> None:
    root = create_run(tmp_path / "runs", "base")

    assert root == tmp_path / "runs" / "base"
    assert {path.name for path in root.iterdir()} == {"adapter", "report-assets", "raw"}


def test_a_new_runs_directory_is_ignored_by_git(tmp_path: Path) -> None:
    create_run(tmp_path / "deep" / "runs", "base")

    assert (tmp_path / "deep" / "runs" / ".gitignore").read_text() == "*\n"


def test_a_runs_directory_that_exists_keeps_its_own_rules(tmp_path: Path) -> None:
    """Who made the folder decides what git sees of it."""
    (tmp_path / "runs").mkdir()

    create_run(tmp_path / "runs", "base")

    assert not (tmp_path / "runs" / ".gitignore").exists()


@pytest.mark.req("ENV-090")
def test_a_run_that_exists_is_refused_and_not_touched(tmp_path: Path) -> None:
    root = create_run(tmp_path, "base")
    (root / "run.json").write_text("precious")

    with pytest.raises(RunError, match="run 'base' exists") as caught:
        create_run(tmp_path, "base")

    assert "--bench-resume=base" in str(caught.value)
    assert (root / "run.json").read_text() == "precious"
    assert (root / "adapter").is_dir()


@pytest.mark.parametrize("run_id", ["../x", "a/../b", "", "a/b/c", "set/../../x"])
def test_an_id_that_leaves_the_runs_directory_is_refused(tmp_path: Path, run_id: str) -> None:
    runs = tmp_path / "runs"

    with pytest.raises(UsageProblem, match="is not valid"):
        create_run(runs, run_id)

    assert not runs.exists()


def test_a_file_in_place_of_the_runs_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")

    with pytest.raises(RunError, match="runs: the runs directory cannot be created") as caught:
        create_run(tmp_path / "runs", "base")

    assert "--bench-runs-dir" in str(caught.value)


@pytest.mark.parametrize(
    ("free", "estimate"), [(64 * MIB - 1, 0), (64 * MIB - 1, 1000), (200 * MIB - 1, 100 * MIB)]
)
def test_too_little_room_is_refused_before_anything_is_paid(
    tmp_path: Path, free: int, estimate: int
) -> None:
    with pytest.raises(RunError, match="MiB are free, a run needs"):
        create_run(tmp_path, "base", estimate_bytes=estimate, free=lambda _: free)

    assert not (tmp_path / "base").exists()


@pytest.mark.parametrize(("free", "estimate"), [(64 * MIB, 0), (200 * MIB, 100 * MIB)])
def test_enough_room_is_enough(tmp_path: Path, free: int, estimate: int) -> None:
    asked = []

    def probe(folder: Path) -> int:
        asked.append(folder)
        return free

    assert create_run(tmp_path, "base", estimate_bytes=estimate, free=probe).is_dir()
    assert asked == [tmp_path / "base"]


def test_a_disk_that_does_not_take_the_probe_is_refused_and_the_id_stays_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(create.os, "fsync", full)
    with pytest.raises(RunError, match="cannot be written to: No space left"):
        create_run(tmp_path, "base")
    monkeypatch.undo()

    assert not (tmp_path / "base").exists()
    assert create_run(tmp_path, "base").is_dir()


def test_a_probe_that_is_cut_short_is_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(create.os, "write", lambda fd, data: real(fd, bytes(data[:7])))

    with pytest.raises(RunError, match="cannot be written to: No space left"):
        create_run(tmp_path, "base")


def test_a_run_set_names_its_benchmarks_in_their_order(tmp_path: Path) -> None:
    root = create_run_set(tmp_path, "night", ["table-separators", "label"])

    assert json.loads((root / "run-set.json").read_text()) == {
        "schema": "benchbed.run-set.v1",
        "id": "night",
        "benchmarks": ["table-separators", "label"],
    }


def test_a_run_of_a_set_lies_in_its_folder(tmp_path: Path) -> None:
    create_run_set(tmp_path, "night", ["label"])

    assert RunPaths(create_run(tmp_path, "night/label")).root == tmp_path / "night" / "label"


def test_a_run_of_a_set_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be created"):
        create_run(tmp_path, "night/label")


def test_a_set_is_not_made_over_a_run(tmp_path: Path) -> None:
    create_run(tmp_path, "base")

    with pytest.raises(RunError, match="run 'base' exists"):
        create_run_set(tmp_path, "base", ["label"])

    assert not (tmp_path / "base" / "run-set.json").exists()
