"""How an item asks for a prediction, and whether to ask again, wherever the broker is."""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Protocol

from pytest_benchbed.edge.rechecks import Rechecking
from pytest_benchbed.evaluate.case import Answer

if TYPE_CHECKING:
    from pytest_benchbed.calls.broker import Broker
    from pytest_benchbed.edge.rechecks import Rechecks

NOT_RUN: Answer = {"state": "not-run"}


class Asker(Protocol):
    """The broker in this process, or the channel of an xdist worker to it."""

    def predict(self, benchmark: str, case: str, attempt: int) -> Answer:
        """Return the stored outcome of one call; waits for it."""

    def may_start(self, benchmark: str, case: str) -> bool:
        """Say whether a further case may still begin (False after a stop)."""

    def rechecking(self, benchmark: str) -> Rechecking:
        """Return by what rule a suspect is judged."""

    def may_reask(self, benchmark: str, case: str, attempt: int) -> bool:
        """Count a suspect; say whether it is worth another call, or needs none."""


class LocalAsker:
    """The broker, asked in its own process."""

    def __init__(self, broker: Broker, rechecks: Rechecks) -> None:
        """Both of this session."""
        self.predict = broker.predict
        self.may_start = broker.may_start
        self.rechecking = rechecks.of
        self._broker = broker
        self._rechecks = rechecks

    def may_reask(self, benchmark: str, case: str, attempt: int) -> bool:
        """Count a suspect; say whether it is worth another call, or needs none."""
        is_known = self._broker.is_recorded(benchmark, case, attempt)
        return self._rechecks.may_ask(benchmark, case, is_known=is_known)
