"""Limits of quality, latency and cost that a bench file sets: what they make of a verdict.

Without a limit none of the three gates. A limit is on what the whole run shows
beside its baseline: the fall of the mean quality over the cases that both scored,
and the ratio of the medians of latency and cost (``deltas.py``). A rise below one
second, or a tenth of a cent, breaks no limit, and reaching one exactly does not
either (DOS-045). What has a limit and cannot be compared is no pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pytest_benchbed.compare.deltas import COST
from pytest_benchbed.compare.deltas import LATENCY
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.model.bench_file import Limit
from pytest_benchbed.model.deltas import Delta
from pytest_benchbed.model.deltas import Deltas
from pytest_benchbed.model.gate import GateResult

TIMES = "\N{MULTIPLICATION SIGN}"


def with_thresholds(
    gate: GateResult,
    thresholds: Mapping[Limit, float] | None,
    candidate: RunFacts,
    baseline: RunFacts | None,
    deltas: Deltas | None,
) -> GateResult:
    """Return the verdict as the limits leave it; only ``passed`` and ``failed`` can change.

    Args:
        gate: the verdict of the profile that decides.
        thresholds: of the run's record: ``quality`` (at most this much lower, such as
            -0.05), ``latency`` and ``cost`` (at most this many times as high).
        candidate: the run.
        baseline: the run compared with.
        deltas: latency and cost of both.
    """
    if not thresholds or baseline is None or gate.status not in ("passed", "failed"):
        return gate
    broken: list[str] = []
    unknown: list[str] = []
    for name, limit in sorted(thresholds.items()):
        if name == "quality":
            text, is_known = _quality(candidate, baseline, limit)
        else:
            delta: Delta | None = None
            if deltas is not None:
                delta = deltas.latency_s if name == "latency" else deltas.cost_usd
            text, is_known = _rise(name, delta, limit)
        if text:
            (broken if is_known else unknown).append(text)
    if broken:
        before = f"{gate.reason}; " if gate.status == "failed" else ""
        return gate.model_copy(update={"status": "failed", "reason": before + "; ".join(broken)})
    if unknown and gate.status == "passed":
        return gate.model_copy(update={"status": "incomplete", "reason": "; ".join(unknown)})
    return gate


def _quality(candidate: RunFacts, baseline: RunFacts, limit: float) -> tuple[str, bool]:
    pairs = [
        (row["quality"], other["quality"])
        for case, row in candidate.rows.items()
        if row["state"] == "scored"
        and (other := baseline.rows.get(case)) is not None
        and other["state"] == "scored"
        and None not in (row["quality"], other["quality"])
    ]
    if not pairs:
        return "quality has a limit, and no case was measured in both runs", False
    fall = sum((_exact(now) - _exact(before) for now, before in pairs), Fraction(0)) / len(pairs)
    if fall >= _exact(limit):
        return "", True
    return (
        f"quality {float(fall):+.4f} on {count(len(pairs), 'case')}, the limit is {limit:+g}"
    ), True


def _rise(name: str, delta: Delta | None, limit: float) -> tuple[str, bool]:
    if delta is None:
        return f"{name} has a limit, and was not measured in both runs", False
    if delta.why_not is not None:
        return f"{name} has a limit, and cannot be compared: {delta.why_not}", False
    if delta.value is None or delta.baseline is None:
        return f"{name} has a limit, and was not measured in both runs", False
    floor = (LATENCY if name == "latency" else COST).rise
    now, before = _exact(delta.value), _exact(delta.baseline)
    if now <= before * _exact(limit) or now - before <= Fraction(floor):
        return "", True
    ratio = f"{TIMES}{float(now / before):.2f}" if before else "from nothing"
    return f"{name} {ratio} of the baseline's median, the limit is {TIMES}{limit:g}", True


def _exact(value: float) -> Fraction:
    """Return the number as it is written: 0.1 is a tenth."""
    return Fraction(str(value))
