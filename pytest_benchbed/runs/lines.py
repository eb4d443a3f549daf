"""Read the JSON and JSON Lines files of a run; every fault names file and line.

Run files are written by us, but anything may have happened to them since, so
they go through the strict reader like everything else. (A faster parser with
a check that the line is canonical was measured: the check eats the gain.)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

REMEDY = "Restore the file, or make the run again."


def read_document(path: Path) -> dict[str, Any]:
    """Return the one object in a file.

    Raises:
        RunError: the file is missing or unreadable, or holds no JSON object.
    """
    try:
        value = read_json(path.read_bytes())
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}. {REMEDY}") from error
    except MalformedJson as error:
        raise RunError(f"{path}: is damaged: {error.detail}. {REMEDY}") from None
    if not isinstance(value, dict):
        raise RunError(f"{path}: holds no JSON object. {REMEDY}")
    return value


def numbered_rows(path: Path) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Yield (number from 1, line, row) of a file of one object with a ``case`` per line.

    A missing file has no rows: an unfinished run lacks it. The rows must be in
    ascending order of their case ids, each once.

    Raises:
        RunError: with file and line, for the first line that is torn, no JSON
            object, without a case id, doubled or out of order.
    """
    last = ""
    for number, line in _lines(path):
        where = f"{path}:{number}"
        row = parse_line(line, where)
        case = row.get("case")
        if not isinstance(case, str) or not case:
            raise RunError(f"{where}: the row names no case. {REMEDY}")
        if case <= last:
            problem = "stands twice" if case == last else f"comes after {last!r}"
            raise RunError(f"{where}: case {term(case, 80)!r} {problem}. {REMEDY}")
        last = case
        yield number, line, row


def parse_line(line: bytes, where: str) -> dict[str, Any]:
    """Return the object in ``line`` (its line end included or not).

    Raises:
        RunError: naming ``where``.
    """
    try:
        value = read_json(line)
    except MalformedJson as error:
        raise RunError(f"{where}: is damaged: {error.detail}. {REMEDY}") from None
    if not isinstance(value, dict):
        raise RunError(f"{where}: holds no JSON object. {REMEDY}")
    return value


def parse_plain(line: bytes, where: str) -> dict[str, Any]:
    """Return :func:`parse_line` for a reader that only shows: what is sound is read plainly.

    A line that the plain reader refuses is read strictly, to name the fault.

    Raises:
        RunError: naming ``where``.
    """
    try:
        value = from_json(line, allow_inf_nan=False, cache_strings="keys")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else parse_line(line, where)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}. {REMEDY}") from error
    with file:
        yield from enumerate(file, start=1)
