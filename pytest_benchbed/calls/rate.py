"""The bench file's ``rate`` as a schedule of starts, and the clock it is read on."""

from __future__ import annotations

import threading
import time
from typing import Protocol

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}


class Clock(Protocol):
    """Monotonic time and waiting on it; tests bring one of their own."""

    def now(self) -> float:
        """Return seconds on a clock that never goes back."""

    def wait(self, changed: threading.Condition, timeout_s: float | None) -> None:
        """Wait until ``changed`` is notified, at most ``timeout_s``; the caller holds it."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Return ``time.monotonic()``."""
        return time.monotonic()

    def wait(self, changed: threading.Condition, timeout_s: float | None) -> None:
        """Wait on the condition."""
        changed.wait(timeout_s)


class Rate:
    """Starts of calls, evenly spaced: ``60/min`` is one each second, over all slots.

    There is no saved-up burst: after a pause the next call starts at once and
    the one after it a full interval later.
    """

    def __init__(self, text: str | None) -> None:
        """``text``: ``COUNT/s``, ``COUNT/min`` or ``COUNT/h``; None: no limit.

        Raises:
            ValueError: another form.
        """
        self._interval_s = 0.0
        self._next = float("-inf")
        if text is not None:
            count, slash, unit = text.partition("/")
            if not slash or not count.isdecimal() or int(count) == 0 or unit not in _SECONDS:
                raise ValueError(f"a rate is COUNT/s, COUNT/min or COUNT/h, not {text[:80]!a}")
            self._interval_s = _SECONDS[unit] / int(count)

    def wait_s(self, now: float) -> float:
        """Return the seconds until the next call may start; 0.0 when it may start now."""
        return max(0.0, self._next - now)

    def take(self, now: float) -> None:
        """Note that a call starts at ``now``."""
        self._next = max(self._next, now) + self._interval_s
