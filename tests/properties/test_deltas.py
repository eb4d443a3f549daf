"""Runs of unlike conditions never show a delta, whatever was measured in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.compare.deltas import deltas
from pytest_benchbed.report.deltas import delta_lines
from pytest_benchbed.report.deltas import delta_warnings
from tests.unit.compare.test_deltas import CHANGED_JOBS
from tests.unit.compare.test_deltas import NEW
from tests.unit.compare.test_deltas import NONE
from tests.unit.compare.test_deltas import OLD
from tests.unit.compare.test_deltas import call
from tests.unit.compare.test_deltas import made

SOME = st.integers(1, 5_000_000).map(lambda millionths: millionths / 1e6)
AMOUNT = SOME | SOME | st.sampled_from([None, 0])
ROW = st.builds(
    call,
    AMOUNT,
    AMOUNT,
    tokens=st.none() | st.tuples(st.integers(0, 9_000), st.integers(0, 9_000)),
    model=st.sampled_from([None, "small", "large", "small-2026-01-31"]),
    cached=st.sampled_from([False, False, False, True]),
)
ROWS = st.lists(ROW, min_size=2, max_size=5)
PLACES: dict[str, dict[str, Any]] = {
    "executor": {"executor": {"name": "dask"}},
    "calls at once": {"executor": {"slots": 2}},
    "resumed otherwise": {"history": [CHANGED_JOBS]},
    "batch": {"adapter": {"kind": "executable"}},
}
MONEY: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "another table": ({"prices": OLD}, {"prices": NEW}),
    "no table": ({"prices": OLD}, {"prices": NONE}),
    "not on record": ({"prices": OLD}, {"prices": None}),
    "neither on record": ({"prices": None}, {"prices": None}),
    "unpriced": ({"prices": OLD}, {"prices": OLD, "unpriced": 1}),
}
QUICK = settings(max_examples=20, deadline=None)


@pytest.mark.parametrize("name", PLACES)
@given(now=ROWS, before=ROWS, is_mine=st.booleans())
@QUICK
def test_nothing_is_compared_where_the_calls_were_made_otherwise(
    name: str, now: list[Any], before: list[Any], is_mine: bool
) -> None:
    changes = PLACES[name]
    candidate = made(now, prices=OLD, **(changes if is_mine else {}))
    baseline = made(before, "base", prices=NEW, **({} if is_mine else changes))

    found = deltas(candidate, baseline)

    for delta in (found.latency_s, found.cost_usd):
        if delta is not None:
            assert (delta.value, delta.baseline, delta.ratio) == (None, None, None)
    assert delta_warnings(found) == []
    for line in delta_lines(found):
        assert " not compared: " in line
        assert "\u00d7" not in line
        assert "$" not in line


@pytest.mark.parametrize("name", MONEY)
@given(now=ROWS, before=ROWS, is_swapped=st.booleans())
@QUICK
def test_no_cost_is_compared_across_price_tables(
    name: str, now: list[Any], before: list[Any], is_swapped: bool
) -> None:
    mine, theirs = reversed(MONEY[name]) if is_swapped else MONEY[name]

    found = deltas(made(now, **mine), made(before, "base", **theirs))

    if found.cost_usd is not None:
        cost = found.cost_usd
        assert (cost.value, cost.baseline, cost.ratio, cost.warns) == (None, None, None, False)
    assert not any("$" in text for text in [*delta_lines(found), *delta_warnings(found)])


@given(now=ROWS, before=ROWS)
@QUICK
def test_what_nobody_reported_is_never_an_amount(now: list[Any], before: list[Any]) -> None:
    for row in now:
        row["x"]["cost_usd"] = None

    lines = delta_lines(deltas(made(now), made(before, "base")))

    assert not any("$" in line for line in lines)
