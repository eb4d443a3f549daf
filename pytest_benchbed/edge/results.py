"""A case's result as it travels in a report, and the results that have arrived.

One ASCII text a case, made once in the item: the row in it is the very line of
``results.jsonl``, so nothing is encoded again at the end. Kept as text, since
the rows of a long run as objects take four times the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from pytest_benchbed.model.canonical import ascii_json
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.runs.row_text import row_text

Row = dict[str, Any]

_NO_TECHNICAL = ',"technical":[]}'
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def result_text(benchmark: str, row: Row, technical: list[dict[str, Any]]) -> str:
    """Return ``{benchmark, row, technical}`` as one line of ASCII JSON."""
    text = f'{_head(benchmark)}{row_text(row)},"technical":{ascii_json(technical)}}}'
    # Outside strings all JSON is ASCII; inside them an escape says the same.
    return text if text.isascii() else _NOT_ASCII.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return ascii_json(match[0])[1:-1]


def _head(benchmark: str) -> str:
    return f'{{"benchmark":"{benchmark}","row":'


class Results(Mapping[str, Row]):
    """The rows of one run by case, each parsed when it is asked for."""

    def __init__(self, benchmark: str) -> None:
        """``benchmark``: id of the type whose results are kept."""
        self._head = _head(benchmark)
        self._lines: dict[str, str] = {}

    def put(self, case: str, text: str) -> list[dict[str, Any]]:
        """Keep the result of a case, as :func:`result_text` made it; return its failures."""
        if text.endswith(_NO_TECHNICAL):
            self._lines[case] = text[len(self._head) : -len(_NO_TECHNICAL)]
            return []
        result = from_json(text)
        # Encoded again: a failure is rare.
        self._lines[case] = ascii_json(result["row"])
        technical: list[dict[str, Any]] = result["technical"]
        return technical

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of ``results.jsonl``: canonical, in the order of the cases."""
        for case in sorted(self._lines):
            line = self._lines[case]
            # Without an escape it is canonical as it stands.
            yield line.encode("ascii") if "\\u" not in line else canonical(from_json(line))

    def __getitem__(self, case: str) -> Row:
        row: Row = from_json(self._lines[case], cache_strings="keys")
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, case: object) -> bool:
        return case in self._lines
