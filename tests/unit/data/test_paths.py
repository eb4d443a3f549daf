from __future__ import annotations

import os
import socket
import sys

import pytest

from pytest_benchbed.data import paths
from pytest_benchbed.data.paths import FileProblem
from pytest_benchbed.data.paths import check_path
from pytest_benchbed.data.paths import find_twins
from pytest_benchbed.data.paths import open_inside
from pytest_benchbed.data.paths import twin_key
from tests.unit.data.folder import open_descriptors


@pytest.mark.parametrize(
    "path",
    [
        "a.png",
        "assets/sep-001.png",
        "assets/año/ñandú.pdf",
        "assets/😀.png",
        "a b/c d.txt",
        ".hidden",
        "console.txt",
        "common/com10.txt",
        "x" * 200,
        "ñ" * 100,
    ],
)
def test_a_portable_path_is_accepted(path):
    assert check_path(path) is None


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is an absolute path"),
        ("C:\\data\\x", "is an absolute path"),
        ("c:/data/x", "is an absolute path"),
        ("\\\\server\\share", "is an absolute path"),
        ("a\\b", "has a backslash"),
        ("a:stream", "has a colon"),
        ("a\x00b", "has a control character"),
        ("a\nb", "has a control character"),
        ("a\x9bb", "has a control character"),
        ("a\u2028b", "has a control character"),
        ("a\ud800", "is not UTF-8"),
        ("x" * 201, "is longer than 200 bytes"),
        ("ñ" * 101, "is longer than 200 bytes"),
        ("an\u0303o.txt", "is not in Unicode form NFC"),
        ("a//b", "has an empty segment"),
        ("a/", "has an empty segment"),
        ("./a", "has the segment '.'"),
        ("a/./b", "has the segment '.'"),
        ("..", "has the segment '..'"),
        ("a/../../b", "has the segment '..'"),
        (" a", "has a blank at the start or end of a segment"),
        ("a /b", "has a blank at the start or end of a segment"),
        ("a\u00a0", "has a blank at the start or end of a segment"),
        ("a.", "has a dot at the end of a segment"),
        ("a.../b", "has a dot at the end of a segment"),
        ("nul", "has a device name of Windows"),
        ("assets/NUL.txt", "has a device name of Windows"),
        ("Con .tar.gz", "has a device name of Windows"),
        ("aux/x", "has a device name of Windows"),
        ("com1", "has a device name of Windows"),
        ("LPT\u00b9.log", "has a device name of Windows"),
        ("CONIN$", "has a device name of Windows"),
    ],
)
def test_a_path_that_means_something_else_elsewhere_is_refused(path, reason):
    assert check_path(path) == reason


@pytest.mark.parametrize(
    ("one", "other"),
    [("A", "a"), ("ñ", "n\u0303"), ("STRASSE", "straße"), ("Å", "\u212b"), ("É", "e\u0301")],
)
def test_twins_have_one_key(one, other):
    assert twin_key(one) == twin_key(other)


def test_folders_that_differ_only_by_case_are_twins():
    pairs = list(find_twins(["Assets/a.png", "assets/b.png", "assets/c.png"]))

    assert pairs == [("Assets", "assets")]


def test_a_file_and_a_folder_can_be_twins():
    assert list(find_twins(["a", "A/b"])) == [("a", "A")]


def test_different_paths_are_no_twins():
    assert list(find_twins(["a/b", "a/c", "b/a"])) == []


@pytest.fixture(params=["segments", "checked"])
def opener(request, monkeypatch):
    """Both ways to open: with descriptors of folders, and without (Windows)."""
    if request.param == "checked":
        monkeypatch.setattr(paths, "_HAS_DIR_FD", False)
    elif not paths._HAS_DIR_FD:
        pytest.skip("this system opens no file relative to a folder's descriptor")
    return open_inside


def read(file):
    try:
        return os.read(file, 100)
    finally:
        os.close(file)


def test_a_file_below_the_root_is_opened(opener, tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_bytes(b"content")

    assert read(opener(tmp_path, "a/b/c.txt")) == b"content"


def test_the_root_itself_may_be_a_link(opener, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"content")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert read(opener(tmp_path / "link", "a")) == b"content"


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../secret"])
def test_a_path_that_leads_out_is_never_opened(opener, tmp_path, path):
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "root" / "a").mkdir(parents=True)

    with pytest.raises(FileProblem) as caught:
        opener(tmp_path / "root", path)
    assert caught.value.kind == "refused"


def test_a_missing_file_is_told_as_missing(opener, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for path in ("a", "a/b", "file/b"):
        with pytest.raises(FileProblem) as caught:
            opener(tmp_path, path)
        assert caught.value.kind == "missing", path


def test_a_missing_root_is_told_as_missing(opener, tmp_path):
    with pytest.raises(FileProblem) as caught:
        opener(tmp_path / "nowhere", "a")
    assert caught.value.kind == "missing"


def link_outside(root):
    (root / "bad").symlink_to(root.parent / "secret")


def link_inside(root):
    (root / "good").write_bytes(b"")
    (root / "bad").symlink_to("good")


def dangling_link(root):
    (root / "bad").symlink_to("nowhere")


def looping_link(root):
    (root / "bad").symlink_to("bad")


@pytest.mark.parametrize("make", [link_outside, link_inside, dangling_link, looping_link])
def test_no_link_is_followed(opener, tmp_path, make):
    (tmp_path / "secret").write_bytes(b"secret")
    root = tmp_path / "root"
    root.mkdir()
    make(root)

    with pytest.raises(FileProblem, match="symbolic link") as caught:
        opener(root, "bad")
    assert caught.value.kind == "link"


def test_no_linked_folder_is_entered(opener, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"secret")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "assets").symlink_to(tmp_path / "real")

    with pytest.raises(FileProblem) as caught:
        opener(tmp_path / "root", "assets/a")
    assert caught.value.kind == "link"


def test_a_folder_is_no_file(opener, tmp_path):
    (tmp_path / "a").mkdir()

    with pytest.raises(FileProblem, match="not a regular file") as caught:
        opener(tmp_path, "a")
    assert caught.value.kind == "special"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFO in folders")
def test_a_fifo_is_refused_without_waiting_for_a_writer(opener, tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(FileProblem) as caught:
        opener(tmp_path, "pipe")
    assert caught.value.kind == "special"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no socket in folders")
def test_a_socket_is_refused(opener, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        with pytest.raises(FileProblem) as caught:
            opener(tmp_path, "sock")
    assert caught.value.kind == "special"


def test_no_descriptor_is_left_open(opener, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"")
    (tmp_path / "a" / "link").symlink_to("b")
    before = open_descriptors()

    os.close(opener(tmp_path, "a/b"))
    for path in ("a/link", "a/nowhere", "a", "../x"):
        with pytest.raises(FileProblem):
            opener(tmp_path, path)

    assert open_descriptors() == before


def test_a_file_that_may_not_be_opened_says_why(opener, tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"")
    real = os.open

    def refusing(path, *args, **kwargs):
        if str(path).endswith("a"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(paths.os, "open", refusing)

    with pytest.raises(FileProblem, match=r"cannot be read \(Permission denied\)") as caught:
        opener(tmp_path, "a")
    assert caught.value.kind == "unreadable"


def test_a_file_that_is_swapped_while_it_is_opened_is_refused(tmp_path, monkeypatch):
    """Where no descriptor of a folder is used, what was judged must be what was opened."""
    monkeypatch.setattr(paths, "_HAS_DIR_FD", False)
    (tmp_path / "a").write_bytes(b"good")
    (tmp_path / "secret").write_bytes(b"secret")
    real = os.open
    monkeypatch.setattr(paths.os, "open", lambda path, flags: real(tmp_path / "secret", flags))
    before = open_descriptors()

    with pytest.raises(FileProblem, match="was replaced while it was opened"):
        open_inside(tmp_path, "a")
    assert open_descriptors() == before
