"""Between executor and book: batches go out, results come in.

:meth:`Dispatcher.batches` is the permission to spend; an intent is on record
before each batch. :meth:`Dispatcher.take_in` writes the outcome before anybody
sees it, settles its cost, and decides: answer, ask again, or go on with the
call whose context has been taken in.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator

from pytest_benchbed.calls.book import Book
from pytest_benchbed.calls.book import broken_record
from pytest_benchbed.calls.book import failure_record
from pytest_benchbed.calls.call import Call
from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import View
from pytest_benchbed.calls.executors import WorkerLost
from pytest_benchbed.calls.landing import outcome_row
from pytest_benchbed.calls.landing import read_result
from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.rate import Clock
from pytest_benchbed.calls.request import case_digest
from pytest_benchbed.calls.request import case_message
from pytest_benchbed.calls.request import context_digest
from pytest_benchbed.calls.request import context_message
from pytest_benchbed.calls.schedule import Exhausted
from pytest_benchbed.calls.schedule import Sleep
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.state import technical
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.run import TechnicalRecord


class Dispatcher:
    """The two ends of the executor. Its lock guards book, schedule and runs."""

    def __init__(self, book: Book, changed: threading.Condition, clock: Clock) -> None:
        """``book`` and ``changed``: shared with the broker."""
        self.book = book
        self.changed = changed
        self.runs: list[RunState] = []
        self.is_closing = False
        self.is_killed = False
        """Processes were ended by us: what they leave behind is no outcome."""
        self._schedule = book.schedule
        self._clock = clock
        self._in_flight: dict[int, Call] = {}

    def batches(self) -> Iterator[Batch]:
        """Yield a batch whenever a call may start; ends with the broker."""
        for number in itertools.count(1):
            call = self._next_call()
            if call is None:
                return
            self._in_flight[number] = call
            yield self._batch(number, call)

    def _next_call(self) -> Call | None:
        while True:
            with self.changed:
                if self.is_closing:
                    return None
                call = self._choose()
            self.resolve()
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
                case, digest = call.case, case_digest(plan, call.view, shared, call.attempt)
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
        self.resolve()
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

    def take_in(self, batch: Batch, result: list[Outcome] | WorkerLost) -> None:
        """Record what came back of a batch and answer whoever waits for it."""
        call = self._in_flight.pop(batch.number)
        try:
            outcome = read_result(call, result)
            if (outcome.error or {}).get("kind") == "unprepared":
                with self.changed:
                    self._schedule.landed(call)
                    self._schedule.go_on(call)
                    self.changed.notify_all()
            elif self.is_killed and outcome.state == "technical":
                with self.changed:
                    self._schedule.landed(call)
                    self.book.give_up(call)
                    self.changed.notify_all()
            else:
                self._record(call, outcome)
        except BaseException as error:
            with self.changed:
                self._schedule.landed(call)
                record = broken_record(error)
                error_row = technical(record.kind, record.detail, whose=record.whose)
                self.book.refuse(call, "technical", error_row)
                self.changed.notify_all()
        self.resolve()

    def _record(self, call: Call, outcome: Outcome) -> None:
        run = call.run
        row = outcome_row(call, outcome)
        trouble: TechnicalFailure | None = None
        line: Line = row
        if outcome.state in ("ok", "no-answer") and run.ledger.budget_usd is None:
            # Nothing but the record is left to do: a failure may be asked again or stop the
            # run, and so may a cost under a budget.
            with self.changed:
                self._schedule.arrived(call)
                self.changed.notify_all()
        try:
            assert run.file is not None, "a run is opened before it is asked"
            line = run.file.append(row, durable=True)
        except TechnicalFailure as failure:
            trouble = failure
        with self.changed:
            was_preparing = call.is_preparing
            self._schedule.landed(call)
            if not was_preparing:
                call.has_intent = False
            run.ledger.tally.add(line)
            if trouble is not None:
                self.book.stop_run(run, failure_record(trouble))
                self.book.refuse(call, "technical", run.stopped or {})
            else:
                self._watch(run, outcome)
                self._decide(call, outcome, line, was_preparing)
            self.changed.notify_all()

    def _watch(self, run: RunState, outcome: Outcome) -> None:
        """Stop a run whose money, process or surroundings do not allow it to go on."""
        self.note_money(run)
        record = run.watch(outcome)
        if record is not None:
            self.book.stop_run(run, record)
        error = outcome.error or {}
        if error.get("kind") == "adapter_start":
            for other in self.runs:
                if other.group is run.group and other.stopped is None:
                    self.book.stop_run(
                        other,
                        TechnicalRecord(
                            case=None,
                            whose=error["whose"],
                            kind="adapter_start",
                            detail=": ".join(p for p in (error["where"], error["detail"]) if p),
                        ),
                    )

    def note_money(self, run: RunState) -> None:
        """Note once what is wrong with the money of a run, and stop it if it must not go on."""
        problem = run.ledger.problem()
        if problem is None or any(record.kind == problem.kind for record in run.failures):
            return
        record = TechnicalRecord(
            case=None, whose="adapter", kind=problem.kind, detail=problem.detail
        )
        if problem.stops:
            self.book.stop_run(run, record)
        else:
            run.failures.append(record)

    def _decide(self, call: Call, outcome: Outcome, line: Line, was_preparing: bool) -> None:
        run = call.run
        if was_preparing and outcome.state == "ok" and call.view.context is not None:
            run.prepared(call.view.context, frozenset(json.loads(line["raw"])))
            refusal = run.refusal(call.case, call.view.context)
            if self.book.stopped is not None:
                self.book.give_up(call)
            elif refusal is not None:
                self.book.refuse(call, *refusal)
            else:
                self._schedule.go_on(call)
            return
        call.tries += 1
        if self._is_tried_again(call, outcome):
            wait_s = min(outcome.retry_after_s or 0.0, run.plan.timeout_s)
            self._schedule.again(call, self._clock.now() + wait_s)
        elif was_preparing and call.view.context is not None:
            error = run.prepare_failed(call.view.context, line["error"])
            self.book.refuse(call, "technical", error)
        else:
            self.book.settle(call, line)

    def _is_tried_again(self, call: Call, outcome: Outcome) -> bool:
        """Say whether the same attempt is asked again; never after a scored outcome."""
        run, kind = call.run, (outcome.error or {}).get("kind")
        if outcome.state != "technical" or self.book.stopped or run.stopped:
            return False
        policy = run.plan.retry
        if kind == "worker_lost":
            # Once, and alone: it may have been this case that killed the worker.
            call.losses += 1
            call.is_alone = True
            return call.losses == 1 and (run.ledger.paid is False or kind in policy.on)
        wants = outcome.retry_after_s is not None or kind in policy.on
        return wants and call.tries < policy.attempts

    def fail_all(self, error: BaseException) -> None:
        """Answer everything after a fault of our own: no item may wait for ever."""
        record = broken_record(error)
        with self.changed:
            for run in self.runs:
                self.book.stop_run(run, record)
            for call in self.book.open_calls():
                self.book.refuse(call, "technical", call.run.stopped or {})
            self.changed.notify_all()
        self.resolve()

    def resolve(self) -> None:
        """Set the futures that are due, without the lock: their callbacks are foreign."""
        with self.changed:
            due = self.book.take_due()
        for future, answer in due:
            future.set_result(answer)


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
