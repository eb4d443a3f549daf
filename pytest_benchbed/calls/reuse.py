"""Outcomes of an earlier run, taken over where the same system would be asked the same again.

Equal are the digest of the request and the identity of the system; whatever is
not equal is asked. What was taken over is marked ``cached``: nobody waited for
it and nobody paid for it, so it is in no latency and in no spend.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from typing import Any

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.calls.recorded import CallsRecord

if TYPE_CHECKING:
    from pytest_benchbed.calls.state import RunState

_ANSWERED = ("ok", "no-answer")
_KEPT = ("state", "raw", "raw_base64", "error", "latency_s", "queue_s", "slot")


@dataclass(frozen=True)
class Reuse:
    """Where outcomes may be taken over from."""

    run_id: str
    outcomes: CallsRecord
    difference: Callable[[AdapterInfo], str]
    """Says in what the system differs from the one that answered then; "" if in nothing.

    Raises ``UsageProblem`` if it cannot be told which system this is.
    """


def take_over(run: RunState, cases: Sequence[str]) -> str:
    """Record the outcomes that another run has already, by one write; return what to say of it.

    Raises:
        TechnicalFailure: kind ``storage``; nothing was recorded.
    """
    reuse = run.plan.reuse
    assert reuse is not None, "only a run that may take over gets here"
    assert run.file is not None, "the run is open"
    assert run.group is not None, "it was greeted"
    info = run.group.info
    assert info is not None, "it said hello"
    difference = reuse.difference(info)
    rows = [] if difference else list(_taken_over(run, reuse, cases))
    run.file.append_all(rows)
    run.taken_over = len(rows)
    why = f": {difference}" if difference else ""
    return f"benchbed: {len(rows)} of {len(cases)} outcomes reused from {reuse.run_id}{why}"


def _taken_over(run: RunState, reuse: Reuse, cases: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the outcome lines of those of ``cases`` that need no call; first attempts only."""
    plan = run.plan
    for case in cases:
        state = reuse.outcomes.state(case, 1)
        if state not in _ANSWERED or run.is_recorded(case, 1):
            continue
        view = plan.view(case)
        digest = run.request_digest(view, 1)
        outcome = reuse.outcomes.outcome(case, 1)
        if outcome is None or outcome["request_sha256"] != digest:
            continue
        line = run.line(
            "outcome", case=case, context=view.context, attempt=1, request_sha256=digest
        )
        kept = {name: outcome[name] for name in _KEPT if name in outcome}
        yield {**line, **kept, "usage": {**outcome["usage"], "cost_usd": 0, "cached": True}}
