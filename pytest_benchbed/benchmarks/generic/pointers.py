"""Places in an object: a name at the top, a JSON pointer below, ``*`` for every element."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeVar

Place = tuple[str, ...]
T = TypeVar("T")


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
