"""What changed in a case: by errors, by tolerances, by a type's own word."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.stability import UNCHANGED
from pytest_benchbed.compare.stability import change_of
from pytest_benchbed.compare.stability import moves
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import error
from tests.unit.compare.builders import row

TOLERANT = Judging(tolerance={"score": 0.05})


def change(candidate, *old, judge=TOLERANT):
    rows = [one if isinstance(one, dict) else row("x", one) for one in (candidate, *old)]
    return change_of(rows[0], rows[1:], profile=PROFILE, judge=judge)


def by_ndcg(candidate, other):
    return candidate.metrics["ndcg"] < other.metrics["ndcg"]


def ranked(ndcg, letters=""):
    return row("x", errors=[error(letter) for letter in letters], metrics={"ndcg": ndcg})


def test_equal_rows_are_unchanged_without_a_set_being_built():
    assert change("ab", "ab", "ab", judge=ErrorsDecide()) is UNCHANGED
    assert change(0.9, 0.9) is UNCHANGED


def test_the_same_errors_in_another_order_are_no_change():
    found = change("ab", "ba", judge=ErrorsDecide())
    assert not any([found.is_worse, found.is_better, found.is_suspect])


@pytest.mark.parametrize(
    ("values", "unstable", "suspect"),
    [
        ((0.75, 0.90, 0.80), True, False),
        ((0.81, 0.90, 0.86), False, False),
        ((0.8099, 0.90, 0.86), False, True),
        ((0.8099, 0.86, 0.90), False, True),  # worse than the worst of them, in any order
        ((0.99, 0.90), False, False),
    ],
)
def test_worse_than_every_run_of_the_old_code_by_more_than_the_tolerance(values, unstable, suspect):
    found = change(*values)
    assert (found.is_unstable, found.is_suspect) == (unstable, suspect)


def test_a_fall_is_listed_by_the_name_of_its_metric():
    assert change(0.5, 0.9).new == {("worse", (("metric", "score"),))}


def test_lower_is_better_turns_the_sign():
    judge = Judging(tolerance={"score": 0.05}, lower_is_better=["score"])
    assert change(0.5, 0.3, judge=judge).is_suspect
    assert change(0.3, 0.5, judge=judge).is_better


def test_a_metric_that_was_lost_is_a_loss():
    assert change(row("x", metrics={"score": None}), 0.9).is_suspect
    assert not change(0.9, row("x", metrics={"score": None})).is_worse


def test_a_type_with_errors_and_tolerance_is_a_suspect_by_either():
    by_error = row("x", errors=[error("a")], metrics={"score": 0.9})
    by_value = row("x", metrics={"score": 0.5})

    assert change(by_error, 0.9).is_suspect
    assert change(by_value, 0.9).is_suspect


def test_a_metric_that_wobbles_makes_the_case_unstable_for_its_errors_too():
    new_error = row("x", errors=[error("a")], metrics={"score": 0.9})
    found = change(new_error, 0.9, 0.5)
    assert found.is_unstable
    assert not found.is_suspect


def test_values_below_the_tolerance_are_not_noise():
    assert not change(0.9, 0.9, 0.88).is_unstable


@pytest.mark.req("ENV-063")
def test_a_type_that_redefines_worse_is_not_judged_by_its_errors():
    judge = Judging(is_worse=by_ndcg)

    moved = change(ranked(0.9, "b"), ranked(0.9, "a"), judge=judge)
    fell = change(ranked(0.8, "a"), ranked(0.9, "a"), ranked(0.9, "c"), judge=judge)

    assert not any([moved.is_suspect, moved.is_worse])
    assert fell.is_suspect
    assert fell.new == {("worse", ())}


@pytest.mark.req("ENV-063")
def test_a_type_that_redefines_worse_is_unstable_if_one_repeat_is_worse_than_another():
    judge = Judging(is_worse=by_ndcg)

    for old in ([ranked(0.9), ranked(0.8)], [ranked(0.8), ranked(0.9)]):
        found = change(ranked(0.1), *old, judge=judge)
        assert found.is_unstable
        assert not found.is_suspect


@pytest.mark.req("ENV-063")
def test_worse_of_its_own_means_worse_than_every_run_of_the_old_code():
    def by_half(candidate, other):
        return candidate.metrics["ndcg"] < other.metrics["ndcg"] - 0.5

    found = change(
        ranked(0.3), ranked(0.9), ranked(0.7), ranked(0.5), judge=Judging(is_worse=by_half)
    )

    assert found.is_worse
    assert not found.is_suspect


def test_a_declined_case_is_worse_than_an_answer_without_asking_the_type():
    def never(candidate, other):
        raise AssertionError("asked about a case without an answer")

    judge = Judging(is_worse=never)
    declined = row("x", "!declined")

    assert change(declined, ranked(0.9), judge=judge).is_suspect
    assert change(ranked(0.9), declined, judge=judge).is_better
    assert not change(ranked(0.9), declined, declined, judge=judge).is_unstable


def test_a_type_whose_worse_raises_is_a_failure_of_the_scorer():
    def broken(candidate, other):
        raise KeyError("ndcg")

    with pytest.raises(TechnicalFailure, match=r"case x, logical: KeyError\('ndcg'\)") as failure:
        change("a", "b", judge=Judging(is_worse=broken))
    assert failure.value.whose == "scorer"


def test_moves_tell_which_run_is_worse_than_which():
    rows = [row("x", what) for what in ("", "a", "b", "a")]
    found = moves(rows, profile=PROFILE, judge=ErrorsDecide())
    # a and b swapped: neither is a move in one direction.
    assert found == [(0, 1), (0, 2), (0, 3)]


def test_moves_of_metrics_and_of_types_that_redefine_worse():
    rows = [row("x", 0.9), row("x", 0.5)]
    assert moves(rows, profile=PROFILE, judge=TOLERANT) == [(0, 1)]

    ranks = [ranked(0.5), ranked(0.9)]
    assert moves(ranks, profile=PROFILE, judge=Judging(is_worse=by_ndcg)) == [(1, 0)]
