"""Continuous values: how far one may fall before it counts as worse.

Values and tolerances are compared as whole ten-thousandths, never as floats:
0.86 - 0.81 is 0.05, not more than 0.05, although the floats say otherwise.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN
from decimal import Decimal
from typing import Any

SCALE = 10_000


def ten_thousandths(value: Any) -> int | None:
    """Return a metric in whole ten-thousandths, half to even; None stays None.

    ``value`` is a number, None, or a pair of numerator and denominator (over
    nothing: None). A float counts as the decimal that is written for it.
    """
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        top, bottom = value
        return _divided(top * SCALE, bottom) if bottom else None
    if isinstance(value, int):
        return value * SCALE
    scaled = Decimal(repr(value)) * SCALE
    return int(scaled.to_integral_value(ROUND_HALF_EVEN))


def _divided(top: int, bottom: int) -> int:
    """Return ``top / bottom`` half to even, ``bottom`` above 0, quicker than a Fraction."""
    whole, rest = divmod(top, bottom)
    return whole + (2 * rest > bottom or (2 * rest == bottom and whole % 2 == 1))


def is_worse_value(value: int | None, other: int | None, tolerance: int, *, lower: bool) -> bool:
    """Say whether ``value`` is worse than ``other`` by more than ``tolerance``.

    ``lower``: lower is better. A value that was lost is worse than any number,
    and no worse than another lost one.
    """
    if value is None or other is None:
        return value is None and other is not None
    fall = value - other if lower else other - value
    return fall > tolerance
