"""A case's result as it travels in a report, and the results that have arrived.

One ASCII text a case, made once in the item: the row in it is the very line of
``results.jsonl``, so nothing is encoded again at the end. What has arrived lies
in a temporary file: as objects the rows of a long run take as much memory as
all of its tests.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from array import array
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from typing import IO
from typing import Any

from pydantic_core import from_json

from pytest_benchbed.model.canonical import ascii_json
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.row_text import row_text

Row = dict[str, Any]

_BLOCK = 1 << 16
_NO_TECHNICAL = ',"technical":[]}'
_NO_KEYS: dict[str, str] = {}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def result_text(benchmark: str, row: Row, technical: list[dict[str, Any]]) -> str:
    """Return ``{benchmark, row, technical}`` as one line of ASCII JSON."""
    end = f',"technical":{ascii_json(technical)}}}' if technical else _NO_TECHNICAL
    text = f"{_head(benchmark)}{row_text(row)}{end}"
    # Outside strings all JSON is ASCII; inside them an escape says the same.
    return text if text.isascii() else _NOT_ASCII.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return ascii_json(match[0])[1:-1]


def _head(benchmark: str) -> str:
    return f'{{"benchmark":"{benchmark}","row":'


class Results(Mapping[str, Row]):
    """The rows of one run by case, each read when it is asked for."""

    def __init__(self, benchmark: str) -> None:
        """``benchmark``: id of the type whose results are kept."""
        self._head = _head(benchmark)
        self._places: dict[str, int] = {}
        """Case to the number of its row, in order of arrival."""
        self._starts = array("Q", [0])
        self._spool: IO[bytes] | None = None
        self._block = b""
        self._block_at = 0

    def put(self, case: str, text: str) -> list[dict[str, Any]]:
        """Keep the result of a case, as :func:`result_text` made it; return its failures.

        Raises:
            RunError: there is no room for it.
        """
        technical: list[dict[str, Any]] = []
        if text.endswith(_NO_TECHNICAL):
            line = text[len(self._head) : -len(_NO_TECHNICAL)]
        else:
            result = from_json(text)
            # Encoded again: a failure is rare.
            line = ascii_json(result["row"])
            technical = result["technical"]
        try:
            self._write(line.encode("ascii"))
        except OSError as error:
            raise RunError(
                f"the results cannot be written to a temporary file: {error.strerror}. Make "
                f"room in {tempfile.gettempdir()}, or set TMPDIR."
            ) from error
        self._places[case] = len(self._places)
        self._starts.append(self._starts[-1] + len(line))
        return technical

    def _write(self, line: bytes) -> None:
        if self._spool is None:
            # Without a name and outside the run: no system under test comes upon it.
            self._spool = tempfile.TemporaryFile(prefix="benchbed-results-")  # noqa: SIM115
        self._spool.write(line)

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of ``results.jsonl``: canonical, in the order of the cases."""
        for case in sorted(self._places):
            line = self._read(case)
            # Without an escape it is canonical as it stands.
            yield canonical(from_json(line, cache_strings="keys")) if b"\\u" in line else line

    def rows(self, *, with_keys: bool) -> dict[str, Row]:
        """Return all rows by case, in order; what many have in common is one object.

        ``with_keys``: with ``keys`` and ``key_parts``, half of a row, which are looked
        at only where there is something to compare with.
        """
        rows: dict[str, Row] = {}
        last: Row = {"errors": {}, "metrics": {}, "x": {"usage": {}}}
        for case in sorted(self._places):
            row = self[case]
            # A text of a few letters takes as much as seven numbers.
            row["case"] = case
            row["state"] = sys.intern(row["state"])
            for name in ("errors", "metrics", "x"):
                if row[name] == last[name]:
                    row[name] = last[name]
            if row["x"]["usage"] == last["x"]["usage"]:
                row["x"]["usage"] = last["x"]["usage"]
            if not with_keys:
                row["keys"] = row["key_parts"] = _NO_KEYS
            rows[case] = last = row
        return rows

    def close(self) -> None:
        """Forget every row; safe to call again."""
        self._places.clear()
        if self._spool is not None:
            # What a full disk did not take is forgotten too.
            with suppress(OSError):
                self._spool.close()

    def _read(self, case: str) -> bytes:
        number = self._places[case]
        start, end = self._starts[number : number + 2]
        at = start - self._block_at
        if at < 0 or end > self._block_at + len(self._block):
            # Cases are read in the order of their ids, and most arrived in it.
            self._block = self._read_file(start, max(end - start, _BLOCK))
            self._block_at, at = start, 0
        return self._block[at : at + end - start]

    def _read_file(self, offset: int, length: int) -> bytes:
        assert self._spool is not None, "a case has a place once it was put"
        self._spool.seek(offset)
        block = self._spool.read(length)
        self._spool.seek(0, os.SEEK_END)
        return block

    def __getitem__(self, case: str) -> Row:
        row: Row = from_json(self._read(case), cache_strings="keys")
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, case: object) -> bool:
        return case in self._places
