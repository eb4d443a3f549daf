"""Re-asks, allowance and smallest change: the published tables of numbers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.compare import noise
from pytest_benchbed.compare.ruling import noise_of

NUMBERS = json.loads((Path(__file__).parent / "noise-numbers.json").read_text("utf-8"))


@pytest.mark.parametrize("given", NUMBERS["rules"], ids=str)
def test_re_asks_and_false_alarms_follow_from_what_is_unstable(given: dict[str, Any]) -> None:
    unstable, controls = given["unstable"], given["controls"]
    counts = [unstable, *[0] * controls]
    seen = noise_of("confirm", unstable, controls, counts)

    assert seen.flaky == Fraction(given["flaky"])
    assert seen.rechecks == given["rechecks"]
    alarm = noise.false_alarm(unstable, controls, seen.rechecks)
    assert alarm is not None
    assert alarm * 100 == pytest.approx(given["confirm_percent"], abs=0.0501)
    # Where five re-asks are too few, the estimate shows it, and a control is asked for.
    assert seen.is_enough == (alarm <= 0.05)
    strict = noise.false_alarm(unstable, controls, noise_of("strict", unstable, controls).rechecks)
    if given["strict_percent"] is not None:
        assert strict is not None
        assert strict * 100 == pytest.approx(given["strict_percent"], abs=0.0501)


@pytest.mark.parametrize("given", NUMBERS["allowed"], ids=str)
def test_allowed_suspects(given: dict[str, Any]) -> None:
    assert float(noise.mean_suspects(given["counts"])) == pytest.approx(given["lambda"], abs=1e-6)
    assert noise.allowance(given["counts"]) == given["allowed"]


@pytest.mark.parametrize("given", NUMBERS["allowance"], ids=str)
def test_allowance_as_it_was_computed_elsewhere(given: dict[str, Any]) -> None:
    counts = given["leave_one_out_counts"]
    assert float(noise.mean_suspects(counts)) == pytest.approx(given["lambda"], abs=1e-9)
    assert noise.allowance(counts) == given["allowed_new_errors"]


@pytest.mark.parametrize("given", NUMBERS["spread"], ids=str)
@pytest.mark.parametrize("rule", ["confirm", "allowance"])
def test_smallest_spread_out_change(given: dict[str, Any], rule: str) -> None:
    single, spread = noise.smallest_change(100, rule, given["allowed"])
    assert spread == given["spread"]
    assert single == (1 if rule == "confirm" else None)
    # Larger than what could be judged: not visible.
    assert noise.smallest_change(spread - 1, rule, given["allowed"])[1] is None
    assert noise.smallest_change(spread, rule, given["allowed"])[1] == spread
