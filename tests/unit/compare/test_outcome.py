"""The outcome of one case as a test: the table of outcomes, cell by cell."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.outcome import item_outcome
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import error
from tests.unit.compare.builders import row


def outcome(
    mine, *old, has_baseline=True, unpaired=False, is_target=False, is_new=False, judge=None
):
    rows = [one if one is None or isinstance(one, dict) else row("x", one) for one in (mine, *old)]
    return item_outcome(
        rows[0],
        rows[1] if len(rows) > 1 else None,
        [one for one in rows[2:] if one is not None],
        profile=PROFILE,
        has_baseline=has_baseline,
        unpaired=unpaired,
        is_target=is_target,
        is_new=is_new,
        judge=judge or Judging(),
    )


NO_BASELINE = {"has_baseline": False}
UNPAIRED = {"has_baseline": False, "unpaired": True}


@pytest.mark.parametrize("options", [NO_BASELINE, {}, UNPAIRED])
def test_a_case_without_an_error_passes(options):
    assert outcome("", "a", **options) == ("passed", "")


@pytest.mark.parametrize("options", [NO_BASELINE, {}, UNPAIRED])
def test_a_technical_failure_is_an_error_and_a_skip_is_a_skip(options):
    assert outcome("!technical", "", **options) == ("error", "the reason")
    assert outcome("!skipped", "", **options) == ("skipped", "the reason")
    nameless = {**row("x", "!technical"), "reason": None}
    assert outcome(nameless, "", **options) == ("error", "technical failure")


def test_errors_without_a_baseline_fail_and_unpaired_they_are_only_recorded():
    assert outcome("ab", **NO_BASELINE) == ("failed", "2 errors")
    assert outcome("ab", **UNPAIRED) == ("xfailed", "unpaired")
    assert outcome("!declined", **NO_BASELINE) == ("failed", "the system declined")
    assert outcome("!declined", **UNPAIRED) == ("xfailed", "unpaired")


def test_a_regression_on_a_stable_case_fails():
    assert outcome("ab", "a", "a") == ("failed", "regression: 1 new error on a stable case")
    assert outcome("b", "a") == ("failed", "regression: 1 new error on a stable case")
    assert outcome("!declined", "", "") == (
        "failed",
        "regression: the system declined, the old code answered",
    )


def test_known_errors_are_expected():
    assert outcome("ab", "ab") == ("xfailed", "same errors as baseline")
    assert outcome("ab", "ba", "ba") == ("xfailed", "same errors as baseline")
    assert outcome("a", "ab") == ("xfailed", "no new error, some of the baseline's gone")
    assert outcome("!declined", "!declined") == ("xfailed", "same errors as baseline")


@pytest.mark.req("ENV-057")
def test_a_regression_on_an_unstable_case_is_expected_with_the_reason():
    for mine in ("b", "a"):
        assert outcome(mine, "", "a") == ("xfailed", "unstable: baseline and control differ")


@pytest.mark.req("ENV-058")
def test_a_target_with_any_error_fails():
    assert outcome("a", "a", is_target=True) == ("failed", "target: 1 error")
    assert outcome("a", "", "a", is_target=True) == ("failed", "target: 1 error")
    assert outcome("a", None, is_target=True, is_new=True) == ("failed", "target: 1 error")
    assert outcome("!declined", "!declined", is_target=True) == (
        "failed",
        "target: the system declined",
    )
    assert outcome("", "a", is_target=True) == ("passed", "")


def test_a_new_case_is_not_judged():
    assert outcome("a", None, is_new=True) == ("xfailed", "new: not judged")
    assert outcome("a", "!skipped") == ("xfailed", "new: not judged")


def test_errors_where_the_baseline_has_no_result_fail():
    text = "errors, and the baseline has no result to compare with"
    assert outcome("a", None) == ("failed", text)
    assert outcome("a", "!technical") == ("failed", text)


def test_a_case_of_another_key_is_never_judged():
    other = row("x", "", answer="another")
    assert outcome("a", other) == ("xfailed", "unverifiable: other answer")
    assert outcome("a", "", other) == ("xfailed", "unverifiable: other answer")
    assert outcome(0.5, row("x", 0.9, answer="another"), judge=BY_VALUE) == ("passed", "")


BY_VALUE = Judging(tolerance={"score": 0.05, "other": 1})


def test_a_case_without_an_error_fails_if_its_value_fell():
    assert outcome(0.5, 0.9, 0.9, judge=BY_VALUE) == (
        "failed",
        "regression: score fell by more than the tolerance",
    )
    assert outcome(0.5, 0.9, 0.5, judge=BY_VALUE) == ("passed", "")
    assert outcome(0.9, 0.9, judge=BY_VALUE) == ("passed", "")


def test_values_need_a_baseline_to_fall_from():
    assert outcome(0.5, judge=BY_VALUE, **NO_BASELINE) == ("passed", "")
    assert outcome(0.5, None, judge=BY_VALUE) == ("passed", "")
    assert outcome(0.5, judge=BY_VALUE, has_baseline=True, unpaired=True) == ("passed", "")


def test_a_type_that_redefines_worse_decides_over_its_errors():
    judge = Judging(is_worse=lambda one, two: one.metrics["ndcg"] < two.metrics["ndcg"])

    def ranked(ndcg, kind):
        return row("x", errors=[error(kind)], metrics={"ndcg": ndcg})

    assert outcome(ranked(0.9, "b"), ranked(0.9, "a"), judge=judge) == (
        "xfailed",
        "other errors than baseline, not worse",
    )
    assert outcome(ranked(0.8, "a"), ranked(0.9, "a"), judge=judge).outcome == "failed"


def test_a_scorer_that_breaks_while_comparing_is_an_error():
    def broken(one, two):
        raise RuntimeError("no metric")

    found = outcome("a", "b", judge=Judging(is_worse=broken))
    assert found.outcome == "error"
    assert "no metric" in found.reason


def test_a_profile_without_a_score_is_an_error():
    found = outcome(row("x", profiles=("geometric",)), "")
    assert found == ("error", "profile logical has no score for this case")
