"""How far a run is, what it has cost, and how long it will still take.

On a terminal the text stands right of pytest's dots and is drawn over by the
next; in a log, where nothing can be drawn over, it is a line a minute.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from pytest_benchbed.edge.terminal import reporter_of
from pytest_benchbed.edge.terminal import say_line

ON_TERMINAL_S = 0.2
IN_LOG_S = 60.0
"""Seconds between two updates."""
_PERCENT = len(" [100%]")
_SAVE, _CLEAR, _RESTORE = "\x1b7", "\x1b[K", "\x1b8"

Counts = Callable[[], tuple[int, int]]
"""Returns the cases that have a result, and all that will."""


def progress_text(done: int, total: int, spent_usd: Decimal | None, elapsed_s: float) -> str:
    """Return ``12/60 · $0.31 · ETA 2:10``; without a price where the spend is not known.

    >>> progress_text(12, 60, Decimal("0.31"), 32.5)
    '12/60 · $0.31 · ETA 2:10'
    """
    parts = [f"{done}/{total}"]
    if spent_usd:
        parts.append(f"${spent_usd:.2f}")
    if 0 < done < total:
        rest = round(elapsed_s / done * (total - done))
        minutes, seconds = divmod(rest, 60)
        hours, minutes = divmod(minutes, 60)
        clock = f"{hours}:{minutes:02}" if hours else f"{minutes}"
        parts.append(f"ETA {clock}:{seconds:02}")
    return " · ".join(parts)


class Progress:
    """Shows the progress of a session after each result, but not too often."""

    def __init__(
        self,
        config: pytest.Config,
        counts: Counts,
        spent: Callable[[], Decimal | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``spent``: dollars so far, None if they are not known."""
        self._config = config
        self._counts = counts
        self._spent = spent
        self._clock = clock
        self._begun: float | None = None
        self._next = 0.0
        self._is_terminal = False
        self._is_drawn = False

    def pytest_runtest_logreport(self) -> None:
        """Show how far it is, if the last time is long enough ago."""
        now = self._clock()
        if self._begun is None:
            self._begun = now
            self._is_terminal = self._can_draw()
            self._next = now + self._wait_s
        if now < self._next:
            return
        self._next = now + self._wait_s
        done, total = self._counts()
        verbosity = self._config.get_verbosity()
        if not 0 < done < total or verbosity < -1 or (self._is_terminal and verbosity > 0):
            return
        text = progress_text(done, total, self._spent(), now - self._begun)
        if self._is_terminal:
            self._draw(text)
        else:
            say_line(self._config, f"benchbed: {text}")

    def pytest_sessionfinish(self) -> None:
        """Leave nothing beside the last dot."""
        if self._is_drawn:
            self._write(_CLEAR)

    @property
    def _wait_s(self) -> float:
        return ON_TERMINAL_S if self._is_terminal else IN_LOG_S

    def _can_draw(self) -> bool:
        reporter = reporter_of(self._config)
        return bool(
            reporter is not None
            # Other reporters draw a bar of their own.
            and type(reporter).__module__ == "_pytest.terminal"
            and getattr(reporter, "isatty", False)
            and os.environ.get("TERM") != "dumb"
            and not os.environ.get("CI")
        )

    def _draw(self, text: str) -> None:
        """Write right of the dots, if there is room before the percentage, and go back."""
        writer: Any = reporter_of(self._config)._tw
        room = writer.fullwidth - writer.width_of_current_line - _PERCENT
        if room > len(text) + 2:
            self._write(f"{_SAVE}  {text}{_CLEAR}{_RESTORE}")
            self._is_drawn = True

    def _write(self, text: str) -> None:
        """Write what the reporter's own count of the line must not see."""
        file = reporter_of(self._config)._tw._file
        file.write(text)
        file.flush()
