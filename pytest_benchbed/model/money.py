"""Amounts in US dollars: exact decimals inside, JSON numbers in files."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN
from decimal import Decimal
from decimal import InvalidOperation
from typing import Any

_PLACES = Decimal("0.000001")


def to_decimal(value: Any) -> Decimal:
    """Read an amount of dollars, rounded half to even at 6 decimals.

    Raises:
        ValueError: a bool, text that is no number, NaN, infinity, or below 0.
    """
    if isinstance(value, bool) or not isinstance(value, (Decimal, int, float, str)):
        raise ValueError(f"{value!r} is no amount of dollars")
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"{value!r} is no amount of dollars") from None
    if not amount.is_finite() or amount < 0 or amount > 10**9:
        raise ValueError(f"{value!r} is no amount of dollars between 0 and a billion")
    return amount.quantize(_PLACES, ROUND_HALF_EVEN).normalize()


def to_json(amount: Decimal | None) -> int | float | None:
    """Write an amount as a JSON number; None stays null (unknown)."""
    if amount is None:
        return None
    return int(amount) if amount == amount.to_integral_value() else float(amount)
