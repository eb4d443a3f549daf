from __future__ import annotations

import errno
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs import atomic
from pytest_benchbed.runs.atomic import sweep_temporary
from pytest_benchbed.runs.atomic import write_atomic
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.atomic import write_lines
from tests.unit.runs.builders import SPANISH

NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file with a content worth keeping."""
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"old\n")
    return path


def only_file(folder: Path) -> Path:
    """Return the one file in the folder: nothing else may be left there."""
    [path] = folder.iterdir()
    return path


def test_the_new_content_replaces_the_old_one(old: Path) -> None:
    write_atomic(old, b"new\n")

    assert only_file(old.parent).read_bytes() == b"new\n"


def test_a_link_is_replaced_and_what_it_shows_is_not_touched(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious")
    link = tmp_path / "metrics.json"
    link.symlink_to(outside)

    write_atomic(link, b"new")

    assert outside.read_bytes() == b"precious"
    assert not link.is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")
def test_a_written_file_has_the_rights_the_user_gives_new_files(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_atomic(tmp_path / "run.json", b"{}")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "run.json").stat().st_mode) == 0o644


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_full_disk_leaves_the_old_file_and_no_other(
    old: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: Any) -> int:
        raise NO_SPACE

    monkeypatch.setattr(atomic.os, failing, full)

    with pytest.raises(RunError, match="No space left on device"):
        write_atomic(old, b"new")

    assert only_file(old.parent).read_bytes() == b"old\n"


def test_a_short_write_is_gone_on_with(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A nearly full disk writes a part and raises nothing."""
    real = os.write
    monkeypatch.setattr(atomic.os, "write", lambda fd, data: real(fd, bytes(data[:3])))

    write_atomic(old, b"0123456789")

    assert old.read_bytes() == b"0123456789"


def test_a_short_write_before_a_full_disk_leaves_the_old_file(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    real = os.write

    def nearly_full(descriptor: int, data: Any) -> int:
        calls.append(1)
        if len(calls) > 1:
            raise NO_SPACE
        return real(descriptor, bytes(data[:3]))

    monkeypatch.setattr(atomic.os, "write", nearly_full)

    with pytest.raises(RunError, match="Make room on the disk"):
        write_atomic(old, b"0123456789")

    assert only_file(old.parent).read_bytes() == b"old\n"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"gone.run\.json: cannot be written: No such file"):
        write_atomic(tmp_path / "gone" / "run.json", b"{}")


def test_file_and_folder_are_synced_and_the_file_first(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rename that is durable before its content would show an empty file after a power cut."""
    kinds = []
    real = os.fsync

    def noted(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        kinds.append(("folder" if is_folder else "file", old.read_bytes()))
        real(descriptor)

    monkeypatch.setattr(atomic.os, "fsync", noted)

    write_atomic(old, b"new")

    expected = [("file", b"old\n"), ("folder", b"new")]
    assert kinds == (expected[:1] if sys.platform == "win32" else expected)


@pytest.mark.skipif(os.name == "nt", reason="Windows does not sync folders")
@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_without_sync_of_folders_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def unsupported(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(atomic.os, "fsync", unsupported)

    atomic.sync_folder(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="Windows does not sync folders")
def test_a_disk_that_cannot_sync_a_folder_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(atomic.os, "fsync", broken)

    with pytest.raises(RunError, match="may not be on the disk yet"):
        atomic.sync_folder(tmp_path)


def test_a_document_is_canonical_indented_and_readable(tmp_path: Path) -> None:
    path = tmp_path / "metrics.json"

    write_json(path, {"b": 1.0, "a": SPANISH, "c": [0.25]})

    assert path.read_text(encoding="utf-8") == (
        '{\n  "a": "' + SPANISH + '",\n  "b": 1,\n  "c": [\n    0.25\n  ]\n}\n'
    )


def test_a_value_that_is_no_json_leaves_the_old_file(old: Path) -> None:
    with pytest.raises(ValueError, match=r"NaN|JSON|nan"):
        write_json(old, {"a": float("nan")})

    assert only_file(old.parent).read_bytes() == b"old\n"


def test_lines_are_counted_and_ended(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"

    assert write_lines(path, (json.dumps(n).encode() for n in range(3))) == 3
    assert path.read_bytes() == b"0\n1\n2\n"


def test_no_lines_make_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"

    assert write_lines(path, []) == 0
    assert path.read_bytes() == b""


def test_lines_larger_than_memory_chunks_arrive_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "_CHUNK_BYTES", 10)
    lines = [str(n).encode() * 7 for n in range(50)]

    write_lines(tmp_path / "x", lines)

    assert (tmp_path / "x").read_bytes().split() == lines


def test_a_source_of_lines_that_breaks_leaves_the_old_file(old: Path) -> None:
    def lines() -> Iterator[bytes]:
        yield b"new"
        raise RuntimeError("a row is broken")

    with pytest.raises(RuntimeError, match="a row is broken"):
        write_lines(old, lines())

    assert only_file(old.parent).read_bytes() == b"old\n"


def test_what_a_killed_writer_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    kept = ["run.json", ".gitignore", ".results.jsonl.tmp", ".a.0a1b.tmp", "notes.tmp"]
    for name in [*kept, ".results.jsonl.0a1b2c3d.tmp"]:
        (tmp_path / name).touch()

    assert sweep_temporary(tmp_path) == 1
    assert {path.name for path in tmp_path.iterdir()} == set(kept)
