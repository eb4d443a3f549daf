"""Tables written as text, with their truth.

A cell is 100 pixels wide and 40 high. Its words are 20 wide and 25 apart; ``/``
starts a second line in the cell. Gaps reach from 20 before to 10 behind a
column's edge, from 12 before to 8 behind a row's.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.scoring.grid import Cell
from pytest_benchbed.scoring.grid import Grid
from pytest_benchbed.scoring.grid import Span
from pytest_benchbed.scoring.grid import Truth
from pytest_benchbed.scoring.grid import Word

WIDE = 100.0
HIGH = 40.0


def drawn(*rows: str, spans: Sequence[Span] = ()) -> tuple[Truth, list[Word]]:
    """Return truth and words of a table such as ``drawn("a b | c", "d | e/f")``.

    The words of a spanning cell stand in its anchor and may reach over its edge.
    """
    cells: list[Cell] = []
    words: list[Word] = []
    columns = 0
    for row, text in enumerate(rows):
        parts = text.split("|")
        columns = max(columns, len(parts))
        for column, part in enumerate(parts):
            for line, content in enumerate(part.split("/")):
                for number, word in enumerate(content.split()):
                    x = WIDE * column + 20 + 25 * number
                    words.append(Word(word, x, HIGH * row + 12 + 12 * line))
                    cells.append((row, column))
    row_edges = [HIGH * edge for edge in range(1, len(rows))]
    column_edges = [WIDE * edge for edge in range(1, columns)]
    truth = Truth(
        Grid(tuple(row_edges), tuple(column_edges), tuple(spans)),
        tuple((edge - 12, edge + 8) for edge in row_edges),
        tuple((edge - 20, edge + 10) for edge in column_edges),
        tuple(cells),
    )
    return truth, words


def grid(rows: Sequence[float], columns: Sequence[float], spans: Sequence[Span] = ()) -> Grid:
    return Grid(tuple(sorted(rows)), tuple(sorted(columns)), tuple(spans))


def found(score: ProfileScore) -> list[tuple[str, dict[str, object]]]:
    """Return kind and place of each error, in order."""
    return [(error.kind, dict(error.where)) for error in score.errors]


def kinds(score: ProfileScore) -> set[str]:
    return {error.kind for error in score.errors}
