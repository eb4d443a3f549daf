"""Places in an object: a name at the top, a JSON pointer below, ``*`` for every element."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import TypeVar

Place = tuple[str, ...]
T = TypeVar("T")
ANY = "*"
"""Stands for every element of a list."""


def place_of(name: str) -> Place:
    """Read a name or a JSON pointer."""
    if not name.startswith("/"):
        return (name,)
    parts = name[1:].split("/")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def name_of(place: Sequence[str]) -> str:
    """Write a place as :func:`place_of` reads it, in its shortest form."""
    if len(place) == 1 and not place[0].startswith("/"):
        return place[0]
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in place)


def by_place(named: Mapping[str, T]) -> dict[Place, T]:
    """Return what is given by names, by places."""
    return {place_of(name): value for name, value in named.items()}


def places_nowhere(
    wanted: Iterable[Place], values: Iterable[Any]
) -> tuple[list[Place], dict[Place, None]]:
    """Return the places that none of the values has, and all that they have.

    What lies below a place where a value has null, ``""`` or ``{}``, or in a
    list without elements, is not missing: another value may have it. Reads no
    further than it must.
    """
    left = list(wanted)
    found: dict[Place, None] = {}
    for value in values:
        if not left:
            break
        for place, is_open in _places((), value):
            found[place] = None
            if is_open:
                left = [other for other in left if other[: len(place)] != place]
        left = [place for place in left if place not in found]
    return left, found


def _places(place: Place, value: Any) -> Iterator[tuple[Place, bool]]:
    """Yield every place of a value, and whether it says nothing there."""
    if place:
        yield place, value in (None, "", {})
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places((*place, key), item)
    elif isinstance(value, list):
        for item in value or [None]:
            yield from _places((*place, ANY), item)
