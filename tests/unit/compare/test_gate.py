"""The verdict as a whole: what it stores."""

from __future__ import annotations

import pytest

from pytest_benchbed.model.gate import GateResult
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import error
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import letters
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

TEN = {f"c{n}": "" for n in range(10)}


def test_a_suspect_is_stored_by_identity_alone():
    candidate = {"x": row("x", errors=[error("split", row=2), error("merged", row=1)])}
    suspect = gate(candidate, {"x": ""}).suspects[0].to_json()

    assert suspect == {
        "case": "x",
        "errors": [{"kind": "merged", "where": {"row": 1}}, {"kind": "split", "where": {"row": 2}}],
        "outcome": "regression",
        "attempts": 1,
        "wrong": 1,
    }


@pytest.mark.req("ENV-056")
def test_a_second_control_makes_a_case_unstable_that_the_first_did_not():
    assert gate({"x": "a"}, {"x": ""}, {"x": ""}).unstable == []
    assert gate({"x": "a"}, {"x": ""}, {"x": ""}, {"x": "a"}).unstable == ["x"]


@pytest.mark.req("ENV-057")
def test_a_regression_on_an_unstable_case_is_reported_and_fails_nothing():
    result = gate({"x": "b", "y": ""}, {"x": "", "y": ""}, {"x": "a", "y": ""})
    assert (result.status, result.unstable, result.suspects) == ("passed", ["x"], [])
    assert result.sign_test.worse == 1


@pytest.mark.req("ENV-059")
def test_fewer_errors_with_a_new_one_among_them_are_a_regression():
    result = gate({"x": "d"}, {"x": "abc"})
    assert result.status == "failed"
    assert letters(result.suspects[0].errors) == "d"


@pytest.mark.req("ENV-064")
def test_each_profile_has_a_verdict_of_its_own():
    case = row("x")
    case["errors"] = {"logical": [error("a")], "geometric": []}
    runs = [{"x": case, "y": "b"}, {"x": "", "y": "b"}]

    assert gate(*runs, profile="logical").status == "failed"
    assert gate(*runs, profile="geometric").status == "passed"


def test_targets_are_listed_with_what_is_left_on_them():
    candidate = {"a": "xy", "b": "", "c": "!skipped", "d": "!technical", "e": "!hole"}
    targets = gate(candidate, targets=["e", "d", "c", "b", "a"]).targets

    assert [(one.case, [error["kind"] for error in one.errors]) for one in targets] == [
        ("a", ["x", "y"]),
        ("b", []),
        ("c", ["skipped"]),
        ("d", ["no-result"]),
        ("e", ["no-result"]),
    ]


def test_a_target_with_an_error_is_no_suspect_too():
    result = gate({"x": "a", "y": ""}, {"x": "", "y": ""}, targets=["x"])
    assert (result.status, result.suspects) == ("failed", [])


def test_a_target_whose_value_fell_is_a_suspect_since_no_error_shows_it():
    judge = Judging(tolerance={"score": 0.05})
    result = gate({"x": 0.5}, {"x": 0.9}, targets=["x"], judge=judge)
    assert [one.case for one in result.suspects] == ["x"]


def test_controls_are_stored_with_age_and_identity_in_order_of_their_ids():
    late = run_of(TEN, "zz", started_at="2026-03-09T12:00:00Z")
    early = run_of(TEN, "aa", started_at="2026-03-08T12:00:00.5+00:00")
    result = gate(TEN, TEN, late, early)

    assert [(one.run, one.age_s) for one in result.controls] == [("aa", 172_799.5), ("zz", 86_400)]
    assert result.K == 2
    assert result.controls[0].identity == "5" * 64


def test_the_identified_runs_are_named():
    unknown = run_of(TEN, "base", adapter={"identified": False})
    assert gate(TEN, unknown, TEN).identified == {
        "candidate": True,
        "base": False,
        "control-1": True,
    }


def test_the_smallest_change_is_one_of_the_stable_cases():
    change = gate(TEN, TEN, {**TEN, "c1": "a"}).smallest_change
    assert (change.single, change.spread, change.of) == (1, 1, 9)


def test_a_verdict_survives_its_file():
    result = gate({**TEN, "c1": "a"}, TEN, {**TEN, "c2": "a"}, targets=["c3"])
    written = result.to_json()
    assert written["lambda"] is None
    assert GateResult.from_json(written) == result


def test_a_first_run_has_every_field():
    result = gate({"x": "a"}, targets=["x"])
    assert (result.K, result.D, result.baseline, result.flaky_estimate) == (0, 0, None, None)
    assert (result.false_alarm.estimate, result.smallest_change.single) == (None, None)
    assert result.sign_test.p == 1.0
