"""Which call is next: asked ones first, then look-ahead in selection order.

A data structure without threads or clock of its own; the broker holds its lock
around every method and passes the time in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from collections.abc import Iterator
from concurrent.futures import Future
from typing import NamedTuple

from pytest_benchbed.calls.pool import Slot
from pytest_benchbed.calls.record import Line
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.window import may_start
from pytest_benchbed.model.request import RequestCase
from pytest_benchbed.model.request import RequestContext


class Call:
    """One question (benchmark, case, attempt), from the first thought of it to its answer."""

    __slots__ = (
        "answer", "attempt", "case", "digest", "due", "future", "has_intent", "is_ahead",
        "is_alone", "is_asked", "is_preparing", "losses", "queued_at", "run", "shared", "slot",
        "started_at", "tries", "view",
    )  # fmt: skip

    def __init__(
        self, run: RunState, view: RequestCase, attempt: int, *, is_asked: bool, now: float
    ) -> None:
        """``now``: when it was first thought of."""
        self.run = run
        self.view: RequestCase = view
        self.case = view.id
        self.attempt = attempt
        self.future: Future[Line] = Future()
        # An impatient caller cannot cancel it: others may have asked for the same.
        self.future.set_running_or_notify_cancel()
        self.answer: Line | None = None
        """What ``future`` gives, or is about to give."""
        self.is_asked = is_asked
        """An item waits for it."""
        self.is_ahead = False
        """It fills the look-ahead window."""
        self.is_preparing = False
        """In flight is the ``prepare`` of its context."""
        self.is_alone = False
        """Nothing else may be in flight beside it: a worker died of it, perhaps."""
        self.has_intent = False
        """Its intent is on record already."""
        self.slot: Slot | None = None
        """The slot kept for it."""
        self.digest = ""
        """Of the request in flight."""
        self.shared: RequestContext | None = None
        """The context of the case."""
        self.tries = 0
        self.losses = 0
        self.queued_at = now
        self.started_at = now
        self.due = now
        """Not before."""


class Start(NamedTuple):
    """This call, on this slot, now."""

    call: Call
    slot: Slot


class Sleep(NamedTuple):
    """Nothing may start now."""

    seconds: float | None
    """Until something may, at the latest; None: until something changes."""


class Exhausted(NamedTuple):
    """The budget of a run does not allow another call."""

    run: RunState


class Schedule:
    """Calls that wait, and the counts that the window is made of."""

    def __init__(self, jobs: int) -> None:
        """``jobs``: calls in flight at most."""
        self.jobs = jobs
        self.running = 0
        self.ahead = 0
        """Look-ahead calls begun, plus those answered that nobody asked for yet."""
        self.waiting = 0
        """Asked calls without an answer."""
        self._asked: deque[Call] = deque()
        self._begun: deque[Call] = deque()
        """Look-ahead calls that go on: context taken in, or asked again."""
        self._later: list[Call] = []
        self._front: list[Call] = []
        """The next of the look-ahead, at most ``jobs``."""
        self._orders: deque[tuple[RunState, Iterator[str]]] = deque()
        self._alone: Call | None = None

    def look_ahead(self, run: RunState, cases: Iterable[str]) -> None:
        """Add the selected cases of a run, in order."""
        self._orders.append((run, iter(cases)))

    def next_ahead(self) -> tuple[RunState, str] | None:
        """Return the next case of the look-ahead if there is room for it; it is then gone.

        Cases of runs that take no more calls are passed over.
        """
        while len(self._front) < self.jobs and self._orders:
            run, cases = self._orders[0]
            case = next(cases, None) if run.stopped is None and run.is_supported else None
            if case is not None:
                return run, case
            self._orders.popleft()
        return None

    def add(self, call: Call) -> None:
        """Queue a new call."""
        if call.is_asked:
            self.waiting += 1
            self._asked.append(call)
        else:
            self._front.append(call)

    def ask(self, call: Call) -> None:
        """An item waits for a call of the look-ahead now, or takes its answer."""
        if call.is_asked:
            return
        call.is_asked = True
        if call.is_ahead:
            call.is_ahead = False
            self.ahead -= 1
        if call.answer is not None:
            return
        self.waiting += 1
        for queue in (self._front, self._begun):
            if call in queue:
                queue.remove(call)
                self._asked.append(call)

    def choose(self, now: float) -> Start | Sleep | Exhausted:
        """Return what to do next; :meth:`begin` must follow a :class:`Start`.

        Among calls of equal rank one whose context some free slot has already
        goes first; that never delays an asked call.
        """
        self._wake(now)
        if self.running >= self.jobs or self._alone is not None:
            # Until something lands.
            return Sleep(None)
        wake: float | None = min((call.due - now for call in self._later), default=None)
        queues: list[Iterable[Call]] = [self._asked, self._begun]
        if may_start(
            is_asked=False,
            jobs=self.jobs,
            running=self.running,
            ahead=self.ahead,
            is_waiting=self.waiting > 0,
        ):
            queues.append(self._front)
        for queue in queues:
            fallback: Start | None = None
            for call in queue:
                run = call.run
                if call.is_alone and self.running:
                    continue
                slot = call.slot
                if slot is None:
                    slot = None if run.group is None else run.group.pick(call.view.context)
                    if slot is None:
                        continue
                rest = run.rate.wait_s(now)
                if rest > 0:
                    wake = rest if wake is None else min(wake, rest)
                    continue
                verdict = run.ledger.verdict()
                if verdict == "exhausted":
                    return Exhausted(run)
                if verdict == "wait":
                    continue
                start = Start(call, slot)
                if call.view.context is None or slot.has(call.view.context):
                    return start
                fallback = fallback or start
            if fallback is not None:
                return fallback
        return Sleep(wake)

    def _wake(self, now: float) -> None:
        for call in [call for call in self._later if call.due <= now]:
            self._later.remove(call)
            # It was begun before all that wait now.
            (self._asked if call.is_asked else self._begun).appendleft(call)

    def begin(self, start: Start, now: float) -> None:
        """Take the chosen call out of its queue: it is in flight."""
        call, slot = start
        self.remove(call)
        if call.slot is None:
            call.slot = slot
            slot.running += 1
        context = call.view.context
        call.is_preparing = context is not None and not slot.has(context)
        if call.is_preparing and context is not None:
            slot.preparing.add(context)
        if not call.is_asked and not call.is_ahead:
            call.is_ahead = True
            self.ahead += 1
        if call.is_alone:
            self._alone = call
        self.running += 1
        call.run.rate.take(now)
        call.run.ledger.reserve(call)

    def landed(self, call: Call) -> None:
        """What was in flight for a call is back; its slot is still kept."""
        self.running -= 1
        call.run.ledger.release(call)
        if self._alone is call:
            self._alone = None
        if call.slot is not None and call.view.context is not None:
            call.slot.preparing.discard(call.view.context)

    def go_on(self, call: Call) -> None:
        """Its context is taken in: the call itself is next, on the same slot."""
        (self._asked if call.is_asked else self._begun).appendleft(call)

    def again(self, call: Call, due: float) -> None:
        """Ask again at ``due``, on any slot."""
        self.free(call)
        call.due = due
        self._later.append(call)

    def answered(self, call: Call) -> None:
        """The call has its answer, or nobody waits for it any more."""
        self.free(call)
        if call.is_asked:
            self.waiting -= 1

    def free(self, call: Call) -> None:
        """Give the slot back."""
        if call.slot is not None:
            call.slot.running -= 1
            call.slot = None

    def remove(self, call: Call) -> None:
        """Take a call out of whichever queue it waits in."""
        for queue in (self._asked, self._begun, self._later, self._front):
            if call in queue:
                queue.remove(call)

    def drop(self, run: RunState | None = None) -> list[Call]:
        """Take out every call that is not in flight (of one run, or all) and return them."""
        dropped: list[Call] = []
        for queue in (self._asked, self._begun, self._later, self._front):
            dropped += [call for call in queue if run is None or call.run is run]
        for call in dropped:
            self.remove(call)
        if run is None:
            self._orders.clear()
        return dropped
