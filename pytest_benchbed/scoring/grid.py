"""A table grid: separators, spanning cells, and the cell a word lies in.

Everything about tables is said in these terms. A table of R rows and C columns
has R - 1 row separators (y positions) and C - 1 column separators (x
positions); the outer border is no separator. Cells are named by zero-based
``(row, column)``; a spanning cell by its top left corner, its *anchor*.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Cell = tuple[int, int]
"""Zero-based row and column."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A cell that covers several grid cells."""

    row: int
    column: int
    rows: int = 1
    """How many rows it covers, at least 1."""
    columns: int = 1

    def covers(self, cell: Cell) -> bool:
        """Say whether ``cell`` lies in the spanning cell."""
        return (
            self.row <= cell[0] < self.row + self.rows
            and self.column <= cell[1] < self.column + self.columns
        )


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the centre of its box, in pixels."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Grid:
    """Separators in ascending order, and the spanning cells."""

    rows: tuple[float, ...] = ()
    """y of each row separator, in pixels from the top."""
    columns: tuple[float, ...] = ()
    """x of each column separator, in pixels from the left."""
    spans: tuple[Span, ...] = ()

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Grid:
        """Read ``{rows, columns, spans}``; their order does not matter, doubles are kept."""
        spans = {
            Span(span["row"], span["column"], span["rows"], span["columns"])
            for span in value["spans"]
        }
        return cls(
            tuple(sorted(value["rows"])), tuple(sorted(value["columns"])), tuple(sorted(spans))
        )

    @property
    def size(self) -> Cell:
        """Number of rows and of columns."""
        return len(self.rows) + 1, len(self.columns) + 1

    def place(self, word: Word) -> Cell:
        """Return the grid cell that holds the word's centre, spanning cells set aside.

        A centre exactly on a separator belongs to the cell before it.
        """
        return bisect_left(self.rows, word.y), bisect_left(self.columns, word.x)

    def anchor(self, cell: Cell) -> Cell:
        """Return the anchor of the spanning cell over ``cell``, else ``cell`` itself.

        Of spanning cells that overlap, the first in reading order counts.
        """
        for span in self.spans:
            if span.covers(cell):
                return span.row, span.column
        return cell


@dataclass(frozen=True, slots=True)
class Truth:
    """What a prediction is compared with."""

    grid: Grid
    row_gaps: tuple[tuple[float, float], ...]
    """Per row separator the lowest and highest y that cut no cell from its neighbour."""
    column_gaps: tuple[tuple[float, float], ...]
    cells: tuple[Cell, ...]
    """Per word of the case the cell (or anchor) it belongs to."""

    @classmethod
    def from_json(cls, answer: Mapping[str, Any]) -> Truth:
        """Read an answer of the type ``table-separators``."""
        return cls(
            Grid.from_json(answer),
            _pairs(answer["row_gaps"]),
            _pairs(answer["column_gaps"]),
            tuple((row, column) for row, column in answer["cells"]),
        )


def _pairs(gaps: Sequence[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    return tuple((low, high) for low, high in gaps)
