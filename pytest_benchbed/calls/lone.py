"""Re-asks of an executable: a batch of one case, one after another.

The cases of a run are asked at once, before the first item; whether one is to
be asked again is known in its item only. The batches run in a thread of their
own, so that neither Ctrl-C nor the questions of xdist workers wait for them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor

from pytest_benchbed.calls.batch import BatchRunner
from pytest_benchbed.calls.batch import ask_batch
from pytest_benchbed.calls.book import Answer
from pytest_benchbed.calls.book import Key
from pytest_benchbed.calls.book import not_run
from pytest_benchbed.calls.book import unasked
from pytest_benchbed.calls.dispatch import exhausted
from pytest_benchbed.calls.spend import ZERO
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.state import technical


class LoneBatches:
    """Asks one case of an executable at a time."""

    def __init__(self, runner: BatchRunner, stopped: Callable[[], str | None]) -> None:
        """``stopped`` says why nothing more is to be started, if so."""
        self._runner = runner
        self._stopped = stopped
        self._thread: ThreadPoolExecutor | None = None
        self._futures: dict[Key, Future[Answer]] = {}
        self._is_killed = threading.Event()
        self.cases: dict[str, int] = {}
        """Number of cases of each run, which tells what one of them costs."""

    def ask(self, run: RunState, case: str, attempt: int) -> Future[Answer]:
        """Return the future outcome; asked twice it is one batch."""
        key = (run.plan.benchmark, case, attempt)
        future = self._futures.get(key)
        if future is None:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "benchbed-reask")
            future = self._thread.submit(self._ask, run, case, attempt)
            self._futures[key] = future
            future.add_done_callback(lambda done: self._let_go(key, done))
        return future

    def _let_go(self, key: Key, future: Future[Answer]) -> None:
        """Forget an answer that can be read again from the disk."""
        if not future.cancelled() and future.exception() is None and "sha256" in future.result():
            self._futures.pop(key, None)

    def _ask(self, run: RunState, case: str, attempt: int) -> Answer:
        # The batch before this one in the thread may have been for the same question.
        answer = run.recorded(case, attempt)
        if answer is not None:
            return answer
        reason = self._stopped()
        if reason is not None:
            return not_run(run, case, attempt, reason)
        if not self._can_pay(run):
            record = exhausted(run)
        else:
            found = ask_batch(
                run, [case], attempt, runner=self._runner, say=_silent, check=self._check
            )
            answer = run.recorded(case, attempt)
            if answer is not None:
                return answer
            assert found is not None, "a batch without a failure is on record"
            record = found
        error = technical(record.kind, record.detail, whose=record.whose)
        return unasked(run, case, attempt, "technical", error)

    def _can_pay(self, run: RunState) -> bool:
        """Say whether the budget has room for one more case, by what one has cost so far."""
        remaining = run.ledger.remaining_usd
        if remaining is None:
            return True
        first = run.ledger.tally.by_attempt.get(1, ZERO)
        share = first / self.cases.get(run.plan.benchmark, 1)
        return run.ledger.verdict() == "go" and share <= remaining

    def _check(self) -> None:
        if self._is_killed.is_set():
            # As Ctrl-C does in the first batch: what it spent is not known.
            raise KeyboardInterrupt

    def close(self, wait_s: float) -> None:
        """Wait for the batch that runs, at most so long; end it then. Safe to call again."""
        if self._thread is None:
            return
        open_ = [future for future in list(self._futures.values()) if not future.done()]
        for future in open_:
            if wait_s <= 0:
                break
            try:
                future.exception(timeout=wait_s)
            except TimeoutError:
                break
        self._is_killed.set()
        self._thread.shutdown(wait=True)


def _silent(line: str) -> None:
    """Print nothing: pytest captures while an item runs."""
