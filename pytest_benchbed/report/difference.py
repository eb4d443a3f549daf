"""The structural difference of two JSON values, as lines to stand side by side.

Objects are matched by key, lists by their longest common run; what is equal is
folded. It shows where an answer and a prediction differ, not what is wrong:
that is for the scorer, which may forgive an order or a rounding.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any
from typing import Literal

from pytest_benchbed.model.canonical import canonical

Mark = Literal["same", "changed", "missing", "extra"]
MAX_ITEMS = 500
"""Longer lists are matched by position: the search is quadratic."""
MAX_TEXT = 400
"""Characters of one value on one side."""
FOLD = 3
"""Equal items of a list in a row that are still shown one by one."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line on both sides; ``mark`` is ``missing`` where nothing was got for it."""

    depth: int
    mark: Mark
    expected: str
    got: str


def difference(expected: Any, got: Any, max_lines: int = 200) -> tuple[list[DiffLine], bool]:
    """Return the lines, and whether some were cut off after ``max_lines``."""
    lines: list[DiffLine] = []
    for line in _walk("", expected, got, 0):
        if len(lines) == max_lines:
            return lines, True
        lines.append(line)
    return lines, False


def compact(value: Any, limit: int = MAX_TEXT) -> str:
    """Return a JSON value on one line, cut at ``limit`` characters, which is said by ``…``."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return text if len(text) <= limit else f"{text[:limit]}…"


def is_same(one: Any, other: Any) -> bool:
    """Say whether two JSON values are equal; 1 and 1.0 are, 1 and true are not."""
    # Most pairs differ, which Python says at once; but to it 1 is true.
    return bool(one == other) and canonical(one) == canonical(other)


def _walk(label: str, expected: Any, got: Any, depth: int) -> Iterator[DiffLine]:
    if is_same(expected, got):
        text = f"{label}{compact(expected)}"
        yield DiffLine(depth, "same", text, text)
    elif isinstance(expected, dict) and isinstance(got, dict):
        yield DiffLine(depth, "same", f"{label}{{", f"{label}{{")
        for key in [*expected, *(key for key in got if key not in expected)]:
            name = f"{json.dumps(key, ensure_ascii=False)}: "
            if key not in got:
                yield _missing(name, expected[key], depth + 1)
            elif key not in expected:
                yield _extra(name, got[key], depth + 1)
            else:
                yield from _walk(name, expected[key], got[key], depth + 1)
        yield DiffLine(depth, "same", "}", "}")
    elif isinstance(expected, list) and isinstance(got, list):
        yield DiffLine(depth, "same", f"{label}[", f"{label}[")
        yield from _items(expected, got, depth + 1)
        yield DiffLine(depth, "same", "]", "]")
    else:
        yield DiffLine(depth, "changed", f"{label}{compact(expected)}", f"{label}{compact(got)}")


def _items(expected: Sequence[Any], got: Sequence[Any], depth: int) -> Iterator[DiffLine]:
    for kind, start, end, other, other_end in _matched(expected, got):
        if kind == "equal":
            yield from _equal(expected[start:end], depth)
            continue
        common = min(end - start, other_end - other)
        for offset in range(common):
            yield from _walk("", expected[start + offset], got[other + offset], depth)
        for item in expected[start + common : end]:
            yield _missing("", item, depth)
        for item in got[other + common : other_end]:
            yield _extra("", item, depth)


def _matched(
    expected: Sequence[Any], got: Sequence[Any]
) -> Sequence[tuple[str, int, int, int, int]]:
    if max(len(expected), len(got)) > MAX_ITEMS:
        return [("replace", 0, len(expected), 0, len(got))]
    return SequenceMatcher(
        None, [canonical(one) for one in expected], [canonical(one) for one in got], autojunk=False
    ).get_opcodes()


def _equal(items: Sequence[Any], depth: int) -> Iterator[DiffLine]:
    if len(items) <= FOLD:
        shown = [compact(item) for item in items]
    else:
        shown = [compact(items[0]), f"… {len(items) - 2} equal items …", compact(items[-1])]
    for text in shown:
        yield DiffLine(depth, "same", text, text)


def _missing(label: str, value: Any, depth: int) -> DiffLine:
    return DiffLine(depth, "missing", f"{label}{compact(value)}", "")


def _extra(label: str, value: Any, depth: int) -> DiffLine:
    return DiffLine(depth, "extra", "", f"{label}{compact(value)}")
