"""From book to executor: batches go out; ``intake.py`` takes in what comes back.

:meth:`Dispatcher.batches` is the permission to spend; an intent is on record
before each batch.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

from pytest_benchbed.calls.book import Book
from pytest_benchbed.calls.book import broken_record
from pytest_benchbed.calls.call import Call
from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import View
from pytest_benchbed.calls.rate import Clock
from pytest_benchbed.calls.request import case_message
from pytest_benchbed.calls.request import context_digest
from pytest_benchbed.calls.request import context_message
from pytest_benchbed.calls.schedule import Exhausted
from pytest_benchbed.calls.schedule import Sleep
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.state import technical
from pytest_benchbed.model.run import TechnicalRecord


class Dispatcher:
    """The end of the executor where calls go out. Its lock guards book, schedule and runs."""

    def __init__(self, book: Book, changed: threading.Condition, clock: Clock) -> None:
        """``book`` and ``changed``: shared with the broker."""
        self.book = book
        self.changed = changed
        self.is_closing = False
        self.in_flight: dict[int, Call] = {}
        """Calls by the number of their batch, until what came back is taken in."""
        self._schedule = book.schedule
        self._clock = clock

    def batches(self) -> Iterator[Batch]:
        """Yield a batch whenever a call may start; ends with the broker."""
        for number in itertools.count(1):
            call = self._next_call()
            if call is None:
                return
            self.in_flight[number] = call
            yield self._batch(number, call)

    def _next_call(self) -> Call | None:
        while True:
            with self.changed:
                if self.is_closing:
                    return None
                call = self._choose()
            self.book.resolve()
            if call is not None and self._begin(call):
                return call

    def _choose(self) -> Call | None:
        """Return the call that starts now; None after a wait, or after an answer by rule."""
        seconds: float | None = None
        if self.book.stopped is None:
            self._look_ahead()
            now = self._clock.now()
            choice = self._schedule.choose(now)
            if isinstance(choice, Exhausted):
                self._cannot_pay(choice.call)
                return None
            if not isinstance(choice, Sleep):
                call = choice.call
                refusal = call.run.refusal(call.case, call.view.context)
                if refusal is None:
                    self._schedule.begin(choice, now)
                    return call
                self._schedule.remove(call)
                self.book.refuse(call, *refusal)
                return None
            seconds = choice.seconds
        self._clock.wait(self.changed, seconds)
        return None

    def _cannot_pay(self, call: Call) -> None:
        """Stop the run; but a re-ask that cannot be paid leaves its case unconfirmed, no more."""
        record = exhausted(call.run, is_reask=call.is_reask)
        if not call.is_reask:
            self.book.stop_run(call.run, record)
            return
        self._schedule.remove(call)
        self.book.refuse(
            call, "technical", technical(record.kind, record.detail, whose=record.whose)
        )

    def _look_ahead(self) -> None:
        """Fill the front of the look-ahead with the next cases that need a call."""
        while (ahead := self._schedule.next_ahead()) is not None:
            run, case = ahead
            if self.book.is_known(run, case, 1):
                continue
            try:
                view = run.plan.view(case)
            except Exception:
                # The item that asks for it gets the error.
                view = None
            if view is not None:
                self.book.enter(Call(run, view, 1, is_asked=False, now=self._clock.now()))

    def _begin(self, call: Call) -> bool:
        """Record the intent; without it on record there is no call."""
        run = call.run
        plan, context = run.plan, call.view.context
        try:
            shared = None if context is None else plan.context_view(context)
            if call.is_preparing and shared is not None:
                case, digest = None, context_digest(plan, shared)
            else:
                case, digest = call.case, run.request_digest(call.view, call.attempt, shared)
            call.digest = digest
            call.shared = shared
            if case is None or not call.has_intent:
                row = run.line(
                    "intent",
                    case=case,
                    context=None if case else context,
                    attempt=1 if case is None else call.attempt,
                    request_sha256=digest,
                )
                assert run.file is not None, "a run is opened before it is asked"
                run.file.append(row, durable=False)
                call.has_intent = call.has_intent or case is not None
            return True
        except Exception as error:
            record = broken_record(error)
        with self.changed:
            self._schedule.landed(call)
            self.book.refuse(
                call, "technical", technical(record.kind, record.detail, whose=record.whose)
            )
            if record.kind == "storage":
                self.book.stop_run(run, record)
        self.book.resolve()
        return False

    def _batch(self, number: int, call: Call) -> Batch:
        plan = call.run.plan
        assert call.slot is not None, "a call in flight has a slot"
        if call.is_preparing and call.shared is not None:
            case, message = None, context_message(plan, call.shared)
        else:
            case, message = call.case, case_message(plan, call.view, call.attempt)
        call.started_at = self._clock.now()
        view = View(plan.benchmark, case, call.view.context, message, plan.drive, plan.timeout_s)
        return Batch(number, plan.spec, call.slot.index, (view,))


def exhausted(run: RunState, *, is_reask: bool = False) -> TechnicalRecord:
    """Return the failure of a run whose budget does not allow another call."""
    ledger = run.ledger
    bound = ledger.max_cost
    spent = ledger.spent
    detail = f"the budget of {ledger.budget_usd} USD does not allow another call"
    detail += f" of up to {bound} USD" if bound else ""
    detail += (
        "; an earlier call was lost and its cost is unknown: declare max_cost_usd"
        if spent is None
        else f" ({spent} USD spent)"
    )
    if is_reask and ledger.waiting:
        detail += f"; {ledger.waiting} first questions go before re-asks"
    return TechnicalRecord(case=None, whose="system", kind="budget_exhausted", detail=detail)
