"""Where a value stands in a row: the name of a column, or a JSON pointer into it (RFC 6901)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MISSING = object()
"""What :func:`look_up` returns where there is nothing."""


def look_up(row: Mapping[str, Any], name: str) -> Any:
    """Return the value at ``name`` in a row, ``MISSING`` if there is none.

    A column of exactly that name goes before a pointer, so that a column
    called ``/a`` can be named too.
    """
    if name in row or not name.startswith("/"):
        return row.get(name, MISSING)
    value: Any = row
    for part in name[1:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


def top_column(name: str) -> str:
    """Return the column that a name or pointer reads from."""
    return name[1:].split("/")[0].replace("~1", "/").replace("~0", "~") if name[:1] == "/" else name


def short_name(name: str) -> str:
    """Return the key under which a value goes into inputs or answer: the last part of a pointer."""
    part = name.rsplit("/", 1)[-1] if name.startswith("/") else name
    return part.replace("~1", "/").replace("~0", "~")
