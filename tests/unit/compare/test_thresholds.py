"""Limits of quality, latency and cost."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.compare.thresholds import TIMES
from pytest_benchbed.compare.thresholds import with_thresholds
from pytest_benchbed.model.deltas import CostDelta
from pytest_benchbed.model.deltas import Delta
from pytest_benchbed.model.deltas import Deltas
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import run_of

TEN = {f"c{number}": "" for number in range(10)}


def measured(value: float | None, baseline: float | None, why_not: str | None = None) -> Any:
    return {
        "n": 10, "value": value, "baseline": baseline, "ratio": None, "warns": False,
        "why_not": why_not,
    }  # fmt: skip


def judged(
    thresholds: Any, *, latency: Any = None, cost: Any = None, now: Any = None, old: Any = None
) -> tuple[str, str]:
    candidate, baseline = run_of(now or TEN), run_of(old or TEN, "base")
    verdict = gate(candidate, baseline)
    changes = Deltas(
        latency_s=latency and Delta(**latency),
        cost_usd=cost and CostDelta(**cost, usage=None, price=None),
    )
    found = with_thresholds(verdict, thresholds, candidate, baseline, changes)
    return found.status, found.reason


@pytest.mark.parametrize(
    ("thresholds", "how", "status"),
    [
        ({}, {"latency": measured(9.0, 1.0)}, "passed"),
        ({"latency": 1.5}, {"latency": measured(6.0, 3.0)}, "failed"),
        # Exactly at the limit, and a rise of no more than a second.
        ({"latency": 1.5}, {"latency": measured(4.5, 3.0)}, "passed"),
        ({"latency": 1.5}, {"latency": measured(2.0, 1.0)}, "passed"),
        ({"latency": 1.5}, {"latency": measured(2.1, 1.0)}, "failed"),
        ({"cost": 1.2}, {"cost": measured(0.0012, 0.001)}, "passed"),
        ({"cost": 1.2}, {"cost": measured(0.0021, 0.001)}, "failed"),
        ({"cost": 1.2}, {"cost": measured(0.002, 0.0)}, "failed"),
        ({"cost": 1.2}, {}, "incomplete"),
        ({"cost": 1.2}, {"cost": measured(None, None, "another price table")}, "incomplete"),
        ({"cost": 1.2}, {"cost": measured(None, None)}, "incomplete"),
    ],
)
def test_a_limit_of_latency_or_cost(thresholds: Any, how: Any, status: str) -> None:
    assert judged(thresholds, **how)[0] == status


def test_what_failed_stays_failed_and_says_both() -> None:
    status, reason = judged({"latency": 1.5}, latency=measured(6.0, 3.0), now={**TEN, "c1": "a"})

    assert status == "failed"
    assert "1 regression" in reason
    assert reason.endswith(f"latency {TIMES}2.00 of the baseline's median, the limit is {TIMES}1.5")


def test_a_verdict_that_is_none_stays_as_it_is() -> None:
    status, reason = judged({"cost": 1.2}, now={**TEN, "c1": "!technical"})

    assert status == "blocked"
    assert "cost" not in reason
