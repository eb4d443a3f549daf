"""The broker: who may call the system, when, and what is remembered of it.

One object in the controlling process. Items ask it (:meth:`Broker.ask`,
:meth:`Broker.predict`); it looks ahead a little in selection order; what comes
back is on disk before anybody sees it. Its parts: ``book.py`` (questions and
answers), ``schedule.py`` (which call is next), ``dispatch.py`` (out), ``intake.py``
(in), ``serving.py`` (threads), ``pool.py`` (processes), ``spend.py`` (money),
``record.py`` (``calls.jsonl``).

Its threads never print and never raise: what goes wrong is a technical outcome.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from pytest_benchbed.adapters.executable import run_executable
from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.calls.batch import ADAPTER_REQUEST
from pytest_benchbed.calls.batch import BatchRunner
from pytest_benchbed.calls.batch import ask_batch
from pytest_benchbed.calls.book import Answer
from pytest_benchbed.calls.book import Book
from pytest_benchbed.calls.book import answered
from pytest_benchbed.calls.book import broken_record
from pytest_benchbed.calls.book import failure_record
from pytest_benchbed.calls.book import unasked
from pytest_benchbed.calls.call import Call
from pytest_benchbed.calls.dispatch import Dispatcher
from pytest_benchbed.calls.dispatch import exhausted
from pytest_benchbed.calls.executors import Executor
from pytest_benchbed.calls.executors import LocalExecutor
from pytest_benchbed.calls.group import HostFactory
from pytest_benchbed.calls.hosts import make_host
from pytest_benchbed.calls.intake import Intake
from pytest_benchbed.calls.lone import LoneBatches
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.calls.pool import HostPool
from pytest_benchbed.calls.rate import Clock
from pytest_benchbed.calls.rate import SystemClock
from pytest_benchbed.calls.record import tampered
from pytest_benchbed.calls.request import write_request
from pytest_benchbed.calls.reuse import take_over
from pytest_benchbed.calls.schedule import Schedule
from pytest_benchbed.calls.serving import Serving
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.state import technical
from pytest_benchbed.calls.window import may_send_ahead
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.run import Spend
from pytest_benchbed.model.run import TechnicalRecord

_POLL_S = 0.5
_CLOSE_S = 5.0


class Broker:
    """Makes every call of a session, each question at most once."""

    def __init__(
        self,
        runs: Sequence[RunCalls],
        *,
        executor: Executor,
        jobs: int,
        look_ahead: int | None = None,
        say: Callable[[str], None],
        hosts: HostFactory = make_host,
        batches: BatchRunner = run_executable,
        clock: Clock | None = None,
    ) -> None:
        """Start nothing and open nothing yet.

        ``runs``: one a benchmark. ``jobs``: calls that systems are at, at most, over all
        runs. ``look_ahead``: calls made or answered that no item has asked for, at most;
        None: as many as ``jobs``. ``say`` prints one line; it is called inside
        :meth:`start` only.
        """
        self._runs = {plan.benchmark: RunState(plan) for plan in runs}
        self._jobs = max(1, jobs)
        self._executor = executor
        self._local = executor if isinstance(executor, LocalExecutor) else None
        self._look_ahead = look_ahead or self._jobs
        self._say = say
        self._run_batch = batches
        self._pool = HostPool(hosts, self._jobs)
        self._schedule = Schedule(self._jobs, self._look_ahead)
        self._changed = threading.Condition()
        self._clock = clock or SystemClock()
        self._hurry = threading.Event()
        self._book = Book(self._schedule, self._changed, self._hurry)
        self._dispatcher = Dispatcher(self._book, self._changed, self._clock)
        self._intake = Intake(
            self._book,
            list(self._runs.values()),
            self._dispatcher.in_flight,
            self._changed,
            self._clock,
        )
        self._lone = LoneBatches(batches, lambda: self._book.stopped)
        self._opening = threading.Lock()
        self._serving: Serving | None = None
        self._is_closed = False

    @property
    def slots(self) -> int:
        """Calls that can run at once, as far as the adapters have said hello."""
        groups = sum(group.concurrency for group in self._pool.groups)
        return max(1, min(self._jobs, self._executor.slots, groups))

    def concurrency(self, benchmark: str) -> int:
        """Return how many calls of a run can be made at once; 0: its adapter said no hello."""
        group = self._runs[benchmark].group
        if group is None or group.info is None:
            return 0
        return min(self._jobs, self._executor.slots, group.concurrency)

    def info(self, benchmark: str) -> AdapterInfo | None:
        """Return what the adapter said at hello; None for an executable, or if none was said."""
        group = self._runs[benchmark].group
        return None if group is None else group.info

    def spend(self, benchmark: str) -> Spend:
        """Return the account of a run so far, former tries of a resumed run included."""
        run = self._runs[benchmark]
        with self._changed:
            return run.ledger.summary(run.plan.repeats)

    def failures(self, benchmark: str) -> list[TechnicalRecord]:
        """Return the technical failures of a whole run, in the order they came.

        What was wrong about the end of a process is among them after :meth:`close`.
        """
        run = self._runs[benchmark]
        with self._changed:
            return [*run.failures, *(run.group.end_failures if run.group else ())]

    def start(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Begin: greet the adapters, run the executables, let the calls start.

        ``ids``: the selected cases of each benchmark in order. Executables run
        here, before the first item. Where the record already answers all, no
        adapter is started. A failure is one of the run (:meth:`failures`).

        Raises:
            RunError: a run was begun before and is not resumed, or cannot be written.
            UsageProblem: an environment variable that an adapter declares is not set.
        """
        batches: list[tuple[RunState, Sequence[str]]] = []
        for benchmark, cases in ids.items():
            run = self._runs[benchmark]
            self._lone.cases[benchmark] = max(1, len(cases))
            run.open()
            with self._changed:
                self._intake.note_money(run)
            attempts = range(1, run.plan.repeats + 1)
            if run.stopped is not None or all(
                run.is_recorded(case, attempt) for attempt in attempts for case in cases
            ):
                continue
            if run.is_executable:
                batches.append((run, cases))
                continue
            self._write_request(run, cases)
            self._greet(run)
            try:
                if not run.is_supported:
                    assert run.file is not None, "the run is open"
                    run.file.append_all(self._unsupported(run, cases))
                elif run.plan.reuse is not None and run.stopped is None:
                    self._say(take_over(run, cases))
            except TechnicalFailure as failure:
                with self._changed:
                    self._book.stop_run(run, failure_record(failure))
            with self._changed:
                run.ledger.unanswered = sum(
                    not run.is_recorded(case, attempt) for attempt in attempts for case in cases
                )
                self._schedule.look_ahead(run, cases)
        for run, cases in batches:
            self._ask_batches(run, cases)
        if self._local is not None:
            self._local.spare = sum(group.spare for group in self._pool.groups)
            # Each thread takes in what its call brought.
            self._local.is_silent = True
        self._serving = Serving(
            self._executor,
            self._dispatcher.batches(),
            self._pool.call,
            self._intake,
            self._fail_all,
            self._hurry,
        )
        self._serving.start()

    def _write_request(self, run: RunState, cases: Sequence[str]) -> None:
        path = run.plan.run_dir / ADAPTER_REQUEST
        if path.exists() and run.plan.recorded is not None and run.plan.recorded.size:
            # Of the run that is resumed: it names these cases and more.
            return
        try:
            write_request(path, run.plan, cases, 1, run.plan.budget_usd)
        except OSError as error:
            raise RunError(
                f"cannot write {path}: {error.strerror}.\nFree space, or choose another folder "
                "with --bench-runs-dir=DIR."
            ) from None

    def _greet(self, run: RunState) -> None:
        """Start the first process of a run's adapter, once, and ask what it supports."""
        with self._opening:
            if run.group is not None:
                return
            group = self._pool.group(run.plan)
            record: TechnicalRecord | None = None
            is_supported = True
            try:
                info = group.open()
                run.plan.accept(info)
                is_supported = group.supports(run.plan.benchmark)
            except TechnicalFailure as failure:
                record = failure_record(failure)
            with self._changed:
                if record is None:
                    run.ledger.paid = info.paid
                    run.is_supported = is_supported
                    group.allow_ahead(is_allowed=self._may_send_ahead(run))
                else:
                    self._book.stop_run(run, record)
                run.group = group

    def _may_send_ahead(self, run: RunState) -> bool:
        return self._local is not None and may_send_ahead(
            jobs=self._jobs,
            look_ahead=self._look_ahead,
            has_budget=run.plan.budget_usd is not None,
            has_rate=run.plan.rate is not None,
            is_paid=run.ledger.paid,
        )

    def _unsupported(self, run: RunState, cases: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the record of every case as not supported."""
        for attempt in range(1, run.plan.repeats + 1):
            for case in cases:
                refusal = None if run.is_recorded(case, attempt) else run.refusal(case, None)
                if refusal is not None:
                    digest = run.request_digest(run.plan.view(case), attempt)
                    yield unasked(run, case, attempt, *refusal, digest)

    def is_unstarted(self, benchmark: str, cases: Sequence[str]) -> bool:
        """Say whether a run's adapter cannot be started, and no case has an outcome on record."""
        run = self._runs[benchmark]
        if run.stopped is None or run.stopped["kind"] != "adapter_start":
            return False
        return not any(run.is_recorded(case, 1) for case in cases)

    def is_recorded(self, benchmark: str, case: str, attempt: int) -> bool:
        """Say whether a question is answered without a call."""
        return self._runs[benchmark].is_recorded(case, attempt)

    def taken_over(self, benchmark: str) -> int:
        """Return how many outcomes of a run came from another one."""
        return self._runs[benchmark].taken_over

    def _ask_batches(self, run: RunState, cases: Sequence[str]) -> None:
        """Run an executable once for each attempt that lacks outcomes."""
        for attempt in range(1, run.plan.repeats + 1):
            missing = [case for case in cases if not run.is_recorded(case, attempt)]
            if not missing or run.stopped is not None:
                continue
            if run.ledger.verdict() != "go":
                record: TechnicalRecord | None = exhausted(run)
            else:
                record = ask_batch(run, missing, attempt, runner=self._run_batch, say=self._say)
            with self._changed:
                if record is not None:
                    self._book.stop_run(run, record)
                self._intake.note_money(run)

    def _fail_all(self, error: BaseException) -> None:
        self._book.fail_all(self._runs.values(), error)

    def ask(self, benchmark: str, case: str, attempt: int = 1) -> Future[Answer]:
        """Return the future outcome of one call; asked twice it is one call.

        The outcome is the line of ``calls.jsonl``, or ``{"state": "not-run",
        "reason": …}`` after a stop. Never fails for the adapter's sake.
        """
        run = self._runs[benchmark]
        with self._changed:
            found = self._book.find(run, case, attempt)
        if found is not None:
            return found
        try:
            if not run.is_executable and run.stopped is None:
                self._greet(run)
            view = run.plan.view(case)
        except UsageProblem as problem:
            # Of a run that is gone on with the adapter says hello at its first re-ask.
            detail = str(problem).splitlines()[0]
            refused = TechnicalRecord(case=None, whose="system", kind="refused", detail=detail)
            with self._changed:
                self._book.stop_run(run, refused)
            return answered(unasked(run, case, attempt, "technical", run.stopped or {}))
        except Exception as error:
            failed = technical("internal", broken_record(error).detail, whose="system")
            return answered(unasked(run, case, attempt, "technical", failed))
        with self._changed:
            found = self._book.find(run, case, attempt)
            if found is not None:
                return found
            if run.is_executable and attempt > run.plan.repeats:
                return self._lone.ask(run, case, attempt)
            call = Call(run, view, attempt, is_asked=True, now=self._clock.now())
            self._book.enter(call)
            refusal = run.refusal(case, view.context)
            if refusal is None and run.is_executable:
                detail = "the batch was not asked for this case and attempt"
                refusal = "technical", technical("not_in_batch", detail, whose="system")
            if refusal is not None:
                self._schedule.remove(call)
                self._book.refuse(call, *refusal)
            self._book.wake()
        self._book.resolve()
        return call.future

    def predict(self, benchmark: str, case: str, attempt: int = 1) -> Answer:
        """Wait for the outcome of one call; Ctrl-C gets through."""
        run = self._runs[benchmark]
        if run.is_executable:
            # The answers of a batch are on the disk before the first question.
            answer = self._book.recorded(run, case, attempt)
            if answer is not None:
                return answer
        future = self.ask(benchmark, case, attempt)
        while True:
            try:
                return future.result(timeout=_POLL_S)
            except TimeoutError:
                continue

    def may_start(self, benchmark: str, case: str) -> bool:
        """Say whether a further item may begin: not after :meth:`stop`."""
        return self._book.stopped is None

    def stop(self, reason: str) -> None:
        """Start nothing more; every open question gets ``not-run`` at once.

        Calls in flight go on and are recorded. A second stop changes nothing.
        """
        with self._changed:
            self._book.stop_all(reason)
            self._changed.notify_all()
        self._book.resolve()

    def close(self, wait_s: float) -> None:
        """Stop; give calls in flight ``wait_s`` seconds to be recorded; end every process.

        Calling it again, also after a Ctrl-C in the middle, goes on from there;
        ``close(0)`` kills at once. What is killed stays an intent without an
        outcome: its cost is unknown, and a resumed run asks it again.
        """
        self.stop("the session is over")
        end = time.monotonic() + wait_s
        self._lone.close(wait_s)
        with self._changed:
            while self._schedule.running and (rest := end - time.monotonic()) > 0:
                self._changed.wait(min(rest, _POLL_S))
            is_hung = self._schedule.running > 0
            self._intake.is_killed = self._intake.is_killed or is_hung
            self._dispatcher.is_closing = True
            self._changed.notify_all()
        if is_hung or wait_s <= 0:
            self._pool.kill()
        if self._is_closed:
            return
        self._pool.close(_CLOSE_S)
        self._executor.close()
        if self._serving is not None:
            self._serving.close(_CLOSE_S)
        for run in self._runs.values():
            if run.file is not None:
                run.file.close()
                if not run.file.is_unchanged():
                    run.failures.append(failure_record(tampered(run.file.path, "the record")))
        self._is_closed = True
