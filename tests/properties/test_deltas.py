"""Runs of unlike conditions never show a delta, whatever was measured in them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.compare.deltas import deltas
from pytest_benchbed.report.deltas import delta_lines
from pytest_benchbed.report.deltas import delta_warnings
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
TABLE = st.sampled_from([None, NONE, OLD, NEW])
USUAL = {"name": "local", "slots": 1}
EXECUTOR = st.sampled_from([{"name": "local", "slots": 2}, {"name": "dask", "slots": 1}])
RUN = st.fixed_dictionaries({"prices": TABLE, "executor": EXECUTOR, "unpriced": st.just(0)})


def unlike(run: dict[str, Any]) -> st.SearchStrategy[tuple[dict[str, Any], dict[str, Any]]]:
    """Return two runs that differ in one condition, in any of them, or in none."""
    changes = st.one_of(
        st.just({}),
        st.just({"unpriced": 1}),
        st.just({"executor": USUAL}),
        st.fixed_dictionaries({"prices": TABLE}),
        RUN,
    )
    return st.tuples(st.just(run), changes.map(lambda change: {**run, **change}))


@given(ROWS, ROWS, RUN.flatmap(unlike), st.booleans())
@settings(max_examples=120, deadline=None)
def test_no_delta_between_unlike_runs(
    now: list[Any],
    before: list[Any],
    runs: tuple[dict[str, Any], dict[str, Any]],
    are_swapped: bool,
) -> None:
    mine, theirs = reversed(runs) if are_swapped else runs
    candidate, baseline = made(now, **mine), made(before, "base", **theirs)
    found = deltas(candidate, baseline)
    lines = delta_lines(found)

    is_alike = mine["executor"] == theirs["executor"]
    for delta in (found.latency_s, found.cost_usd):
        if delta is not None and not is_alike:
            assert (delta.value, delta.baseline, delta.ratio, delta.warns) == (
                None, None, None, False,
            )  # fmt: skip
    cost = found.cost_usd
    is_priced_alike = mine["prices"] is not None and mine["prices"] == theirs["prices"]
    is_known = not mine["unpriced"] and not theirs["unpriced"]
    if cost is not None and not (is_alike and is_priced_alike and is_known):
        assert (cost.value, cost.ratio, cost.warns) == (None, None, False)
        assert not any("$" in line for line in [*lines, *delta_warnings(found)])
    if not is_alike:
        assert all(" not compared: " in line for line in lines)
        assert not any("\u00d7" in line for line in lines)
    # What nobody reported is never shown as an amount.
    if all(row["x"]["cost_usd"] is None for row in now):
        assert not any("$" in line for line in lines)
