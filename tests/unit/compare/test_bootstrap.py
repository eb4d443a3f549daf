"""Intervals and standard errors, beside other ways to the same numbers."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.compare.bootstrap import Interval
from pytest_benchbed.compare.bootstrap import binomial
from pytest_benchbed.compare.bootstrap import interval
from pytest_benchbed.compare.bootstrap import standard_error
from pytest_benchbed.compare.bootstrap import units_of

NUMBERS = Path(__file__).parents[2] / "vectors" / "noise-numbers.json"
CLUSTERED = json.loads(NUMBERS.read_text("utf-8"))["clustered_se"]


def source(seed=7):
    return random.Random(seed).random


def means(values):
    return [(float(value), 1.0) for value in values]


def drawn_one_by_one(values, resamples, seed=5):
    """The percentile bootstrap of a mean, as it is in the books."""
    draw = random.Random(seed)
    size = len(values)
    found = sorted(
        sum(values[int(draw.random() * size)] for _ in range(size)) / size for _ in range(resamples)
    )
    return found[round(0.025 * (resamples - 1))], found[round(0.975 * (resamples - 1))]


def test_the_standard_error_by_document_is_that_of_the_oracle():
    pairs = zip(CLUSTERED["difference"], CLUSTERED["cluster"], strict=True)
    values, groups = {}, {}
    for number, (difference, document) in enumerate(pairs):
        values[f"c{number}"], groups[f"c{number}"] = (difference, 1), f"d{document}"

    by_document = standard_error(units_of(values, groups))
    by_case = standard_error(units_of(values))

    assert by_document == pytest.approx(CLUSTERED["with_C_over_C_minus_1"], abs=1e-10)
    without = by_document * math.sqrt(9 / 10)
    assert without == pytest.approx(CLUSTERED["cluster_se_no_correction"], abs=1e-10)
    assert by_case == pytest.approx(CLUSTERED["plain_se"], abs=1e-10)


def test_a_group_with_the_name_of_a_case_is_not_that_case():
    assert units_of({"x": (1, 1), "y": (1, 1)}, {"y": "x"}) == [(1.0, 1.0), (1.0, 1.0)]


@pytest.mark.parametrize("units", [[], means([1]), [(1.0, 0.0), (1.0, 0.0)]])
def test_nothing_is_known_of_one_unit_or_of_a_ratio_over_nothing(units):
    assert interval(units, source()) is None
    assert standard_error(units) is None


def test_units_that_are_all_the_same_have_an_interval_without_width():
    assert interval(means([1] * 40), source()) == Interval(1, 1, 1)
    halves = [(float(n % 300), float(2 * (n % 300))) for n in range(1, 900)]
    assert interval(halves, source()) == pytest.approx((0.5, 0.5, 0.5))


SHAPES = {
    "two values": [float(n % 10 == 0) for n in range(120)],
    "three values": [[-1.0, 0.0, 0.0, 0.0, 1.0, 1.0][n % 6] for n in range(150)],
    "all different, drawn": [n**3 / 1000 for n in range(60)],
    "all different, the limit": [math.exp(n / 75) for n in range(300)],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_way_to_an_interval_is_the_bootstrap(shape):
    values = SHAPES[shape]
    low, high = drawn_one_by_one(values, 3000)
    error = math.sqrt(sum((one - sum(values) / len(values)) ** 2 for one in values)) / len(values)

    found = interval(means(values), source(), resamples=3000)

    # A limit of 3,000 resamples has itself an error of about 0.05 standard errors, and a mean
    # of whole numbers moves in steps.
    near = max(0.2 * error, 1.01 / len(values) * (len(set(values)) < 4))
    assert found.value == pytest.approx(sum(values) / len(values))
    assert found.low == pytest.approx(low, abs=near)
    assert found.high == pytest.approx(high, abs=near)


def test_the_limit_and_the_drawn_interval_lean_the_same_way():
    values = [math.exp(n / 50) for n in range(250)]
    drawn = interval(means(values), source())
    limit = interval(means([*values, values[125]]), source())

    assert (limit.high - limit.value) > 1.02 * (limit.value - limit.low)
    assert limit.low == pytest.approx(drawn.low, abs=0.1 * (drawn.high - drawn.low))
    assert limit.high == pytest.approx(drawn.high, abs=0.1 * (drawn.high - drawn.low))


@pytest.mark.parametrize("size", [40, 400])
def test_a_difference_of_pooled_shares_is_resampled_as_a_pair(size):
    # Right and counted, of the candidate and of the baseline; they rise and fall together.
    units = [(float(n % 7), 7.0, float(n % 7), 7.0) for n in range(size)]
    same = interval(units, source())
    worse = interval([(a - 1, b, c, d) for a, b, c, d in units], source())

    assert same == (0, 0, 0)
    assert worse == pytest.approx((-1 / 7, -1 / 7, -1 / 7))


@pytest.mark.parametrize("size", [400, 3000])
def test_cases_of_one_document_are_drawn_together(size):
    values = {f"c{n}": (float(n // 10 % 2), 1) for n in range(size)}
    groups = {f"c{n}": f"d{n // 10}" for n in range(size)}
    by_case = interval(units_of(values), source())
    by_document = interval(units_of(values, groups), source())

    wider = (by_document.high - by_document.low) / (by_case.high - by_case.low)
    assert wider == pytest.approx(math.sqrt(10), rel=0.15)


@pytest.mark.parametrize(("trials", "chance"), [(9, 0.3), (1, 0.5), (6, 0.99), (300, 0.02)])
def test_a_drawn_count_is_binomial(trials, chance):
    """Every count has the share of the numbers from 0 to 1 that its chance is."""
    steps = 4000
    numbers = iter([(step + 0.5) / steps for step in range(steps)])
    counts = [binomial(trials, chance, lambda: next(numbers)) for _ in range(steps)]

    for count in range(trials + 1):
        exact = math.comb(trials, count) * chance**count * (1 - chance) ** (trials - count)
        assert counts.count(count) / steps == pytest.approx(exact, abs=1.5 / steps)


def test_a_drawn_count_of_no_trials_is_none_and_the_last_number_is_a_count_too():
    assert binomial(0, 0.5, source()) == 0
    for trials in (1, 50, 10_000):
        assert 0 <= binomial(trials, 0.2, lambda: 1 - 2**-53) <= trials


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([f"c{n}" for n in range(12)]),
        st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]), st.just(1.0)),
        min_size=2,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_cases_changes_nothing_and_a_seed_gives_the_same_numbers(values, order):
    names = list(values)
    order.shuffle(names)
    turned = {name: values[name] for name in names}
    groups = {"c1": "d", "c2": "d", "c3": "d"}

    straight = interval(units_of(values, groups), source(), resamples=50)

    assert interval(units_of(turned, groups), source(), resamples=50) == straight
    if straight is not None:
        assert straight.low <= straight.high
        assert straight.low >= 0
        assert straight.high <= 1
