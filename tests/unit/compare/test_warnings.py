"""Warnings stand beside a verdict and change nothing about it."""

from __future__ import annotations

import pytest

from pytest_benchbed.model.errors import RunError
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import reask
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

TEN = {f"c{n}": "" for n in range(10)}


def warnings(*runs, **options):
    return gate(*runs, **options).warnings


def some_wrong(count, cases=10):
    return {f"c{n}": "a" if n < count else "" for n in range(cases)}


def test_a_plain_verdict_has_none():
    assert warnings(TEN, TEN, run_of(TEN, "control-1")) == []


@pytest.mark.parametrize("rule", ["strict", "confirm", "allowance", "auto"])
def test_a_rule_alone_is_no_reason_for_a_warning(rule):
    assert gate(TEN, TEN, rule=rule).warnings == []


def test_a_system_declared_deterministic_has_its_unstable_cases_counted():
    adapter = {"deterministic": True}
    found = warnings(run_of(TEN, adapter=adapter), TEN, some_wrong(2))
    assert "declared deterministic, but 2 cases differ between same-code runs" in found
    assert warnings(run_of(TEN, adapter=adapter), TEN, TEN) == []


@pytest.mark.parametrize(("wrong", "expected"), [(2, False), (3, True)])
def test_a_baseline_is_unreliable_above_a_fifth_that_cannot_be_judged(wrong, expected):
    found = warnings(TEN, TEN, some_wrong(wrong))
    text = f"unreliable baseline: {wrong} of 10 cases cannot be judged"
    assert (text in found) is expected


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        (("2026-03-07T12:59:59Z",), True),
        (("2026-03-07T13:00:00Z",), False),
        (("2026-03-08T12:00:00Z", "2026-03-08T12:30:00Z"), True),
    ],
)
def test_same_code_runs_of_one_hour_are_noted(starts, expected):
    controls = [
        run_of(TEN, f"control-{n}", started_at=start) for n, start in enumerate(starts, start=1)
    ]
    found = warnings(TEN, TEN, *controls)
    assert ("controls of one hour hide shifts between days" in found) is expected


@pytest.mark.parametrize(
    ("start", "days", "expected"),
    [
        ("2026-02-08T12:00:00Z", 30, []),
        ("2026-02-08T11:59:59Z", 30, ["stale: the newest run of the old code is 30 d old"]),
        ("2026-03-07T12:00:00Z", 2, ["stale: the newest run of the old code is 3 d old"]),
    ],
)
def test_the_newest_run_of_the_old_code_may_be_stale(start, days, expected):
    assert warnings(TEN, run_of(TEN, "base", started_at=start), stale_days=days) == expected


def test_a_fresh_control_keeps_an_old_baseline_from_being_stale():
    old = run_of(TEN, "base", started_at="2025-01-01T00:00:00Z")
    assert warnings(TEN, old, run_of(TEN, "control-1")) == []


def test_another_version_of_the_plugin_is_named_with_both_values():
    old = run_of(TEN, "base", versions={"pytest_benchbed": "0.9"})
    assert warnings(TEN, old) == [
        "run base was made by pytest-benchbed 0.9, this one by 1.0 (3 d between them)"
    ]


def test_most_cases_moving_one_way_between_same_code_runs_is_a_shift():
    cases = {f"c{n}": "" for n in range(19)}
    found = warnings(cases, cases, some_wrong(10, 19))
    assert (
        "run-wide shift: 10 of 19 cases (53 %) are worse in control-1 than in base, both of the "
        "same code; a condition of one run looks like many regressions"
    ) in found


@pytest.mark.parametrize(("wrong", "cases"), [(9, 9), (10, 20)])
def test_few_cases_or_half_of_them_are_no_shift(wrong, cases):
    plain = {f"c{n}": "" for n in range(cases)}
    found = warnings(plain, plain, some_wrong(wrong, cases))
    assert not any("run-wide" in line for line in found)


def test_nine_cases_are_no_shift_although_they_are_most():
    plain = {f"c{n}": "" for n in range(17)}
    both_ways = {**some_wrong(9, 17), "c16": "a"}, {**plain, "c16": "b"}
    assert not any("run-wide" in line for line in warnings(plain, *both_ways))


def test_cases_that_move_both_ways_are_no_shift():
    one = {f"c{n}": "a" if n % 2 else "" for n in range(20)}
    two = {f"c{n}": "" if n % 2 else "a" for n in range(20)}
    assert not any("run-wide" in line for line in warnings(one, one, two))


def test_values_that_fall_everywhere_are_a_shift_too():
    judge = Judging(tolerance={"score": 0.05})
    high, low = ({f"c{n}": score for n in range(10)} for score in (0.9, 0.1))
    assert any("run-wide" in line for line in warnings(high, high, low, judge=judge))


def test_a_type_whose_worse_raises_only_here_has_a_verdict_all_the_same():
    def brittle(one, two):
        if 0.1 in (one.metrics["score"], two.metrics["score"]):
            raise ZeroDivisionError
        return one.metrics["score"] < two.metrics["score"]

    runs = [{f"c{n}": score for n in range(10)} for score in (0.9, 0.5, 0.9, 0.1)]
    result = gate(*runs, judge=Judging(is_worse=brittle))
    assert (result.status, result.D) == ("passed", 10)


def test_a_start_that_is_no_time_is_a_damaged_record():
    with pytest.raises(RunError, match=r"run 'base': started_at 'yesterday' in run.json is no UTC"):
        gate(TEN, run_of(TEN, "base", started_at="yesterday"))
    with pytest.raises(RunError, match="no UTC time"):
        gate(TEN, run_of(TEN, "base", started_at="2026-03-07T12:00:00"))


def test_re_asks_that_may_be_one_answer_given_again_are_named():
    instant = {"is_same_reply": True, "latency_s": 0.001, "cached": False}
    wrong = {"x": {**row("x", "a"), "reasks": [{**reask("a"), **instant}] * 3}}
    text = (
        "re-asks may be cached (x): each gave the first reply again within 10 ms, or the adapter "
        "says so"
    )
    found = warnings(run_of(wrong), {"x": ""}, rule="confirm")
    assert text in found
    slow = [{**reask("a"), **instant, "latency_s": 0.5}] * 3
    assert text not in warnings(
        run_of({"x": {**row("x", "a"), "reasks": slow}}), {"x": ""}, rule="confirm"
    )
    assert text not in warnings(run_of(wrong), {"x": ""}, rule="strict")
