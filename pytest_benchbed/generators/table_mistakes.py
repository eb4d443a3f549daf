"""Ways to be wrong about a table, on purpose and always in the same way.

Each takes the table and a prediction and returns a worse prediction. They make
the wrong variants of the reference adapter and the wrong fixtures. Where a
table has no place for the mistake (no span to lose), the prediction comes back
unchanged; a test keeps every use in the repository effective.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import Final
from typing import Literal

from pytest_benchbed.generators.table_crop import Table

Prediction = dict[str, Any]
Axis = Literal["rows", "columns"]


def lost_row(table: Table, right: Prediction) -> Prediction:
    """Leave out the row separator in the middle: two rows become one."""
    return _without(right, "rows", len(right["rows"]) // 2)


def lost_column(table: Table, right: Prediction) -> Prediction:
    """Leave out the last column separator: two columns become one."""
    return _without(right, "columns", len(right["columns"]) - 1)


def cut_column(table: Table, right: Prediction) -> Prediction:
    """Add a column separator through the texts of the first column."""
    return _with(right, "columns", _cut(table, "columns", 0))


def cut_row(table: Table, right: Prediction) -> Prediction:
    """Add a row separator between the lines of the row with the most of them."""
    counts = [len(_centres(table, "rows", row)) for row in range(len(table.rows) + 1)]
    return _with(right, "rows", _cut(table, "rows", counts.index(max(counts))))


def empty_row(table: Table, right: Prediction) -> Prediction:
    """Draw the last row separator double, at the ends of its gap."""
    low, high = table.row_gaps[-1]
    return _with(_reset(right, "rows", len(right["rows"]) - 1, low), "rows", high)


def taken_word(table: Table, right: Prediction) -> Prediction:
    """Set the first column separator so far left that it loses the last word before it."""
    return _reset(right, "columns", 0, _cut(table, "columns", 0))


def moved_value(table: Table, right: Prediction) -> Prediction:
    """Set the separator before the first column without values into the values before it."""
    filled = [len(_centres(table, "columns", column)) for column in range(len(table.columns) + 1)]
    bare = min(range(1, len(filled)), key=lambda column: (filled[column], column))
    return _with(_without(right, "columns", bare - 1), "columns", _cut(table, "columns", bare - 1))


def cut_ink(table: Table, right: Prediction) -> Prediction:
    """Set every column separator 3 pixels into the texts before it: no word changes cells."""
    return right | {"columns": [round(low - 3, 1) for low, _ in table.column_gaps]}


def lost_span(table: Table, right: Prediction) -> Prediction:
    """Forget the first spanning cell."""
    return right | {"spans": right["spans"][1:]}


def short_span(table: Table, right: Prediction) -> Prediction:
    """Make the widest spanning cell one column narrower."""
    spans = [dict(span) for span in right["spans"]]
    if spans:
        widest = max(spans, key=lambda span: span["columns"])
        widest["columns"] = max(1, widest["columns"] - 1)
    return right | {"spans": spans}


def invented_span(table: Table, right: Prediction) -> Prediction:
    """Join the first two cells of the last row but one, and a place outside the grid."""
    row = len(table.rows) - 1
    inside = {"row": row, "column": 0, "rows": 1, "columns": 2}
    outside = {"row": len(table.rows) + 5, "column": 0, "rows": 2, "columns": 1}
    return right | {"spans": [*right["spans"], inside, outside]}


def no_grid(table: Table, right: Prediction) -> Prediction:
    """Find nothing."""
    return {"rows": [], "columns": [], "spans": []}


MISTAKES: Final[Mapping[str, Callable[[Table, Prediction], Prediction]]] = {
    made.__name__.replace("_", "-"): made
    for made in (
        lost_row,
        lost_column,
        cut_column,
        cut_row,
        empty_row,
        taken_word,
        moved_value,
        cut_ink,
        lost_span,
        short_span,
        invented_span,
        no_grid,
    )
}
"""Every mistake by its name."""


def wrong(table: Table, *names: str) -> Prediction:
    """Return the right prediction with the named mistakes, in that order.

    Raises:
        KeyError: no mistake has this name.
    """
    prediction = table.prediction()
    for name in names:
        prediction = MISTAKES[name](table, prediction)
    return prediction


def _without(right: Prediction, axis: Axis, number: int) -> Prediction:
    """Leave one separator out; spanning cells keep to their rows and columns."""
    start, extent = ("row", "rows") if axis == "rows" else ("column", "columns")
    spans = []
    for span in right["spans"]:
        is_crossed = span[start] <= number < span[start] + span[extent] - 1
        moved = span | {
            start: span[start] - (span[start] > number),
            extent: span[extent] - is_crossed,
        }
        spans.extend([moved] if moved["rows"] * moved["columns"] > 1 else [])
    return right | {axis: [*right[axis][:number], *right[axis][number + 1 :]], "spans": spans}


def _with(right: Prediction, axis: Axis, position: float) -> Prediction:
    """Add a separator; spanning cells keep to their rows and columns."""
    start, extent = ("row", "rows") if axis == "rows" else ("column", "columns")
    band = bisect_left(right[axis], position)
    spans = [
        span
        | {
            start: span[start] + (span[start] > band),
            extent: span[extent] + (span[start] <= band < span[start] + span[extent]),
        }
        for span in right["spans"]
    ]
    return right | {axis: sorted([*right[axis], position]), "spans": spans}


def _reset(right: Prediction, axis: Axis, number: int, position: float) -> Prediction:
    """Set one separator elsewhere in a neighbouring band."""
    positions = list(right[axis])
    positions[number] = position
    return right | {axis: positions}


def _cut(table: Table, axis: Axis, band: int) -> float:
    """Return a position between the outermost word centres of a band and the rest."""
    centres = _centres(table, axis, band)
    before = max(centre for centre in centres if centre < centres[-1] - 1)
    return round((before + centres[-1]) / 2, 1)


def _centres(table: Table, axis: Axis, band: int) -> list[float]:
    """Return the different centres of a band's words, spanning cells left out."""
    at = 1 if axis == "rows" else 0
    return sorted(
        {
            round((word.box[at] + word.box[at + 2]) / 2, 2)
            for word in table.words
            if (word.row if axis == "rows" else word.column) == band
            and (word.rows if axis == "rows" else word.columns) == 1
        }
    )
