"""Which questions a host has a place for, and which wait in the pipe, in the order of sending.

Plain data without a lock or a clock of its own; the conversation brings both.
"""

from __future__ import annotations

from collections import deque


class Turn:
    """Where one question stands."""

    __slots__ = ("has_place", "started_at")

    def __init__(self) -> None:
        """It is not sent yet."""
        self.has_place = False
        self.started_at: float | None = None
        """When the host had a place for it; None: it waits behind others, or is not sent."""


class Turns:
    """The places of one host."""

    def __init__(self) -> None:
        """One place, until the host has said more."""
        self.capacity = 1
        """Questions that the host answers at once."""
        self.answering = 0
        self._behind: deque[Turn] = deque()

    @property
    def waiting(self) -> int:
        """Questions that are sent, and have no place yet."""
        return len(self._behind)

    def take(self, turn: Turn, now: float, *, takes_place: bool = True) -> None:
        """Have a question begin that is sent now, or stand behind those in the pipe."""
        if takes_place and self.answering >= self.capacity:
            self._behind.append(turn)
            return
        turn.has_place = takes_place
        self.answering += takes_place
        turn.started_at = now

    def is_known(self, turn: Turn) -> bool:
        """Say whether a question is sent."""
        return turn.started_at is not None or turn in self._behind

    def leave(self, turn: Turn, now: float, *, sent_at: float) -> None:
        """Give the place of a question that has its reply to the next one."""
        if turn.started_at is None:
            # A host that has more places than it said.
            turn.started_at = sent_at
            self._behind.remove(turn)
        elif turn.has_place and self._behind:
            following = self._behind.popleft()
            following.started_at, following.has_place = now, True
        elif turn.has_place:
            self.answering -= 1
