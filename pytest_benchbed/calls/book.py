"""Which call answers which question, and the answers nobody has taken yet.

A question is named by (benchmark, case, attempt). Its answer comes from the
disk, from a call in flight, or from a rule (stopped, not supported); however
often it is asked, at most one call is made. The broker's lock guards all of it;
futures are set after the lock is released, since their callbacks are foreign.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any
from weakref import WeakValueDictionary

from pytest_benchbed.calls.call import Call
from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.schedule import Schedule
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.state import technical
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.model.usage import Usage

Key = tuple[str, str, int]
Answer = Line
"""An outcome line of ``calls.jsonl``. A case that was not asked has the same keys without
``sha256``; after a stop the answer is ``{"state": "not-run", "reason": …}``."""


class Book:
    """Questions and answers of one broker."""

    def __init__(
        self, schedule: Schedule, changed: threading.Condition, hurry: threading.Event
    ) -> None:
        """Begin without questions.

        ``changed``: the broker's lock; it is notified when the window moves. ``hurry`` is
        set when an item waits for a reply that is on its way to the disk.
        """
        self.schedule = schedule
        self._changed = changed
        self._hurry = hurry
        self.stopped: str | None = None
        """Why nothing more is started in any run."""
        self._calls: dict[Key, Call] = {}
        self._taken: WeakValueDictionary[Key, Future[Answer]] = WeakValueDictionary()
        """Futures that somebody may still hold; their answers are on disk."""
        self._due: list[tuple[Future[Answer], Answer]] = []

    def wake(self) -> None:
        """Have the schedule looked at again: something that counts for it has changed.

        While it is full there is nothing to look at, and a thread is not woken for it.
        """
        if self.stopped is not None or not self.schedule.is_full:
            self._changed.notify_all()

    def is_known(self, run: RunState, case: str, attempt: int) -> bool:
        """Say whether a question needs no new call."""
        key = (run.plan.benchmark, case, attempt)
        return key in self._calls or run.is_recorded(case, attempt)

    def find(self, run: RunState, case: str, attempt: int) -> Future[Answer] | None:
        """Return the future that answers a question, if a call is not needed for it.

        An item waits for it now: the call, if there is one, moves up.
        """
        key = (run.plan.benchmark, case, attempt)
        call = self._calls.get(key)
        if call is not None:
            self.schedule.ask(call)
            self.wake()
            if call.answer is not None:
                self._hand_over(call)
            elif self.schedule.is_arrived(call):
                self._hurry.set()
            return call.future
        future = self._taken.get(key)
        if future is not None:
            return future
        answer = self.recorded(run, case, attempt)
        reason = self.stopped
        if run.plan.is_settled and attempt > run.plan.repeats:
            # Its rows stay as they are, so what is paid now would be on no record.
            reason = reason or "the run is complete"
        if answer is None and reason is not None:
            answer = not_run(run, case, attempt, reason)
        if answer is None:
            return None
        future = answered(answer)
        self._taken[key] = future
        return future

    def recorded(self, run: RunState, case: str, attempt: int) -> Answer | None:
        """Return the answer that stands on the disk; None if there is none."""
        try:
            return run.recorded(case, attempt)
        except TechnicalFailure as failure:
            error = technical(failure.kind, failure.detail, where=failure.where)
            return unasked(run, case, attempt, "technical", error)

    def enter(self, call: Call) -> None:
        """Take in a new call."""
        self._calls[call.run.plan.benchmark, call.case, call.attempt] = call
        self.schedule.add(call)

    def open_calls(self) -> list[Call]:
        """Return the calls without an answer, those in flight included."""
        return [call for call in self._calls.values() if call.answer is None]

    def settle(self, call: Call, answer: Answer) -> None:
        """Give a call that is no longer in flight its answer, unless it has one."""
        self.schedule.answered(call)
        self.answer(call, answer)

    def answer(self, call: Call, answer: Answer) -> None:
        """Answer whoever waits for a call; it may still be in flight."""
        if call.answer is None:
            call.answer = answer
            self._due.append((call.future, answer))
            if call.is_asked:
                self._hand_over(call)

    def _hand_over(self, call: Call) -> None:
        """Let go of an answer that can be read again from the disk."""
        if call.answer is not None and "sha256" in call.answer:
            key = (call.run.plan.benchmark, call.case, call.attempt)
            if self._calls.pop(key, None) is not None:
                self._taken[key] = call.future

    def refuse(self, call: Call, state: str, error: dict[str, Any]) -> None:
        """Answer a call that is not made; ``unsupported`` is recorded, since it is final."""
        answer = unasked(call.run, call.case, call.attempt, state, error)
        if state == "unsupported" and call.run.file is not None:
            try:
                answer["request_sha256"] = call.run.request_digest(call.view, call.attempt)
                # It cost nothing, so losing it costs nothing: no wait for the disk.
                answer = call.run.file.append(answer, durable=False)
            except Exception as error_of_ours:
                self.stop_run(call.run, broken_record(error_of_ours))
                answer = unasked(
                    call.run, call.case, call.attempt, "technical", call.run.stopped or error
                )
        self.settle(call, answer)

    def give_up(self, call: Call) -> None:
        """Answer a call that landed after a stop without an outcome to show for it."""
        reason = self.stopped or "the session is over"
        self.settle(call, not_run(call.run, call.case, call.attempt, reason))

    def stop_run(self, run: RunState, record: TechnicalRecord) -> None:
        """Ask nothing more in a run; what is in flight still lands."""
        run.stop(record)
        for call in self.schedule.drop(run):
            self.refuse(call, "technical", run.stopped or {})

    def stop_all(self, reason: str) -> None:
        """Start nothing more and answer every open question with ``not-run``."""
        if self.stopped is None:
            self.stopped = reason
        for call in self.schedule.drop():
            self.settle(call, not_run(call.run, call.case, call.attempt, self.stopped))
        for call in self.open_calls():
            if call.is_asked:
                self.answer(call, not_run(call.run, call.case, call.attempt, self.stopped))

    def fail_all(self, runs: Iterable[RunState], error: BaseException) -> None:
        """Answer everything after a fault of our own: no item may wait for ever."""
        record = broken_record(error)
        with self._changed:
            for run in runs:
                self.stop_run(run, record)
            for call in self.open_calls():
                self.refuse(call, "technical", call.run.stopped or {})
            self._changed.notify_all()
        self.resolve()

    def resolve(self) -> None:
        """Set the futures that are due, without the lock: their callbacks are foreign."""
        with self._changed:
            due, self._due = self._due, []
        for future, answer in due:
            future.set_result(answer)


def answered(answer: Answer) -> Future[Answer]:
    """Return a future that has its answer."""
    future: Future[Answer] = Future()
    future.set_result(answer)
    return future


def not_run(run: RunState, case: str, attempt: int, reason: str) -> Answer:
    """Return the answer to a question that was open at a stop."""
    return {
        "state": "not-run",
        "reason": reason,
        "benchmark": run.plan.benchmark,
        "case": case,
        "attempt": attempt,
    }


def unasked(
    run: RunState, case: str, attempt: int, state: str, error: dict[str, Any], digest: str = ""
) -> dict[str, Any]:
    """Return the outcome of a case without a call, in the keys of a record.

    ``digest``: of the request that was not made; needed where it is recorded.
    """
    return {
        **run.line("outcome", case=case, context=None, attempt=attempt, request_sha256=digest),
        "state": state,
        "raw": None,
        "error": error,
        "usage": Usage().to_json(),
        "latency_s": 0.0,
        "queue_s": 0.0,
        "slot": 0,
    }


def failure_record(failure: TechnicalFailure) -> TechnicalRecord:
    """Return a failure as one of the whole run."""
    detail = ": ".join(part for part in (failure.where, failure.detail) if part)
    return TechnicalRecord(case=None, whose=failure.whose, kind=failure.kind, detail=detail)


def broken_record(error: BaseException) -> TechnicalRecord:
    """Return a fault of our own as a failure of the whole run."""
    if isinstance(error, TechnicalFailure):
        return failure_record(error)
    text = f"{type(error).__name__}: {error}"[:200]
    return TechnicalRecord(case=None, whose="system", kind="internal", detail=text)
