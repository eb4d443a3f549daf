"""Whole ten-thousandths: nothing is compared as a float."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.values import is_worse_value
from pytest_benchbed.compare.values import ten_thousandths


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (1, 10_000),
        (0.9, 9_000),
        (-0.12345, -1_234),  # half to even
        (0.12335, 1_234),
        (0.12345, 1_234),
        (0.00015, 2),  # as a float product it is 1.4999999999999998
        (0.00305, 30),  # and this one 30.500000000000004
        (1e-9, 0),
        ((2, 3), 6_667),
        ([1, 80_000], 0),  # an eighth of a ten-thousandth
        ([1, 20_000], 0),  # half: to even
        ([3, 20_000], 2),  # one and a half: to even
        ([0, 0], None),
        ([-1, 3], -3_333),
    ],
)
def test_values_round_half_to_even(value, expected):
    assert ten_thousandths(value) == expected


def test_a_fall_of_the_tolerance_is_no_loss_and_one_ten_thousandth_more_is():
    high, tolerance = ten_thousandths(0.86), ten_thousandths(0.05)

    assert not is_worse_value(ten_thousandths(0.81), high, tolerance, lower=False)
    assert is_worse_value(ten_thousandths(0.8099), high, tolerance, lower=False)


def test_the_rise_is_the_loss_where_lower_is_better():
    assert is_worse_value(900, 300, 500, lower=True)
    assert not is_worse_value(300, 900, 500, lower=True)


def test_a_lost_value_is_worse_than_any_number_but_not_than_another_lost_one():
    assert is_worse_value(None, 0, 500, lower=False)
    assert not is_worse_value(0, None, 500, lower=False)
    assert not is_worse_value(None, None, 500, lower=False)
