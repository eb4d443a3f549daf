"""Benchmark type ``table-separators``: rows and columns of one table crop.

A case is the image of a table, the same crop as a one-page PDF, and the words
with their boxes. A prediction says where the row and column separators are and
which cells span. The scoring itself is in ``scoring/separators.py``; the cases
are made by ``generators/tables.py``. Source: ENV-005, ENV-111.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from typing import Any

from pydantic import Field
from pydantic import field_validator
from pydantic import model_validator

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.model.base import Model
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.scoring.grid import Grid
from pytest_benchbed.scoring.grid import Truth
from pytest_benchbed.scoring.grid import Word
from pytest_benchbed.scoring.separators import geometric
from pytest_benchbed.scoring.separators import logical

LAYOUTS = (
    "ruled",
    "unruled",
    "partly-ruled",
    "spanning-headers",
    "multi-line-cells",
    "empty-columns",
    "footnote-rows",
    "units-rows",
    "qualifiers",
    "rotated-headers",
    "dense-40-rows",
    "spanish-headers",
    "scanned",
)
"""Categories of the cases."""

MAX_SEPARATORS = 1000
MAX_SPANS = 2000

Pixels = Annotated[float, Field(ge=-1e6, le=1e6)]
"""A position; far outside the crop is a wrong answer, not a malformed one."""
Separators = Annotated[list[Pixels], Field(max_length=MAX_SEPARATORS)]
Index = Annotated[int, Field(ge=0, le=MAX_SEPARATORS)]
Extent = Annotated[int, Field(ge=1, le=MAX_SEPARATORS + 1)]
Gap = Annotated[list[float], Field(min_length=2, max_length=2)]


class TableWord(Model):
    """A word and its box."""

    text: Annotated[str, Field(min_length=1)]
    box: Annotated[list[float], Field(min_length=4, max_length=4)]
    """x0, y0, x1, y1 in pixels, origin top left."""


class TableInputs(Model):
    """``inputs`` of a case."""

    image: str
    """Path of the crop as an image, below the dataset folder."""
    pdf: str
    """Path of the same crop as a one-page PDF: points = pixels * 72 / dpi."""
    dpi: Annotated[int, Field(ge=1)]
    width: Annotated[int, Field(ge=1)]
    """Pixels."""
    height: Annotated[int, Field(ge=1)]
    words: list[TableWord]


class TableSpan(Model):
    """A cell that covers several grid cells, by its top left one."""

    row: Index
    column: Index
    rows: Extent
    columns: Extent


class TablePrediction(Model):
    """What the system returns: positions in pixels, and the spanning cells.

    The outer border of the table is no separator. Refused as malformed: other
    keys, text for numbers, NaN, a list that descends or is too long. Everything
    else is an answer and is scored, a separator outside the crop or a span
    outside the grid included: a wrong answer must not pass as a broken adapter.
    """

    rows: Separators
    """y of each row separator, ascending."""
    columns: Separators
    """x of each column separator, ascending."""
    spans: Annotated[list[TableSpan], Field(max_length=MAX_SPANS)]

    @field_validator("rows", "columns")
    @classmethod
    def _ascending(cls, positions: list[float]) -> list[float]:
        if positions != sorted(positions):
            raise ValueError("positions must ascend")
        return positions


class TableAnswer(TablePrediction):
    """The truth: a right prediction, the gaps, and the cell of each word."""

    row_gaps: list[Gap]
    """Per row separator the interval in which it may lie."""
    column_gaps: list[Gap]
    cells: list[Annotated[list[Index], Field(min_length=2, max_length=2)]]
    """Per word of the inputs its row and column (of a span: its top left cell)."""

    @model_validator(mode="after")
    def _consistent(self) -> TableAnswer:
        for name, positions, gaps in (
            ("row", self.rows, self.row_gaps),
            ("column", self.columns, self.column_gaps),
        ):
            if len(positions) != len(gaps):
                raise ValueError(f"{len(positions)} {name} separators, but {len(gaps)} gaps")
            for number, (position, (low, high)) in enumerate(zip(positions, gaps, strict=True)):
                if not low <= position <= high:
                    raise ValueError(f"{name} separator {number} lies outside its gap")
        limits = len(self.rows), len(self.columns)
        for span in self.spans:
            if span.row + span.rows - 1 > limits[0] or span.column + span.columns - 1 > limits[1]:
                raise ValueError(f"the span at {[span.row, span.column]} leaves the grid")
        for number, (row, column) in enumerate(self.cells):
            if row > limits[0] or column > limits[1]:
                raise ValueError(f"word {number} lies outside the grid")
        return self


class TableSeparators(Benchmark):
    """Row and column separators, and spanning cells, of a table crop."""

    id = "table-separators"
    format = "benchbed.table-separators.v1"
    label = "Table separators"
    scoring_version = "benchbed.table-separators.scores.v1"
    profiles = ("logical", "geometric")
    headline = (
        "exact",
        "cell_f1",
        "geometric.exact",
        "separator_precision",
        "separator_recall",
        "mean_offset_px",
    )
    lower_is_better = ("mean_offset_px",)
    explain: Mapping[str, str] = {
        "exact": "share of tables without an error in the profile",
        "cell_f1": "2 * cells with exactly the right words / (true + predicted cells)",
        "separator_precision": "share of predicted separators that lie in the gap of a true one",
        "separator_recall": "share of true separators with a predicted one in their gap",
        "mean_offset_px": "mean distance of found separators from the true position, in pixels",
    }
    tier = "component"
    board = "Extract"
    categories = LAYOUTS
    viewer = "table-grid"
    inputs_model = TableInputs
    answer_model = TableAnswer
    prediction_model = TablePrediction

    def score_case(self, case: Case, answer: Any, prediction: Any) -> dict[str, ProfileScore]:
        """Score one table: see :func:`~pytest_benchbed.scoring.separators.logical`.

        ``answer`` has the shape of :class:`TableAnswer`, ``prediction`` that of
        :class:`TablePrediction`.

        Raises:
            ValueError: the answer does not say for each word of the case where
                it belongs (a fault of the dataset, not of the prediction).
        """
        truth = Truth.from_json(answer)
        words = [_word(row) for row in case.inputs["words"]]
        if len(words) != len(truth.cells):
            raise ValueError(f"{len(words)} words, but the answer has {len(truth.cells)} cells")
        got = Grid.from_json(prediction)
        return {"logical": logical(truth, words, got), "geometric": geometric(truth, got)}

    def answer_as_prediction(self, case: Case, answer: Any) -> Any:
        """Return rows, columns and spans of the answer."""
        return {name: answer[name] for name in ("rows", "columns", "spans")}


def _word(row: Mapping[str, Any]) -> Word:
    left, top, right, bottom = row["box"]
    return Word(row["text"], (left + right) / 2, (top + bottom) / 2)
