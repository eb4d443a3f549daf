from __future__ import annotations

import errno
import os
import stat
import sys

import pytest

from pytest_benchbed.data import staging
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.staging import Stage
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import DatasetError
from tests.unit.data.folder import CASES
from tests.unit.data.folder import CONTEXTS

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"


def stage(folder, tmp_path, ids=("c-1", "c-3")):
    return Stage.make(Dataset.open(folder.root), ids, tmp_path / "stage")


def staged(made):
    below = made.directory
    return sorted(path.relative_to(below).as_posix() for path in below.rglob("*") if path.is_file())


@pytest.mark.req("ENV-079")
def test_the_files_of_the_selected_cases_and_their_contexts_are_copied(folder, tmp_path):
    made = stage(folder, tmp_path)

    assert staged(made) == ["assets/f1.txt", "assets/f3.txt", "assets/shared.txt"]
    for path in staged(made):
        assert (made.directory / path).read_bytes() == folder.read(path)


def test_the_request_gets_paths_sizes_and_hashes(folder, tmp_path):
    made = stage(folder, tmp_path)
    pins = {pin["path"]: pin for pin in folder.pins()}

    assert [pin.to_json() for pin in made.files("c-3")] == [pins["assets/f3.txt"]]
    assert [pin.to_json() for pin in made.context_files("doc")] == [pins["assets/shared.txt"]]


def test_a_case_without_files_has_none(unpinned, tmp_path):
    unpinned.row(CASES, 1, files=None)
    made = stage(unpinned.pinned(), tmp_path, ["c-1"])

    assert made.files("c-1") == []
    assert staged(made) == []


def test_copies_are_files_of_their_own_that_nobody_may_write(folder, tmp_path):
    made = stage(folder, tmp_path)

    for path in staged(made):
        status = (made.directory / path).lstat()
        assert stat.S_ISREG(status.st_mode)
        assert status.st_nlink == 1
        assert stat.S_IMODE(status.st_mode) & 0o222 == 0
        assert not (made.directory / path).samefile(folder.root / path)


def test_no_answer_is_staged(folder, tmp_path):
    made = stage(folder, tmp_path, ["c-1", "c-2", "c-3"])

    names = [path.name for path in tmp_path.joinpath("stage").rglob("*")]
    assert not {"answers.jsonl", "cases.jsonl", "manifest.json"} & set(names)
    assert b"canary" not in b"".join((made.directory / path).read_bytes() for path in staged(made))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.write("assets/f1.txt", b"x"), r"f1\.txt: case 'c-1': the file has 1 bytes"),
        (
            lambda f: f.write("assets/f1.txt", f.read("assets/f1.txt").replace(b"1", b"2")),
            r"f1\.txt: case 'c-1': the content is not the pinned one.*benchbed pin",
        ),
        (
            lambda f: f.write("assets/shared.txt", b"x"),
            r"shared\.txt: the file has 1 bytes, pinned are 7",
        ),
        (
            lambda f: f.write("assets/f1.txt", f.read("assets/f1.txt").replace(b"\n", b"\r\n")),
            "differs only in line ends",
        ),
        (lambda f: f.write("assets/f1.txt", LFS), "Git LFS pointer"),
        (lambda f: (f.root / "assets/f1.txt").unlink(), "pinned in manifest.json, but does not"),
        (lambda f: f.row(CASES, 1, files=["../x"]), r"cases\.jsonl:1: case 'c-1': .*not pinned"),
        (lambda f: f.row(CONTEXTS, 1, files=["x"]), r"contexts\.jsonl: case 'doc': .*not pinned"),
        (lambda f: f.row(CASES, 3, context="none"), "unknown context 'none'"),
    ],
)
@pytest.mark.req("ENV-079")
def test_a_file_that_is_not_the_pinned_one_is_refused(folder, tmp_path, spoil, message):
    spoil(folder)

    with pytest.raises(DatasetError, match=message):
        stage(folder, tmp_path)


def test_every_bad_file_is_told_at_once(folder, tmp_path):
    folder.write("assets/f1.txt", b"x")
    folder.write("assets/f3.txt", b"x")

    with pytest.raises(DatasetError) as caught:
        stage(folder, tmp_path)

    assert "f1.txt" in str(caught.value)
    assert "f3.txt" in str(caught.value)


def test_a_changed_file_of_a_case_that_is_not_selected_does_not_matter(folder, tmp_path):
    folder.write("assets/f2.txt", b"x")

    assert "assets/f2.txt" not in staged(stage(folder, tmp_path))


def test_a_link_in_the_place_of_a_file_is_not_followed(folder, tmp_path):
    content = folder.read("assets/f1.txt")
    (tmp_path / "same").write_bytes(content)
    (folder.root / "assets/f1.txt").unlink()
    (folder.root / "assets/f1.txt").symlink_to(tmp_path / "same")

    with pytest.raises(DatasetError, match="symbolic link"):
        stage(folder, tmp_path)


def test_what_lies_in_the_destination_is_never_overwritten(folder, tmp_path):
    """A link planted there beforehand must not lead the copy elsewhere."""
    (tmp_path / "victim").write_bytes(b"mine")
    (tmp_path / "stage" / "assets").mkdir(parents=True)
    (tmp_path / "stage" / "assets" / "f1.txt").symlink_to(tmp_path / "victim")

    with pytest.raises(BenchbedError, match="cannot copy the input files"):
        stage(folder, tmp_path)
    assert (tmp_path / "victim").read_bytes() == b"mine"


def test_a_full_disk_is_told_with_what_to_do(folder, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(staging, "_copy", full)

    with pytest.raises(BenchbedError, match=r"No space left(.|\n)*TMPDIR"):
        stage(folder, tmp_path)


def test_untouched_copies_are_not_tampered_with(folder, tmp_path):
    assert stage(folder, tmp_path).tampered() == []


def overwrite(path):
    path.chmod(0o644)
    path.write_bytes(b"other")


def overwrite_keeping_size_and_times(path):
    before = path.stat()
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def append(path):
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b"\n")


def replace_by_link(path):
    target = path.with_name("target")
    target.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(target)


def replace_by_folder(path):
    path.unlink()
    path.mkdir()


TAMPERING = [
    overwrite,
    overwrite_keeping_size_and_times,
    append,
    replace_by_link,
    replace_by_folder,
    lambda path: path.unlink(),
]


@pytest.mark.skipif(sys.platform == "win32", reason="a read-only file cannot be removed there")
@pytest.mark.parametrize("tamper", TAMPERING)
def test_a_copy_that_the_system_changed_is_found(folder, tmp_path, tamper):
    made = stage(folder, tmp_path)

    tamper(made.directory / "assets" / "f3.txt")

    assert made.tampered() == ["assets/f3.txt"]


def test_the_dataset_itself_is_not_what_is_checked_after_the_run(folder, tmp_path):
    made = stage(folder, tmp_path)

    folder.write("assets/f3.txt", b"edited by the user meanwhile")

    assert made.tampered() == []
