"""Where a value stands in a row: the name of a column, or a JSON pointer into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_benchbed.model import pointer

MISSING = object()
"""What :func:`look_up` returns where there is nothing."""


def look_up(row: Mapping[str, Any], name: str) -> Any:
    """Return the value at ``name`` in a row, ``MISSING`` if there is none.

    A column of exactly that name goes before a pointer, so that a column
    called ``/a`` can be named too.
    """
    if name in row or not name.startswith("/"):
        return row.get(name, MISSING)
    try:
        return pointer.look_up(dict(row), name)
    except LookupError:
        return MISSING


def top_column(name: str) -> str:
    """Return the column that a name or pointer reads from."""
    return pointer.parse_pointer(name)[0] if name.startswith("/") else name


def short_name(name: str) -> str:
    """Return the key under which a value goes into inputs or answer: the last part of a pointer."""
    return pointer.parse_pointer(name)[-1] if name.startswith("/") else name
