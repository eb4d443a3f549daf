from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.money import to_json


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (0, "0"),
        (1, "1"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.3"),
        ("0.000001", "0.000001"),
        (Decimal("1.50"), "1.5"),
        (0.0000005, "0"),
        (0.0000015, "0.000002"),
        (1e-9, "0"),
        (10**9, "1000000000"),
    ],
)
def test_an_amount_is_read_to_six_places_half_to_even(value: object, amount: str) -> None:
    assert to_decimal(value) == Decimal(amount)


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        [],
        "",
        "a lot",
        "nan",
        float("nan"),
        float("inf"),
        "Infinity",
        -0.01,
        -1,
        10**9 + 1,
        "1e400",
        b"1",
    ],
)
def test_what_is_no_amount_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="no amount of dollars"):
        to_decimal(value)


def test_a_whole_amount_is_written_whole_and_an_unknown_one_stays_null() -> None:
    assert (to_json(Decimal("2.000000")), type(to_json(Decimal("2.0")))) == (2, int)
    assert to_json(Decimal("0.25")) == 0.25
    assert to_json(None) is None


@settings(deadline=None)
@given(st.decimals(0, 10**6, places=6))
def test_an_amount_survives_the_file(amount: Decimal) -> None:
    assert to_decimal(to_json(to_decimal(amount))) == amount


def test_sums_are_exact() -> None:
    assert sum((to_decimal(0.1) for _ in range(10)), Decimal(0)) == 1
