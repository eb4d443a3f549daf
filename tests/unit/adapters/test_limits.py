"""Limits of an adapter: defaults, overrides by name, what a batch gets."""

from __future__ import annotations

import pytest

from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.model.errors import UsageProblem


def test_an_override_changes_one_limit_and_keeps_the_others() -> None:
    limits = Limits().with_overrides({"call_s": 2, "entries": 10.0})

    assert (limits.call_s, limits.entries) == (2.0, 10)
    assert limits.grace_s == Limits().grace_s


def test_an_unknown_limit_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageProblem, match="'call_s'"):
        Limits().with_overrides({"calls_s": 2})


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), True, "5"])
def test_a_limit_that_is_no_positive_number_is_refused(value: object) -> None:
    with pytest.raises(UsageProblem, match="call_s"):
        Limits().with_overrides({"call_s": value})  # type: ignore[dict-item]


def test_a_grace_of_nothing_is_allowed() -> None:
    assert Limits().with_overrides({"grace_s": 0}).grace_s == 0.0


def test_limits_of_the_system_are_those_that_are_set() -> None:
    assert set(Limits().rlimits()) == {"FSIZE", "NOFILE", "CORE"}
    assert Limits(memory_bytes=5).rlimits()["AS"] == 5
    assert Limits(memory_bytes=5).without_rlimits().rlimits() == {}
