"""The rows of a saved run, each read from ``results.jsonl`` when it is asked for.

As objects the rows of a long run take ten times the memory of their file, and
most are never looked at: a case whose line is the same in every compared run
has not changed. So only the place of each line is kept. Where the digest in
``run.json`` fits, the lines are those that were written, and are read plainly;
without one (older records) every row is looked at once, strictly.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import IO
from typing import Any

from pydantic_core import from_json

from pytest_benchbed.compare.in_step import Grader
from pytest_benchbed.compare.in_step import mark
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.escape import term
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lines import REMEDY
from pytest_benchbed.runs.lines import numbered_rows
from pytest_benchbed.runs.lines import parse_plain
from pytest_benchbed.runs.row_shape import misshapen

Row = dict[str, Any]

_BLOCK = 1 << 16
_CASE = b'{"case":"'
_VOLATILE = b',"x":{'


class SavedRows(Mapping[str, Row]):
    """Case id to its row, in order of the ids; at most 150 bytes of memory a case.

    The file is opened for each block that is read and closed again: Windows
    replaces no file that is open. One that was replaced is read no further.
    """

    def __init__(self, path: Path, profiles: Sequence[str]) -> None:
        """Use :meth:`open`."""
        self._path = path
        self._grader = Grader(profiles)
        self._stamp: tuple[int, ...] = ()
        self.cases: list[str] = []
        """The cases, in order."""
        self.grades = bytearray()
        self.marks = bytearray()
        """Of each line up to what differs in every run (``x``): what is in it, and its digest."""
        self._starts = array("Q", [0])
        """Where each line starts, and where the last one ends."""
        self._block = b""
        self._block_at = 0

    @classmethod
    def open(
        cls, path: Path, digest: str | None, *, run: str, profiles: Sequence[str] = ()
    ) -> SavedRows:
        """Find the rows in ``path``; without a digest a missing file has none.

        Args:
            path: ``results.jsonl`` of a run.
            digest: its SHA-256 by the run's record, None if that has none.
            run: id of the run, for the refusal.
            profiles: of its benchmark, for rows that will be compared.

        Raises:
            RunError: the file is not the one that the record is of; with line and,
                where it can be told, case of the first line that is damaged.
        """
        rows = cls(path, profiles)
        found, is_plain = ("", False) if digest is None else rows._index()
        if not is_plain or found != digest:
            rows._read_strictly()
        if digest is not None and found != digest:
            raise RunError(_edited(path, found, digest, run))
        return rows

    def read(self) -> Iterator[Row]:
        """Yield all rows in order, one at a time."""
        for number in range(len(self.cases)):
            yield self._row(number)

    def __getitem__(self, case: str) -> Row:
        number = self._number(case)
        if number is None:
            raise KeyError(case)
        return self._row(number)

    def __iter__(self) -> Iterator[str]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    def __contains__(self, case: object) -> bool:
        return isinstance(case, str) and self._number(case) is not None

    def _number(self, case: str) -> int | None:
        # A table of ten thousand ids would take more memory than all the rest.
        number = bisect_left(self.cases, case)
        return number if number < len(self.cases) and self.cases[number] == case else None

    def _row(self, number: int) -> Row:
        start, end = self._starts[number], self._starts[number + 1]
        block, block_at = self._load(start, end - start)
        line = block[start - block_at : end - block_at]
        return parse_plain(line, f"{self._path}:{number + 1}")

    def _load(self, offset: int, length: int) -> tuple[bytes, int]:
        """Return a block with these bytes and its offset; the last block is kept."""
        at = offset - self._block_at
        if at < 0 or at + length > len(self._block):
            try:
                with self._path.open("rb") as file:
                    is_same = _stamp(file) == self._stamp
                    file.seek(offset)
                    block = file.read(max(length, _BLOCK))
            except OSError as error:
                raise _unreadable(self._path, error) from error
            if not is_same or len(block) < length:
                raise RunError(f"{self._path}: was changed while it was read. Read it again.")
            self._block, self._block_at = block, offset
        return self._block, self._block_at

    def _index(self) -> tuple[str, bool]:
        """Find the lines without parsing; return the SHA-256, and whether they can be ours."""
        digest, offset, rest, last = hashlib.sha256(), 0, b"", ""
        is_ours = True
        try:
            with self._path.open("rb") as file:
                self._stamp = _stamp(file)
                while chunk := file.read(_BLOCK):
                    digest.update(chunk)
                    block, at = rest + chunk, 0
                    while is_ours and (end := block.find(b"\n", at)) >= 0:
                        case = _case_of(block, at, end)
                        is_ours = case > last
                        head = block[at : _head_end(block, at, end)]
                        self._add(case, offset + end + 1, head)
                        last, at = case, end + 1
                    rest, offset = block[at:] if is_ours else b"", offset + at
        except FileNotFoundError:
            return "", False
        except OSError as error:
            raise _unreadable(self._path, error) from error
        return digest.hexdigest(), is_ours and not rest

    def _read_strictly(self) -> None:
        """Find the lines by looking at each row."""
        self.cases, self._starts = [], array("Q", [0])
        self.grades, self.marks = bytearray(), bytearray()
        try:
            with self._path.open("rb") as file:
                self._stamp = _stamp(file)
        except OSError:
            # The reader says what there is to say.
            self._stamp = ()
        for number, line, row in numbered_rows(self._path):
            problem = misshapen(row)
            if problem:
                where = f"{self._path}:{number}: case {term(row['case'], 80)!r}"
                raise RunError(f"{where}: {problem}. {REMEDY}")
            # Only what comes last can be left out without leaving out more.
            is_last = next(reversed(row)) == "x"
            head = line[: _head_end(line, 0, len(line))] if is_last else line
            self._add(row["case"], self._starts[-1] + len(line), head)

    def _add(self, case: str, end: int, head: bytes) -> None:
        self.cases.append(case)
        self._starts.append(end)
        self.grades.append(self._grader.grade(head))
        self.marks += mark(head)


def _stamp(file: IO[bytes]) -> tuple[int, ...]:
    stat = os.fstat(file.fileno())
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _case_of(block: bytes, at: int, end: int) -> str:
    """Return the case of the line at ``at``; "" if it has none."""
    start = at + len(_CASE)
    stop = block.find(b'"', start, end)
    try:
        if block.startswith(_CASE, at) and stop > 0 and b"\\" not in (name := block[start:stop]):
            return name.decode("utf-8")
        row = from_json(block[at:end], cache_strings="keys")
    except ValueError:
        return ""
    case = row.get("case") if isinstance(row, dict) else None
    return case if isinstance(case, str) else ""


def _head_end(block: bytes, at: int, end: int) -> int:
    """Return where the last ``x`` of a line starts; inside a string its quotes are escaped."""
    head = block.rfind(_VOLATILE, at, end)
    return head if head >= 0 else end


def _unreadable(path: Path, error: OSError) -> RunError:
    return RunError(f"{path}: cannot be read: {error.strerror}. {REMEDY}")


def _edited(path: Path, found: str, digest: str, run: str) -> str:
    remedy = REMEDY
    if RunPaths(path.parent).calls.exists():
        remedy = f"Make it again from calls.jsonl: benchbed score {term(run, 160)}"
    if not found:
        return f"{path}: is missing, and run.json says that the run has one. {remedy}"
    return (
        f"{path}: was edited after the run was written: its SHA-256 begins with {found[:12]}, "
        f"by run.json with {term(digest[:12])}. {remedy}"
    )
