"""What the rule did, in words, and the lines that only some rules have."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_benchbed.compare.explain import explanation
from pytest_benchbed.compare.gate import decide_by
from pytest_benchbed.compare.lines import verdict_lines
from pytest_benchbed.compare.rules import ChosenRule
from pytest_benchbed.compare.sentence import rule_sentence
from pytest_benchbed.edge.junit import properties
from pytest_benchbed.report.facts import noise_text
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import reask
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

CASES = {f"c{number}": "" for number in range(20)}
WOBBLES = {**row("c1", "a"), "reasks": [reask("")]}
AGAIN = {**row("c9", "a"), "reasks": [reask("")]}
STAYS = {**row("c2", "a"), "reasks": [reask("a")]}
LATE = {**row("c3", "a"), "reasks": [reask("!technical")]}
OPEN = row("c4", "a")


def judged(rule, *rows, controls=2, base=True, old=CASES, **changes):
    candidate = run_of({**CASES, **{one["case"]: one for one in rows}}, **changes)
    result = decide_by(
        ChosenRule(rule, rule),
        candidate,
        run_of(CASES, "base") if base else None,
        [run_of(old, f"control-{number}") for number in range(controls)],
        profile=PROFILE,
        decides=True,
        targets=(),
        judge=Judging(),
    )
    lines = verdict_lines(result, record=candidate.record, profile=PROFILE, control_command="")
    return result, lines


@pytest.mark.parametrize(
    ("rule", "rows", "sentence"),
    [
        ("strict", [], "No stable case is worse than the old code."),
        ("strict", [OPEN], "1 case is worse than in every run of the old code. Any one fails."),
        ("confirm", [], "No stable case is worse than the old code, so none was asked again."),
        (
            "confirm",
            [WOBBLES],
            "1 case is worse than in every run of the old code. It was right when asked again, "
            "which is noise. Without any change one is no surprise.",
        ),
        (
            "confirm",
            [WOBBLES, AGAIN, STAYS, LATE, OPEN],
            "5 cases are worse than in every run of the old code. Of these 2 were right when asked "
            "again, 1 was wrong every time, which fails the gate, 1 was not asked "
            "often enough to tell, and 1 was not asked again, as there were too many.",
        ),
        (
            "confirm",
            [WOBBLES, AGAIN],
            "2 cases are worse than in every run of the old code. All were right when asked again. "
            "That is more than chance makes (1 case at most), which fails the gate.",
        ),
        (
            "confirm",
            [LATE],
            "1 case is worse than in every run of the old code. It was not asked often enough to "
            "tell. The old code showed too little noise to explain it, which fails the gate.",
        ),
        (
            "allowance",
            [OPEN],
            "1 case is worse than in every run of the old code. Without any change one is no "
            "surprise. One broken case cannot be seen by this rule.",
        ),
    ],
    ids=[
        "strict-none",
        "strict",
        "none",
        "noise",
        "of-every-kind",
        "too-many",
        "offline",
        "allowance",
    ],
)
def test_a_sentence_or_two_say_what_the_rule_did(rule, rows, sentence):
    result, _ = judged(rule, *rows)
    assert rule_sentence(result) == sentence


def test_of_a_run_that_is_not_whole_nothing_is_said_to_fail_the_gate():
    result, _ = judged("confirm", STAYS, not_selected=1)
    assert result.status == "incomplete"
    assert rule_sentence(result).endswith(" It was wrong every time.")


def test_without_controls_nothing_is_said_of_what_noise_may_do():
    result, lines = judged("confirm", STAYS, controls=0)
    assert rule_sentence(result).endswith("It was not asked often enough to tell.")
    assert "  smallest change seen: 1 case broken every time; spread-out: unknown; nothing" in (
        "\n".join(lines)
    )


def test_without_a_baseline_the_rule_did_nothing():
    assert rule_sentence(judged("confirm", OPEN, controls=0, base=False)[0]) == ""


def test_the_line_of_suspects_tells_what_became_of_them_and_what_it_cost():
    _, lines = judged("confirm", WOBBLES, STAYS, LATE, spend={"reask_usd": Decimal("0.004")})
    assert lines[2] == (
        "  suspects 3 of 1 allowed · confirmed 1 · wobbled 1 · unconfirmed 1 · "
        "2 re-ask calls, $0.004 · targets none"
    )
    # The record knows of those without a score too.
    _, lines = judged("confirm", WOBBLES, LATE, spend={"reask_calls": 2})
    assert "unconfirmed 1 · 2 re-ask calls, cost not reported ·" in lines[2]
    _, lines = judged("confirm", WOBBLES)
    assert "1 re-ask call, cost not reported" in lines[2]
    _, lines = judged("confirm")
    assert "unconfirmed 0 · 0 re-ask calls · targets" in lines[2]
    _, lines = judged("allowance", OPEN)
    assert lines[2] == "  suspects 1 of 1 allowed · targets none"


def test_no_more_cases_are_said_to_be_flaky_than_there_are():
    """The estimate is three times what one control showed: of 20 that differ 60."""
    result, lines = judged("confirm", controls=1, old=dict.fromkeys(CASES, "a"))
    assert result.flaky_estimate == "60/1"
    assert " · flaky cases est. all 20 · r 5 · " in "\n".join(lines)
    why = explanation(result, run_of(CASES), [run_of(CASES, "base")], PROFILE)
    assert "  flaky cases: F = D (K + 2) / K = 20 · 3 / 1 = 60, so all 20 cases" in why
    assert "flaky cases estimated at all 20; " in noise_text(result)
    assert dict(properties(run_of(CASES).record, result))["flaky_estimate"] == "all 20"
    below, lines = judged("confirm", controls=1, old={**CASES, "c1": "a"})
    assert below.flaky_estimate == "3/1"
    assert " · flaky cases est. 3 · " in "\n".join(lines)


@pytest.mark.parametrize(
    ("rule", "seen"),
    [
        (
            "confirm",
            "1 case broken every time; spread-out: 4 of 20 judged cases (80 % of the time)",
        ),
        (
            "allowance",
            "one broken case not visible; spread-out: 4 of 20 judged cases (80 % of the time)",
        ),
    ],
)
def test_the_smallest_change_of_each_rule(rule, seen):
    _, lines = judged(rule)
    assert f"  smallest change seen: {seen}; nothing can be seen in the 0 " in "\n".join(lines)
