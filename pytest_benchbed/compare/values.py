"""Continuous values: how far one may fall before it counts as worse.

Values and tolerances are compared as whole ten-thousandths, never as floats:
0.86 - 0.81 is 0.05, not more than 0.05, although the floats say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

SCALE = 10_000


def ten_thousandths(value: Any) -> int | None:
    """Return a metric in whole ten-thousandths, half to even; None stays None.

    ``value`` is a number, None, or a pair of numerator and denominator (over
    nothing: None). A float counts as the decimal that is written for it.
    """
    if value is None:
        return None
    if isinstance(value, list | tuple):
        top, bottom = value
        return round(Fraction(top * SCALE, bottom)) if bottom else None
    scaled = Decimal(repr(value)) * SCALE
    return int(scaled.to_integral_value(ROUND_HALF_EVEN))


def is_worse_value(value: int | None, other: int | None, tolerance: int, *, lower: bool) -> bool:
    """Say whether ``value`` is worse than ``other`` by more than ``tolerance``.

    ``lower``: lower is better. A value that was lost is worse than any number,
    and no worse than another lost one.
    """
    if value is None or other is None:
        return value is None and other is not None
    fall = value - other if lower else other - value
    return fall > tolerance


def spreads(values: Sequence[int | None], tolerance: int) -> bool:
    """Say whether any two of the values differ by more than ``tolerance``."""
    return any(
        is_worse_value(one, two, tolerance, lower=False)
        or is_worse_value(two, one, tolerance, lower=False)
        for one, two in combinations(values, 2)
    )
