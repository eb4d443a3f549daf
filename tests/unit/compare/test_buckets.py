"""Buckets, in their order."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.buckets import BUCKETS
from pytest_benchbed.compare.buckets import bucket
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import error
from tests.unit.compare.builders import row


def found(mine, baseline=None, *controls, **options):
    rows = [
        one if one is None or isinstance(one, dict) else row("x", one)
        for one in (mine, baseline, *controls)
    ]
    return bucket(rows[0], rows[1], rows[2:], profile=PROFILE, **options)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("!technical", "", "a"), "technical"),
        (("!skipped", "", "a"), "skipped"),
        (("b", "", "a"), "noisy"),
        (("", "a", ""), "noisy"),
        (("a", "a", ""), "remaining"),  # unstable, but not changed
        (("", "", "a"), "unchanged"),
        (("b", "a", "a"), "worse"),
        (("ab", "a"), "worse"),
        (("!declined", ""), "worse"),
        (("a", "ab"), "better"),
        (("", "a", "a"), "better"),
        (("a", "a"), "remaining"),
        (("a", None), "remaining"),
        (("", None), "unchanged"),
        (("", ""), "unchanged"),
        (("a", "!skipped"), "remaining"),
        (("", "!technical"), "unchanged"),
        (("b", row("x", "a", answer="another")), "remaining"),
        (("b", "a", row("x", "a", answer="another")), "remaining"),
        ((row("x", profiles=("geometric",)), "a"), "unchanged"),
        (("a", row("x", profiles=("geometric",))), "remaining"),
    ],
)
def test_the_first_bucket_that_fits(rows, expected):
    assert found(*rows) == expected
    assert expected in BUCKETS


def test_what_was_right_when_asked_again_is_noise():
    assert found("b", "", is_wobbled=True) == "noisy"
    assert found("!technical", "", is_wobbled=True) == "technical"


def test_a_value_that_fell_is_worse_and_one_that_rose_is_better():
    judge = Judging(tolerance={"score": 0.05})
    assert found(0.5, 0.9, judge=judge) == "worse"
    assert found(0.9, 0.5, judge=judge) == "better"
    assert found(0.9, 0.88, judge=judge) == "unchanged"
    assert found(0.5, 0.9, 0.1, judge=judge) == "noisy"


def test_a_type_that_redefines_worse_decides_the_bucket():
    judge = Judging(is_worse=lambda one, two: len(one.errors) > len(two.errors))
    one = row("x", errors=[error("b")])
    assert found(one, "a", judge=judge) == "remaining"
    assert found("ab", "a", judge=judge) == "worse"


def test_a_scorer_that_breaks_while_comparing_makes_the_case_technical():
    def broken(one, two):
        raise RuntimeError

    assert found("a", "b", judge=Judging(is_worse=broken)) == "technical"
