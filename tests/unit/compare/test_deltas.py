"""Latency and cost against the baseline: medians, limits, and what is never compared."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.compare.deltas import deltas
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.model.bench_file import ModelPrice
from pytest_benchbed.model.prices import prices_digest
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

OLD = {"small": {"in": 1, "out": 4}}
NEW = {"small": {"in": 2, "out": 8}}
NONE: dict[str, Any] = {}


def call(
    took: float | None = 0.5,
    cost: float | None = None,
    *,
    tokens: tuple[int, int] | None = None,
    model: str | None = "small",
    what: str = "",
    inputs: str = "the inputs",
    **usage: Any,
) -> dict[str, Any]:
    """A row that took so long and cost so much."""
    made = row("", what, inputs=inputs)
    if tokens is not None:
        usage |= {"input_tokens": tokens[0], "output_tokens": tokens[1], "model": model}
    made["x"] = {
        "latency_s": took,
        "queue_s": 0.0,
        "cost_usd": cost,
        "usage": {"cost_usd": cost, **usage},
    }
    return made


def made(
    rows: list[dict[str, Any]],
    run: str = "candidate",
    *,
    prices: Any = NONE,
    unpriced: int = 0,
    **changes: Any,
) -> RunFacts:
    """A run with one case for each row, priced by a table; None: of an older version."""
    spend: dict[str, Any] = {"unpriced_attempts": unpriced}
    if prices is not None:
        table = {name: ModelPrice.from_json(price) for name, price in prices.items()}
        spend |= {"prices": prices, "prices_sha256": prices_digest(table)}
    cases = {f"c{number}": {**one, "case": f"c{number}"} for number, one in enumerate(rows)}
    return run_of(cases, run, spend=spend, **changes)


def cost_delta(now: RunFacts, before: RunFacts) -> Any:
    """Return what is said of the cost."""
    return deltas(now, before).cost_usd


def compared(now: list[dict[str, Any]], before: list[dict[str, Any]], **changes: Any) -> Any:
    """Compare two runs; ``changes`` are of the candidate."""
    return deltas(made(now, **changes), made(before, "base"))


def test_a_delta_is_the_ratio_of_the_medians() -> None:
    # Medians 3 and (1 + 2) / 2; the means would be 6 and 2.
    now = [call(1, 0.002), call(2, 0.002), call(4, 0.003), call(17, 0.004)]
    before = [call(1, 0.001), call(1, 0.002), call(2, 0.002), call(4, 0.003)]

    found = compared(now, before)

    assert found.latency_s.to_json() == {
        "n": 4, "value": 3.0, "baseline": 1.5, "ratio": 2.0, "warns": True, "why_not": None,
    }  # fmt: skip
    assert found.cost_usd.to_json() == {
        "n": 4, "value": 0.0025, "baseline": 0.002, "ratio": 1.25, "warns": False,
        "why_not": None, "usage": None, "price": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "left_out",
    [
        call(90, 9, cached=True),
        call(90, 9, what="!technical"),
        call(90, 9, what="!skipped"),
        call(90, 9, inputs="corrected inputs"),
        call(None, None),
    ],
    ids=["from a cache", "technical", "skipped", "another question", "not measured"],
)
@pytest.mark.parametrize("is_before", [False, True])
def test_a_case_that_was_not_measured_in_both_is_left_out(left_out: Any, is_before: bool) -> None:
    usual = [call(1, 0.001), call(1, 0.001)]
    rows, others = [*usual, left_out], [*usual, call(90, 9)]

    found = compared(others, rows) if is_before else compared(rows, others)

    for delta in (found.latency_s, found.cost_usd):
        assert (delta.n, delta.ratio) == (2, 1.0)


def test_a_case_of_one_run_alone_and_another_answer_change_nothing() -> None:
    now = [call(2, 0.002), call(90, 9)]
    now[0]["key_parts"] = {**now[0]["key_parts"], "answer": "0" * 64}

    found = compared(now, [call(1, 0.001)])

    assert (found.latency_s.n, found.latency_s.ratio) == (1, 2.0)
    assert (found.cost_usd.n, found.cost_usd.ratio) == (1, 2.0)


@pytest.mark.parametrize(
    ("now", "before", "warns"),
    [
        (3.0, 2.0, False),  # exactly 1.5
        (3.000001, 2.0, True),
        (2.0, 1.0, False),  # exactly 1 s more
        (2.000001, 1.0, True),
        (0.9, 0.1, False),
        (100.0, 80.0, False),
    ],
)
def test_latency_warns_above_both_limits(now: float, before: float, warns: bool) -> None:
    assert compared([call(now)], [call(before)]).latency_s.warns is warns


@pytest.mark.parametrize(
    ("now", "before", "warns"),
    [
        (0.012, 0.01, False),  # exactly 1.2
        (0.012001, 0.01, True),
        (0.002, 0.001, False),  # exactly $0.001 more
        (0.002001, 0.001, True),
        (0.0009, 0.0001, False),
        (0.01, 0.0, True),
    ],
)
def test_cost_warns_above_both_limits(now: float, before: float, warns: bool) -> None:
    assert compared([call(1, now)], [call(1, before)]).cost_usd.warns is warns


def test_over_nothing_there_is_no_ratio() -> None:
    delta = compared([call(1, 0.01)], [call(1, 0)]).cost_usd

    assert (delta.value, delta.baseline, delta.ratio) == (0.01, 0.0, None)


@pytest.mark.parametrize("cost", [None, 0])
@pytest.mark.parametrize("before", [None, 0])
def test_nothing_is_said_of_a_cost_that_no_run_has(cost: Any, before: Any) -> None:
    found = compared([call(1, cost)], [call(1, before)], prices=NEW)

    assert found.cost_usd is None
    assert found.latency_s is not None


def test_a_cost_that_one_run_does_not_report_has_no_delta() -> None:
    for now, before, which in ((None, 0.01, "this run"), (0.01, None, "the baseline")):
        delta = compared([call(1, now)], [call(1, before)]).cost_usd
        assert (delta.value, delta.baseline, delta.ratio) == (None, None, None)
        assert delta.why_not == f"{which} has none of each case"
    delta = compared([call(1, 0.1), call(1)], [call(1), call(1, 0.1)]).cost_usd
    assert delta.why_not == "no case has one in both runs"


@pytest.mark.parametrize("unpriced", [(2, 0), (0, 2)])
def test_an_unknown_spend_has_no_delta(unpriced: tuple[int, int]) -> None:
    now = made([call(1, 0.01)], unpriced=unpriced[0])
    before = made([call(1, 0.01)], "base", unpriced=unpriced[1])

    delta = cost_delta(now, before)

    assert (delta.value, delta.ratio) == (None, None)
    whose = "this run" if unpriced[0] else "the baseline"
    assert delta.why_not == f"2 calls of {whose} without a price"


CHANGED_JOBS = {"at": "2026-03-10T12:30:00Z", "what": "calls at once", "from": 4, "to": 8}
UNLIKE = {
    "executor": ({"executor": {"name": "dask"}}, "executor dask, the baseline's local"),
    "calls at once": ({"executor": {"slots": 3}}, "3 calls at once, the baseline 1"),
    "resumed otherwise": (
        {"history": [CHANGED_JOBS]},
        "run candidate went on with another number of calls at once",
    ),
    "batch": (
        {"adapter": {"kind": "executable"}},
        "this run asked all cases in one batch, the baseline asked each case alone",
    ),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_other_conditions_are_never_compared_and_the_reason_is_said(name: str) -> None:
    changes, reason = UNLIKE[name]

    found = compared([call(9, 0.09)], [call(1, 0.01)], **changes)

    for delta in (found.latency_s, found.cost_usd):
        assert (delta.value, delta.baseline, delta.ratio) == (None, None, None)
        assert not delta.warns
        assert delta.why_not == reason
    assert (found.cost_usd.usage, found.cost_usd.price) == (None, None)


def test_more_calls_allowed_but_not_made_are_the_same_concurrency() -> None:
    assert compared([call(2)], [call(1)], executor={"jobs": 16}).latency_s.ratio == 2.0


def test_recorded_times_are_not_compared_with_measured_ones() -> None:
    recorded, measured = [call(3, 0.02, latency_s=3.0)], [call(1, 0.01)]
    whose = {True: "this run's", False: "the baseline's"}
    for is_mine, found in (
        (True, compared(recorded, measured)),
        (False, compared(measured, recorded)),
    ):
        assert found.latency_s.ratio is None
        assert found.latency_s.why_not == f"{whose[is_mine]} times came with recorded outputs"
        assert found.cost_usd.ratio == (2.0 if is_mine else 0.5)
    assert compared(recorded, recorded).latency_s.ratio == 1.0


def test_where_the_price_table_changed_usage_and_prices_stand_apart() -> None:
    # At the old prices 1000 + 4 * 500 = 3000 millionths before and 1500 + 4 * 750 = 4500 now:
    # usage 1.5; at the new ones 9000: prices 2.
    before = made([call(1, 0.003, tokens=(1000, 500))] * 3, "base", prices=OLD)
    now = made([call(1, 0.009, tokens=(1500, 750))] * 3, prices=NEW)

    found: Any = deltas(now, before)

    delta = found.cost_usd
    assert (delta.n, delta.value, delta.ratio, delta.warns) == (3, None, None, False)
    old, new = before.record.spend.prices_sha256, now.record.spend.prices_sha256
    assert delta.why_not == f"price table {new[:12]}, the baseline has price table {old[:12]}"
    assert delta.usage.to_json() == {"n": 3, "ratio": 1.5}
    assert delta.price.to_json() == {"n": 3, "ratio": 2.0}
    assert found.latency_s.ratio == 1.0


def test_the_parts_are_ratios_of_medians_too() -> None:
    before = made(
        [call(1, cost / 1e6, tokens=(cost, 0)) for cost in (1000, 2000, 9000)], "base", prices=OLD
    )
    now = made([call(1, 2 * t / 1e6, tokens=(t, 0)) for t in (3000, 3000, 90000)], prices=NEW)

    delta = cost_delta(now, before)

    assert (delta.usage.ratio, delta.price.ratio) == (1.5, 2.0)


def test_a_price_that_only_one_table_has_gives_one_part() -> None:
    before = made([call(1, 0.003, tokens=(1000, 500))], "base", prices=OLD)
    for table in (NONE, {"large": {"in": 9, "out": 9}}):
        now = made([call(1, None, tokens=(2000, 1000))], prices=table)
        delta = cost_delta(now, before)
        assert (delta.usage.ratio, delta.price, delta.value) == (2.0, None, None)


def test_a_dated_model_has_the_price_of_the_one_that_was_asked() -> None:
    before = made([call(1, 0.003, tokens=(1000, 500))], "base", prices=OLD)
    now = made(
        [call(1, 0.006, tokens=(1000, 500), model="small-2026-01-31")],
        prices=NEW,
        adapter={"model": "small"},
    )

    delta = cost_delta(now, before)

    assert delta.price.ratio == 2.0


@pytest.mark.parametrize(
    ("now", "before"),
    [
        (call(1, 0.009), call(1, 0.003)),
        (call(1, 0.009, tokens=(1500, 750)), call(1, 0.003)),
        (call(1, 0.009), call(1, 0.003, tokens=(1000, 500))),
        (call(1, 0.009, tokens=(1500, 750), model="large"), call(1, 0.003, tokens=(1000, 500))),
        # Reported by the system: no table made it.
        (call(1, 0.009, tokens=(1500, 750)), call(1, 0.5, tokens=(1000, 500))),
    ],
    ids=["no tokens", "none before", "none now", "a model without a price", "reported"],
)
def test_where_tokens_or_prices_are_not_known_that_is_said(now: Any, before: Any) -> None:
    delta = cost_delta(made([now], prices=NEW), made([before], "base", prices=OLD))

    assert (delta.ratio, delta.usage, delta.price) == (None, None, None)
    assert delta.why_not.endswith(
        "; without tokens priced by them, usage and prices cannot be told apart"
    )


def test_a_reported_cost_is_no_change_of_prices() -> None:
    before = made([call(1, 0.003, tokens=(1000, 500))], "base", prices=OLD)
    now = made([call(1, 0.5, tokens=(2000, 1000))], prices=NEW)

    delta = cost_delta(now, before)

    assert (delta.usage.ratio, delta.price) == (2.0, None)


@pytest.mark.parametrize("which", ["this run", "the baseline"])
def test_a_table_that_is_not_on_record_is_no_equal_table(which: str) -> None:
    tables = {"this run": NONE, "the baseline": NONE, which: None}
    now = made([call(1, 0.01)], prices=tables["this run"])
    before = made([call(1, 0.01)], "base", prices=tables["the baseline"])

    delta = cost_delta(now, before)

    assert delta.ratio is None
    assert delta.why_not == f"an older version made {which}, and its price table is not on record"
