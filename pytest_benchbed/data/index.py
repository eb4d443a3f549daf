"""An index of a JSON Lines file: where each row starts, and whose row it is.

A dataset of 100,000 cases must not be 100,000 objects: kept are the ids, the
offset of each line and the order of the ids, about 20 bytes a case beyond the
id itself. A line is read and parsed when its case is asked for.

Ids are found by a byte search where the line is written plainly; whatever the
search takes for an id is checked when the row is parsed. Lines that it does
not understand are parsed.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import weakref
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.paths import FileProblem
from pytest_benchbed.data.paths import open_inside
from pytest_benchbed.data.rows import BOM
from pytest_benchbed.data.rows import CHANGED
from pytest_benchbed.data.rows import RowFaults
from pytest_benchbed.data.rows import RowT
from pytest_benchbed.data.rows import parse_object
from pytest_benchbed.data.rows import read_row
from pytest_benchbed.data.rows import twin_fault

BLOCK = 1 << 20
AHEAD = 1 << 13
"""Bytes read when one row is asked for: the next rows are mostly asked for next."""

_ID = rb'"id"\s*:\s*"([A-Za-z0-9][A-Za-z0-9._-]{0,99})"'
_MEMBER = re.compile(_ID)
# An answer row in canonical order ends with its id: the last brace of a line
# closes the row, so the member before it is the row's own.
_TAIL = re.compile(rb",\s*" + _ID + rb"\s*\}\s*\Z")
_TAIL_BYTES = 200


class Source:
    """One file of a dataset, held open: all reads see the same file, whatever replaces it."""

    def __init__(self, root: Path, name: str) -> None:
        """Open ``root/name``.

        Raises:
            FileProblem: it is missing, or no regular file.
        """
        self.shown = str(root / name)
        """Path for messages."""
        self.root = root
        self._file = open_inside(root, name)
        self._lock = threading.Lock()
        weakref.finalize(self, os.close, self._file)

    @classmethod
    def open(cls, root: Path, name: str) -> Source:
        """Open ``root/name``.

        Raises:
            DatasetError: it is missing, or no regular file.
        """
        try:
            return cls(root, name)
        except FileProblem as problem:
            raise refuse([file_fault(root, name, problem)]) from None

    def read(self, offset: int, size: int) -> bytes:
        """Return up to ``size`` bytes from ``offset``; safe from several threads."""
        if hasattr(os, "pread"):
            data: bytes = os.pread(self._file, size, offset)
            return data
        with self._lock:
            os.lseek(self._file, offset, os.SEEK_SET)
            return os.read(self._file, size)

    def lines(self) -> Iterator[bytes]:
        """Yield every line from the start, line ends included."""
        return iter(io.BufferedReader(_FromStart(self), BLOCK))


class _FromStart(io.RawIOBase):
    """A source as a stream of its own: several readers do not share a place in the file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def file_fault(root: Path, name: str, problem: FileProblem) -> Fault:
    """Say what is wrong with one of the dataset's own files."""
    shown = str(root / name)
    if problem.kind == "missing" and not root.is_dir():
        return Fault(str(root), None, None, "there is no such folder", "Correct the path.")
    if problem.kind == "missing":
        return Fault(shown, None, None, problem.args[0], "Every dataset folder has this file.")
    return Fault(shown, None, None, problem.args[0], "Put a regular, readable file in its place.")


class LineIndex:
    """Ids and places of the rows of one file."""

    __slots__ = ("_block", "_lasts", "_lines", "_order", "_source", "_starts", "ids")

    def __init__(
        self,
        source: Source,
        ids: Sequence[str],
        starts: array[int],
        lines: array[int] | None = None,
    ) -> None:
        """Index known rows.

        Args:
            source: the file.
            ids: in file order.
            starts: offset of each row, and at last the end of the last one.
            lines: 1-based line of each row; None: the rows are all lines.
        """
        self._source = source
        self.ids = tuple(ids)
        self._starts = starts
        self._lines = lines
        # Positions in the order of the folded ids: a third of the size of a
        # dict, and equal neighbours are twins.
        folded = [name.lower() for name in ids]
        self._order = array("I", sorted(range(len(folded)), key=folded.__getitem__))
        self._lasts = (0, 0)
        self._block = (0, b"")

    @classmethod
    def build(cls, source: Source) -> LineIndex:
        """Read the file once and index it.

        Raises:
            DatasetError: a line has no valid id, or two rows have one id (the
                case of its letters ignored).
        """
        ids: list[str] = []
        starts = array("Q", [0])
        at = 0
        for raw in source.lines():
            ids.append(_find_id(source, raw, len(ids) + 1))
            at += len(raw)
            starts.append(at)
        index = cls(source, ids, starts)
        if len({name.lower() for name in ids}) != len(ids):
            index._refuse_twins()
        return index

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def shown(self) -> str:
        """Path of the file for messages."""
        return self._source.shown

    @property
    def root(self) -> Path:
        """The dataset folder."""
        return self._source.root

    def position(self, name: str) -> int | None:
        """Return the position of a row in file order, or None if there is none of that id."""
        # Most questions are about the row of the last one, or about the next: a session goes
        # through the file in its order, twice, as its calls are ahead of its items.
        one, other = self._lasts
        for last, rest in ((one, other), (other, one)):
            if name in self.ids[last : last + 2]:
                last += self.ids[last] != name
                self._lasts = (last, rest)
                return last
        folded = name.lower()
        order = self._order
        at = bisect_left(order, folded, key=lambda position: self.ids[position].lower())
        if at < len(order) and self.ids[order[at]] == name:
            self._lasts = (order[at], one)
            return order[at]
        return None

    def line(self, position: int) -> int:
        """Return the 1-based line of a row."""
        return position + 1 if self._lines is None else self._lines[position]

    def raw(self, position: int) -> bytes:
        """Return the bytes of one row."""
        start, end = self._starts[position], self._starts[position + 1]
        # One object, so that threads never see the start of one block with another's bytes.
        base, block = self._block
        if not base <= start or end > base + len(block):
            base, block = start, self._source.read(start, max(end - start, AHEAD))
            self._block = base, block
        return _first_line(block[start - base : end - base])

    def stream(self) -> Iterator[tuple[int, bytes]]:
        """Yield (position, bytes of the row) in file order, read in blocks."""
        starts = self._starts
        first, count = 0, len(self.ids)
        while first < count:
            last = first + 1
            while last < count and starts[last + 1] - starts[first] <= BLOCK:
                last += 1
            base = starts[first]
            block = self._source.read(base, starts[last] - base)
            for position in range(first, last):
                row = block[starts[position] - base : starts[position + 1] - base]
                yield position, _first_line(row)
            first = last

    def rows(self, model: type[RowT]) -> Iterator[tuple[int, str, RowT]]:
        """Yield (line, id, row) in file order.

        Raises:
            DatasetError: a line has a fault.
        """
        for position, raw in self.stream():
            line, name = self.line(position), self.ids[position]
            yield line, name, read_row(raw, line, name, model, self.shown)

    def row(self, position: int, model: type[RowT]) -> RowT:
        """Return one row.

        Raises:
            DatasetError: its line has a fault.
        """
        line, name = self.line(position), self.ids[position]
        return read_row(self.raw(position), line, name, model, self.shown)

    def known_row(self, position: int) -> dict[str, Any]:
        """Return one row of a file whose digest was compared before, as plain values.

        Equal bytes were read strictly when they were pinned, so they are not read
        strictly again: that costs ten times as much, for every case of every run.

        Raises:
            DatasetError: the file was changed since.
        """
        return self._known(position, self.raw(position))

    def known_rows(self) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Yield (line, id, row) in file order, as :meth:`known_row` reads them."""
        for position, raw in self.stream():
            yield self.line(position), self.ids[position], self._known(position, raw)

    def _known(self, position: int, raw: bytes) -> dict[str, Any]:
        name = self.ids[position]
        try:
            row = from_json(raw, cache_strings="keys")
        except ValueError:
            row = None
        if isinstance(row, dict) and row.get("id") == name:
            return row
        raise refuse([Fault(self.shown, self.line(position), name, *CHANGED)])

    def by_id(self) -> Iterator[tuple[int, bytes]]:
        """Yield (position, bytes of the row) in the order of the ids."""
        ids = self.ids
        if all(before < after for before, after in pairwise(ids)):
            yield from self.stream()
            return
        for position in sorted(range(len(ids)), key=ids.__getitem__):
            yield position, self.raw(position)

    def _refuse_twins(self) -> None:
        order, ids = self._order, self.ids
        for at in range(1, len(order)):
            first, other = sorted((order[at - 1], order[at]))
            if ids[first].lower() == ids[other].lower():
                raise refuse([twin_fault(self.shown, other + 1, ids[other], ids[first], first + 1)])


def _first_line(data: bytes) -> bytes:
    """Cut after the first line: rows between two good ones may have been left out."""
    end = data.find(b"\n")
    return data if end < 0 else data[: end + 1]


def _find_id(source: Source, raw: bytes, line: int) -> str:
    match = _MEMBER.search(raw)
    if match is not None:
        # With one brace and no escape before it, it can only be the row's own member.
        before = raw[: match.start()]
        if before.count(b"{") != 1 or b"\\" in before:
            match = _TAIL.search(raw, max(0, len(raw) - _TAIL_BYTES))
        if match is not None and not raw.startswith(BOM):
            # Interned: the answers have the same ids, and so have items and results.
            return sys.intern(match[1].decode("ascii"))
    faults = RowFaults(source.shown)
    row = parse_object(raw, line, faults)
    name = None if row is None else faults.check_id(row, line)
    if name is None:
        raise refuse(faults.found)
    return name
