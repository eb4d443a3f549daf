"""Latency and cost against the baseline, in words: for terminal, summary and page."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pytest_benchbed.compare.thresholds import TIMES
from pytest_benchbed.model.deltas import Change
from pytest_benchbed.model.deltas import CostDelta
from pytest_benchbed.model.deltas import Delta
from pytest_benchbed.model.deltas import Deltas
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.report.facts import Fact
from pytest_benchbed.report.numbers import count
from pytest_benchbed.report.numbers import money
from pytest_benchbed.report.numbers import seconds


def read_deltas(metrics: Mapping[str, Any]) -> Deltas | None:
    """Return the deltas in ``metrics.json``; None without a baseline, and of older versions.

    Raises:
        ShapeError: they are damaged.
    """
    row = metrics.get("deltas")
    return None if row is None else Deltas.from_json(row)


def shown_deltas(gate: GateResult | None, deltas: Deltas | None) -> Deltas | None:
    """Return what is shown beside a verdict: of a blocked run no number is (ENV-051)."""
    return None if gate is None or gate.status == "blocked" else deltas


def delta_facts(deltas: Deltas | None) -> list[Fact]:
    """Return a line for each measure that there is something to say about."""
    return [Fact(name, _text(name, delta)) for name, delta in _named(deltas)]


def delta_lines(deltas: Deltas | None) -> list[str]:
    """Return the same for the block of a verdict, without a line end."""
    return [f"  {fact.name.lower()} {fact.text}" for fact in delta_facts(deltas)]


def delta_warnings(deltas: Deltas | None) -> list[str]:
    """Return what grew so much that it is worth a warning; it never changes a verdict."""
    return [
        f"{name.lower()} rose to {_ratio(delta)}"
        f"{_amount(name, delta.value)}, was {_amount(name, delta.baseline)} (median)"
        for name, delta in _named(deltas)
        if delta.warns
    ]


def _named(deltas: Deltas | None) -> Iterator[tuple[str, Delta]]:
    if deltas is None:
        return
    for name, delta in (("Latency", deltas.latency_s), ("Cost", deltas.cost_usd)):
        if delta is not None:
            yield name, delta


def _text(name: str, delta: Delta) -> str:
    if delta.why_not is None:
        return (
            f"{_ratio(delta)}{_amount(name, delta.value)}, the baseline "
            f"{_amount(name, delta.baseline)} (median of {count(delta.n, 'case')} measured in both)"
        )
    text = f"not compared: {delta.why_not}"
    if isinstance(delta, CostDelta):
        text += _part(delta.usage, "usage", "at the baseline's prices")
        text += _part(delta.price, "prices", "for the same tokens")
    return text


def _part(change: Change | None, what: str, how: str) -> str:
    if change is None:
        return ""
    return f" · {what} {_times(change.ratio)} {how} ({count(change.n, 'case')})"


def _ratio(delta: Delta) -> str:
    return "" if delta.ratio is None else f"{_times(delta.ratio)}: "


def _times(ratio: float) -> str:
    """Return a factor with two decimals; above nothing it is never written as 0."""
    return f"{TIMES}{ratio:.2f}" if ratio >= 0.005 or ratio == 0 else f"below {TIMES}0.01"


def _amount(name: str, value: float | None) -> str:
    return seconds(value) if name == "Latency" else money(value)
