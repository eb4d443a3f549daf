"""What stands in an invented table: columns with headers, units and values.

A :class:`Sheet` is content only, without any position. ``table_layouts.py``
turns it into the grid of a layout, ``table_grid.py`` places it on a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from typing import Literal

from pytest_benchbed.generators.draw import Draw
from pytest_benchbed.generators.table_words import ANALYTES
from pytest_benchbed.generators.table_words import LABELS
from pytest_benchbed.generators.table_words import LOCATIONS
from pytest_benchbed.generators.table_words import MATRICES
from pytest_benchbed.generators.table_words import METHODS
from pytest_benchbed.generators.table_words import REMARKS
from pytest_benchbed.generators.table_words import SOURCES
from pytest_benchbed.generators.table_words import STATUSES
from pytest_benchbed.generators.table_words import Language

Align = Literal["left", "center", "right"]
MOSTLY: Final = 50


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a sheet."""

    label: str
    unit: str
    """Such as ``mg/L``; empty for text."""
    align: Align
    values: tuple[str, ...]
    is_long: bool = False
    """Whether its texts are phrases that a narrow column has to wrap."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Columns of equal length."""

    columns: tuple[Column, ...]


def make_sheet(
    draw: Draw, language: Language, rows: int, columns: int, qualified: int = 15
) -> Sheet:
    """Invent a table of ``rows`` body rows (40 at most) and up to ``columns`` columns (3 to 9).

    ``qualified``: per cent of results with a sign or flag, such as ``<0.5``;
    above :data:`MOSTLY` the subject is one that has such results in most columns.
    """
    topic = draw.pick(
        (_results, _soil) if qualified > MOSTLY else (_results, _results, _wells, _soil, _air)
    )
    if topic is _air and rows > len(SOURCES[language]):
        topic = _results
    return Sheet(tuple(topic(draw, language, range(rows), columns, qualified)[:columns]))


def location_column(draw: Draw, language: Language, rows: int) -> Column:
    """Return a column of phrases that must wrap; there are 8 of them."""
    texts = draw.sample(LOCATIONS[language], rows)
    return Column(LABELS[language]["location"], "", "left", tuple(texts), is_long=True)


def remark_column(draw: Draw, language: Language, rows: int) -> Column:
    """Return a sparse column of short remarks."""
    remarks = REMARKS[language]
    values = [draw.pick(remarks) if draw.chance(35) else "" for _ in range(rows)]
    return Column(LABELS[language]["remarks"], "", "left", tuple(values))


def result(draw: Draw, language: Language, qualified: int, scale: int) -> str:
    """Return a measured value: plain, a non-detect, or with a flag behind it.

    ``scale``: 0 traces, 1 units, 2 thousands. Values of one substance share it.
    """
    low, high, places = ((1, 99, 3), (10, 999, 2), (100, 99_900, 1))[scale]
    value = localise(draw.decimal(low, high, places), language)
    if not draw.chance(qualified):
        return value
    limit = draw.pick(("0.5", "1.0", "0.050", "5.0", "0.20", "10"))
    limit = localise(limit, language)
    return draw.pick(
        (f"<{limit}", f"<{limit}", f"<{limit} U", f"{value} J", f"{value} B", f"ND ({limit})")
    )


def localise(number: str, language: Language) -> str:
    """Write a number with thousands grouped and the language's decimal sign."""
    whole, dot, part = number.partition(".")
    if len(whole) > 3:
        whole = f"{whole[:-3]},{whole[-3:]}"
    text = whole + dot + part
    return text.translate(str.maketrans(",.", ".,")) if language == "es" else text


def _column(label: str, unit: str, align: Align, values: Iterable[str]) -> Column:
    return Column(label, unit, align, tuple(values))


def _day(draw: Draw, language: Language) -> str:
    month, day = draw.between(1, 12), draw.between(1, 28)
    return f"{day:02d}/{month:02d}/2019" if language == "es" else f"{month}/{day}/2019"


def _results(
    draw: Draw, language: Language, rows: range, columns: int, qualified: int
) -> list[Column]:
    labels = LABELS[language]
    unit = draw.pick(("µg/L", "mg/L"))
    prefix = draw.pick(("MW-", "GW-", "TP-") if language == "en" else ("PM-", "PZ-"))
    made = [_column(labels["analyte"], "", "left", draw.sample(ANALYTES[language], len(rows)))]
    has_limit = columns > 4 and draw.chance(60)
    first = draw.between(1, 9)
    align: Align = draw.pick(("right", "center"))
    scales = [draw.below(3) for _ in rows]
    for number in range(first, first + columns - 1 - has_limit):
        values = (result(draw, language, qualified, scale) for scale in scales)
        made.append(_column(f"{prefix}{number}", unit, align, values))
    if has_limit:
        limits = (localise(draw.pick(("5", "10", "50", "0.5", "1000")), language) for _ in rows)
        made.append(_column(labels["limit"], unit, align, limits))
    return made


def _wells(
    draw: Draw, language: Language, rows: range, columns: int, qualified: int
) -> list[Column]:
    del columns, qualified  # field readings carry no flags
    labels = LABELS[language]
    length = "ft" if language == "en" else "m"
    prefix = draw.pick(("MW-", "OW-", "P-"))
    first = draw.between(1, 20)
    day = _day(draw, language)

    def reading(label: str, unit: str, low: int, high: int, places: int) -> Column:
        values = (localise(draw.decimal(low, high, places), language) for _ in rows)
        return _column(labels[label], unit, "right", values)

    return [
        _column(labels["well"], "", "left", (f"{prefix}{first + row}" for row in rows)),
        _column(labels["sampled"], "", "center", (day for _ in rows)),
        reading("depth", length, 350, 4200, 2),
        reading("elevation", length, 88_00, 141_00, 2),
        reading("ph", "", 580, 860, 2),
        reading("temperature", "°C", 98, 224, 1),
        reading("conductivity", "µS/cm", 210, 2900, 0),
        reading("oxygen", "mg/L", 12, 890, 2),
        reading("turbidity", "NTU", 3, 880, 1),
    ]


def _soil(
    draw: Draw, language: Language, rows: range, columns: int, qualified: int
) -> list[Column]:
    del columns
    labels = LABELS[language]
    boring = draw.pick(("SB", "HA", "DP"))
    length = "ft" if language == "en" else "m"

    def measured(label: str) -> Column:
        scale = draw.below(3)
        values = (result(draw, language, qualified, scale) for _ in rows)
        return _column(labels[label], "mg/kg", "right", values)

    return [
        _column(
            labels["sample"], "", "left", (f"{boring}{row // 3 + 1}-{row % 3 * 5}" for row in rows)
        ),
        _column(labels["matrix"], "", "left", (draw.pick(MATRICES[language]) for _ in rows)),
        _column(labels["interval"], length, "center", (f"{row % 3 * 5}" for row in rows)),
        measured("lead"),
        measured("arsenic"),
        measured("tph"),
        _column(labels["pid"], "ppm", "right", (str(draw.between(0, 900)) for _ in rows)),
        _column(labels["method"], "", "left", (draw.pick(METHODS) for _ in rows)),
        _column(labels["received"], "", "center", (_day(draw, language) for _ in rows)),
    ]


def _air(draw: Draw, language: Language, rows: range, columns: int, qualified: int) -> list[Column]:
    del columns
    labels = LABELS[language]
    unit = "lb/h" if language == "en" else "kg/h"
    pollutants = ("NOx", "CO", "SO2", "PM10", "VOC", "HCl")
    limits = (localise(draw.decimal(5, 400, 1), language) for _ in rows)
    rates = (result(draw, language, qualified, 1) for _ in rows)
    return [
        _column(labels["source"], "", "left", draw.sample(SOURCES[language], len(rows))),
        _column(labels["pollutant"], "", "left", (draw.pick(pollutants) for _ in rows)),
        _column(labels["permit"], unit, "right", limits),
        _column(labels["measured"], unit, "right", rates),
        _column(labels["status"], "", "center", (draw.pick(STATUSES[language]) for _ in rows)),
        _column(labels["method"], "", "left", (draw.pick(METHODS) for _ in rows)),
        _column(labels["date"], "", "center", (_day(draw, language) for _ in rows)),
    ]
