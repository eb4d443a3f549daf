from __future__ import annotations

import random
import statistics
from decimal import Decimal
from typing import Any

import pytest

from pytest_benchbed.runs.measures import cost
from pytest_benchbed.runs.measures import latency
from pytest_benchbed.runs.measures import mean_quality
from pytest_benchbed.runs.measures import scored
from tests.unit.runs.builders import result

CACHED = {"cost_usd": 0.1, "cached": True}


def timed(case: str, latency_s: float | None, usage: Any = None) -> dict[str, Any]:
    return result(case, x={"latency_s": latency_s, "cost_usd": None, "usage": usage or {}})


def paid(case: str, cost_usd: float | None, usage: Any = None) -> dict[str, Any]:
    return result(case, x={"latency_s": 1.0, "cost_usd": cost_usd, "usage": usage or {}})


def test_technical_and_skipped_rows_have_no_score() -> None:
    rows = [result("a"), result("b", state="technical"), result("c", state="skipped")]

    assert [row["case"] for row in scored(rows)] == ["a"]


def test_quality_is_the_mean_of_what_was_measured() -> None:
    rows = [result("a", quality=1.0), result("b", quality=0.5), result("c", quality=None)]

    assert mean_quality(rows) == {"mean": 0.75, "n": 2}


def test_quality_over_nothing_is_null() -> None:
    assert mean_quality([]) == {"mean": None, "n": 0}
    assert mean_quality([result("a", quality=None)]) == {"mean": None, "n": 0}


def test_percentiles_are_inclusive() -> None:
    rows = [timed(str(n), float(n)) for n in range(101)]

    assert latency(rows) == {"p50": 50.0, "p95": 95.0, "n": 101}


def test_the_median_is_the_median_in_any_order() -> None:
    values = [0.3, 2.5, 0.1, 9.0]
    rows = [timed(str(n), value) for n, value in enumerate(values)]

    found = latency(random.Random(3).sample(rows, 4))

    assert found["p50"] == statistics.median(values)
    assert found["p95"] == pytest.approx(2.5 + 0.85 * 6.5)


def test_the_percentiles_of_one_case_are_its_latency() -> None:
    assert latency([timed("a", 0.7)]) == {"p50": 0.7, "p95": 0.7, "n": 1}


def test_cached_answers_and_unmeasured_ones_have_no_latency() -> None:
    rows = [timed("a", 0.001, CACHED), timed("b", 4.0), timed("c", None)]

    assert latency(rows) == {"p50": 4.0, "p95": 4.0, "n": 1}
    assert latency([]) == {"p50": None, "p95": None, "n": 0}


def test_costs_add_up_exactly() -> None:
    """As floats, three times 0.1 is not 0.3."""
    rows = [paid(case, 0.1) for case in "abc"]

    assert cost(rows, Decimal("0.9")) == {"sum": 0.3, "n": 3}


def test_a_declared_zero_is_zero() -> None:
    assert cost([paid("a", 0), paid("b", 0)], Decimal(0)) == {"sum": 0, "n": 2}


def test_a_cost_that_was_not_reported_is_unknown_and_never_zero() -> None:
    assert cost([paid("a", None), paid("b", None)], None) == {"sum": None, "n": 0}


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    assert cost([paid("a", 0.5), paid("b", None)], Decimal("0.5")) == {"sum": None, "n": 1}


def test_a_batch_costs_what_the_run_spent() -> None:
    assert cost([paid("a", None), paid("b", None)], Decimal("1.25")) == {"sum": 1.25, "n": 0}


def test_cached_answers_cost_nothing_now_and_hide_nothing() -> None:
    rows = [paid("a", 0.5), paid("b", 0.1, CACHED), paid("c", None, CACHED)]

    assert cost(rows, Decimal("0.5")) == {"sum": 0.5, "n": 1}
