"""How an item asks for a prediction, wherever the broker is."""

from __future__ import annotations

from typing import Protocol

from pytest_benchbed.evaluate.case import Answer

NOT_RUN: Answer = {"state": "not-run"}


class Asker(Protocol):
    """The broker in this process, or the channel of an xdist worker to it."""

    def predict(self, benchmark: str, case: str, attempt: int) -> Answer:
        """Return the stored outcome of one call; waits for it."""

    def may_start(self, benchmark: str, case: str) -> bool:
        """Say whether a further case may still begin (False after a stop)."""
