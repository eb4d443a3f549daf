"""One suspect and its re-asks: wobbled, confirmed, or not known."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.confirm import Confirmation
from pytest_benchbed.compare.confirm import confirmation
from pytest_benchbed.compare.confirm import may_ask
from pytest_benchbed.compare.confirm import may_be_cached
from pytest_benchbed.compare.outcome import item_outcome
from pytest_benchbed.compare.outcome import suspected
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import reask
from tests.unit.compare.builders import row


def state(*reasks, what="a", old=("", ""), r=2, judge=None):
    judge = judge or Judging()
    rows = [row("x", one) for one in old]
    suspect = suspected(
        row("x", what), rows[0], rows[1:], profile=PROFILE, is_target=False, judge=judge
    )
    assert suspect is not None
    given = [reask(one, number) for number, one in enumerate(reasks, start=2)]
    return confirmation(suspect, given, rechecks=r, profile=PROFILE, judge=judge)


@pytest.mark.parametrize(
    ("reasks", "expected"),
    [
        ([], Confirmation("unconfirmed", 1, 1, is_open=True)),
        (["a"], Confirmation("unconfirmed", 2, 2, is_open=True)),
        (["a", "a"], Confirmation("confirmed", 3, 3)),
        (["b", "c"], Confirmation("confirmed-vary", 3, 3)),
        ([""], Confirmation("wobbled", 2, 1)),
        (["a", ""], Confirmation("wobbled", 3, 2)),
        (["a", "a", "a"], Confirmation("confirmed", 4, 4)),
        (["!technical"], Confirmation("unconfirmed", 1, 1)),
        (["a", "!budget"], Confirmation("unconfirmed", 2, 2, is_out_of_budget=True)),
        (["!technical", "a"], Confirmation("unconfirmed", 2, 2, is_open=True)),
        (["!technical", "a", "a"], Confirmation("confirmed", 3, 3)),
        (["a", "a", "!technical"], Confirmation("confirmed", 3, 3)),
    ],
    ids=str,
)
def test_what_re_asks_show(reasks, expected):
    assert state(*reasks) == expected


def test_the_first_right_answer_ends_the_asking():
    """A session asks while the state is open; so many calls it makes, and no more."""
    answers, asked = ["a", "", "a"], []
    while state(*asked, r=3).is_open:
        asked.append(answers[len(asked)])
    assert asked == ["a", ""]


def test_errors_that_the_old_code_has_too_are_right_enough():
    assert state("k", what="ka", old=("k", "k"), r=1).outcome == "wobbled"
    assert state("kb", what="ka", old=("k", "k"), r=1).outcome == "confirmed-vary"


def test_a_re_ask_of_another_profile_alone_has_no_score_here():
    judge = Judging()
    old = row("x", "")
    suspect = suspected(row("x", "a"), old, [], profile=PROFILE, is_target=False, judge=judge)
    other = {"attempt": 2, "errors": {"geometric": []}, "outcome": "scored"}
    found = confirmation(suspect, [other], rechecks=1, profile=PROFILE, judge=judge)
    assert found == Confirmation("unconfirmed", 1, 1)


def test_a_worse_of_its_own_says_whether_a_re_ask_is_wrong_again():
    judge = Judging(is_worse=lambda one, two: len(one.errors) > len(two.errors))
    # Another error, but no more of them than the old code has.
    assert state("c", what="bc", old=("a", "b"), r=1, judge=judge).outcome == "wobbled"
    assert state("cd", what="bc", old=("a", "b"), r=1, judge=judge).outcome == "confirmed"


def test_a_worse_of_its_own_that_breaks_is_a_technical_failure():
    def breaks(one, two):
        if "z" in {error.kind for error in one.errors}:
            raise ValueError("no z")
        return len(one.errors) > len(two.errors)

    with pytest.raises(TechnicalFailure, match="no z"):
        state("z", r=1, judge=Judging(is_worse=breaks))
    with pytest.raises(TechnicalFailure, match="no z"):
        state(what="z", judge=Judging(is_worse=breaks))


@pytest.mark.parametrize(
    ("what", "old"),
    [("", ["", ""]), ("a", ["a", "a"]), ("a", ["", "a"]), ("!technical", [""]), ("a", [None])],
    ids=str,
)
def test_no_suspect_where_nothing_can_be_told_or_nothing_is_new(what, old):
    rows = [None if one is None else row("x", one) for one in old]
    mine = row("x", what)
    known = {"profile": PROFILE, "is_target": False, "judge": Judging()}
    assert suspected(mine, rows[0], rows[1:], **known) is None
    assert suspected(row("x", "a"), row("x", "", answer="other"), [], **known) is None


def test_asking_stops_above_the_allowance_and_never_without_one():
    assert [may_ask(number, 2) for number in (1, 2, 3)] == [True, True, False]
    assert may_ask(500, None)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([], False),
        ([{"is_same_reply": True, "latency_s": 0.009}], True),
        ([{"is_same_reply": True, "latency_s": 0.01}], False),
        ([{"is_same_reply": False, "latency_s": 0.001}], False),
        ([{"is_same_reply": True, "latency_s": 0.001}, {"is_same_reply": False}], False),
        ([{"cached": True}, {"is_same_reply": True, "latency_s": 0.001}], True),
        ([{"is_same_reply": True, "latency_s": None}], False),
        ([{"errors": None}, {"cached": True}], True),
        ([{"errors": None}], False),
    ],
    ids=str,
)
def test_answers_that_come_back_at_once_and_the_same_may_be_cached(facts, expected):
    reasks = [{**reask("a"), **one} for one in facts]
    assert may_be_cached(reasks) is expected


STATES = {
    "wobbled": Confirmation("wobbled", 3, 2),
    "confirmed": Confirmation("confirmed", 3, 3),
    "confirmed-vary": Confirmation("confirmed-vary", 3, 3),
    "unconfirmed": Confirmation("unconfirmed"),
    "not-reasked": Confirmation("not-reasked"),
    "regression": Confirmation("regression"),
}


@pytest.mark.parametrize(
    ("rule", "state", "expected"),
    [
        ("strict", None, ("failed", "regression: 1 new error on a stable case")),
        ("strict", "wobbled", ("failed", "regression: 1 new error on a stable case")),
        ("allowance", None, ("xfailed", "suspect: counted by the gate")),
        ("confirm", "wobbled", ("xfailed", "wobbled: wrong in 2 of 3 attempts")),
        ("confirm", "confirmed", ("failed", "confirmed: wrong in 3 of 3 attempts")),
        ("confirm", "confirmed-vary", ("failed", "confirmed, errors vary: wrong in 3 of 3")),
        ("confirm", "unconfirmed", ("failed", "not confirmed: it could not be asked again")),
        ("confirm", "not-reasked", ("failed", "more suspects than allowed already")),
        ("confirm", "regression", ("failed", "not asked again")),
        ("confirm", None, ("failed", "not confirmed: it was not asked again")),
    ],
)
def test_the_outcome_of_a_suspect_under_each_rule(rule, state, expected):
    found = item_outcome(
        row("x", "a"),
        row("x", ""),
        [row("x", "")],
        profile=PROFILE,
        has_baseline=True,
        unpaired=False,
        is_target=False,
        judge=Judging(),
        rule=rule,
        state=STATES.get(state),
    )
    assert found.outcome == expected[0]
    assert expected[1] in found.reason


@pytest.mark.parametrize("rule", ["allowance", "confirm"])
def test_a_fallen_target_fails_under_every_rule(rule):
    judge = Judging(tolerance={"score": 0.05})
    found = item_outcome(
        row("x", 0.5), row("x", 0.9), [],
        profile=PROFILE, has_baseline=True, unpaired=False, is_target=True, judge=judge,
        rule=rule, state=STATES["wobbled"],
    )  # fmt: skip
    assert found.outcome == "failed"
