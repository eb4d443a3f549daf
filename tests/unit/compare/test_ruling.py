"""What each rule makes of its suspects, and how it says so."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.confirm import REGRESSION
from pytest_benchbed.compare.confirm import Confirmation
from pytest_benchbed.compare.rules import automatic_rule
from pytest_benchbed.compare.ruling import noise_of
from pytest_benchbed.compare.ruling import rule_on
from pytest_benchbed.compare.ruling import state_under

WOBBLED = Confirmation("wobbled", 2, 1)
CONFIRMED = Confirmation("confirmed", 2, 2)
OPEN = Confirmation("unconfirmed", is_open=True)
POOR = Confirmation("unconfirmed", is_out_of_budget=True)
LEFT = Confirmation("not-reasked", is_open=True)

QUIET = noise_of("confirm", 0, 2, [0, 0, 0])
NOISY = noise_of("confirm", 3, 2, [2, 1, 1])
DARK = noise_of("confirm", 0, 0)


def status(seen, **states):
    return rule_on("confirm", states, seen).status


def test_noise_by_rule():
    assert (NOISY.rechecks, NOISY.allowed, NOISY.expected) == (2, 4, 1.5)
    assert (DARK.rechecks, DARK.allowed, DARK.expected, DARK.flaky) == (3, None, None, None)
    strict = noise_of("strict", 3, 2, [2, 1, 1])
    assert (strict.rechecks, strict.allowed, strict.counts) == (0, None, None)
    allowance = noise_of("allowance", 3, 2, [2, 1, 1])
    assert (allowance.rechecks, allowance.allowed) == (0, 4)


@pytest.mark.parametrize(
    ("rule", "expected"), [("strict", "failed"), ("allowance", "incomplete")], ids=str
)
def test_a_suspect_without_any_control(rule, expected):
    ruling = rule_on(rule, {"x": state_under(rule)}, noise_of(rule, 0, 0))
    assert ruling.status == expected


def test_confirm_decides_in_its_order():
    assert status(NOISY) == "passed"
    assert status(NOISY, x=WOBBLED, y=WOBBLED) == "passed"
    assert status(NOISY, x=WOBBLED, y=CONFIRMED) == "failed"
    assert status(NOISY, x=OPEN, y=CONFIRMED) == "failed"
    assert status(NOISY, x=OPEN, y=WOBBLED) == "incomplete"
    assert status(NOISY, **{f"c{n}": WOBBLED for n in range(4)}) == "passed"
    assert status(NOISY, **{f"c{n}": WOBBLED for n in range(5)}) == "failed"
    assert status(NOISY, **{f"c{n}": LEFT for n in range(5)}) == "failed"
    assert status(DARK, **{f"c{n}": WOBBLED for n in range(50)}) == "passed"
    assert status(DARK, x=OPEN) == "incomplete"


def test_without_noise_a_suspect_needs_no_re_ask_to_fail_but_a_spent_budget_is_said():
    quiet = rule_on("confirm", {"x": OPEN}, QUIET)
    assert (quiet.status, quiet.notes) == ("failed", ("strict: offline",))
    assert quiet.found == ("1 regression on a stable case (x), not cleared by a re-ask",)

    poor = rule_on("confirm", {"x": POOR}, QUIET)
    assert (poor.status, poor.undecided) == (
        "incomplete",
        "budget: not confirmed, 1 case could be broken (x)",
    )
    seen = noise_of("confirm", 0, 2, [1, 1, 1])
    assert rule_on("confirm", {"x": POOR, "y": OPEN}, seen).status == "failed"


def test_a_fallen_target_fails_any_rule():
    for rule in ("strict", "confirm", "allowance"):
        assert rule_on(rule, {"x": REGRESSION}, noise_of(rule, 0, 2, [0, 0, 0])).status == "failed"


def test_too_many_suspects_of_one_group_are_one():
    states = {"x": WOBBLED, "y": WOBBLED, "z": WOBBLED}
    assert rule_on("confirm", states, QUIET, {"x": "d", "y": "d", "z": "d"}).status == "passed"
    two = rule_on("confirm", states, QUIET, {"x": "d", "y": "d"})
    assert two.found == ("2 groups with suspects, more than the 1 allowed (x, y, z)",)


def test_a_control_is_asked_for_where_re_asks_are_not_enough():
    assert rule_on("confirm", {}, noise_of("confirm", 10, 1, [5, 5])).notes == ("add a control",)
    assert rule_on("confirm", {}, NOISY).notes == ()


def test_auto_takes_strict_only_of_a_system_that_is_as_deterministic_as_it_says():
    assert automatic_rule(True, 0).name == "strict"
    assert automatic_rule(True, 1).name == "confirm"
    assert automatic_rule(False, 0).name == "confirm"
    assert automatic_rule(False, 0).source == "auto"
