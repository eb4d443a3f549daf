"""JSON pointers: where in a JSON value something stands (RFC 6901)."""

from __future__ import annotations

import re
from typing import Any

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_BAD_TILDE = re.compile(r"~(?![01])")


def parse_pointer(text: str) -> tuple[str, ...]:
    """Return the steps of a pointer; the empty text is the whole value.

    >>> parse_pointer("/lines/0/a~1b")
    ('lines', '0', 'a/b')

    Raises:
        ValueError: saying what is wrong and how it is written.
    """
    if not text:
        return ()
    if not text.startswith("/"):
        raise ValueError(f"{text[:80]!a} is no JSON pointer: write /{text[:40]}")
    if _BAD_TILDE.search(text):
        raise ValueError(f"{text[:80]!a} is no JSON pointer: write ~0 for ~ and ~1 for /")
    # ~1 first: ~01 is the text ~1, not a slash.
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))


def look_up(value: Any, pointer: str) -> Any:
    """Return what stands at a pointer.

    Raises:
        LookupError: nothing does; the text says where the way ends.
    """
    found, way = value, ""
    for step in parse_pointer(pointer):
        if isinstance(found, dict) and step in found:
            found = found[step]
        elif isinstance(found, list) and _INDEX.fullmatch(step) and int(step) < len(found):
            found = found[int(step)]
        else:
            raise LookupError(f"{pointer} is not there: {way or 'the value'} is {_kind(found)}")
        way += f"/{step}"
    return found


def _kind(value: Any) -> str:
    """Describe a value by what could be stepped into."""
    if isinstance(value, dict):
        keys = ", ".join(list(value)[:6])
        return f"an object with {keys or 'nothing'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "null" if value is None else f"a {type(value).__name__}"
