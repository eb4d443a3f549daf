"""Which call is next: asked ones first, then look-ahead in selection order.

A data structure without threads or clock of its own; the broker holds its lock
around every method and passes the time in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from collections.abc import Iterator
from typing import NamedTuple

from pytest_benchbed.calls.call import Call
from pytest_benchbed.calls.group import Slot
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.window import may_start

QUICK_S = 0.5
"""A call that takes longer gains nothing by being sent ahead."""


class Start(NamedTuple):
    """This call, on this slot, now."""

    call: Call
    slot: Slot


class Sleep(NamedTuple):
    """Nothing may start now."""

    seconds: float | None
    """Until something may, at the latest; None: until something changes."""


class Exhausted(NamedTuple):
    """The budget of its run does not allow this call."""

    call: Call


class Schedule:
    """Calls that wait, and the counts that the window is made of."""

    def __init__(self, jobs: int, look_ahead: int) -> None:
        """``jobs``: calls that systems are at, at most. ``look_ahead``: see :mod:`.window`."""
        self.jobs = jobs
        self._look_ahead = look_ahead
        self.running = 0
        """Calls in flight, until what came back is on the disk."""
        self.ahead = 0
        """Look-ahead calls begun, plus those answered that nobody asked for yet."""
        self._asked: deque[Call] = deque()
        self._begun: deque[Call] = deque()
        """Look-ahead calls that go on: context taken in, or asked again."""
        self._later: list[Call] = []
        self._front: list[Call] = []
        """The next of the look-ahead, at most ``jobs``."""
        self._orders: deque[tuple[RunState, Iterator[str]]] = deque()
        self._behind = 0
        """Of those in flight, the calls that wait in a process for a place."""
        self._ahead_slots: set[Slot] = set()
        """Slots that calls may be sent ahead to."""
        self._alone: Call | None = None
        self._arrived: set[Call] = set()
        """Their replies are here; they count as in flight until these are on the disk."""

    @property
    def _asking(self) -> int:
        """Calls that a system is at."""
        return self.running - len(self._arrived) - self._behind

    @property
    def is_full(self) -> bool:
        """Whether nothing can be sent, whatever is asked, until something is back.

        False promises nothing: there may be a place and nothing that may have it.
        """
        if self._alone is not None:
            return True
        return self._asking >= self.jobs and all(
            slot.running >= slot.room for slot in self._ahead_slots
        )

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
        if call.is_settled:
            return
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
        lone = next((call for call in (*self._asked, *self._begun) if call.is_alone), None)
        if self.is_full or (lone and self.running):
            # Until something lands.
            return Sleep(None)
        are_jobs_taken = self._asking >= self.jobs
        wake: float | None = min((call.due - now for call in self._later), default=None)
        for queue in [[lone]] if lone else self._queues():
            fallback: Start | None = None
            for call in queue:
                slot = call.slot
                if slot is None and call.run.group is not None:
                    slot = call.run.group.pick(call.context)
                if slot is None or (call.context is not None and call.context in slot.preparing):
                    continue
                if are_jobs_taken and not slot.is_busy:
                    # It waits for a place of the session. What is behind it would have the
                    # next one, sent ahead to a process, and so would what is behind that.
                    return fallback or Sleep(wake)
                rest = call.run.rate.wait_s(now)
                if rest > 0:
                    wake = rest if wake is None else min(wake, rest)
                    continue
                verdict = call.run.ledger.verdict(is_reask=call.is_reask)
                if verdict == "exhausted":
                    return Exhausted(call)
                if verdict == "wait":
                    continue
                start = Start(call, slot)
                if call.context is None or slot.has(call.context):
                    return start
                fallback = fallback or start
            if fallback is not None:
                return fallback
        return Sleep(wake)

    def _queues(self) -> list[Iterable[Call]]:
        """Return the calls that the window lets start, by rank."""
        is_waiting = bool(self._asked) or any(call.is_asked for call in self._later)
        if self._asking >= self.jobs:
            # What is sent ahead has the next place: not before an item that waits for one.
            if is_waiting:
                return [self._asked]
            return [self._begun, self._front if self.ahead < self._look_ahead else ()]
        has_room = may_start(
            is_asked=False,
            jobs=self.jobs,
            look_ahead=self._look_ahead,
            running=self._asking,
            ahead=self.ahead,
            is_waiting=is_waiting,
        )
        return [self._asked, self._begun, self._front if has_room else ()]

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
        call.is_preparing = call.context is not None and not slot.has(call.context)
        if call.is_preparing and call.context is not None:
            slot.preparing.add(call.context)
        if not call.is_asked and not call.is_ahead:
            call.is_ahead = True
            self.ahead += 1
        if call.is_alone:
            self._alone = call
        call.is_in_flight = True
        self.running += 1
        self._behind += slot.is_busy
        slot.in_flight += 1
        call.sent_to = slot
        if slot.spare:
            self._ahead_slots.add(slot)
        call.run.rate.take(now)
        call.run.ledger.reserve(call, is_reask=call.is_reask)

    def arrived(self, call: Call, latency_s: float) -> None:
        """The reply is here, not yet on the disk: the next call need not wait for that.

        Its money stays reserved until :meth:`landed`. ``latency_s`` says whether the next
        ones may be sent ahead.
        """
        if call.is_in_flight and not call.is_preparing and not call.is_alone:
            if call.slot is not None:
                call.slot.is_quick = latency_s < QUICK_S
            self._arrived.add(call)
            self._off_process(call)
            self.free(call)

    def is_arrived(self, call: Call) -> bool:
        """Say whether the reply of a call is on its way to the disk."""
        return call in self._arrived

    def landed(self, call: Call) -> None:
        """What was in flight for a call is back; its slot is still kept."""
        if not call.is_in_flight:
            return
        call.is_in_flight = False
        self.running -= 1
        self._arrived.discard(call)
        self._off_process(call)
        call.run.ledger.release(call)
        if self._alone is call:
            self._alone = None
        if call.is_preparing and call.slot is not None and call.context is not None:
            call.slot.preparing.discard(call.context)

    def _off_process(self, call: Call) -> None:
        """Count a call out of its process; the first that waits there has its place now."""
        slot, call.sent_to = call.sent_to, None
        if slot is not None:
            slot.in_flight -= 1
            self._behind -= slot.is_busy

    def go_on(self, call: Call) -> None:
        """The call is next, on the same slot: its context is taken in, or has to be once more."""
        (self._asked if call.is_asked else self._begun).appendleft(call)

    def again(self, call: Call, due: float) -> None:
        """Ask again at ``due``, on any slot."""
        self.free(call)
        call.due = due
        self._later.append(call)

    def answered(self, call: Call) -> None:
        """The call has its answer, or nobody waits for it any more."""
        self.free(call)
        if not call.is_settled and not call.is_reask:
            call.run.ledger.unanswered -= 1
        call.is_settled = True

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
