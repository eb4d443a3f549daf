"""Where a separator may lie: the gaps between words, and the true positions in them.

Pure arithmetic on word boxes, also for a table that was turned by a scanner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from typing import Literal

from pytest_benchbed.generators.table_crop import Gap
from pytest_benchbed.generators.table_crop import Placed
from pytest_benchbed.generators.table_crop import Table

Axis = Literal["rows", "columns"]

SKEWS: Final = (90, 75, 60, 45, 35, 25, 15)
"""Hundredths of a degree, largest first."""
MIN_GAP_PX: Final = 4.0


def gaps(axis: Axis, words: Sequence[Placed], edges: Sequence[float]) -> tuple[Gap, ...]:
    """Return per inner edge the interval between the words before and behind it.

    Words of cells that span the edge play no part. A band without a word is
    shared out at its middle.
    """
    at = 1 if axis == "rows" else 0
    count = len(edges) - 1
    low = [edges[0]] * count
    high = [edges[-1]] * count
    filled = [False] * count
    for word in words:
        first, extent = (word.row, word.rows) if axis == "rows" else (word.column, word.columns)
        if extent == 1:
            filled[first] = True
        for inner in range(first + extent - 1, count):
            low[inner] = max(low[inner], word.box[at + 2])
        for inner in range(first):
            high[inner] = min(high[inner], word.box[at])
    found = []
    for inner in range(count - 1):
        lowest, highest = low[inner], high[inner]
        if not filled[inner]:
            lowest = max(lowest, tenth((edges[inner] + edges[inner + 1]) / 2))
        if not filled[inner + 1]:
            highest = min(highest, tenth((edges[inner + 1] + edges[inner + 2]) / 2))
        found.append((lowest, highest))
    return tuple(found)


def separators(
    gaps: Sequence[Gap], edges: Sequence[float], ruled: frozenset[int]
) -> tuple[float, ...]:
    """Return the position of the line where there is one, else the middle of the gap."""
    return tuple(
        edges[inner] if inner in ruled else tenth((low + high) / 2)
        for inner, (low, high) in enumerate(gaps, start=1)
    )


def turn(point: tuple[float, float], table: Table, skew: int) -> tuple[float, float]:
    """Turn a point about the middle of the crop by ``skew`` against the clock."""
    angle = math.radians(skew / 100)
    x, y = point[0] - table.width / 2, point[1] - table.height / 2
    return (
        table.width / 2 + x * math.cos(angle) + y * math.sin(angle),
        table.height / 2 - x * math.sin(angle) + y * math.cos(angle),
    )


def turned(table: Table, sign: int, ys: Sequence[float], xs: Sequence[float]) -> Table:
    """Turn the table by the largest skew that leaves a straight separator room, or the least.

    The true separators become the middles of the gaps: a slanted line has no
    one position.
    """
    for skew in SKEWS:
        words = []
        for word in table.words:
            x0, y0, x1, y1 = word.box
            corners = [
                turn(corner, table, sign * skew)
                for corner in ((x0, y0), (x1, y0), (x0, y1), (x1, y1))
            ]
            box = (
                tenth(min(x for x, _ in corners)),
                tenth(min(y for _, y in corners)),
                tenth(max(x for x, _ in corners)),
                tenth(max(y for _, y in corners)),
            )
            words.append(replace(word, box=box))
        row_gaps, column_gaps = gaps("rows", words, ys), gaps("columns", words, xs)
        if min(high - low for low, high in (*row_gaps, *column_gaps)) >= MIN_GAP_PX:
            break
    return replace(
        table,
        words=tuple(sorted(words, key=position)),
        row_gaps=row_gaps,
        column_gaps=column_gaps,
        rows=separators(row_gaps, ys, frozenset()),
        columns=separators(column_gaps, xs, frozenset()),
        skew=sign * skew,
    )


def position(word: Placed) -> tuple[float, float]:
    """Return the key by which the words of a case are ordered."""
    return word.box[1], word.box[0]


def tenth(value: float) -> float:
    """Round to a tenth of a pixel."""
    return round(value, 1)
