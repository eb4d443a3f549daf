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


def test_re_asks_without_controls_are_three_and_one_where_nothing_is_unstable():
    assert noise.rechecks(4, 0) == (3, True)
    assert [noise.rechecks(0, controls) for controls in (1, 2, 3)] == [(1, True)] * 3


def test_more_noise_never_lowers_the_re_asks():
    for controls in (1, 2, 3):
        asked = [noise.rechecks(unstable, controls)[0] for unstable in range(200)]
        assert asked == sorted(asked)
        assert asked[-1] == noise.MOST_RECHECKS


def test_the_allowance_of_thousands_of_suspects_is_a_number_and_more_lets_more_through():
    # exp(-1500) is 0 as a float: the terms are taken by their logarithms then.
    assert noise.allowance([1_500, 1_500]) == 1_564
    assert noise.allowance([699, 699]) == 743
    assert noise.allowance([701, 701]) == 745
    allowed = [noise.allowance([count] * 3) for count in range(40)]
    assert allowed == sorted(allowed)


def test_the_allowance_is_wrong_in_at_most_one_run_of_twenty():
    for total in range(60):
        assert 0 <= noise.allowance_alarm([total, 0, 0]) <= 0.05


def test_nothing_is_known_of_a_spread_change_without_an_allowance():
    assert noise.smallest_change(9, "confirm", None) == (1, None)
    assert noise.smallest_change(9, "allowance", None) == (None, None)
    assert noise.smallest_change(0, "confirm", 1) == (None, None)


def test_several_gates_alarm_together():
    assert noise.joint_alarm([]) == 0
    assert noise.joint_alarm([0.1, 0.2, 0.5]) == pytest.approx(1 - 0.9 * 0.8 * 0.5)


def test_holm_raises_each_p_value_by_its_rank_and_keeps_their_order():
    adjusted = noise.holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    # By hand: 0.005 x 4, 0.01 x 3, 0.03 x 2, then 0.04 x 1 is raised to the one before it.
    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert noise.holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert noise.holm({}) == {}
