"""Which cell was merged, split, moved or took a neighbour's word; cell F1.

Pure; the second half of the profile ``logical`` of ``separators.py``. Cells are
compared by the words they hold, so no position in pixels is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_benchbed.model.error import Error
from pytest_benchbed.scoring.bands import Alignment
from pytest_benchbed.scoring.bands import true_band
from pytest_benchbed.scoring.grid import Cell
from pytest_benchbed.scoring.grid import Span

SHOWN_WORDS = 12
"""An error shows at most so many words of a cell."""

Members = Mapping[Cell, Sequence[int]]
"""Per cell the numbers of its words."""


def members(cells: Sequence[Cell]) -> dict[Cell, list[int]]:
    """Collect the numbers of the words per cell, cells in reading order."""
    return members_of(range(len(cells)), cells)


def members_of(words: Sequence[int], got: Sequence[Cell]) -> dict[Cell, list[int]]:
    """Group some words by the cell they lie in, cells in reading order."""
    found: dict[Cell, list[int]] = {}
    for word in words:
        found.setdefault(got[word], []).append(word)
    return dict(sorted(found.items()))


def cell_f1(true: Sequence[Cell], got: Sequence[Cell]) -> tuple[int, int] | None:
    """Return F1 over cells as a pair that can be pooled: 2 * hits, true + predicted cells.

    A cell counts if it holds a word. A hit is a predicted cell that holds
    exactly the words of one true cell. F1 = 2·hits / (true + predicted), the
    harmonic mean of hits/predicted and hits/true; pooled over cases it is the
    micro F1. Position plays no part: one lost row does not void all below it.
    None for a table without words.
    """
    wanted = {tuple(words) for words in members(true).values()}
    found = {tuple(words) for words in members(got).values()}
    total = len(wanted) + len(found)
    return (2 * len(wanted & found), total) if total else None


def cell_errors(
    true: Sequence[Cell],
    got: Sequence[Cell],
    texts: Sequence[str],
    expected: Callable[[Cell], Cell | None],
) -> list[Error]:
    """Compare the true cell of each word with the predicted cell it came to lie in.

    The *home* of a true cell is the predicted cell with most of its words (tie:
    the one it fills with the larger share, then the first in reading order).

    - ``merged`` {cell, with}: both have the same home. Reported against the
      nearest such cell to the left in its row and above in its column, so two
      lost separators give the errors of each; else against the one before it.
    - ``taken`` {word, from, by}: a word lies in the home of another cell.
    - ``split`` {cell, axis}: words lie in a cell that is nobody's home; ``axis``
      says whether a row or a column separator cuts the cell.
    - ``moved`` {cell}: all is together and alone, but not where ``expected``
      wants it. ``expected`` maps a true to a predicted cell (None: it cannot be
      said).
    """
    wanted, found = members(true), members(got)
    home = {cell: _home(words, got, found) for cell, words in wanted.items()}
    residents: dict[Cell, list[Cell]] = {}
    for cell, place in home.items():
        residents.setdefault(place, []).append(cell)
    scene = _Scene(wanted, found, home, residents, got, texts)
    errors = scene.merged()
    for cell, words in wanted.items():
        astray = [word for word in words if got[word] != home[cell]]
        if astray:
            errors += scene.torn(cell, astray)
            continue
        right = expected(cell)
        if right is not None and home[cell] != right and len(residents[home[cell]]) == 1:
            errors.append(
                Error("moved", {"cell": _at(cell)}, expected=_at(right), got=_at(home[cell]))
            )
    return errors


@dataclass(frozen=True, slots=True)
class _Scene:
    """One comparison: who is at home where."""

    wanted: Members
    found: Members
    home: Mapping[Cell, Cell]
    residents: Mapping[Cell, Sequence[Cell]]
    """Per predicted cell the true cells whose home it is, in reading order."""
    got: Sequence[Cell]
    texts: Sequence[str]

    def merged(self) -> list[Error]:
        """Return the errors of cells that share a home."""
        return [
            Error(
                "merged",
                {"cell": _at(cell), "with": _at(other)},
                expected=[self._text(self.wanted[other]), self._text(self.wanted[cell])],
                got=self._text(self.found[place]),
            )
            for place, group in self.residents.items()
            for number, cell in enumerate(group)
            for other in _neighbours(cell, group[:number])
        ]

    def torn(self, cell: Cell, astray: Sequence[int]) -> list[Error]:
        """Return the errors of a cell with words that are not in its home."""
        errors = []
        axes: dict[str, None] = {}
        for word in astray:
            place = self.got[word]
            if place not in self.residents:
                axes.update({"rows": None} if place[0] != self.home[cell][0] else {})
                axes.update({"columns": None} if place[1] != self.home[cell][1] else {})
                continue
            taker = min(self.residents[place], key=lambda other: (_distance(cell, other), other))
            errors.append(
                Error(
                    "taken",
                    {"word": word, "from": _at(cell), "by": _at(taker)},
                    expected=self._text(self.wanted[taker]),
                    got=self._text(self.found[place]),
                )
            )
        pieces = [self._text(part) for part in members_of(self.wanted[cell], self.got).values()]
        errors.extend(
            Error(
                "split",
                {"cell": _at(cell), "axis": axis},
                expected=self._text(self.wanted[cell]),
                got=pieces,
            )
            for axis in axes
        )
        return errors

    def _text(self, words: Sequence[int]) -> str:
        # Where no grid was found, one cell holds the whole table, and each error shows it.
        text = " ".join(self.texts[word] for word in words[:SHOWN_WORDS])
        return text if len(words) <= SHOWN_WORDS else f"{text} and {len(words) - SHOWN_WORDS} more"


def span_errors(
    true: Sequence[Span], got: Sequence[Span], rows: Alignment, columns: Alignment
) -> list[Error]:
    """Compare spanning cells after mapping the predicted ones to true rows and columns.

    ``span`` {cell, fault}: ``missing``, ``extra``, or ``size`` (right anchor,
    wrong extent). A predicted span that covers one true cell only, because
    extra separators cut it, is no error here: the separators are. An extra one
    that covers no true band is named by its predicted position with the fault
    ``outside``.
    """
    wanted = {(span.row, span.column): span for span in true if span.rows * span.columns > 1}
    mapped: dict[Cell, list[Span]] = {}
    errors: dict[Error, None] = {}
    for span in got:
        row = true_band(rows, span.row, span.rows)
        column = true_band(columns, span.column, span.columns)
        if span.rows * span.columns == 1:
            continue
        if row is None or column is None:
            place = _at((span.row, span.column))
            errors[Error("span", {"cell": place, "fault": "outside"}, got=_extent(span))] = None
        elif row[1] * column[1] > 1:
            is_at = Span(row[0], column[0], row[1], column[1])
            mapped.setdefault((is_at.row, is_at.column), []).append(is_at)
    for cell, span in wanted.items():
        here = mapped.get(cell, [])
        if span not in here:
            fault = "size" if here else "missing"
            size = _extent(here[0]) if here else None
            error = Error(
                "span", {"cell": _at(cell), "fault": fault}, expected=_extent(span), got=size
            )
            errors[error] = None
    for cell, here in mapped.items():
        extra = [span for span in here if span != wanted.get(cell)]
        if extra and (cell not in wanted or wanted[cell] in here):
            error = Error("span", {"cell": _at(cell), "fault": "extra"}, got=_extent(extra[0]))
            errors[error] = None
    return list(errors)


def _home(words: Sequence[int], got: Sequence[Cell], found: Members) -> Cell:
    here = members_of(words, got)
    return max(
        here,
        key=lambda place: (len(here[place]), -len(found[place]), -place[0], -place[1]),
    )


def _neighbours(cell: Cell, before: Sequence[Cell]) -> list[Cell]:
    """Return the nearest of ``before`` (reading order) to the left, and above."""
    if not before:
        return []
    left = [other for other in before if other[0] == cell[0]]
    above = [other for other in before if other[1] == cell[1]]
    return [*left[-1:], *above[-1:]] or [before[-1]]


def _at(cell: Cell) -> list[str | int]:
    return [*cell]


def _distance(cell: Cell, other: Cell) -> int:
    return abs(cell[0] - other[0]) + abs(cell[1] - other[1])


def _extent(span: Span) -> list[int]:
    return [span.rows, span.columns]
