"""Deterministic choices, equal on every Python version and platform.

The standard ``random`` module promises a stable stream for ``random()`` only;
how ``choice``, ``sample`` and ``shuffle`` use it has changed between Python
versions. Generated cases are pinned by digest, so the stream is our own:
SHA-256 over a key and a counter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Draw:
    """A stream of choices that depends on its key alone."""

    def __init__(self, *key: str | int) -> None:
        """Name the stream, such as ``Draw("case", "sep-001")``."""
        self._key = "/".join(str(part) for part in key)
        self._count = 0

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to ``limit`` - 1; ``limit`` is at least 1."""
        self._count += 1
        block = hashlib.sha256(f"{self._key}#{self._count}".encode()).digest()
        return int.from_bytes(block[:8], "big") % limit

    def between(self, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Return True in ``percent`` of 100 draws."""
        return self.below(100) < percent

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of ``items``, which is not empty."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """Return ``count`` different items, or all if there are fewer, in drawn order."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(min(count, len(rest)))]

    def decimal(self, low: int, high: int, places: int) -> str:
        """Return a number with ``places`` decimals; ``low`` and ``high`` in its last place."""
        number = self.between(low, high)
        digits = f"{abs(number):0{places + 1}d}"
        sign = "-" if number < 0 else ""
        return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
