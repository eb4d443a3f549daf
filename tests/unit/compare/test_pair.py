"""Sets of errors: what is new, what is gone, what is noise."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.pair import error_set
from pytest_benchbed.compare.pair import errors_json
from pytest_benchbed.compare.pair import pair
from tests.unit.compare.builders import error


def some(letters: str) -> frozenset:
    return error_set([error(letter) for letter in letters])


@pytest.mark.req("ENV-059")
def test_a_swapped_error_is_both_new_and_gone_although_the_count_is_equal():
    paired = pair(some("b"), some("a"), [some("a")])

    assert (paired.new, paired.gone, paired.is_unstable) == (some("b"), some("a"), False)


@pytest.mark.req("ENV-059")
def test_an_error_that_only_a_control_has_is_a_regression_but_not_new():
    paired = pair(some("a"), some(""), [some("a")])

    assert paired.regressed == some("a")
    assert not paired.new


@pytest.mark.req("ENV-056")
def test_a_control_with_fewer_errors_makes_the_case_unstable():
    assert pair(some("a"), some("a"), [some("a"), some("")]).is_unstable


def test_without_controls_nothing_is_unstable():
    assert not pair(some("a"), some("b"), []).is_unstable


def test_details_and_doubles_are_not_part_of_an_error():
    one = {"kind": "split", "where": {"row": 1}, "expected": 1, "got": 2, "note": "far off"}
    two = {"kind": "split", "where": {"row": 1}, "got": "something else"}

    assert len(error_set([one, two, one])) == 1


@pytest.mark.parametrize(
    ("where", "other"),
    [
        ({"row": 1}, {"row": "1"}),
        ({"row": 1}, {"column": 1}),
        ({"words": ["w1", "w2"]}, {"words": ["w2", "w1"]}),
        ({"words": ["w1"]}, {"words": "w1"}),
        ({}, {"row": 1}),
    ],
)
def test_errors_at_other_places_are_other_errors(where, other):
    found = error_set([{"kind": "split", "where": where}, {"kind": "split", "where": other}])
    assert len(found) == 2


def test_the_order_of_names_in_a_place_is_of_no_matter():
    one = {"kind": "split", "where": {"row": 1, "column": 2}}
    two = {"kind": "split", "where": {"column": 2, "row": 1}}
    assert error_set([one]) == error_set([two])


def test_errors_are_written_without_details_in_canonical_order():
    errors = [error("split", words=["w2", "w1"], row=3), error("merged", row=10)]

    assert errors_json(error_set(errors)) == [
        {"kind": "merged", "where": {"row": 10}},
        {"kind": "split", "where": {"row": 3, "words": ["w2", "w1"]}},
    ]
