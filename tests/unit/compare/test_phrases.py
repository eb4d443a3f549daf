"""Numbers and names as they are printed."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.phrases import age
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import percent


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.0001, "below 0.1 %"),
        (0.001, "0.1 %"),
        (3 / 98, "3.1 %"),
        (0.0994, "9.9 %"),
        (0.0996, "10 %"),
        (0.1, "10 %"),
        (0.259, "26 %"),
        (1.0, "100 %"),
    ],
)
def test_a_percentage_has_one_digit_below_ten_and_none_above(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (59, "0 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (86_399, "23 h"),
        (86_400, "1 d"),
        (-7_200, "2 h later"),
    ],
)
def test_an_age_is_in_its_largest_whole_unit(seconds, text):
    assert age(seconds) == text


def test_one_is_singular_and_none_is_plural():
    assert [count(number, "case") for number in (0, 1, 2)] == ["0 cases", "1 case", "2 cases"]
