"""Ends of processes and failed starts, in words."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pytest_benchbed.adapters.process import Exit
from pytest_benchbed.adapters.process import start_failure


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        (Exit("exit", 3), "exit status 3"),
        (Exit("exit", -11), "killed by SIGSEGV"),
        (Exit("exit", -250), "killed by signal 250"),
        (Exit("lost", None), "ended in an unknown way"),
        (Exit("exit", 1, last_line="E: x"), "exit status 1; stderr ends: E: x"),
        (Exit("output_flood", -9), "it wrote more output than is kept, and was killed"),
    ],
)
def test_an_end_is_told_in_words(ended: Exit, text: str) -> None:
    assert ended.describe() == text


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (errno.EACCES, "not_executable", "chmod +x"),
        (errno.ENOEXEC, "not_executable", "#!"),
        (errno.ENOENT, "not_executable", "interpreter"),
        (errno.EMFILE, "start", "too many"),
    ],
)
def test_a_failed_start_says_what_to_do(tmp_path: Path, number: int, kind: str, words: str) -> None:
    program = tmp_path / "adapter"
    program.write_text("")

    failure = start_failure(str(program), OSError(number, "too many files"))

    assert failure.kind == kind
    assert words in failure.detail


def test_a_python_file_that_is_not_executable_is_answered_with_the_other_form(
    tmp_path: Path,
) -> None:
    failure = start_failure(str(tmp_path / "mine.py"), OSError(errno.EACCES, "denied"))

    assert "mine.py:NAME" in failure.detail
