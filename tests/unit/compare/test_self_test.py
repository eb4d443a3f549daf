"""A/A: controls as candidates."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.self_test import self_test
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import run_of


def played(*columns, judge=None, groups=None):
    names = ["base", *(f"control-{n}" for n in range(1, 9))]
    cases = [f"c{n}" for n in range(10)]
    base, *controls = [
        run_of({**dict.fromkeys(cases, ""), **column}, name)
        for name, column in zip(names, columns, strict=False)
    ]
    return self_test(base, controls, profile=PROFILE, judge=judge or Judging(), groups=groups)


def test_what_the_rules_would_have_said_of_each_control():
    """The counts of the others are 0, 1 for the first control, and 0, 2 for the second."""
    found = played({}, {"c1": "a", "c2": "a"}, {"c3": "a"})

    assert [(one.control, one.suspects, one.allowed) for one in found.replays] == [
        ("control-1", 2, 2),
        ("control-2", 1, 3),
    ]
    assert found.unstable == 3
    assert found.lines() == [
        "A/A: 2 controls, no change in the code",
        "  strict     red 2 of 2",
        "  allowance  red 0 of 2",
        "  confirm    red 0 of 2 at once; 2 of 2 would ask again (3 cases)",
        "  expected false alarm with K=2: strict 26 %, confirm 4.2 % (r 2) · "
        "with K=3: strict 18 %, confirm 2.1 % (r 2)",
    ]


def test_more_suspects_than_the_others_show_is_red_at_once():
    found = played({}, {"c1": "a", "c2": "a"}, {})
    assert [one.is_too_many for one in found.replays] == [True, False]
    assert found.lines()[2:4] == [
        "  allowance  red 1 of 2",
        "  confirm    red 1 of 2 at once",
    ]
    grouped = played({}, {"c1": "a", "c2": "a"}, {}, groups={"c1": "d", "c2": "d"})
    assert [one.suspects for one in grouped.replays] == [1, 0]
    alone = played({}, {"c1": "a", "c2": "a"}, groups={"c1": "d", "c2": "d"})
    assert alone.lines()[3] == "  confirm    red 0 of 1 at once; 1 of 1 would ask again (1 group)"


def test_a_single_control_meets_no_other():
    found = played({}, {"c1": "a"})
    assert found.replays[0].allowed is None
    assert found.lines()[2] == "  allowance  unknown: one control alone meets no other"
    assert "with K=1: strict 22 %, confirm 4.9 % (r 2)" in found.lines()[-1]


def test_without_noise_nothing_is_red():
    assert played({"c1": "a"}, {"c1": "a"}, {"c1": "a"}).lines()[1:] == [
        "  strict     red 0 of 2",
        "  allowance  red 0 of 2",
        "  confirm    red 0 of 2 at once",
        # Six flaky cases could have hidden: the limits of the published table for K = 2.
        "  expected false alarm with K=2: strict 0 % (95 % limit 26 %), "
        "confirm 0 % (95 % limit 9.5 %) (r 1) · "
        "with K=3: strict 0 % (95 % limit 18 %), confirm 0 % (95 % limit 5.6 %) (r 1)",
    ]


def test_a_type_that_breaks_is_no_verdict():
    def breaks(one, two):
        raise ValueError("broken")

    with pytest.raises(TechnicalFailure, match="broken"):
        played({}, {"c1": "a"}, {}, judge=Judging(is_worse=breaks))
