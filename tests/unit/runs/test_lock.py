from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs import lock as lock_module
from pytest_benchbed.runs.lock import lock_run
from pytest_benchbed.runs.lock import try_lock


def test_a_run_has_one_holder(tmp_path: Path) -> None:
    with lock_run(tmp_path), pytest.raises(RunError, match="another process works on this run"):
        lock_run(tmp_path)


def test_a_released_run_can_be_taken_again(tmp_path: Path) -> None:
    lock = lock_run(tmp_path)
    lock.release()
    lock.release()

    with lock_run(tmp_path):
        assert try_lock(tmp_path) is None


def test_runs_are_locked_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    with lock_run(tmp_path / "a"), lock_run(tmp_path / "b"):
        pass


def test_the_holder_sweeps_what_a_killed_writer_left(tmp_path: Path) -> None:
    (tmp_path / ".run.json.0a1b2c3d.tmp").touch()

    with lock_run(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == ["run.lock"]


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="the system opens links only")
def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "outside"
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.lock").symlink_to(target)

    with pytest.raises(RunError, match="cannot be locked"):
        lock_run(run)

    assert not target.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows locks in another way")
def test_a_file_system_without_locks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: Any) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(lock_module.fcntl, "flock", unsupported)

    with pytest.raises(RunError, match=r"run\.lock: cannot be locked: No locks available"):
        lock_run(tmp_path)


def test_a_run_that_cannot_be_swept_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(lock_module, "sweep_temporary", refuse)
    with pytest.raises(PermissionError):
        lock_run(tmp_path)
    monkeypatch.undo()

    with lock_run(tmp_path):
        pass
