"""What came back of a call, in the words of ``calls.jsonl``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from pytest_benchbed.calls.call import Call
from pytest_benchbed.calls.executors import WorkerLost
from pytest_benchbed.calls.line import raw_fields
from pytest_benchbed.calls.spend import priced
from pytest_benchbed.calls.state import technical
from pytest_benchbed.model.outcome import Outcome

_CONNECTION = re.compile(
    r"(\w+\.)*(Connection\w*Error|BrokenPipeError|\w*TimeoutError|ConnectError|ConnectTimeout"
    r"|ReadTimeout|gaierror)\b"
)
"""Exceptions of adapters that speak of the network, by the names the usual clients give them."""


def read_result(call: Call, result: list[Outcome] | WorkerLost) -> Outcome:
    """Return the one outcome of a batch, in the words of the record.

    Every error has the keys ``kind``, ``where``, ``detail`` and ``whose``. What
    is no outcome of this kind of call becomes technical.
    """
    if isinstance(result, WorkerLost):
        return Outcome("technical", error=technical("worker_lost", result.detail, whose="system"))
    (outcome,) = result
    if outcome.state == "no-answer" and not call.is_preparing:
        reason = str((outcome.error or {}).get("reason", ""))
        # The same keys as any error; the reader of a row needs no second shape.
        return replace(outcome, error=technical("no-answer", reason, whose="system"))
    if outcome.state in ("no-answer", "unsupported"):
        detail = "declined to take in a context" if call.is_preparing else "said so too late"
        return replace(
            outcome, state="technical", raw=None, error=technical(f"late_{outcome.state}", detail)
        )
    if outcome.state == "ok" and outcome.usage.execution_failures:
        detail = f"{outcome.usage.execution_failures} attempts failed and were not resolved"
        error = technical("execution_failures", detail, whose="system")
        return replace(outcome, state="technical", error=error)
    if outcome.state == "technical":
        given = outcome.error or {}
        kind = str(given.get("kind", "unknown"))
        if outcome.retry_after_s is not None:
            kind = "retry"
        elif kind == "exception" and _CONNECTION.match(str(given.get("detail", ""))):
            kind = "connection"
        error = technical(
            kind,
            str(given.get("detail", "")),
            where=str(given.get("where", "")),
            whose=given.get("whose", "adapter"),
        )
        return replace(outcome, error=error)
    return outcome


def outcome_row(call: Call, outcome: Outcome, slot: int) -> dict[str, Any]:
    """Return the record of an outcome, its cost filled in where it can be known.

    ``slot``: where it was made; the call may have left it by now.
    """
    run = call.run
    usage = priced(
        outcome,
        paid=run.ledger.paid,
        prices=run.plan.prices,
        model=run.plan.spec.model,
        is_prepare=call.is_preparing,
    )
    # Of a replay ours would be the time it takes to look something up.
    is_replay = run.plan.spec.is_replay
    latency_s = outcome.usage.latency_s if is_replay else outcome.latency_s
    head = run.line(
        "outcome",
        case=None if call.is_preparing else call.case,
        context=call.view.context if call.is_preparing else None,
        attempt=1 if call.is_preparing else call.attempt,
        request_sha256=call.digest,
    )
    return {
        **head,
        **raw_fields(outcome.raw),
        "state": outcome.state,
        "error": None if outcome.error is None else dict(outcome.error),
        "usage": usage.to_json(),
        "latency_s": None if latency_s is None else round(latency_s, 6),
        # Steps of 0.1 ms: finer ones are noise, and slower to write canonically.
        "queue_s": round(max(0.0, call.started_at - call.queued_at) + outcome.queue_s, 4),
        "slot": slot,
    }
