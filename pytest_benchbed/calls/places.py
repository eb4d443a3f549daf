"""Where the outcomes of a run stand in its ``calls.jsonl``: kept for every case, so kept small."""

from __future__ import annotations

import hashlib
import struct
from typing import NamedTuple

from pytest_benchbed.calls.line import STATES


class Place(NamedTuple):
    """Where the outcome of a case stands in the file."""

    offset: int
    length: int
    state: str
    digest: bytes
    """Of the line: at level ``process`` the system can write into the file."""


class Places:
    """The place of each outcome, by case and attempt; a third of the size of objects."""

    _FORM = struct.Struct("<QIB16s")

    def __init__(self) -> None:
        """No outcome is known yet."""
        self._packed: dict[int, dict[str, bytes]] = {}

    def put(self, case: str, attempt: int, place: Place) -> None:
        """Note where the last outcome of a call stands."""
        number = STATES.index(place.state)
        packed = self._FORM.pack(place.offset, place.length, number, place.digest)
        self._packed.setdefault(attempt, {})[case] = packed

    def get(self, case: str, attempt: int) -> Place | None:
        """Return the place of a call's last outcome; None if there is none."""
        packed = self._packed.get(attempt, {}).get(case)
        if packed is None:
            return None
        offset, length, number, digest = self._FORM.unpack(packed)
        return Place(offset, length, STATES[number], digest)

    def without(self, state: str) -> Places:
        """Return a copy without the outcomes of one state."""
        places = Places()
        number = STATES.index(state)
        for attempt, cases in self._packed.items():
            places._packed[attempt] = {
                case: packed
                for case, packed in cases.items()
                if self._FORM.unpack(packed)[2] != number
            }
        return places


def line_digest(data: bytes) -> bytes:
    """Return what a line is recognised by when it is read again."""
    # 16 bytes: every case has one in memory.
    return hashlib.blake2b(data, digest_size=16).digest()
