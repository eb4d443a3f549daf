"""What a spreadsheet leaves to be found out about a text it exported: encoding and delimiter."""

from __future__ import annotations

import codecs
import csv
import io
import re
from typing import Final

DELIMITERS: Final = ",;\t|"
_TOLD: Final = re.compile(r"sep=(.)(?=\r?\n)", re.IGNORECASE)
_SAMPLE_LINES: Final = 20


def encoding_of(data: bytes) -> str:
    """Return the encoding that a byte order mark says; without one UTF-8, whatever follows."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"


def told_delimiter(text: str) -> tuple[str | None, str]:
    """Return the delimiter of a first line ``sep=;``, and the text that is left.

    What is left begins with the line's end, so lines are counted from the top all the same.
    """
    told = _TOLD.match(text)
    return (None, text) if told is None else (told[1], text[told.end(1) :])


def delimiter_of(text: str) -> str | None:
    r"""Return what parts most of the first rows into as many cells as the header.

    None: nothing parts the header.

    >>> delimiter_of("id;text\n1;a, b, c\n")
    ';'
    """
    head = "".join(text.splitlines(keepends=True)[:_SAMPLE_LINES])

    def quality(delimiter: str) -> tuple[int, int]:
        try:
            rows = list(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter))
        except csv.Error:
            return (0, 0)
        width = len(rows[0]) if rows else 0
        return (sum(len(row) == width for row in rows) if width > 1 else 0, width)

    best = max(DELIMITERS, key=quality)
    return None if quality(best) == (0, 0) else best
