"""One question on its way through the broker."""

from __future__ import annotations

from concurrent.futures import Future

from pytest_benchbed.calls.group import ContextKey
from pytest_benchbed.calls.group import Slot
from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.model.request import RequestCase
from pytest_benchbed.model.request import RequestContext


class Call:
    """One question (benchmark, case, attempt), from the first thought of it to its answer."""

    __slots__ = (
        "answer", "attempt", "case", "context", "digest", "due", "future", "has_intent", "is_ahead",
        "is_alone", "is_asked", "is_in_flight", "is_preparing", "is_reask", "is_settled", "losses",
        "queued_at", "run", "sent_to", "shared", "slot", "started_at", "tries", "view",
    )  # fmt: skip

    def __init__(
        self, run: RunState, view: RequestCase, attempt: int, *, is_asked: bool, now: float
    ) -> None:
        """``now``: when it was first thought of."""
        self.run = run
        self.view: RequestCase = view
        self.case = view.id
        self.context: ContextKey | None = (
            None if view.context is None else (run.plan.benchmark, view.context)
        )
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
        self.is_in_flight = False
        self.is_settled = False
        """It has left the schedule for good."""
        self.is_preparing = False
        """In flight is the ``prepare`` of its context."""
        self.is_alone = False
        """Nothing else may be in flight beside it: a worker died of it, perhaps."""
        self.has_intent = False
        """Its intent is on record already."""
        self.slot: Slot | None = None
        """The slot kept for it."""
        self.sent_to: Slot | None = None
        """The slot whose process has it, until it is back."""
        self.digest = ""
        """Of the request in flight."""
        self.shared: RequestContext | None = None
        """The context of the case."""
        self.is_reask = attempt > run.plan.repeats
        """A suspect is asked again: never the first question of a case."""
        self.tries = 0
        self.losses = 0
        self.queued_at = now
        self.started_at = now
        self.due = now
        """Not before."""
