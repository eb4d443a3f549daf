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

_GATHER_S = 0.02
"""How long results that nobody waits for are gathered for one wait for the disk."""
_DRAIN_S = 5.0
"""For what came before an executor broke; a disk that hangs must not keep the items waiting."""


class Serving:
    """Makes calls until there are no more batches."""

    def __init__(
        self,
        executor: Executor,
        batches: Iterator[Batch],
        call: Carry,
        intake: Intake,
        fail_all: Callable[[BaseException], None],
        hurry: threading.Event,
    ) -> None:
        """``fail_all`` answers everything after a fault that is not one call's.

        ``hurry`` is set when somebody waits for a result that has landed.
        """
        self._executor = executor
        self._batches = batches
        self._call = call
        self._intake = intake
        self._fail_all = fail_all
        self._hurry = hurry
        self._landed: queue.SimpleQueue[Landed | threading.Event] = queue.SimpleQueue()
        self._are_over = False
        """There are no more batches."""
        self._is_closed = False
        self._carrier = threading.Thread(
            target=self._carry_all, name="benchbed-broker", daemon=True
        )
        self._recorder = threading.Thread(
            target=self._take_in_all, name="benchbed-record", daemon=True
        )

    def start(self) -> None:
        """Start both threads; they end with the batches, and :meth:`close`."""
        self._recorder.start()
        self._carrier.start()

    def close(self, timeout_s: float) -> None:
        """Wait until the last result is taken in, at most ``timeout_s`` for each thread."""
        self._carrier.join(timeout_s)
        self._is_closed = True
        self._land(threading.Event())
        self._recorder.join(timeout_s)

    def _carry_all(self) -> None:
        try:
            for batch, result in self._executor.run(self._all_batches(), self._carry):
                if not self._intake.is_received(batch):
                    self._land((batch, result))
            if not self._are_over:
                raise RuntimeError(f"executor {self._executor.name} ended before the calls did")
        except BaseException as error:
            # What came before is recorded before the rest is given up.
            mark = threading.Event()
            self._land(mark)
            mark.wait(_DRAIN_S)
            self._fail_all(error)

    def _all_batches(self) -> Iterator[Batch]:
        yield from self._batches
        self._are_over = True

    def _carry(self, batch: Batch) -> list[Outcome]:
        """Make the calls of a batch; what comes back is written before the next one starts."""
        outcomes = self._call(batch)
        self._intake.receive(batch, outcomes)
        self._landed.put((batch, outcomes))
        # In this order: an item that asks in between says so itself.
        if self._intake.is_awaited(batch):
            self._hurry.set()
        return outcomes

    def _land(self, one: Landed | threading.Event) -> None:
        self._landed.put(one)
        self._hurry.set()

    def _take_in_all(self) -> None:
        """Take in results as they come: one wait for the disk serves all that are at hand."""
        while True:
            some, mark = self._at_hand()
            if some:
                try:
                    self._intake.take_in(some)
                except BaseException as error:
                    self._fail_all(error)
            if mark is not None:
                mark.set()
                if self._is_closed:
                    return

    def _at_hand(self) -> tuple[list[Landed], threading.Event | None]:
        """Wait for a result; return it with all that came meanwhile, up to a mark.

        More are waited for a little, unless somebody is in a hurry.
        """
        found: list[Landed] = []
        one = self._landed.get()
        self._hurry.wait(_GATHER_S)
        # Now: who puts something there from here on says so again.
        self._hurry.clear()
        while not isinstance(one, threading.Event):
            found.append(one)
            try:
                one = self._landed.get_nowait()
            except queue.Empty:
                return found, None
        return found, one
