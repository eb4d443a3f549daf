"""Figures: nothing is rounded into what it is not, and unknown is never zero."""

from __future__ import annotations

import pytest

from pytest_benchbed.report.numbers import change
from pytest_benchbed.report.numbers import count
from pytest_benchbed.report.numbers import measure
from pytest_benchbed.report.numbers import moment
from pytest_benchbed.report.numbers import money
from pytest_benchbed.report.numbers import out_of
from pytest_benchbed.report.numbers import seconds
from pytest_benchbed.report.numbers import share
from pytest_benchbed.report.numbers import span


@pytest.mark.parametrize(
    ("top", "bottom", "text"),
    [
        (3, 3, "100 %"),
        (9_999, 10_000, "99.9 %"),
        (1, 10_000, "0.1 %"),
        (0, 5, "0 %"),
        (1, 3, "33.3 %"),
        (0, 0, "not measured"),
    ],
)
def test_a_share_short_of_all_is_never_all_and_above_nothing_never_nothing(
    top: int, bottom: int, text: str
) -> None:
    assert share(top, bottom) == text


@pytest.mark.parametrize(
    ("value", "counts", "text"),
    [
        (0.929487, [145, 156], "92.9 %"),
        (0.5, None, "0.5"),
        (0.0017634, None, "0.001763"),
        (12.0, None, "12"),
        (1234567.25, None, "1,234,567.2"),
        (None, None, "not measured"),
        (None, [0, 0], "not measured"),
        (0, None, "0"),
    ],
)
def test_a_measure_is_a_share_only_with_counts(value, counts, text: str) -> None:
    assert measure(value, counts) == text


def test_counts_are_written_out_or_left_out() -> None:
    assert out_of([1200, 3000]) == "1,200 of 3,000"
    assert out_of([0, 0]) == out_of(None) == ""


@pytest.mark.parametrize(
    ("difference", "is_share", "text"),
    [
        (0.0132, True, "+1.3 points"),
        (-0.25, True, "-25.0 points"),
        (0.0001, True, "+<0.1 points"),
        (0, True, "no change"),
        (-0.5, False, "-0.5"),
        (None, True, ""),
    ],
)
def test_a_change_is_signed_and_a_small_one_is_no_zero(difference, is_share, text: str) -> None:
    assert change(difference, is_share=is_share) == text


def test_the_minus_sign_can_be_chosen() -> None:
    assert change(-0.5, is_share=False, minus="~") == "~0.5"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not measured"),
        (0, "0 s"),
        (0.0004, "below 1 ms"),
        (0.0312, "31 ms"),
        (0.42, "0.42 s"),
        (12.4, "12 s"),
        (200, "3 min 20 s"),
        (7_260, "2 h 1 min"),
    ],
)
def test_seconds_are_written_in_a_unit_that_fits(value, text: str) -> None:
    assert seconds(value) == text


@pytest.mark.req("ENV-049")
def test_a_cost_that_is_not_known_is_never_zero_dollars() -> None:
    assert money(None) == "not reported"
    assert money(0) == "$0.00"
    assert money(0.000001) == "$0.000001"
    assert money(1234.5) == "$1,234.50"


def test_times_are_utc_and_a_text_that_is_no_time_stays_what_it_is() -> None:
    assert moment("2026-03-02T10:00:00Z") == "2026-03-02 10:00 UTC"
    assert moment(None) == "not finished"
    assert moment("yesterday") == "yesterday"
    assert span("2026-03-02T10:00:00Z", "2026-03-02T10:03:20Z") == 200
    assert span("2026-03-02T10:00:00Z", None) is None
    assert span("2026-03-02T10:00:00Z", "later") is None


def test_nouns_agree_with_their_number() -> None:
    assert [count(number, "case") for number in (0, 1, 1200)] == [
        "0 cases",
        "1 case",
        "1,200 cases",
    ]
    assert count(2, "entry", "entries") == "2 entries"
