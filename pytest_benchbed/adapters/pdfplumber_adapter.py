"""The table finder of pdfplumber as a system under test.

A real engine, small and without a model: it reads the one-page PDF of the case
and answers ``table-separators``. Needs the extra ``documents``. How well it
does per layout is written down in ``docs/table-separators.md``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import Final

from pytest_benchbed.adapters.base import Adapter
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name

STRATEGIES: Final = ("auto", "lines", "text")
POINTS_PER_INCH: Final = 72
SAME_LINE: Final = 1.0
"""Edges at most so many points apart are one line."""

Box = tuple[float, float, float, float]


class PdfPlumber(Adapter):
    """Finds the table of a page by its lines, or by how its words align.

    Option ``strategy``:

    - ``lines``: cell borders are drawn lines; spanning cells are the cells that
      cross several rows or columns.
    - ``text``: borders are guessed from the edges of words. pdfplumber draws
      one at both edges of a line of text; a band without words between two of
      them is made one separator. No spanning cells are found.
    - ``auto`` (default): per direction ``lines`` if the page has more lines
      than a border and one rule in that direction, else ``text``.

    Further options are pdfplumber's table settings of the same name:
    ``snap_tolerance``, ``join_tolerance``, ``intersection_tolerance`` (points),
    ``min_words_vertical``, ``min_words_horizontal`` (counts).

    A page without a text layer (a scan) is declined; a page on which no table is
    found is answered with no separators, which is a wrong answer.
    """

    name = "pdfplumber"
    deterministic = True
    paid = False

    def __init__(
        self,
        strategy: str = "auto",
        snap_tolerance: float = 3,
        join_tolerance: float = 3,
        intersection_tolerance: float = 3,
        min_words_vertical: int = 3,
        min_words_horizontal: int = 1,
    ) -> None:
        """Keep the settings.

        Raises:
            UsageProblem: no such strategy, or a setting that is no number from 0 on.
        """
        if strategy not in STRATEGIES:
            raise UsageProblem(unknown_name("strategy", str(strategy), STRATEGIES, ""))
        self.strategy = strategy
        self.settings: dict[str, float] = {
            "snap_tolerance": snap_tolerance,
            "join_tolerance": join_tolerance,
            "intersection_tolerance": intersection_tolerance,
            "min_words_vertical": min_words_vertical,
            "min_words_horizontal": min_words_horizontal,
        }
        for name, value in self.settings.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                raise UsageProblem(f"option {name} must be a number from 0 on, not {value!r}.")

    def version(self) -> str:
        """Return the version of pdfplumber."""
        return str(_pdfplumber().__version__)

    def supports(self, benchmark: str) -> bool:
        """Answer ``table-separators`` only."""
        return benchmark == "table-separators"

    def predict(self, case: Case) -> dict[str, Any]:
        """Find the table on the case's PDF page.

        Raises:
            NoAnswer: the page has no text layer.
        """
        with _pdfplumber().open(case.files[case.inputs["pdf"]]) as pdf:
            page = pdf.pages[0]
            if not page.chars:
                raise NoAnswer("the page has no text layer")
            return self._find(page, case.inputs["dpi"] / POINTS_PER_INCH)

    def _find(self, page: Any, scale: float) -> dict[str, Any]:
        horizontal = self._strategy(page, "h", "top", more_than=3)
        vertical = self._strategy(page, "v", "x0", more_than=2)
        settings = {
            **self.settings,
            "horizontal_strategy": horizontal,
            "vertical_strategy": vertical,
        }
        tables = page.find_tables(settings)
        if not tables:
            return {"rows": [], "columns": [], "spans": []}
        cells: list[Box] = max(tables, key=lambda table: _area(table.bbox)).cells
        rows = _lines(edge for cell in cells for edge in (cell[1], cell[3]))
        columns = _lines(edge for cell in cells for edge in (cell[0], cell[2]))
        spans: list[dict[str, int]] = []
        if horizontal == vertical == "lines":
            spans = _spans(cells, rows, columns)
        inner_rows, inner_columns = rows[1:-1], columns[1:-1]
        words = page.extract_words()
        if horizontal == "text":
            middles = [(word["top"] + word["bottom"]) / 2 for word in words]
            inner_rows = without_empty_bands(inner_rows, middles)
        if vertical == "text":
            middles = [(word["x0"] + word["x1"]) / 2 for word in words]
            inner_columns = without_empty_bands(inner_columns, middles)
        return {
            "rows": [round(y * scale, 1) for y in inner_rows],
            "columns": [round(x * scale, 1) for x in inner_columns],
            "spans": spans,
        }

    def _strategy(self, page: Any, orientation: str, side: str, *, more_than: int) -> str:
        if self.strategy != "auto":
            return self.strategy
        lines = _lines(edge[side] for edge in page.edges if edge["orientation"] == orientation)
        return "lines" if len(lines) > more_than else "text"


def without_empty_bands(separators: Sequence[float], middles: Sequence[float]) -> list[float]:
    """Make neighbouring separators without a word between them one, at their middle.

    ``separators`` ascend; ``middles`` are the centres of the words. Separators
    before the first or behind the last word go.
    """
    filled = {bisect_left(separators, middle) for middle in middles}
    kept: list[float] = []
    run: list[float] = []
    for band, separator in enumerate(separators, start=1):
        run.append(separator)
        if band in filled:
            if any(other < band for other in filled):
                kept.append((run[0] + run[-1]) / 2)
            run = []
    return kept


def _spans(cells: Sequence[Box], rows: Sequence[float], columns: Sequence[float]) -> list[Any]:
    spans = []
    for left, top, right, bottom in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        row, column = _nearest(rows, top), _nearest(columns, left)
        high, wide = _nearest(rows, bottom) - row, _nearest(columns, right) - column
        if high * wide > 1:
            spans.append({"row": row, "column": column, "rows": high, "columns": wide})
    return spans


def _lines(edges: Iterable[float]) -> list[float]:
    """Return the ascending positions of lines; edges that nearly agree are averaged."""
    groups: list[list[float]] = []
    for edge in sorted(edges):
        if groups and edge - groups[-1][-1] <= SAME_LINE:
            groups[-1].append(edge)
        else:
            groups.append([edge])
    return [sum(group) / len(group) for group in groups]


def _nearest(lines: Sequence[float], position: float) -> int:
    return min(range(len(lines)), key=lambda index: abs(lines[index] - position))


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _pdfplumber() -> Any:
    try:
        import pdfplumber
    except ImportError as error:
        raise UsageProblem(
            f"the adapter 'pdfplumber' needs the package {error.name}.\n"
            "Install it with: pip install 'pytest-benchbed[documents]'"
        ) from error
    return pdfplumber
