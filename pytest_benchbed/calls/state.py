"""The state of one run inside the broker: account, file, contexts, what stopped it.

Plain data and rules; the broker's lock guards it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pytest_benchbed.adapters.conversation import NOT_MADE
from pytest_benchbed.calls.group import HostGroup
from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.line import utc_now
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.calls.rate import Rate
from pytest_benchbed.calls.record import CallsFile
from pytest_benchbed.calls.request import CaseDigests
from pytest_benchbed.calls.request import case_text
from pytest_benchbed.calls.spend import SpendLedger
from pytest_benchbed.model.errors import Whose
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.request import RequestCase
from pytest_benchbed.model.request import RequestContext
from pytest_benchbed.model.run import TechnicalRecord

CALLS = "calls.jsonl"
INFRASTRUCTURE = frozenset(
    {"adapter_start", "connection", "crash", "host_lost", "timeout", "worker_lost"}
)
"""Kinds that say something about the machine or the network, not about a case."""
_DEATHS = frozenset({"crash", "host_lost", "timeout"})
"""Those among them after which the process of the call is gone, and every call in it."""


def technical(
    kind: str, detail: str, *, where: str = "", whose: Whose = "adapter"
) -> dict[str, Any]:
    """Return the ``error`` of a technical outcome."""
    return {"kind": kind, "where": where, "detail": detail[:200], "whose": whose}


class RunState:
    """One :class:`RunCalls` while it is carried out."""

    def __init__(self, plan: RunCalls) -> None:
        """Nothing is opened yet."""
        self.plan = plan
        tally = plan.recorded.tally if plan.recorded else None
        self.ledger = SpendLedger(plan.budget_usd, plan.spec.max_cost_usd, tally)
        self.rate = Rate(plan.rate)
        self.group: HostGroup | None = None
        """The adapter's processes; None for an executable, and before the first hello."""
        self.file: CallsFile | None = None
        self.is_supported = True
        self.failures: list[TechnicalRecord] = []
        self.stopped: dict[str, Any] | None = None
        """The error of every case that is no longer asked."""
        self.skipped: dict[str, frozenset[str]] = {}
        """By context: categories that the system does not produce."""
        self.taken_over = 0
        """Outcomes that came from another run."""
        self.given_up: dict[str, dict[str, Any]] = {}
        """By context: the error of its cases, after it could not be taken in."""
        self._digests: dict[int, CaseDigests] = {}
        """By attempt."""
        self._prepare_failures: Counter[str] = Counter()
        self._streak: tuple[str, int] = ("", 0)
        self._died: dict[int, float] = {}
        """When the process of a slot was last seen to be dead."""

    @property
    def is_executable(self) -> bool:
        """Whether the adapter answers a whole batch at once."""
        return self.plan.spec.kind == "executable"

    def open(self) -> None:
        """Open ``calls.jsonl``.

        Raises:
            RunError: the run was begun before and is not resumed.
        """
        if self.file is None:
            path = self.plan.run_dir / CALLS
            if self.plan.recorded is None:
                self.file = CallsFile.create(path)
            else:
                self.file = CallsFile.resume(path, self.plan.recorded)

    def recorded(self, case: str, attempt: int) -> Line | None:
        """Return the outcome on disk that answers a question without a call."""
        return None if self.file is None else self.file.outcome(case, attempt)

    def is_recorded(self, case: str, attempt: int) -> bool:
        """Say the same without reading the file."""
        return self.file is not None and self.file.state(case, attempt) is not None

    def request_digest(
        self, view: RequestCase, attempt: int, context: RequestContext | None = None
    ) -> str:
        """Digest what the system is asked for a case; ``context``: of the case, if at hand."""
        if context is None and view.context is not None:
            context = self.plan.context_view(view.context)
        digests = self._digests.get(attempt)
        if digests is None:
            digests = self._digests[attempt] = CaseDigests(self.plan, attempt)
        return digests.of(case_text(view), case_text(context))

    def refusal(self, case: str, context: str | None) -> tuple[str, dict[str, Any]] | None:
        """Return state and error of a case that will not be asked; None if it will be."""
        if not self.is_supported:
            return "unsupported", technical("unsupported", "the adapter does not support it")
        category = self.plan.category(case) if context in self.skipped else None
        if context is not None and category in self.skipped.get(context, ()):
            detail = f"the adapter does not produce category {category!r}"
            return "unsupported", technical("unsupported", detail)
        if self.stopped is not None:
            return "technical", self.stopped
        if context in self.given_up:
            return "technical", self.given_up[context]
        return None

    def prepared(self, context: str, skipped: frozenset[str]) -> None:
        """Note that a slot took in a context, and what the system will not produce for it."""
        self.skipped[context] = self.skipped.get(context, frozenset()) | skipped
        del self._prepare_failures[context]

    def prepare_failed(self, context: str, error: dict[str, Any]) -> dict[str, Any]:
        """Note that a context could not be taken in; return the error of the case that needed it.

        The next case of the context tries once more, on whichever slot: the
        process may have been at fault. After a second failure in a row the
        context is given up, so that 500 cases do not pay for 500 failures.
        """
        where = ": ".join(part for part in (f"context {context}", error["where"]) if part)
        error = {**error, "where": where}
        self._prepare_failures[context] += 1
        if self._prepare_failures[context] > 1:
            self.given_up[context] = error
        return error

    def watch(
        self, outcome: Outcome, slot: int, started_at: float, now: float
    ) -> TechnicalRecord | None:
        """Count infrastructure errors of one kind in a row; return what stops the run, if any.

        Calls that were in flight in one process (``slot``) when it died say no more
        than the first of them: one bad case is no outage.
        """
        kind = str((outcome.error or {}).get("kind")) if outcome.state == "technical" else ""
        if kind == NOT_MADE:
            # It says nothing that the call did not say which ended the process.
            return None
        if kind not in INFRASTRUCTURE:
            self._streak = ("", 0)
            return None
        if kind in _DEATHS:
            if started_at < self._died.get(slot, started_at):
                return None
            self._died[slot] = now
        count = self._streak[1] + 1 if self._streak[0] == kind else 1
        self._streak = (kind, count)
        if count < self.plan.max_outage:
            return None
        return TechnicalRecord(
            case=None,
            whose="system",
            kind="outage",
            detail=f"{count} calls in a row ended in {kind!r}; the rest is not asked",
        )

    def stop(self, record: TechnicalRecord) -> None:
        """Ask nothing more; the first reason counts, every one is kept."""
        self.failures.append(record)
        if self.stopped is None:
            self.stopped = technical(record.kind, record.detail, whose=record.whose)

    def line(
        self,
        kind: str,
        *,
        case: str | None,
        context: str | None,
        attempt: int,
        request_sha256: str,
        at: str | None = None,
    ) -> dict[str, Any]:
        """Return what intents and outcomes of this run have in common; ``at`` None: now."""
        return {
            "kind": kind,
            "benchmark": self.plan.benchmark,
            "case": case,
            "context": context,
            "attempt": attempt,
            "request_sha256": request_sha256,
            "at": at or utc_now(),
        }
