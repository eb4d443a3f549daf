"""The layouts: which grid a sheet is put into, and which rules are drawn.

One function per category. The result has cells and rules, no positions yet;
``table_grid.py`` places it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import Final
from typing import Literal

from pytest_benchbed.generators.draw import Draw
from pytest_benchbed.generators.table_content import Align
from pytest_benchbed.generators.table_content import Column
from pytest_benchbed.generators.table_content import Sheet
from pytest_benchbed.generators.table_content import location_column
from pytest_benchbed.generators.table_content import make_sheet
from pytest_benchbed.generators.table_content import remark_column
from pytest_benchbed.generators.table_words import FOOTNOTES
from pytest_benchbed.generators.table_words import GROUPS
from pytest_benchbed.generators.table_words import LABELS
from pytest_benchbed.generators.table_words import SECTIONS
from pytest_benchbed.generators.table_words import Language

Rules = Literal["full", "none", "booktabs", "horizontal", "vertical", "frame"]
"""``booktabs``: three horizontal lines; ``frame``: outline and header; rest as named."""
PARTLY: Final[tuple[Rules, ...]] = ("booktabs", "horizontal", "vertical", "frame")
MIXED: Final[tuple[Rules, ...]] = ("full", "full", "none", "booktabs", "horizontal", "frame")


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one cell. Its place is the grid cell, or the anchor of a span."""

    row: int
    column: int
    lines: tuple[str, ...]
    align: Align = "left"
    rows: int = 1
    columns: int = 1
    is_header: bool = False
    """Bold, and at the bottom of its cell."""
    is_rotated: bool = False
    """Written upwards."""


@dataclass(frozen=True, slots=True)
class Content:
    """A grid of texts, with the rules to draw."""

    rows: int
    columns: int
    header_rows: int
    blocks: tuple[Block, ...]
    rules: Rules
    is_dense: bool = False


def make_content(category: str, draw: Draw, language: Language) -> Content:
    """Invent the table of one case.

    Raises:
        KeyError: no layout has this name.
    """
    return LAYOUTS[category](draw, language)


def _plain(draw: Draw, language: Language, rules: Rules, qualified: int = 15) -> Content:
    sheet = make_sheet(draw, language, draw.between(6, 13), draw.between(4, 7), qualified)
    return _assemble(_with_blanks(draw, sheet), rules)


def _ruled(draw: Draw, language: Language) -> Content:
    return _plain(draw, language, "full")


def _unruled(draw: Draw, language: Language) -> Content:
    return _plain(draw, language, "none")


def _partly_ruled(draw: Draw, language: Language) -> Content:
    return _plain(draw, language, draw.pick(PARTLY))


def _spanning_headers(draw: Draw, language: Language) -> Content:
    sheet = make_sheet(draw, language, draw.between(6, 11), draw.between(5, 8))
    count = len(sheet.columns)
    labels = draw.sample(GROUPS[language], len(GROUPS[language]))
    header = list(_header(sheet, row=1))
    column = 1
    grouped: set[int] = set()
    while column < count - 1:
        width = min(draw.between(2, 3), count - column)
        label = (labels.pop(),)
        header.append(Block(0, column, label, "center", columns=width, is_header=True))
        grouped.update(range(column, column + width))
        column += width + draw.chance(25)
    header = [
        replace(block, row=0, rows=2) if block.row == 1 and block.column not in grouped else block
        for block in header
    ]
    rules = draw.pick(MIXED[:-1])
    if draw.chance(60):
        return _assemble(sheet, rules, header=header, header_rows=2)
    return _sectioned(draw, language, sheet, rules, header)


def _sectioned(
    draw: Draw, language: Language, sheet: Sheet, rules: Rules, header: Sequence[Block]
) -> Content:
    """Set a heading across the whole table over each part of the body."""
    rows = len(sheet.columns[0].values)
    middle = draw.between(2, rows - 2)
    titles = draw.sample(SECTIONS[language], 2)
    content = _assemble(sheet, rules, header=header, header_rows=2)
    moved = [
        block
        if block.row < 2
        else replace(block, row=block.row + (1 if block.row < middle + 2 else 2))
        for block in content.blocks
    ]
    across = len(sheet.columns)
    moved += [
        Block(row, 0, (title,), columns=across, is_header=True)
        for row, title in zip((2, middle + 3), titles, strict=True)
    ]
    return replace(content, rows=content.rows + 2, blocks=tuple(moved))


def _multi_line_cells(draw: Draw, language: Language) -> Content:
    rows = draw.between(5, 8)
    sheet = make_sheet(draw, language, rows, draw.between(3, 5))
    columns = list(sheet.columns)
    columns.insert(draw.between(1, 2), location_column(draw, language, rows))
    return _assemble(Sheet(tuple(columns)), draw.pick(MIXED), wrap=draw.between(18, 26))


def _empty_columns(draw: Draw, language: Language) -> Content:
    rows = draw.between(6, 12)
    sheet = make_sheet(draw, language, rows, draw.between(4, 6))
    columns = list(sheet.columns)
    # A column without any word can be seen by its rules only.
    rules: Rules = "full" if draw.chance(50) else draw.pick(MIXED)
    nothing = ("",) * rows
    label = LABELS[language][draw.pick(("flag", "remarks"))]
    if rules == "full" and draw.chance(60):
        columns.insert(draw.between(1, len(columns)), Column("", "", "left", nothing))
    columns.insert(draw.between(1, len(columns)), Column(label, "", "left", nothing))
    return _assemble(Sheet(tuple(columns)), rules)


def _footnote_rows(draw: Draw, language: Language) -> Content:
    sheet = make_sheet(draw, language, draw.between(6, 11), draw.between(4, 7), 30)
    content = _assemble(_with_blanks(draw, sheet), draw.pick(MIXED))
    notes = draw.sample(FOOTNOTES[language], draw.between(1, 2))
    blocks = [
        Block(content.rows + number, 0, tuple(wrap(note, 58)), columns=content.columns)
        for number, note in enumerate(notes)
    ]
    return replace(content, rows=content.rows + len(notes), blocks=content.blocks + tuple(blocks))


def _units_rows(draw: Draw, language: Language) -> Content:
    sheet = make_sheet(draw, language, draw.between(6, 12), draw.between(5, 8))
    form = draw.pick(("({})", "{}"))
    header = [
        *_header(sheet, row=0),
        *(
            Block(1, number, (form.format(column.unit),), "center", is_header=True)
            for number, column in enumerate(sheet.columns)
            if column.unit
        ),
    ]
    return _assemble(sheet, draw.pick(MIXED), header=header, header_rows=2)


def _qualifiers(draw: Draw, language: Language) -> Content:
    return _plain(draw, language, draw.pick(MIXED), qualified=75)


def _rotated_headers(draw: Draw, language: Language) -> Content:
    sheet = make_sheet(draw, language, draw.between(6, 12), draw.between(6, 9))
    header = [
        block
        if block.column == 0
        else replace(block, lines=(" ".join(block.lines),), is_rotated=True)
        for block in _header(sheet, row=0)
    ]
    return _assemble(sheet, draw.pick(MIXED), header=header)


def _dense(draw: Draw, language: Language) -> Content:
    sheet = make_sheet(draw, language, 40, draw.between(5, 7))
    content = _assemble(_with_blanks(draw, sheet), draw.pick(MIXED))
    return replace(content, is_dense=True)


def _spanish_headers(draw: Draw, language: Language) -> Content:
    return draw.pick((_plain_mixed, _plain_mixed, _units_rows, _spanning_headers))(draw, language)


def _plain_mixed(draw: Draw, language: Language) -> Content:
    rows = draw.between(6, 13)
    sheet = make_sheet(draw, language, rows, draw.between(4, 6))
    if draw.chance(40):
        sheet = Sheet((*sheet.columns, remark_column(draw, language, rows)))
    return _assemble(_with_blanks(draw, sheet), draw.pick(MIXED))


def _scanned(draw: Draw, language: Language) -> Content:
    return draw.pick((_plain_mixed, _plain_mixed, _units_rows))(draw, language)


LAYOUTS: Final[dict[str, Callable[[Draw, Language], Content]]] = {
    "ruled": _ruled,
    "unruled": _unruled,
    "partly-ruled": _partly_ruled,
    "spanning-headers": _spanning_headers,
    "multi-line-cells": _multi_line_cells,
    "empty-columns": _empty_columns,
    "footnote-rows": _footnote_rows,
    "units-rows": _units_rows,
    "qualifiers": _qualifiers,
    "rotated-headers": _rotated_headers,
    "dense-40-rows": _dense,
    "spanish-headers": _spanish_headers,
    "scanned": _scanned,
}
"""The categories, in the order in which case ids go through them."""


def wrap(text: str, width: int) -> list[str]:
    """Break ``text`` at blanks into lines of at most ``width`` characters, if words allow."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _assemble(
    sheet: Sheet,
    rules: Rules,
    *,
    header: Sequence[Block] | None = None,
    header_rows: int = 1,
    wrap: int = 22,
) -> Content:
    """Put the body below ``header`` (default: one row of labels)."""
    blocks = [*(_header(sheet, row=0) if header is None else header)]
    blocks += _body(sheet, header_rows, wrap)
    rows = header_rows + len(sheet.columns[0].values)
    return Content(rows, len(sheet.columns), header_rows, tuple(blocks), rules)


def _header(sheet: Sheet, row: int) -> Iterator[Block]:
    for number, column in enumerate(sheet.columns):
        if column.label:
            align: Align = "left" if number == 0 else "center"
            yield Block(row, number, tuple(wrap(column.label, 13)), align, is_header=True)


def _body(sheet: Sheet, first_row: int, width: int) -> Iterator[Block]:
    for number, column in enumerate(sheet.columns):
        for row, value in enumerate(column.values, start=first_row):
            if value:
                lines = wrap(value, width) if column.is_long else [value]
                yield Block(row, number, tuple(lines), column.align)


def _with_blanks(draw: Draw, sheet: Sheet) -> Sheet:
    """Leave some results out, as laboratories do; the first column stays whole."""
    mark = draw.pick(("", "--", "NA"))
    percent = draw.pick((0, 4, 8))
    first, *others = sheet.columns
    thinned = [
        replace(
            column,
            values=tuple(mark if draw.chance(percent) else value for value in column.values),
        )
        for column in others
    ]
    return Sheet((first, *thinned))
