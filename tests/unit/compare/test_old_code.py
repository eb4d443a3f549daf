"""What is known of the noise before the candidate is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.compare.gate import decide_by
from pytest_benchbed.compare.old_code import noise_before
from pytest_benchbed.compare.rules import ChosenRule
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import run_of

CASES = [f"c{number}" for number in range(8)]
RUN = st.fixed_dictionaries(dict.fromkeys(CASES, st.sampled_from(["", "", "a", "b"])))
GROUPS = st.dictionaries(st.sampled_from(CASES), st.sampled_from(["d", "e"]))


def before(rule, *columns, judge=None, is_deterministic=False, **options):
    base, *controls = [
        run_of(column, name)
        for name, column in zip(["base", "control-1", "control-2"], columns, strict=False)
    ]
    return noise_before(
        rule, base, controls, profile=PROFILE, judge=judge or Judging(),
        is_deterministic=is_deterministic, **options,
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(RUN, min_size=2, max_size=3), GROUPS, st.sets(st.sampled_from(CASES), max_size=2))
def test_the_verdict_finds_the_same_noise_and_never_needs_more(columns, groups, skipped):
    rule, seen = before("confirm", *columns, groups=groups, targets={"c0"})
    base, *controls = [
        run_of(column, name)
        for name, column in zip(["base", "control-1", "control-2"], columns, strict=False)
    ]

    def verdict(candidate):
        return decide_by(
            ChosenRule("confirm", "confirm"), run_of(candidate), base, controls,
            profile=PROFILE, decides=True, targets={"c0"}, judge=Judging(), groups=groups,
        )  # fmt: skip

    whole = verdict(dict.fromkeys(CASES, "z"))
    part = verdict({**dict.fromkeys(CASES, ""), **dict.fromkeys(skipped, "!skipped")})

    assert rule == "confirm"
    assert (whole.K, whole.D, whole.r, whole.loo_counts, whole.allowed) == (
        seen.controls, seen.unstable, seen.rechecks, seen.counts, seen.allowed,
    )  # fmt: skip
    assert part.r <= seen.rechecks
    assert part.allowed <= seen.allowed


def test_auto_is_settled_by_what_the_old_code_shows():
    same, other = {"c0": ""}, {"c0": "a"}
    assert before("auto", same, same, is_deterministic=True)[0] == "strict"
    assert before("auto", same, other, is_deterministic=True)[0] == "confirm"
    assert before("auto", same, same)[0] == "confirm"
    assert before("strict", same, other)[1].counts is None


def test_without_a_control_three_re_asks_and_no_allowance():
    _, seen = before("confirm", {"c0": ""})
    assert (seen.controls, seen.rechecks, seen.allowed) == (0, 3, None)


def test_only_selected_cases_count():
    columns = {"c0": "", "c1": ""}, {"c0": "a", "c1": "a"}
    assert before("confirm", *columns)[1].unstable == 2
    _, seen = before("confirm", *columns, cases=["c1"])
    assert (seen.unstable, seen.counts) == (1, [0, 1])


def test_a_type_that_breaks_ends_it():
    def breaks(one, two):
        raise ValueError("broken")

    with pytest.raises(TechnicalFailure, match="broken"):
        before("confirm", {"c0": ""}, {"c0": "a"}, judge=Judging(is_worse=breaks))
