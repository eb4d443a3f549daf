"""A table crop with its truth: what the generator knows about one case.

Everything is in pixels of the image, origin top left. Standard library only,
because the reference adapter builds crops in a bare process. Made by
``table_grid.py``, painted by ``table_render.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import Literal

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1."""
Gap = tuple[float, float]
Noise = Literal["none", "light", "heavy"]


@dataclass(frozen=True, slots=True)
class Style:
    """How a table looks; lengths in font sizes unless said otherwise."""

    font: Literal["Helvetica", "Times"]
    size_pt: float
    dpi: int
    pad_x: float
    pad_y: float
    margin_px: int
    line_px: float = 1.0
    is_shaded: bool = False
    """Whether the header has a grey ground."""
    noise: Noise = "none"
    skew_sign: int = 0
    """0: not turned; 1: turned against the clock; -1: with it."""


@dataclass(frozen=True, slots=True)
class Run:
    """One line of text as it is painted."""

    text: str
    x: float
    """Left end of the baseline (of its lower end, if rotated)."""
    y: float
    font: str
    size: float
    is_rotated: bool


@dataclass(frozen=True, slots=True)
class Placed:
    """A word, its box, and the cell it belongs to."""

    text: str
    box: Box
    row: int
    column: int
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table crop with its truth."""

    width: int
    height: int
    dpi: int
    words: tuple[Placed, ...]
    """By position, so that their order says nothing about cells."""
    rows: tuple[float, ...]
    columns: tuple[float, ...]
    spans: tuple[tuple[int, int, int, int], ...]
    """row, column, rows, columns."""
    row_gaps: tuple[Gap, ...]
    column_gaps: tuple[Gap, ...]
    runs: tuple[Run, ...]
    lines: tuple[Box, ...]
    fills: tuple[Box, ...]
    line_px: float
    skew: int
    """Hundredths of a degree against the clock."""
    noise: Noise
    rules: str
    """Which rules are drawn, see ``table_layouts.Rules``."""

    def prediction(self) -> dict[str, Any]:
        """Return the right prediction."""
        names = ("row", "column", "rows", "columns")
        return {
            "rows": list(self.rows),
            "columns": list(self.columns),
            "spans": [dict(zip(names, span, strict=True)) for span in self.spans],
        }

    def inputs(self, image: str, pdf: str) -> dict[str, Any]:
        """Return the inputs of the case."""
        return {
            "image": image,
            "pdf": pdf,
            "dpi": self.dpi,
            "width": self.width,
            "height": self.height,
            "words": [{"text": word.text, "box": list(word.box)} for word in self.words],
        }
