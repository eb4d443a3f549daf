"""The relabelling test, beside counting all relabellings."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.compare import relabel
from pytest_benchbed.compare.relabel import relabelling_p

NUMBERS = Path(__file__).parents[2] / "vectors" / "noise-numbers.json"
GIVEN = json.loads(NUMBERS.read_text("utf-8"))["relabel_test"]


def source(seed=7):
    return random.Random(seed).random


def values_of(candidate, baseline, *controls):
    rows = zip(candidate, baseline, *controls, strict=True)
    return {f"c{number}": row for number, row in enumerate(rows)}


def counted(values, groups=None):
    """The share of all relabellings with a total of the candidate or a lower one."""
    sums = {}
    for case, runs in values.items():
        name = (groups or {}).get(case, case)
        sums[name] = [a + b for a, b in zip(sums.get(name, [0] * len(runs)), runs, strict=True)]
    observed = sum(runs[0] for runs in sums.values())
    totals = [sum(picked) for picked in itertools.product(*sums.values())]
    return sum(total <= observed for total in totals) / len(totals)


def test_the_p_value_is_that_of_the_published_example():
    values = values_of(GIVEN["candidate"], GIVEN["baseline"], *GIVEN["controls"])
    assert relabelling_p(values, source()) == pytest.approx(GIVEN["exact_p"], abs=1e-10)


RUNS = st.lists(st.integers(0, 3), min_size=3, max_size=3)
CASES = st.dictionaries(st.sampled_from("abcde"), RUNS, min_size=1)


@settings(max_examples=60, deadline=None)
@given(CASES, st.booleans())
def test_it_is_the_share_of_all_relabellings(values, has_groups):
    groups = {"a": "doc", "b": "doc"} if has_groups else None
    p = relabelling_p(values, source(), groups=groups)
    assert p == pytest.approx(counted(values, groups), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(CASES, st.sampled_from("abcde"))
def test_a_worse_candidate_never_has_a_higher_p_value(values, case):
    before = relabelling_p(values, source())
    if case in values:
        runs = values[case]
        values = {**values, case: [min(runs), *runs[1:]]}
    # Lowering the candidate to the lowest of the case keeps the values that may be drawn,
    # but for its own: with that lower, the others look better.
    assert relabelling_p(values, source()) <= before + 1e-9


def test_where_nothing_moves_there_is_no_hint_and_of_nothing_no_number():
    assert relabelling_p(values_of([1, 0], [1, 0], [1, 0]), source()) == 1
    assert relabelling_p({}, source()) is None


def test_more_is_worse_where_lower_is_better():
    values = values_of([2.0, 3.0], [1.0, 1.0], [1.0, 1.0])
    assert relabelling_p(values, source(), lower_is_better=True) == pytest.approx(1 / 9)
    assert relabelling_p(values, source()) == 1


@pytest.mark.parametrize("size", [90, 900])
def test_drawn_and_limiting_p_values_are_near_the_exact_one(size):
    """The same case many times is exact; made to differ a little it is drawn, or the limit."""
    draw = random.Random(3)
    rows = [[float(draw.random() < 0.8) for _ in range(4)] for _ in range(size)]
    exact = relabelling_p(values_of(*zip(*rows, strict=True)), source())
    nudged = [[value + draw.random() / 1e4 for value in row] for row in rows]
    found = relabelling_p(values_of(*zip(*nudged, strict=True)), source())

    # Ties are broken by the nudge, so the exact value lies half a step away.
    assert found == pytest.approx(exact, abs=0.08)
    assert found != exact


def test_the_limit_is_what_drawing_comes_to():
    draw = random.Random(5)
    rows = [
        [draw.expovariate(1.0) * (1 + 0.1 * (run == 0)) for run in range(3)] for _ in range(900)
    ]
    values = values_of(*zip(*rows, strict=True))
    limit = relabelling_p(values, source(), lower_is_better=True)
    drawn = relabelling_p(values, source(), lower_is_better=True, relabellings=500)

    assert 0.02 < limit < 0.1
    assert limit == pytest.approx(drawn, abs=0.02)
    assert limit != drawn


@pytest.mark.parametrize("wrong", range(0, 12, 2))
def test_the_limit_follows_the_exact_value_of_a_skewed_sum(wrong, monkeypatch):
    """30 cases, each wrong in one of four runs, now and then in the candidate."""
    rows = [[0, 1, 1, 1] if n < wrong else [1, 0, 1, 1] for n in range(30)]
    exact = relabelling_p(values_of(*zip(*rows, strict=True)), source())
    monkeypatch.setattr(relabel, "_EXACT_STEPS", 0)
    monkeypatch.setattr(relabel, "_FEW_DRAWS", 0)

    assert relabelling_p(values_of(*zip(*rows, strict=True)), source()) == pytest.approx(
        exact, abs=0.003
    )


def test_one_document_is_relabelled_as_a_whole():
    # Ten cases of one document got worse together: one thing happened, not ten.
    values = values_of([0] * 10, [1] * 10, [1] * 10)
    groups = {case: "d" for case in values}
    assert relabelling_p(values, source(), groups=groups) == pytest.approx(1 / 3)
    assert relabelling_p(values, source()) == pytest.approx(1 / 3**10)
