"""Suspects, unstable cases, and what runs of the old code show against each other."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.tally import clusters
from pytest_benchbed.compare.tally import suspects_of_old
from pytest_benchbed.compare.tally import tally
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import row


def cases(**given):
    """Case to its letters: of the candidate, the baseline, the controls."""
    return [
        (case, row(case, what[0]), [row(case, one) for one in what[1:]])
        for case, what in given.items()
    ]


def counts(differing, *, judge=None, **options):
    found = tally(differing, profile=PROFILE, judge=judge or Judging(), **options)
    runs = len(differing[0][2])
    return suspects_of_old(found, runs, profile=PROFILE, judge=judge or Judging(), **options)


def test_each_run_of_the_old_code_is_taken_against_the_others():
    # Only the last run has an error that the others, which agree, have not.
    assert counts(cases(x=["", "", "", "a"])) == [0, 0, 1]
    # The first has one less: an error that went is no suspect.
    assert counts(cases(x=["a", "", "a", "a"])) == [0, 0, 0]
    # Two of three agree in each case; a case in which none do makes no suspect.
    assert counts(cases(x=["", "a", "", ""], y=["", "", "b", ""], z=["", "a", "b", "c"])) == [
        1,
        1,
        0,
    ]


def test_of_two_runs_each_is_the_only_measure_of_the_other():
    assert counts(cases(x=["", "a", "b"], y=["", "", "b"])) == [1, 2]


def test_a_single_run_has_nothing_to_be_compared_with():
    assert counts(cases(x=["a", ""])) is None


def test_targets_are_no_suspects_of_any_run():
    differing = cases(x=["a", "", ""], y=["", "", "a"])
    assert counts(differing, targets={"x", "y"}) == [0, 0]
    assert tally(differing, profile=PROFILE, judge=Judging(), targets={"x"}).suspects == []


def test_a_target_that_fell_without_an_error_is_a_suspect_that_is_not_asked_again():
    judge = Judging(tolerance={"score": 0.05})
    found = tally(cases(x=[0.5, 0.9, 0.9]), profile=PROFILE, judge=judge, targets={"x"})
    assert [one.is_target for one in found.suspects] == [True]


def test_metrics_within_their_tolerance_make_no_suspect_of_the_old_code():
    judge = Judging(tolerance={"score": 0.05})
    assert counts(cases(x=[0.9, 0.9, 0.86, 0.8]), judge=judge) == [0, 0, 1]
    assert counts(cases(x=[0.9, 0.9, 0.86, 0.85]), judge=judge) == [0, 0, 0]


def test_a_worse_of_its_own_decides_for_runs_of_the_old_code_too():
    def fewer_errors(candidate, other):
        return len(candidate.errors) > len(other.errors)

    judge = Judging(is_worse=fewer_errors)
    assert counts(cases(x=["a", "a", "b", "bc"]), judge=judge) == [0, 0, 1]


def test_cases_of_a_group_count_once():
    groups = {"x": "d", "y": "d"}
    differing = cases(x=["a", "", ""], y=["b", "", ""], z=["", "a", "a"], u=["", "", "a"])
    found = tally(differing, profile=PROFILE, judge=Judging(), groups=groups)

    assert [one.case for one in found.suspects] == ["x", "y"]
    assert (found.worse, found.better, found.mixed) == (1, 1, 0)
    assert clusters(["x", "y", "z"], groups) == 2
    assert clusters(["x", "y", "z"]) == 3
    assert clusters(["d", "x"], groups) == 2, "a group may bear the name of a case"


def test_a_group_that_got_better_and_worse_alike_is_a_tie():
    differing = cases(x=["a", ""], y=["", "a"], z=["b", ""])
    tied = tally(differing, profile=PROFILE, judge=Judging(), groups={"x": "d", "y": "d"})
    worse = tally(differing, profile=PROFILE, judge=Judging(), groups=dict.fromkeys("xyz", "d"))

    assert (tied.worse, tied.better, tied.mixed) == (1, 0, 1)
    assert (worse.worse, worse.better, worse.mixed) == (1, 0, 0)


def test_a_type_that_breaks_is_a_failure_and_no_answer():
    calls = []

    def breaks_later(candidate, other):
        calls.append(1)
        if len(calls) > 6:
            raise ValueError("broken")
        return len(candidate.errors) > len(other.errors)

    judge = Judging(is_worse=breaks_later)
    differing = cases(x=["", "", "a"])
    found = tally(differing, profile=PROFILE, judge=judge)
    assert (found.unstable, found.failures) == (["x"], [])

    suspects_of_old(found, 2, profile=PROFILE, judge=judge)

    assert [type(failure) for failure in found.failures[:1]] == [TechnicalFailure]


@pytest.mark.req("ENV-058")
def test_a_target_with_an_error_is_no_suspect_to_be_excused():
    found = tally(cases(x=["a", ""]), profile=PROFILE, judge=Judging(), targets={"x"})
    assert found.suspects == []
