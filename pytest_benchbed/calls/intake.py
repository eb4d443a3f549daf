"""What comes back of calls: recorded first, then settled, then answered.

:meth:`Intake.receive` writes an outcome at once, where the call was made.
:meth:`Intake.take_in` waits for the disk, once for all that are at hand, before
anybody sees one, settles their costs, and decides: answer, ask again, or go on
with the call whose context has been taken in.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_benchbed.adapters.conversation import NOT_MADE
from pytest_benchbed.calls.book import Book
from pytest_benchbed.calls.book import broken_record
from pytest_benchbed.calls.book import failure_record
from pytest_benchbed.calls.call import Call
from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import WorkerLost
from pytest_benchbed.calls.landing import outcome_row
from pytest_benchbed.calls.landing import read_result
from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.rate import Clock
from pytest_benchbed.calls.record import Written
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.state import technical
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.run import TechnicalRecord

Landed = tuple[Batch, list[Outcome] | WorkerLost]
"""A batch and what came back of it, as an executor gives them."""


@dataclass(frozen=True, slots=True)
class _Received:
    """One call that is back."""

    call: Call
    slot: int
    outcome: Outcome | None = None
    """None: there is none to be recorded."""
    row: Line | None = None
    """Its record, whether it could be written or not."""
    written: Written | None = None
    trouble: TechnicalFailure | None = None
    """Why it could not be written."""


class Intake:
    """The end of the executor where results come in. Its lock guards book, schedule and runs."""

    def __init__(
        self,
        book: Book,
        runs: Sequence[RunState],
        in_flight: dict[int, Call],
        changed: threading.Condition,
        clock: Clock,
    ) -> None:
        """``in_flight``: calls by the number of their batch; what is taken in leaves it."""
        self.is_killed = False
        """Processes were ended by us: what they leave behind is no outcome."""
        self._book = book
        self._runs = runs
        self._in_flight = in_flight
        self._received: dict[int, _Received] = {}
        self._changed = changed
        self._clock = clock
        self._schedule = book.schedule

    def receive(self, batch: Batch, result: list[Outcome] | WorkerLost) -> None:
        """Write what came back of a batch; never raises.

        The next call may start now, unless more than the wait for the disk is left to
        do: a failure may be asked again or stop the run, and so may a cost under a budget.
        """
        call = self._in_flight.get(batch.number)
        if call is None:
            # No batch of ours, or taken in before.
            return
        try:
            self._received[batch.number] = received = self._write(call, batch, result)
        except BaseException as error:
            self._received[batch.number] = _Received(call, batch.slot)
            with self._changed:
                call.run.ledger.tally.lose(call.attempt)
            self._refuse_broken(call, error)
            return
        outcome = received.outcome
        if call.run.ledger.budget_usd is not None or received.written is None:
            return
        if outcome is not None and outcome.state in ("ok", "no-answer"):
            with self._changed:
                self._schedule.arrived(call, outcome.latency_s)
                self._book.wake()

    def is_received(self, batch: Batch) -> bool:
        """Say whether a batch is received, or taken in already."""
        return batch.number in self._received or batch.number not in self._in_flight

    def is_awaited(self, batch: Batch) -> bool:
        """Say whether somebody waits for what came back of a batch: an item, or the next call."""
        call = self._in_flight.get(batch.number)
        return call is None or call.is_asked or not self._schedule.is_arrived(call)

    def take_in(self, landed: Sequence[Landed]) -> None:
        """Have what came back of batches on the disk and answer whoever waits for it."""
        runs: dict[str, list[_Received]] = {}
        for batch, result in landed:
            if batch.number not in self._received:
                # The executor carried it somewhere else.
                self.receive(batch, result)
            # In this order, or is_received() would miss it in between.
            self._in_flight.pop(batch.number, None)
            received = self._received.pop(batch.number, None)
            if received is not None and received.outcome is not None:
                runs.setdefault(received.call.run.plan.benchmark, []).append(received)
        for some in runs.values():
            try:
                self._settle(some[0].call.run, some)
            except BaseException as error:
                for one in some:
                    self._refuse_broken(one.call, error)
        self._book.resolve()

    def _write(self, call: Call, batch: Batch, result: list[Outcome] | WorkerLost) -> _Received:
        outcome = read_result(call, result)
        if (outcome.error or {}).get("kind") == "unprepared":
            with self._changed:
                self._schedule.landed(call)
                if self._book.stopped is None:
                    self._schedule.go_on(call)
                else:
                    self._book.give_up(call)
                self._book.wake()
            return _Received(call, batch.slot)
        if self.is_killed and outcome.state == "technical":
            with self._changed:
                self._schedule.landed(call)
                self._book.give_up(call)
                self._book.wake()
            return _Received(call, batch.slot)
        row = outcome_row(call, outcome, batch.slot)
        assert call.run.file is not None, "a run is opened before it is asked"
        try:
            return _Received(call, batch.slot, outcome, row, call.run.file.write(row))
        except TechnicalFailure as failure:
            return _Received(call, batch.slot, outcome, row, trouble=failure)

    def _settle(self, run: RunState, some: Sequence[_Received]) -> None:
        """Wait for the disk, then settle outcomes of one run."""
        assert run.file is not None, "a run is opened before it is asked"
        trouble = next((one.trouble for one in some if one.trouble is not None), None)
        is_kept = True
        try:
            run.file.keep([one.written for one in some if one.written is not None])
        except TechnicalFailure as failure:
            trouble, is_kept = failure, False
        with self._changed:
            if trouble is not None:
                self._book.stop_run(run, failure_record(trouble))
            for one in some:
                try:
                    self._land(run, one, is_kept=is_kept)
                except BaseException as error:
                    self._refuse_broken(one.call, error)
            self._book.wake()

    def _refuse_broken(self, call: Call, error: BaseException) -> None:
        """Answer a call whose result we could not take in: no item may wait for ever."""
        with self._changed:
            self._schedule.landed(call)
            record = broken_record(error)
            error_row = technical(record.kind, record.detail, whose=record.whose)
            self._book.refuse(call, "technical", error_row)
            self._book.wake()

    def _land(self, run: RunState, received: _Received, *, is_kept: bool) -> None:
        call, outcome, row = received.call, received.outcome, received.row
        assert outcome is not None, "what has no outcome is not settled"
        assert row is not None, "an outcome has a record"
        was_preparing = call.is_preparing
        self._schedule.landed(call)
        if not was_preparing:
            call.has_intent = False
        run.ledger.tally.add(row)
        if is_kept and received.written is not None:
            self._watch(run, received, outcome)
            self._decide(call, outcome, received.written.line, was_preparing)
        else:
            self._book.refuse(call, "technical", run.stopped or {})

    def _watch(self, run: RunState, received: _Received, outcome: Outcome) -> None:
        """Stop a run whose money, process or surroundings do not allow it to go on."""
        self.note_money(run)
        record = run.watch(outcome, received.slot, received.call.started_at, self._clock.now())
        if record is not None:
            self._book.stop_run(run, record)
        error = outcome.error or {}
        if error.get("kind") == "adapter_start":
            for other in self._runs:
                if other.group is run.group and other.stopped is None:
                    self._book.stop_run(
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
            self._book.stop_run(run, record)
        else:
            run.failures.append(record)

    def _decide(self, call: Call, outcome: Outcome, line: Line, was_preparing: bool) -> None:
        run = call.run
        if was_preparing and outcome.state == "ok" and call.view.context is not None:
            run.prepared(call.view.context, frozenset(json.loads(line["raw"])))
            refusal = run.refusal(call.case, call.view.context)
            if self._book.stopped is not None:
                self._book.give_up(call)
            elif refusal is not None:
                self._book.refuse(call, *refusal)
            else:
                self._schedule.go_on(call)
            return
        if (outcome.error or {}).get("kind") != NOT_MADE:
            call.tries += 1
        if self._is_tried_again(call, outcome):
            wait_s = min(outcome.retry_after_s or 0.0, run.plan.timeout_s)
            self._schedule.again(call, self._clock.now() + wait_s)
        elif was_preparing and call.view.context is not None:
            error = run.prepare_failed(call.view.context, line["error"])
            self._book.refuse(call, "technical", error)
        else:
            self._book.settle(call, line)

    def _is_tried_again(self, call: Call, outcome: Outcome) -> bool:
        """Say whether the same attempt is asked again; never after a scored outcome."""
        run, kind = call.run, (outcome.error or {}).get("kind")
        if outcome.state != "technical" or self._book.stopped or run.stopped:
            return False
        policy = run.plan.retry
        if kind == NOT_MADE:
            # Nobody was asked, however often that is so: its process ends by the calls before it.
            return True
        if kind == "worker_lost":
            # Once, and alone: it may have been this case that killed the worker.
            call.losses += 1
            call.is_alone = True
            return call.losses == 1 and (run.ledger.paid is False or kind in policy.on)
        wants = outcome.retry_after_s is not None or kind in policy.on
        return wants and call.tries < policy.attempts
