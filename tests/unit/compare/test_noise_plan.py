"""What a wanted false-alarm rate costs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_benchbed.compare.noise_plan import cheapest_plan
from pytest_benchbed.compare.noise_plan import flaky_limit
from pytest_benchbed.compare.noise_plan import noise_plans


def test_more_controls_cost_calls_and_save_alarms():
    plans = noise_plans(Fraction(6), 100, most_controls=3)

    assert [plan.controls for plan in plans] == [1, 2, 3]
    assert [plan.control_calls for plan in plans] == [100, 200, 300]
    # Three unstable cases of two controls: r 2, 4.2 %.
    assert plans[1].rechecks == 2
    assert plans[1].false_alarm == pytest.approx(0.0419, abs=1e-4)
    # By hand: each flaky case is asked once in 1/20 of the runs, and a second time in 1/60.
    assert plans[1].recheck_calls == pytest.approx(6 / 20 + 6 / 60)


def test_the_cheapest_plan_has_the_fewest_controls_that_do():
    plans = noise_plans(Fraction(30), 100)
    found = cheapest_plan(plans, 0.05)
    assert (found.controls, found.rechecks) == (2, 5)
    assert cheapest_plan(plans, 0.03).controls > found.controls
    assert cheapest_plan(plans, 0.0) is None
    assert cheapest_plan(noise_plans(Fraction(0), 100), 0.0).controls == 1


def test_where_nothing_was_seen_the_limit_is_planned_for_and_without_controls_nothing():
    assert flaky_limit(0, 1) == 9
    assert flaky_limit(4, 1) == 12
    assert flaky_limit(0, 0) is None
