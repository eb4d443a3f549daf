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

AMOUNT = st.none() | st.integers(0, 5_000_000).map(lambda millionths: millionths / 1e6)
ROW = st.builds(
    call,
    AMOUNT,
    AMOUNT,
    tokens=st.none() | st.tuples(st.integers(0, 9_000), st.integers(0, 9_000)),
    model=st.sampled_from([None, "small", "large", "small-2026-01-31"]),
    cached=st.booleans(),
)
ROWS = st.lists(ROW, min_size=1, max_size=5)
TABLE = st.sampled_from([None, NONE, OLD, NEW])
EXECUTOR = st.fixed_dictionaries(
    {"name": st.sampled_from(["local", "dask"]), "slots": st.integers(1, 3)}
)
RUN = st.fixed_dictionaries(
    {
        "prices": TABLE,
        "executor": EXECUTOR,
        "unpriced": st.sampled_from([0, 0, 1]),
    }
)


@given(ROWS, ROWS, RUN, RUN)
@settings(max_examples=150, deadline=None)
def test_no_delta_between_unlike_runs(
    now: list[Any], before: list[Any], mine: dict[str, Any], theirs: dict[str, Any]
) -> None:
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
