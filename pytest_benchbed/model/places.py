"""Numbers compared the way they are printed: at four places, as whole numbers.

``0.90 - 0.88`` is more than ``0.02`` in floats; 9000 - 8800 is not more than
200. Thresholds, tolerances and bands are compared in this form only.
"""

from __future__ import annotations

from fractions import Fraction

from pytest_benchbed.model.error import Metric


def ten_thousandths(value: Metric) -> int | None:
    """Return ``value`` in units of 1/10,000, rounded half to even.

    A pair is its exact ratio. None stays None, and so does a ratio over 0.
    """
    if value is None:
        return None
    if isinstance(value, tuple):
        top, bottom = value
        return round(Fraction(top * 10_000, bottom)) if bottom else None
    return round(value * 10_000)
