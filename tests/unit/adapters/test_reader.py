"""Strict reading of what a system wrote into its output folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pytest_benchbed.adapters import reader
from pytest_benchbed.adapters.reader import check_sizes
from pytest_benchbed.adapters.reader import name_problem
from pytest_benchbed.adapters.reader import parse_output
from pytest_benchbed.adapters.reader import read_output_file
from pytest_benchbed.model.errors import TechnicalFailure

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX files")


@pytest.mark.parametrize("name", ["predictions.json", "a.json", "A_b-1.2.json", ".x.json"])
def test_a_plain_name_is_accepted(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../a.json", "/a.json", "a/b.json", "a\\b.json", "C:a.json", "a.json:s",
        "a\0.json", "http://x/a.json", "adapter-result.json", "Adapter-Result.JSON", "nul.json",
        "COM1.json", "a b.json", "é.json", "a.txt", "a", "a.json ", "x" * 300 + ".json",
    ],
)  # fmt: skip
def test_any_other_name_is_refused(name: str) -> None:
    assert name_problem(name) is not None


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")

    assert read_output_file(tmp_path, "a.json", 2) == b"{}"


def refused(directory: Path, name: str = "a.json", cap: int = 100) -> str:
    with pytest.raises(TechnicalFailure) as caught:
        read_output_file(directory, name, cap)
    assert caught.value.where.endswith(name)
    return caught.value.kind


def test_a_file_that_is_not_there_is_missing(tmp_path: Path) -> None:
    assert refused(tmp_path) == "missing_file"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()

    assert refused(tmp_path) == "bad_file"


@posix
@pytest.mark.parametrize("target", ["secret.json", "nowhere", "a.json", "/dev/zero"])
def test_a_link_is_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "secret.json").write_bytes(b"{}")
    (tmp_path / "a.json").symlink_to(target)

    assert refused(tmp_path) == "bad_file"


@posix
def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.json").write_bytes(b"{}")
    (tmp_path / "adapter").symlink_to("real")

    assert refused(tmp_path / "adapter") == "bad_file"


@posix
def test_a_hard_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(b"{}")
    os.link(tmp_path / "secret.json", tmp_path / "a.json")

    assert refused(tmp_path) == "bad_file"


@posix
def test_a_pipe_does_not_make_us_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")

    assert refused(tmp_path) == "bad_file"


@posix
def test_a_socket_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a.json")

        assert refused(tmp_path) == "bad_file"


@posix
def test_a_setuid_bit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    (tmp_path / "a.json").chmod(0o4644)

    assert refused(tmp_path) == "bad_file"


@posix
def test_a_file_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    monkeypatch.setattr(reader.os, "geteuid", lambda: 4711)

    assert refused(tmp_path) == "bad_file"


def test_a_sparse_file_beyond_the_cap_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(2**40)

    assert refused(tmp_path) == "too_large"


@posix
def test_a_file_that_grows_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"{}")
    read = os.read

    def growing(fd: int, size: int) -> bytes:
        with path.open("ab") as file:
            file.write(b" " * 30)
        return read(fd, min(size, 20))

    monkeypatch.setattr(reader.os, "read", growing)

    assert refused(tmp_path) == "too_large"


def test_without_directory_descriptors_the_file_is_looked_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader.os, "supports_dir_fd", set())
    (tmp_path / "a.json").write_bytes(b"{}")
    (tmp_path / "folder").mkdir()

    assert read_output_file(tmp_path, "a.json", 10) == b"{}"
    assert refused(tmp_path, "folder") == "bad_file"
    assert refused(tmp_path, "none") == "missing_file"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b"{}{}", "syntax"),
        (b"\xef\xbb\xbf{}", "bom"),
        (b'{"a":1,"a":2}', "duplicate_key"),
        (b'{"a":NaN}', "not_finite"),
        (b"[]", "not_object"),
        (b"null", "not_object"),
        (b"\xff\xfe{\0}\0", "not_utf8"),
    ],
)
def test_text_that_is_not_one_strict_object_is_named_by_its_fault(data: bytes, kind: str) -> None:
    with pytest.raises(TechnicalFailure) as caught:
        parse_output(data, "adapter/p.json")
    assert (caught.value.kind, caught.value.where) == (kind, "adapter/p.json")


@pytest.mark.parametrize(
    "value", ["x" * 1_000_001, [0] * 100_001, {"a": [["y" * 1_000_001]]}, {"z" * 1_000_001: 1}]
)
def test_an_oversized_string_or_list_is_refused(value: object) -> None:
    with pytest.raises(TechnicalFailure, match="too_large"):
        check_sizes(value)


def test_sizes_at_the_limit_are_accepted() -> None:
    check_sizes({"a": "x" * 1_000_000, "b": [0] * 100_000})
