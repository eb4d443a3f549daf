from __future__ import annotations

from dataclasses import FrozenInstanceError
from decimal import Decimal

import pytest

from pytest_benchbed.model.usage import Usage

FULL = Usage(
    cost_usd=Decimal("0.0125"),
    model="large",
    input_tokens=10,
    output_tokens=3,
    execution_failures=1,
    unpriced_attempts=2,
    cached=True,
)


def test_only_what_differs_from_the_default_is_written() -> None:
    assert Usage().to_json() == {"cost_usd": None}
    assert Usage(cost_usd=0).to_json() == {"cost_usd": 0}


def test_a_full_usage_survives_the_file() -> None:
    row = FULL.to_json()

    assert row == {
        "cost_usd": 0.0125,
        "model": "large",
        "input_tokens": 10,
        "output_tokens": 3,
        "execution_failures": 1,
        "unpriced_attempts": 2,
        "cached": True,
    }
    assert Usage.from_json(row) == FULL


def test_an_empty_row_is_a_usage_that_says_nothing() -> None:
    assert Usage.from_json({}) == Usage()
    assert Usage.from_json({"cost_usd": None}) == Usage()


@pytest.mark.parametrize(
    "row",
    [
        {"cost": 1},
        {"score": 1},
        {"cost_usd": True},
        {"cost_usd": -1},
        {"cost_usd": "much"},
        {"cost_usd": float("nan")},
        {"input_tokens": 1.0},
        {"input_tokens": -1},
        {"output_tokens": True},
        {"execution_failures": "1"},
        {"unpriced_attempts": 0.5},
        {"unpriced_attempts": None},
        {"model": 3},
        {"cached": 1},
    ],
)
def test_a_usage_of_another_shape_is_refused(row: dict) -> None:
    with pytest.raises(ValueError, match=r"usage|dollars"):
        Usage.from_json(row)


def test_a_usage_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        FULL.cached = False  # type: ignore[misc]
