"""Score the separators of a table: the profiles ``logical`` and ``geometric``.

``logical`` asks what the separators *do*: does every word come to lie in the
right cell of the right grid? Two predictions that cut the table alike score
alike. ``geometric`` asks where they *are*: does each lie in the true gap,
within a tolerance? The former is what a reader of the table needs; the latter
finds separators that cut through ink and will fail on the next, denser table.

Pure. The grid is read in ``grid.py``, rows and columns are aligned in
``bands.py``, cells compared in ``cells.py``. Source: ENV-111.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Final

from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import Metric
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.scoring.bands import Axis
from pytest_benchbed.scoring.bands import align
from pytest_benchbed.scoring.cells import cell_errors
from pytest_benchbed.scoring.cells import cell_f1
from pytest_benchbed.scoring.cells import span_errors
from pytest_benchbed.scoring.grid import Cell
from pytest_benchbed.scoring.grid import Grid
from pytest_benchbed.scoring.grid import Span
from pytest_benchbed.scoring.grid import Truth
from pytest_benchbed.scoring.grid import Word

TOLERANCE_PX: Final = 2.0
"""How far outside the gap a separator may lie, in pixels; part of the scoring version."""


def logical(truth: Truth, words: Sequence[Word], got: Grid) -> ProfileScore:
    """Compare the cell each word lies in, and the size and spanning cells of the grid.

    A word lies where its centre lies; a predicted spanning cell gathers the
    words over it. Errors: ``grid`` (:func:`~.bands.align`; further ``grid``
    {axis, fault: double, nth} for two separators at one position, which is no
    way to say that a row is empty), ``span`` (:func:`~.cells.span_errors`),
    ``merged``, ``split``, ``taken`` and ``moved``
    (:func:`~.cells.cell_errors`). There is none exactly if the grid has the
    right size, the right spanning cells, and every word in its cell.

    Metrics: ``exact`` = [1 without an error, else 0, 1], pooled: the share of
    exact tables; ``cell_f1`` = [2 * hits, true + predicted cells]
    (:func:`~.cells.cell_f1`), None for a table without words. A table without
    words can still fail by its size.
    """
    covering: dict[Cell, Span] = {(span.row, span.column): span for span in truth.grid.spans}

    def extent(cell: Cell) -> Span:
        return covering.get(cell, Span(*cell))

    places = [got.place(word) for word in words]
    (row_count, column_count), (got_rows, got_columns) = truth.grid.size, got.size
    rows = align(
        "rows",
        row_count,
        got_rows,
        [cell[0] if extent(cell).rows == 1 else None for cell in truth.cells],
        [place[0] for place in places],
    )
    columns = align(
        "columns",
        column_count,
        got_columns,
        [cell[1] if extent(cell).columns == 1 else None for cell in truth.cells],
        [place[1] for place in places],
    )
    spans = span_errors(truth.grid.spans, got.spans, rows, columns)
    blamed = {tuple(error.where["cell"]) for error in spans}  # type: ignore[arg-type]

    def expected(cell: Cell) -> Cell | None:
        # A lost span explains by itself why its words are elsewhere.
        if cell in blamed:
            return None
        return got.anchor((rows.homes[cell[0]], columns.homes[cell[1]]))

    cells = [got.anchor(place) for place in places]
    texts = [word.text for word in words]
    errors = [
        *rows.errors,
        *columns.errors,
        *_doubles("rows", got.rows),
        *_doubles("columns", got.columns),
        *spans,
        *cell_errors(truth.cells, cells, texts, expected),
    ]
    return ProfileScore(
        errors, {"exact": (int(not errors), 1), "cell_f1": cell_f1(truth.cells, cells)}
    )


def geometric(truth: Truth, got: Grid) -> ProfileScore:
    """Compare positions: each true separator is found by one that lies in its gap.

    Errors, per axis (``rows``, ``columns``); ``separator`` and ``band`` count
    from 0, band b lies between the separators b - 1 and b:

    - ``missing`` {axis, separator}: none lies in the gap (tolerance
      :data:`TOLERANCE_PX` on both sides);
    - ``misplaced`` {axis, separator}: none, but one lies in a neighbouring band
      and finds no other separator;
    - ``extra`` {axis, separator, nth} for a further one in the same gap,
      ``extra`` {axis, band, nth} for one elsewhere.

    Metrics: ``exact`` as in :func:`logical`; ``separator_precision`` = [found,
    predicted] and ``separator_recall`` = [found, true], None where there is
    nothing predicted or nothing true; ``mean_offset_px`` = mean distance
    between a found separator and the true position over both axes, None if
    none is found. A gap with several counts the farthest, so neither order nor
    doubles can improve any of them. Read the offset beside the recall: it
    speaks of found separators only.
    """
    rows = _match("rows", truth.grid.rows, truth.row_gaps, got.rows)
    columns = _match("columns", truth.grid.columns, truth.column_gaps, got.columns)
    errors = [*rows.errors, *columns.errors]
    offsets = [*rows.offsets, *columns.offsets]
    predicted = len(got.rows) + len(got.columns)
    wanted = len(truth.grid.rows) + len(truth.grid.columns)
    metrics: dict[str, Metric] = {
        "exact": (int(not errors), 1),
        "separator_precision": (len(offsets), predicted) if predicted else None,
        "separator_recall": (len(offsets), wanted) if wanted else None,
        "mean_offset_px": fmean(offsets) if offsets else None,
    }
    return ProfileScore(errors, metrics)


def _doubles(axis: Axis, positions: Sequence[float]) -> list[Error]:
    equal = [later for earlier, later in pairwise(positions) if earlier == later]
    return [
        Error("grid", {"axis": axis, "fault": "double", "nth": nth}, got=position)
        for nth, position in enumerate(equal, start=1)
    ]


@dataclass(frozen=True, slots=True)
class _Matched:
    errors: list[Error]
    offsets: list[float]


def _match(
    axis: Axis,
    true: Sequence[float],
    gaps: Sequence[tuple[float, float]],
    got: Sequence[float],
) -> _Matched:
    """Match the predicted separators of one axis with the true ones, one to one."""
    found: dict[int, list[float]] = {}
    astray: list[float] = []
    for position in sorted(got):
        nearest = min(
            range(len(gaps)), key=lambda index: (_outside(position, gaps[index]), index), default=-1
        )
        if nearest >= 0 and _outside(position, gaps[nearest]) <= TOLERANCE_PX:
            found.setdefault(nearest, []).append(position)
        else:
            astray.append(position)
    errors: list[Error] = []
    misplaced: dict[int, float] = {}
    extra: Counter[tuple[str, int]] = Counter()
    for position in astray:
        band = bisect_left(true, position)
        beside = [index for index in (band - 1, band) if 0 <= index < len(true)]
        free = [index for index in beside if index not in found and index not in misplaced]
        if free:
            misplaced[min(free, key=lambda index: (_outside(position, gaps[index]), index))] = (
                position
            )
            continue
        extra["band", band] += 1
        errors.append(_extra(axis, "band", band, extra["band", band], position))
    offsets = []
    for index, separator in enumerate(true):
        here = found.get(index, [])
        expected = list(gaps[index])
        if here:
            farthest = max(here, key=lambda position: (abs(position - separator), position))
            offsets.append(abs(farthest - separator))
            doubles = list(here)
            doubles.remove(farthest)
            errors.extend(
                _extra(axis, "separator", index, nth, position)
                for nth, position in enumerate(doubles, start=1)
            )
        elif index in misplaced:
            where = {"axis": axis, "separator": index}
            errors.append(Error("misplaced", where, expected=expected, got=misplaced[index]))
        else:
            where = {"axis": axis, "separator": index}
            errors.append(Error("missing", where, expected=expected))
    return _Matched(errors, offsets)


def _extra(axis: Axis, side: str, index: int, nth: int, position: float) -> Error:
    return Error("extra", {"axis": axis, side: index, "nth": nth}, got=position)


def _outside(position: float, gap: tuple[float, float]) -> float:
    """Distance from the gap in pixels, 0 inside."""
    return max(gap[0] - position, position - gap[1], 0.0)
