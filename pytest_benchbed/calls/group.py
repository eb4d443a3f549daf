"""The processes of one adapter: one a slot, started when needed, restarted for the next case.

A slot is a process. An adapter whose ``predict`` is async or may be called by
threads has one process that takes several calls at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import Protocol

from pytest_benchbed.adapters.conversation import CAN_POLL
from pytest_benchbed.adapters.conversation import NOT_MADE
from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.python_host import PrepareReply
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.run import TechnicalRecord


class Host(Protocol):
    """One adapter process, as the pool uses it (``adapters/python_host.py``)."""

    @property
    def is_alive(self) -> bool:
        """Whether it can take a call."""

    def start(self) -> AdapterInfo:
        """Start the process and greet it (``TechnicalFailure`` if that fails)."""

    def supports(self, benchmark: str) -> bool:
        """Ask the adapter (``TechnicalFailure`` if that fails)."""

    def prepare(self, context: Mapping[str, Any], timeout_s: float) -> PrepareReply:
        """Have a context taken in."""

    def predict(
        self, case: Mapping[str, Any], timeout_s: float, drive: str | None = None
    ) -> Outcome:
        """Ask one case."""

    def close(self) -> TechnicalFailure | None:
        """Let the adapter close, then end the process; return what was wrong about that."""

    def kill(self) -> object:
        """End the process and all its children at once; callable from any thread, again too."""


ContextKey = tuple[str, str]
"""Benchmark and context: two benchmarks that share a process may name a context alike."""
HostFactory = Callable[[RunCalls, int, AdapterInfo | None, int], Host]
"""Make the host of a slot, not started. The info is what an earlier one said, if there was
one; the number is how many calls it may have at once if the adapter takes several."""
_SHARE = 4
"""One call for so many places is sent ahead, at least one: with 16 places and calls of
50 ms, four reach what eight do."""


class Slot:
    """A place for one process. All counts and sets but ``prepared`` belong to the broker's lock."""

    def __init__(self, index: int, capacity: int) -> None:
        """``capacity``: calls at once in its process."""
        self.index = index
        self.capacity = capacity
        self.spare = 0
        """Calls beyond the capacity that may be sent, and wait in the process for a place."""
        self.is_quick = False
        """Whether its last call was so quick that the next ones may be sent ahead."""
        self.running = 0
        """Calls that the slot is kept for."""
        self.in_flight = 0
        """Calls that are sent, and not back."""
        self.preparing: set[ContextKey] = set()
        self.prepared: set[ContextKey] = set()
        """What the process has taken in; of no worth once it is dead."""
        self.host: Host | None = None
        self.starting = threading.Lock()

    @property
    def is_alive(self) -> bool:
        """Whether a process is there to be asked."""
        return self.host is not None and self.host.is_alive

    @property
    def room(self) -> int:
        """Calls that the slot may be kept for at once."""
        return self.capacity + (self.spare if self.is_quick else 0)

    @property
    def is_busy(self) -> bool:
        """Whether one more call would wait in the process."""
        return self.in_flight >= self.capacity

    def has(self, context: ContextKey) -> bool:
        """Say whether the living process has taken in a context."""
        return context in self.prepared and self.is_alive


class HostGroup:
    """All processes of one adapter."""

    def __init__(self, plan: RunCalls, make: HostFactory, jobs: int) -> None:
        """``plan``: of the first run that uses them; its folder gets their logs."""
        self.plan = plan
        self.info: AdapterInfo | None = None
        self.slots = [Slot(0, 1)]
        self.end_failures: list[TechnicalRecord] = []
        """What was wrong about the ends of its processes: failures of every run that used them."""
        self._make = make
        self._jobs = jobs
        self._is_killed = False
        self._is_strict = False
        """One of its runs allows no call to be sent ahead; for good."""

    @property
    def concurrency(self) -> int:
        """Calls at once."""
        return sum(slot.capacity for slot in self.slots)

    @property
    def spare(self) -> int:
        """Calls beyond :attr:`concurrency` that may be sent, and wait in a process for a place."""
        return sum(slot.spare for slot in self.slots)

    def open(self) -> AdapterInfo:
        """Start the first process; from then on the number of slots is known.

        Raises:
            TechnicalFailure: it did not start, twice.
        """
        if self.info is None:
            self.host(self.slots[0])
            info = self.info
            assert info is not None
            count = info.places(self._jobs)
            if info.is_shared and not info.fresh_process:
                self.slots[0].capacity = count
            else:
                self.slots += [Slot(index, 1) for index in range(1, count)]
            return info
        return self.info

    def allow_ahead(self, *, is_allowed: bool) -> None:
        """Let quick calls be sent before there is a place for them, if every run allows it.

        A place stands empty for a millisecond or two between two calls: of one that
        takes 50 ms that is a twentieth of the time.
        """
        slot = self.slots[0]
        is_shared = self.info is not None and self.info.is_shared and not self.is_fresh
        # Without polling a timer that knows no places kills a host that does not read.
        if not (is_allowed and is_shared and CAN_POLL):
            self._is_strict = True
        slot.spare = 0 if self._is_strict else -(-slot.capacity // _SHARE)

    def supports(self, benchmark: str) -> bool:
        """Ask the adapter whether it does a benchmark at all.

        Raises:
            TechnicalFailure: it failed, or its process ended, twice, before it could say.
        """
        try:
            return self.host(self.slots[0]).supports(benchmark)
        except TechnicalFailure as failure:
            if failure.kind != NOT_MADE:
                raise
            # A call of another run has ended the process meanwhile.
            return self.host(self.slots[0]).supports(benchmark)

    def pick(self, context: ContextKey | None) -> Slot | None:
        """Return a free slot, best one that has the context, else a running one; None: none free.

        A slot that is taking in this very context is not free for it.
        """
        best: Slot | None = None
        for slot in self.slots:
            if slot.running >= slot.room or context in slot.preparing:
                continue
            if context is not None and slot.has(context):
                return slot
            if best is None or (slot.is_alive and not best.is_alive):
                best = slot
        return best

    def host(self, slot: Slot) -> Host:
        """Return the living process of a slot, started if need be.

        A start that fails is tried once more: twice in a row is no accident.

        Raises:
            TechnicalFailure: kind ``adapter_start``.
        """
        with slot.starting:
            if slot.host is not None:
                if slot.host.is_alive:
                    return slot.host
                slot.host.kill()
            slot.prepared = set()
            for last in (False, True):
                slot.host = host = self._make(self.plan, slot.index, self.info, self._jobs)
                try:
                    info = host.start()
                    if self._is_killed:
                        # It was not there yet when the others were killed.
                        last = True
                        raise TechnicalFailure("killed", "the session is over")
                except TechnicalFailure as failure:
                    host.kill()
                    if last:
                        raise TechnicalFailure(
                            "adapter_start",
                            ": ".join(part for part in (failure.kind, failure.detail) if part),
                            where=failure.where,
                            whose=failure.whose,
                        ) from None
                    continue
                if self.info is None:
                    self.info = info.with_bench_file(self.plan.spec)
                return host
        raise AssertionError("unreachable: the second failure raises")

    @property
    def is_fresh(self) -> bool:
        """Whether the adapter wants a new process for each call."""
        return self.info is not None and self.info.fresh_process

    def hosts(self) -> list[Host]:
        """Return every process there is."""
        return [slot.host for slot in self.slots if slot.host is not None]

    def note_end(self, failure: TechnicalFailure) -> None:
        """Note what was wrong about the end of a process, unless we killed it."""
        if self._is_killed:
            return
        detail = failure.detail
        if failure.kind != "left_running":
            detail = f"close(): {failure.kind}: {detail}"
        self.end_failures.append(
            TechnicalRecord(
                case=None,
                whose=failure.whose,
                kind="left_running" if failure.kind == "left_running" else "close",
                detail=": ".join(part for part in (failure.where, detail) if part),
            )
        )

    def forbid(self) -> None:
        """Start no more processes."""
        self._is_killed = True
