"""The viewer of table types: true and predicted separators over the crop.

Only geometry is computed here; the template draws it. What is *wrong* is taken
from the recorded errors (``axis`` and ``separator``, cells, words) and never
judged again. A prediction or an answer of another shape gives no grid, and the
JSON viewer shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Span = tuple[int, int, int, int]
"""Row, column, rows, columns."""

ZOOM = 1.5
"""Crops have small print."""
MAX_LINES = 400
"""Segments drawn of one grid; a prediction may hold thousands."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A straight piece of a separator, in pixels of the crop."""

    x1: str
    y1: str
    x2: str
    y2: str
    is_wrong: bool


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with a name for readers of the drawing."""

    x: str
    y: str
    width: str
    height: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class GridView:
    """Everything the drawing needs."""

    width: str
    height: str
    shown_width: str
    """On a screen that is wide enough."""
    shown_height: str
    image: str
    """Name below ``report-assets/``, or empty: only the words are drawn."""
    truth: tuple[Segment, ...]
    predicted: tuple[Segment, ...]
    gaps: tuple[Box, ...]
    """Where a true separator may lie."""
    wrong_words: tuple[Box, ...]
    words: tuple[Box, ...]
    """All words, only if there is no image."""
    label: str
    """What the drawing shows, in words."""


@dataclass(frozen=True, slots=True)
class _Grid:
    rows: Sequence[float]
    columns: Sequence[float]
    spans: Sequence[Span]


def table_grid(
    answer: Any,
    prediction: Any,
    request: Mapping[str, Any] | None,
    errors: Iterable[Mapping[str, Any]],
    assets: Mapping[str, str],
) -> GridView | None:
    """Return the drawing of one case, or None if its data is no table grid.

    ``request`` is the case of ``adapter-request.json``; ``assets`` maps digests
    to names below ``report-assets/``.
    """
    inputs = (request or {}).get("inputs", {})
    width, height = _number(inputs.get("width")), _number(inputs.get("height"))
    true, got = _grid(answer), _grid(prediction)
    if not width or not height or true is None:
        return None
    faults = list(errors)
    words = _words(inputs.get("words"))
    image = _image(inputs.get("image"), request or {}, assets)
    shown = got or _Grid((), (), ())
    return GridView(
        width=_text(width),
        height=_text(height),
        shown_width=_text(ZOOM * width),
        shown_height=_text(ZOOM * height),
        image=image,
        truth=_drawn(true, width, height, _wrong_separators(faults)),
        predicted=_drawn(shown, width, height, _wrong_positions(shown, faults)),
        gaps=_gaps(true, answer, width, height),
        wrong_words=tuple(_wrong_words(words, answer.get("cells"), faults)),
        words=() if image else tuple(box for box, _ in words),
        label=_label(true, got, inputs.get("image")),
    )


def _label(true: _Grid, got: _Grid | None, image: Any) -> str:
    """Say in words what the drawing shows."""
    predicted = (
        f"predicted {len(got.rows)} row and {len(got.columns)} column separators"
        if got
        else "no predicted grid"
    )
    return (
        f"Table crop {image if isinstance(image, str) else ''}: {len(true.rows)} row and "
        f"{len(true.columns)} column separators in the answer, {predicted}."
    )


def _grid(value: Any) -> _Grid | None:
    if not isinstance(value, dict):
        return None
    rows, columns = _numbers(value.get("rows")), _numbers(value.get("columns"))
    if rows is None or columns is None:
        return None
    spans = value.get("spans") or []
    read = [_span(span) for span in spans] if isinstance(spans, list) else []
    return _Grid(sorted(rows), sorted(columns), [span for span in read if span is not None])


def _span(value: Any) -> Span | None:
    names = ("row", "column", "rows", "columns")
    if not isinstance(value, dict) or any(type(value.get(name)) is not int for name in names):
        return None
    return (value["row"], value["column"], value["rows"], value["columns"])


def _drawn(
    grid: _Grid, width: float, height: float, wrong: Mapping[str, set[int]]
) -> tuple[Segment, ...]:
    found = []
    for axis, index, low, high in _pieces(grid, width, height):
        at = grid.columns[index] if axis == "columns" else grid.rows[index]
        ends = (at, low, at, high) if axis == "columns" else (low, at, high, at)
        x1, y1, x2, y2 = map(_text, ends)
        found.append(Segment(x1, y1, x2, y2, index in wrong.get(axis, ())))
    return tuple(found[:MAX_LINES])


def _pieces(grid: _Grid, width: float, height: float) -> Iterator[tuple[str, int, float, float]]:
    """Yield (axis, separator, start, end); spanning cells cut the separators below them."""
    columns, rows = [0.0, *grid.columns, width], [0.0, *grid.rows, height]
    for index in range(len(grid.columns)):
        hidden = [
            (row, row + tall)
            for row, column, tall, wide in grid.spans
            if column <= index < column + wide - 1
        ]
        for low, high in _runs(rows, hidden):
            yield "columns", index, low, high
    for index in range(len(grid.rows)):
        hidden = [
            (column, column + wide)
            for row, column, tall, wide in grid.spans
            if row <= index < row + tall - 1
        ]
        for low, high in _runs(columns, hidden):
            yield "rows", index, low, high


def _runs(
    bounds: Sequence[float], hidden: Sequence[tuple[int, int]]
) -> Iterator[tuple[float, float]]:
    """Yield the stretches of a line over the bands that no spanning cell hides."""
    if not hidden:
        yield bounds[0], bounds[-1]
        return
    start: float | None = None
    for band, (low, high) in enumerate(pairwise(bounds)):
        is_hidden = any(first <= band < end for first, end in hidden)
        if is_hidden and start is not None:
            yield start, low
        if is_hidden:
            start = None
        elif start is None:
            start = low
        if band == len(bounds) - 2 and start is not None:
            yield start, high


def _gaps(grid: _Grid, answer: Mapping[str, Any], width: float, height: float) -> tuple[Box, ...]:
    gaps = {"rows": _pairs(answer.get("row_gaps")), "columns": _pairs(answer.get("column_gaps"))}
    found = []
    for axis, index, low, high in _pieces(grid, width, height):
        if index < len(gaps[axis]):
            start, end = gaps[axis][index]
            across, along = (start, max(end - start, 0.0)), (low, max(high - low, 0.0))
            x, y = (across, along) if axis == "columns" else (along, across)
            found.append(Box(_text(x[0]), _text(y[0]), _text(x[1]), _text(y[1])))
    return tuple(found[:MAX_LINES])


def _wrong_separators(errors: Iterable[Mapping[str, Any]]) -> dict[str, set[int]]:
    wrong: dict[str, set[int]] = {}
    for error in errors:
        axis, separator = error["where"].get("axis"), error["where"].get("separator")
        if isinstance(axis, str) and isinstance(separator, int):
            wrong.setdefault(axis, set()).add(separator)
    return wrong


def _wrong_positions(grid: _Grid, errors: Iterable[Mapping[str, Any]]) -> dict[str, set[int]]:
    """Return the predicted separators that an error names as what was got."""
    named = {"rows": grid.rows, "columns": grid.columns}
    wrong: dict[str, set[int]] = {}
    for error in errors:
        axis, got = error["where"].get("axis"), _number(error.get("got"))
        if isinstance(axis, str) and axis in named and got is not None:
            found = {index for index, at in enumerate(named[axis]) if at == got}
            wrong.setdefault(axis, set()).update(found)
    return wrong


def _wrong_words(
    words: Sequence[tuple[Box, int]], cells: Any, errors: Iterable[Mapping[str, Any]]
) -> Iterator[Box]:
    """Yield the words that an error names, by themselves or by their cell."""
    numbers: set[int] = set()
    named: list[list[Any]] = []
    for error in errors:
        for name, value in error["where"].items():
            if name == "word" and isinstance(value, int):
                numbers.add(value)
            elif isinstance(value, list) and len(value) == 2:
                named.append(value)
    places = cells if isinstance(cells, list) else []
    for box, number in words:
        place = places[number] if number < len(places) else None
        if number in numbers or (place is not None and place in named):
            yield box


def _words(value: Any) -> list[tuple[Box, int]]:
    """Return the words of the crop that have a box, with their numbers."""
    found = []
    for number, word in enumerate(value if isinstance(value, list) else []):
        box = _numbers(word.get("box")) if isinstance(word, dict) else None
        if box is not None and len(box) == 4:
            left, top, right, bottom = box
            size = (_text(max(right - left, 0.0)), _text(max(bottom - top, 0.0)))
            name = str(word.get("text", ""))[:80]
            found.append((Box(_text(left), _text(top), *size, name), number))
    return found[: 10 * MAX_LINES]


def _image(name: Any, request: Mapping[str, Any], assets: Mapping[str, str]) -> str:
    for file in request.get("files", ()):
        if file["path"] == name:
            return assets.get(file["sha256"], "")
    return ""


def _pairs(value: Any) -> list[tuple[float, float]]:
    pairs = [_numbers(pair) for pair in value] if isinstance(value, list) else []
    return [(pair[0], pair[1]) for pair in pairs if pair is not None and len(pair) == 2]


def _numbers(value: Any) -> list[float] | None:
    if not isinstance(value, list):
        return None
    numbers = [_number(one) for one in value]
    return None if None in numbers else [one for one in numbers if one is not None]


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number else None


def _text(value: float) -> str:
    """Write a coordinate shortly: whole, or with one decimal."""
    return f"{value:.1f}".removesuffix(".0")
