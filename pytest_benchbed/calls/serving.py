"""The threads between executor and intake: one carries batches, one waits for the disk."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from collections.abc import Iterator

from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import Carry
from pytest_benchbed.calls.executors import Executor
from pytest_benchbed.calls.intake import Intake
from pytest_benchbed.calls.intake import Landed
from pytest_benchbed.model.outcome import Outcome


class Serving:
    """Makes calls until there are no more batches."""

    def __init__(
        self,
        executor: Executor,
        batches: Iterator[Batch],
        call: Carry,
        intake: Intake,
        fail_all: Callable[[BaseException], None],
    ) -> None:
        """``fail_all`` answers everything after a fault that is not one call's."""
        self._executor = executor
        self._batches = batches
        self._call = call
        self._intake = intake
        self._fail_all = fail_all
        self._landed: queue.SimpleQueue[Landed | None] = queue.SimpleQueue()
        self._carrier = threading.Thread(
            target=self._carry_all, name="benchbed-broker", daemon=True
        )
        self._recorder = threading.Thread(
            target=self._take_in_all, name="benchbed-record", daemon=True
        )

    def start(self) -> None:
        """Start both threads; they end with the batches."""
        self._recorder.start()
        self._carrier.start()

    def join(self, timeout_s: float) -> None:
        """Wait until the last result is taken in, at most ``timeout_s``."""
        self._carrier.join(timeout_s)

    def _carry_all(self) -> None:
        try:
            try:
                for batch, result in self._executor.run(self._batches, self._carry):
                    # Of what was carried in this process nothing is left to do.
                    if not self._intake.is_received(batch):
                        self._landed.put((batch, result))
            finally:
                self._landed.put(None)
                self._recorder.join()
        except BaseException as error:
            self._fail_all(error)

    def _carry(self, batch: Batch) -> list[Outcome]:
        """Make the calls of a batch; what comes back is written before the next one starts."""
        outcomes = self._call(batch)
        self._intake.receive(batch, outcomes)
        self._landed.put((batch, outcomes))
        return outcomes

    def _take_in_all(self) -> None:
        """Take in results as they come: one wait for the disk serves all that are at hand."""
        while some := _at_hand(self._landed):
            try:
                self._intake.take_in(some)
            except BaseException as error:
                self._fail_all(error)


def _at_hand(landed: queue.SimpleQueue[Landed | None]) -> list[Landed]:
    """Wait for a result and return it with all that came meanwhile; none at the end (None)."""
    found: list[Landed] = []
    one = landed.get()
    try:
        while one is not None:
            found.append(one)
            one = landed.get_nowait()
    except queue.Empty:
        return found
    if found:
        landed.put(None)
    return found
