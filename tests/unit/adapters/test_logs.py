"""Output of an adapter in a file: redacted, escaped, capped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_benchbed.adapters.logs import CappedLog
from pytest_benchbed.adapters.redaction import Redactor


def log(path: Path, cap: int = 10_000, **secrets: str) -> CappedLog:
    return CappedLog(str(path), cap=cap, redactor=Redactor(secrets))


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_secret_across_two_pieces_is_redacted(tmp_path: Path, size: int) -> None:
    data = b"first token-123456 line\nsecond token-123456"
    kept = log(tmp_path / "log", KEY="token-123456")

    for start in range(0, len(data), size):
        kept.feed(data[start : start + size])
    kept.close()

    assert (tmp_path / "log").read_text() == "first [KEY] line\nsecond [KEY]"


def test_a_secret_of_several_lines_is_redacted(tmp_path: Path) -> None:
    kept = log(tmp_path / "log", PEM="---\nabc\ndef\n---")

    for byte in b"a\nb ---\nabc\ndef\n--- c" + b" " * 50 + b"\n":
        kept.feed(bytes([byte]))
    kept.close()

    assert (tmp_path / "log").read_text() == "a\nb [PEM] c" + " " * 50 + "\n"


def test_escapes_and_foreign_bytes_become_printable_and_lines_stay(tmp_path: Path) -> None:
    kept = log(tmp_path / "log")

    kept.feed(b"\x1b[31mred\x1b[0m\r\n\xff\xfe caf\xc3\xa9\n")
    kept.close()

    text = (tmp_path / "log").read_text(encoding="utf-8")
    assert text == "\\x1b[31mred\\x1b[0m\\r\n\\xff\\xfe caf\u00e9\n"
    assert kept.last_line == "\\xff\\xfe caf\u00e9"


def test_more_than_the_cap_is_counted_but_not_kept(tmp_path: Path) -> None:
    kept = log(tmp_path / "log", cap=100)

    kept.feed(b"x" * 99 + b"\n")
    assert not kept.is_flooded
    kept.feed(b"y" * 50 + b"\n")
    kept.close()

    assert kept.is_flooded
    data = (tmp_path / "log").read_bytes()
    assert len(data) < 150
    assert data.endswith(b"not kept\n")
    assert b"y" not in data


def test_the_cap_counts_what_an_earlier_process_left_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x" * 95)
    kept = log(tmp_path / "log", cap=100)

    kept.feed(b"y" * 50 + b"\n")
    kept.close()

    assert not kept.is_flooded
    assert (tmp_path / "log").read_bytes().startswith(b"x" * 95 + b"y" * 5 + b"\n...")


def test_a_line_without_end_is_written_before_it_is_all_in_memory(tmp_path: Path) -> None:
    kept = log(tmp_path / "log", cap=10**6, KEY="token-123456")

    kept.feed(b"x" * 200_000)

    assert (tmp_path / "log").stat().st_size > 100_000
    kept.close()
    assert (tmp_path / "log").stat().st_size == 200_000


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_a_link_in_the_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to(tmp_path / "victim")

    with pytest.raises(OSError, match="log"):
        log(tmp_path / "log")
    assert not (tmp_path / "victim").exists()
