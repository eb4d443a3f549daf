"""Place the cells of a table on a crop: text, boxes, lines.

Pure arithmetic on the widths of ``font_widths.py``, in pixels. Where the true
separators are follows from the boxes (``table_gaps.py``) and the lines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from pytest_benchbed.generators.font_widths import ASCENT
from pytest_benchbed.generators.font_widths import DESCENT
from pytest_benchbed.generators.font_widths import text_width
from pytest_benchbed.generators.table_crop import Box
from pytest_benchbed.generators.table_crop import Placed
from pytest_benchbed.generators.table_crop import Run
from pytest_benchbed.generators.table_crop import Style
from pytest_benchbed.generators.table_crop import Table
from pytest_benchbed.generators.table_gaps import Axis
from pytest_benchbed.generators.table_gaps import gaps
from pytest_benchbed.generators.table_gaps import position
from pytest_benchbed.generators.table_gaps import separators
from pytest_benchbed.generators.table_gaps import tenth
from pytest_benchbed.generators.table_gaps import turned
from pytest_benchbed.generators.table_layouts import Block
from pytest_benchbed.generators.table_layouts import Content

LEADING: Final = 1.22
"""Distance of lines of text in one cell, in font sizes."""
PAGE_POINTS: Final = 6
"""Crops measure whole multiples of 6 points, which are whole pixels at 96, 108 and 120 dpi."""


def place(content: Content, style: Style) -> Table:
    """Place ``content``: column widths and row heights follow the texts."""
    size = style.size_pt * style.dpi / 72
    margin = float(style.margin_px)
    ys = _edges(margin, _heights(content, style, size))
    xs = _edges(margin, _widths(content, style, size))
    unit = PAGE_POINTS * style.dpi // 72
    width = math.ceil((xs[-1] + margin) / unit) * unit
    height = math.ceil((ys[-1] + margin) / unit) * unit
    runs, words = [], []
    for block in content.blocks:
        cell = (
            xs[block.column],
            ys[block.row],
            xs[block.column + block.columns],
            ys[block.row + block.rows],
        )
        for run in _runs(block, cell, style, size):
            runs.append(run)
            words.extend(_words(run, block))
    words.sort(key=position)
    ruled_rows, ruled_columns, lines = _rules(content, xs, ys, size)
    row_gaps = gaps("rows", words, ys)
    column_gaps = gaps("columns", words, xs)
    header = (xs[0], ys[0], xs[-1], ys[content.header_rows])
    table = Table(
        width=width,
        height=height,
        dpi=style.dpi,
        words=tuple(words),
        rows=separators(row_gaps, ys, ruled_rows),
        columns=separators(column_gaps, xs, ruled_columns),
        spans=tuple(
            sorted(
                (block.row, block.column, block.rows, block.columns)
                for block in content.blocks
                if block.rows * block.columns > 1
            )
        ),
        row_gaps=row_gaps,
        column_gaps=column_gaps,
        runs=tuple(runs),
        lines=tuple(lines),
        fills=(header,) if style.is_shaded else (),
        line_px=style.line_px,
        skew=0,
        noise=style.noise,
        rules=content.rules,
    )
    return turned(table, style.skew_sign, ys, xs) if style.skew_sign else table


def _runs(block: Block, cell: Box, style: Style, size: float) -> list[Run]:
    font = _font(style, block)
    x0, y0, x1, y1 = cell
    left, right = x0 + style.pad_x * size, x1 - style.pad_x * size
    step, ink = LEADING * size, (ASCENT + DESCENT) * size
    runs = []
    if block.is_rotated:
        first = (x0 + x1 - step * (len(block.lines) - 1) - ink) / 2 + ASCENT * size
        bottom = y1 - style.pad_y * size
        for number, line in enumerate(block.lines):
            runs.append(Run(line, first + number * step, bottom, font, size, True))
        return runs
    tall = step * (len(block.lines) - 1) + ink
    top = {
        True: y1 - style.pad_y * size - tall,
        False: y0 + style.pad_y * size,
    }[block.is_header]
    for number, line in enumerate(block.lines):
        wide = text_width(line, font, size)
        x = {"left": left, "right": right - wide, "center": (left + right - wide) / 2}[block.align]
        runs.append(Run(line, x, top + ASCENT * size + number * step, font, size, False))
    return runs


def _words(run: Run, block: Block) -> list[Placed]:
    words = []
    up, down = ASCENT * run.size, DESCENT * run.size
    begin = 0
    for text in run.text.split(" "):
        start = text_width(run.text[:begin], run.font, run.size)
        end = start + text_width(text, run.font, run.size)
        begin += len(text) + 1
        box = (
            (run.x - up, run.y - end, run.x + down, run.y - start)
            if run.is_rotated
            else (run.x + start, run.y - up, run.x + end, run.y + down)
        )
        x0, y0, x1, y1 = (tenth(value) for value in box)
        words.append(
            Placed(text, (x0, y0, x1, y1), block.row, block.column, block.rows, block.columns)
        )
    return words


def _widths(content: Content, style: Style, size: float) -> list[float]:
    widths = [2.4 * size] * content.columns
    for block in sorted(content.blocks, key=lambda block: block.columns):
        font = _font(style, block)
        if block.is_rotated:
            need = LEADING * size * (len(block.lines) - 1) + (ASCENT + DESCENT) * size
        else:
            need = max(text_width(line, font, size) for line in block.lines)
        need += 2 * style.pad_x * size
        reach = range(block.column, block.column + block.columns)
        lack = need - sum(widths[column] for column in reach)
        for column in reach:
            widths[column] += max(0.0, lack) / len(reach)
    return widths


def _heights(content: Content, style: Style, size: float) -> list[float]:
    heights = [((ASCENT + DESCENT) + 2 * style.pad_y) * size] * content.rows
    for block in sorted(content.blocks, key=lambda block: block.rows):
        if block.is_rotated:
            need = max(text_width(line, _font(style, block), size) for line in block.lines)
        else:
            need = (LEADING * (len(block.lines) - 1) + ASCENT + DESCENT) * size
        need += 2 * style.pad_y * size
        last = block.row + block.rows - 1
        lack = need - sum(heights[block.row : last + 1])
        heights[last] += max(0.0, lack)
    return heights


def _edges(start: float, sizes: Sequence[float]) -> list[float]:
    edges = [start]
    for length in sizes:
        edges.append(tenth(edges[-1] + length))
    return edges


def _rules(
    content: Content, xs: Sequence[float], ys: Sequence[float], size: float
) -> tuple[frozenset[int], frozenset[int], list[Box]]:
    """Return the ruled inner rows, the ruled inner columns, and all lines."""
    rules, header = content.rules, content.header_rows
    rows = {
        "full": range(content.rows + 1),
        "horizontal": range(content.rows + 1),
        "booktabs": (0, header, content.rows),
        "frame": (0, header, content.rows),
        "vertical": (header,),
        "none": (),
    }[rules]
    columns = {
        "full": range(content.columns + 1),
        "vertical": range(1, content.columns),
        "frame": (0, content.columns),
    }.get(rules, ())
    lines: list[Box] = []
    for row in rows:
        for first, last in _open(content, "rows", row):
            lines.append((xs[first], ys[row], xs[last], ys[row]))
    for column in columns:
        for first, last in _open(content, "columns", column):
            lines.append((xs[column], ys[first], xs[column], ys[last]))
    if rules not in ("full", "horizontal"):
        # A group label without rules around it is underlined, inset on both sides.
        lines.extend(
            (xs[block.column] + size / 2, ys[1], xs[block.column + block.columns] - size / 2, ys[1])
            for block in content.blocks
            if block.row == 0 and block.columns > 1
        )
    return frozenset(rows), frozenset(columns), lines


def _open(content: Content, axis: Axis, edge: int) -> list[tuple[int, int]]:
    """Return the stretches of a grid line that no spanning cell interrupts."""
    length = content.columns if axis == "rows" else content.rows
    closed: set[int] = set()
    for block in content.blocks:
        along, across = (
            ((block.column, block.columns), (block.row, block.rows))
            if axis == "rows"
            else ((block.row, block.rows), (block.column, block.columns))
        )
        if across[0] < edge < across[0] + across[1]:
            closed.update(range(along[0], along[0] + along[1]))
    stretches: list[tuple[int, int]] = []
    for place in range(length):
        if place in closed:
            continue
        if stretches and stretches[-1][1] == place:
            stretches[-1] = (stretches[-1][0], place + 1)
        else:
            stretches.append((place, place + 1))
    return stretches


def _font(style: Style, block: Block) -> str:
    if style.font == "Times":
        return "Times-Bold" if block.is_header else "Times-Roman"
    return "Helvetica-Bold" if block.is_header else "Helvetica"
