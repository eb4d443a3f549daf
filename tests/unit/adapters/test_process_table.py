"""Descendants from a table of processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pytest_benchbed.adapters.process_table import Entry
from pytest_benchbed.adapters.process_table import descendants
from pytest_benchbed.adapters.process_table import parse_stat
from pytest_benchbed.adapters.process_table import read_table


def test_descendants_are_children_of_any_depth() -> None:
    table = [
        Entry(5, 4, 1, False), Entry(2, 1, 1, False), Entry(3, 2, 3, True), Entry(4, 2, 4, False),
        Entry(9, 8, 1, False),
    ]  # fmt: skip

    assert {entry.pid for entry in descendants(table, 2)} == {3, 4, 5}
    assert descendants(table, 9) == []


def test_a_circle_in_the_table_ends() -> None:
    table = [Entry(2, 3, 1, False), Entry(3, 2, 1, False)]

    assert {entry.pid for entry in descendants(table, 2)} == {2, 3}


def test_a_command_name_may_hold_blanks_and_brackets() -> None:
    assert parse_stat(b"77 (a) b (c) Z 5 76 75 0 -1") == Entry(77, 5, 75, True)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_this_process_is_a_child_of_its_parent() -> None:
    assert os.getpid() in {entry.pid for entry in descendants(read_table(), os.getppid())}


def test_without_a_table_there_are_no_processes(tmp_path: Path) -> None:
    assert read_table(str(tmp_path / "none")) == []
