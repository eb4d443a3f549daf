"""The order of statuses, and the one line that says why."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import error
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

BROKEN = {"case": None, "whose": "adapter", "kind": "crashed", "detail": "signal 9"}


def verdict(*runs, **options):
    result = gate(*runs, **options)
    return result.status, result.reason


@pytest.mark.req("ENV-060")
def test_no_regression_and_clean_targets_pass():
    runs = [{"x": "a", "y": ""}, {"x": "a", "y": ""}]
    assert verdict(*runs, targets=["y"]) == (
        "passed",
        "no regression on stable cases, 1 target clean, compared 2 of 2",
    )


@pytest.mark.req("ENV-060")
def test_a_regression_on_a_stable_case_fails_and_is_named():
    candidate = {f"sep-{n:03}": "a" if n in (7, 31) else "" for n in range(40)}
    baseline = {f"sep-{n:03}": "" for n in range(40)}
    assert verdict(candidate, baseline) == (
        "failed",
        "2 regressions on stable cases (sep-007, sep-031), compared 40 of 40",
    )


def test_long_lists_are_cut_and_say_so():
    candidate = {f"c{n}": "a" for n in range(8)}
    baseline = dict.fromkeys(candidate, "")
    assert "(c0, c1, c2, c3, c4, and 3 more)" in verdict(candidate, baseline)[1]


@pytest.mark.req("ENV-058")
@pytest.mark.parametrize(
    ("mine", "old", "status"),
    [
        ("a", ["a"], "failed"),  # known
        ("b", ["", "b"], "failed"),  # unstable
        ("", ["a"], "passed"),
        ("!skipped", ["!skipped"], "failed"),
    ],
)
def test_an_error_left_on_a_target_fails_whatever_the_baseline_had(mine, old, status):
    runs = [{"x": one, "y": ""} for one in (mine, *old)]
    result = gate(*runs, targets=["x"])
    assert result.status == status
    if status == "failed":
        assert result.reason == "1 target not right (x), compared " + (
            "1 of 1" if mine == "!skipped" else "2 of 2"
        )


def test_a_target_that_lost_its_value_is_no_exception():
    judge = Judging(tolerance={"score": 0.05})
    assert verdict({"x": 0.5}, {"x": 0.9}, targets=["x"], judge=judge)[0] == "failed"


@pytest.mark.req("ENV-058")
def test_a_target_without_a_result_keeps_a_whole_run_from_passing():
    assert verdict({"y": ""}, {"y": ""}, targets=["elsewhere"]) == (
        "incomplete",
        "1 target without a result (elsewhere), compared 1 of 1",
    )


@pytest.mark.req("ENV-061")
def test_without_a_baseline_the_status_is_baseline_required():
    status, reason = verdict({"x": "a"})
    assert status == "baseline required"
    assert "--baseline=RUN" in reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"status": "void"}, "run void: the canary"),
        ({"dataset": {"canary": "found"}}, "run void: the canary"),
        ({"technical": [BROKEN]}, "technical failure of the run (adapter: crashed)"),
        ({"technical": [BROKEN] * 40}, "technical failure of the run (adapter: crashed)"),
        ({"technical": [{**BROKEN, "case": "gone"}]}, "1 technical failure (gone)"),
        ({"spend": {"unpriced_attempts": 3}}, "spend unknown: 3 unpriced calls"),
        ({"spend": {"budget_usd": 2}}, "cost not reported under a budget of $2"),
        (
            {"spend": {"budget_usd": 2, "spent_usd": 2.01}},
            "spent $2.01, over the budget of $2",
        ),
        (
            {"spend": {"budget_usd": 2, "spent_usd": 2.1, "reask_usd": 0.6}},
            "spent $2.1, over the budget of $2",
        ),
    ],
)
@pytest.mark.parametrize("baseline", [None, {"x": ""}])
def test_what_blocks_comes_before_everything_else(changes, reason, baseline):
    result = gate(run_of({"x": "a"}, **changes), baseline)
    assert result.status == "blocked"
    assert reason in result.reason


def test_a_budget_that_is_spent_to_the_last_cent_blocks_nothing():
    # What was asked again is part of it.
    changes = {"spend": {"budget_usd": 2, "spent_usd": 2, "reask_usd": 0.5}}
    assert verdict(run_of({"x": ""}, **changes), {"x": ""})[0] == "passed"


def test_a_repeat_that_broke_blocks_although_the_first_attempt_was_scored():
    changes = {"technical": [{**BROKEN, "case": "x"}]}
    assert verdict(run_of({"x": ""}, **changes), {"x": ""})[0] == "blocked"


def test_a_technical_case_blocks_although_its_regressions_are_listed():
    result = gate({"x": "!technical", "y": "a"}, {"x": "", "y": ""})
    assert (result.status, result.reason) == ("blocked", "1 technical failure (x)")
    assert [one.case for one in result.suspects] == ["y"]


def test_a_type_whose_worse_raises_blocks():
    def broken(candidate, other):
        raise RuntimeError("no such metric")

    status, reason = verdict({"x": "a"}, {"x": ""}, judge=Judging(is_worse=broken))
    assert status == "blocked"
    assert "scorer (case x, logical: is_worse raised RuntimeError('no such metric'))" in reason


@pytest.mark.req("ENV-062")
@pytest.mark.parametrize("where", range(3))
def test_a_profile_without_a_score_in_some_run_is_unavailable(where):
    runs = [{"x": "a", "y": ""} for _ in range(3)]
    runs[where] = {"x": "a", "y": row("y", profiles=("geometric",))}
    assert verdict(*runs) == ("unavailable", "profile logical has no score for 1 case (y)")


def test_a_system_without_support_in_both_runs_is_not_supported():
    skipped = {"x": "!skipped", "y": "!skipped"}
    assert verdict(skipped, skipped) == ("unavailable", "not supported")
    assert verdict(skipped) == ("unavailable", "not supported")


def test_support_that_only_the_candidate_lost_is_no_missing_support():
    skipped = {"x": "!skipped", "y": "!skipped"}
    assert verdict(skipped, {"x": "", "y": ""})[0] == "incomplete"
    assert verdict(skipped, {"x": "!skipped", "y": ""})[0] == "incomplete"


def test_nothing_selected_is_not_called_unsupported():
    assert verdict(run_of({}, not_selected=3), {"x": ""})[0] == "incomplete"


@pytest.mark.req("ENV-062")
def test_no_error_anywhere_with_a_quality_below_1_cannot_fail():
    runs = [{"x": row("x", quality=0.9), "y": ""}, {"x": "", "y": ""}]
    status, reason = verdict(*runs)
    assert status == "unavailable"
    assert reason.startswith("this type cannot fail")
    assert "quality of x is below 1" in reason
    assert verdict(*runs[:1])[0] == "unavailable"


@pytest.mark.req("ENV-062")
@pytest.mark.parametrize("where", range(3))
def test_one_error_in_any_compared_run_shows_that_the_type_can_fail(where):
    runs = [{"x": row("x", quality=0.9), "y": ""} for _ in range(3)]
    runs[where] = {"x": row("x", quality=0.9), "y": "a"}
    assert gate(*runs).status in ("passed", "failed")


def test_types_that_judge_values_can_fail_without_an_error():
    runs = [{"x": row("x", quality=0.9, metrics={"score": 0.9})}] * 2
    for judge in (
        Judging(tolerance={"score": 0.1}),
        Judging(is_worse=lambda candidate, other: False),
        Judging(at_least={"score": 0.5}),
    ):
        assert verdict(*runs, judge=judge)[0] == "passed"


def test_a_declined_case_does_not_show_that_a_type_cannot_fail():
    declined = {"x": "!declined", "y": ""}
    assert verdict(declined, declined)[0] == "passed"


def test_a_declined_case_does_not_show_that_a_type_can_fail_either():
    cases = {"x": "!declined", "y": row("y", quality=0.9)}
    assert verdict(cases, cases)[0] == "unavailable"


def test_perfect_quality_is_no_suspicion():
    assert verdict({"x": ""}, {"x": ""})[0] == "passed"
    assert verdict({"x": {**row("x"), "quality": None}}, {"x": ""})[0] == "passed"


@pytest.mark.parametrize(
    ("mine", "theirs", "reason"),
    [
        ("!hole", "", "1 case without a result (x), compared 1 of 2"),
        ("!skipped", "", "support lost (x), compared 1 of 2"),
        ("", "!missing", "1 case not in the baseline (x), compared 1 of 2"),
        (
            "",
            row("x", answer="another"),
            "1 case not comparable, other answer (x), compared 1 of 2",
        ),
        ("!missing", "", "1 case of the baseline removed from the dataset (x), compared 1 of 1"),
    ],
)
def test_what_is_missing_makes_a_verdict_incomplete(mine, theirs, reason):
    assert verdict({"x": mine, "y": ""}, {"x": theirs, "y": ""}) == ("incomplete", reason)


def test_a_case_lost_from_the_record_makes_a_verdict_incomplete():
    run = run_of({"x": ""}, counts={"scope": 2, "selected": 2})
    assert verdict(run, {"x": ""}) == (
        "incomplete",
        "1 selected case neither scored nor on record, compared 1 of 2",
    )


@pytest.mark.req("ENV-060")
@pytest.mark.parametrize("status", ["running", "interrupted"])
@pytest.mark.parametrize(("errors", "so_far"), [("", ""), ("a", "; 1 regression so far (x)")])
def test_a_run_that_is_not_finished_never_passes_or_fails(status, errors, so_far):
    run = run_of({"x": errors, "y": ""}, status=status)
    assert verdict(run, {"x": "", "y": ""}) == (
        "incomplete",
        f"the run is not finished: its status is '{status}', compared 2 of 2{so_far}",
    )


def test_nothing_compared_is_never_a_pass():
    assert verdict({"x": "", "y": ""}, {"x": "!skipped", "y": "!skipped"}) == (
        "incomplete",
        "no case to compare, compared 0 of 0",
    )


def test_an_incomplete_verdict_says_what_it_saw_so_far():
    status, reason = verdict(
        {"x": "!hole", "y": "a", "z": "b"}, {"x": "", "y": "", "z": "b"}, targets=["z"]
    )
    assert status == "incomplete"
    assert reason.endswith(
        "compared 2 of 3; 1 target not right so far (z); 1 regression so far (y)"
    )


def test_a_pass_with_too_much_unjudged_is_incomplete_if_asked_for():
    cases = {f"c{n}": "" for n in range(10)}
    noisy = {**cases, "c0": "a", "c1": "a", "c2": "a"}

    def with_limit(limit):
        return verdict(cases, cases, noisy, max_unjudged=limit)

    assert with_limit(Fraction(3, 10))[0] == "passed"
    assert with_limit(Fraction(29, 100)) == (
        "incomplete",
        "coverage: 3 of 10 cases cannot be judged, compared 10 of 10",
    )
    assert with_limit(None)[0] == "passed"


def test_names_from_elsewhere_are_escaped():
    failure = {**BROKEN, "kind": "bad\n::error::"}
    result = gate(run_of({"x": ""}, technical=[failure]), {"x": ""})
    assert "\n" not in result.reason


def test_an_unscored_profile_leaves_the_other_profiles_verdict_alone():
    only = {"x": row("x", errors=[error("a", row=1)], profiles=(PROFILE,)), "y": "a"}
    base = {"x": "a", "y": "a"}
    assert verdict(only, base)[0] == "passed"
    assert verdict(only, base, profile="geometric")[0] == "unavailable"
