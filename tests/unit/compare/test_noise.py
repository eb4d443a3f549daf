"""Arithmetic of noise, beside the tables of ``tests/vectors``."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from pytest_benchbed.compare import noise


def test_beta_is_exact():
    assert noise.beta(4, 5) == Fraction(1, 280)


def test_noise_is_unknown_without_controls():
    assert noise.flaky_estimate(3, 0) is None
    assert noise.false_alarm(3, 0) is None
    assert noise.false_alarm_limit(0, 0) is None


def test_the_estimate_is_a_fraction_not_a_rounded_number():
    assert noise.flaky_estimate(1, 3) == Fraction(5, 3)


def test_the_limit_is_only_for_nothing_seen():
    assert noise.false_alarm_limit(1, 2) is None
    assert noise.false_alarm(0, 2) == 0


def test_nothing_is_visible_where_nothing_can_be_judged():
    assert noise.smallest_change(0) == (None, None)
    assert noise.smallest_change(1) == (1, 1)


@pytest.mark.parametrize(("worse", "better"), [(0, 7), (7, 0), (4, 5), (5, 4), (6, 6), (1, 0)])
def test_both_tails_of_the_sign_test_are_summed_exactly(worse, better):
    changed = worse + better
    ways = sum(math.comb(changed, count) for count in range(worse, changed + 1))
    assert noise.sign_test(worse, better) == ways / 2**changed


def test_the_sign_test_of_ten_thousand_cases_is_a_number():
    assert noise.sign_test(5_000, 5_000) == pytest.approx(0.503989, abs=1e-6)
    assert noise.sign_test(10_000, 0) == 0.0
