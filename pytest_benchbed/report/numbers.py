"""Figures as a reader sees them: shares, measures, changes, times, money.

Nothing is rounded into what it is not: a share short of all is never printed
as 100 %, a share above nothing never as 0 %, and an unknown cost never as $0.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

MINUS = "\N{MINUS SIGN}"

NONE = "not measured"
"""What stands in place of a value over nothing."""


def share(top: int, bottom: int, digits: int = 1) -> str:
    """Return ``top`` of ``bottom`` in per cent; over nothing: :data:`NONE`.

    >>> share(1999, 2000), share(1, 5000), share(3, 3)
    ('99.9 %', '0.1 %', '100 %')
    """
    if not bottom:
        return NONE
    if top == bottom:
        return "100 %"
    if not top:
        return "0 %"
    step = 10.0**-digits
    per_cent = min(max(round(100 * top / bottom, digits), step), 100 - step)
    return f"{per_cent:.{digits}f} %"


def measure(value: Any, counts: Any = None) -> str:
    """Return a metric's value; with counts ``[numerator, denominator]`` in per cent."""
    if value is None:
        return NONE
    if is_pair(counts):
        return share(counts[0], counts[1])
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.1f}"


def out_of(counts: Any) -> str:
    """Return ``numerator of denominator``, or nothing."""
    return f"{counts[0]:,} of {counts[1]:,}" if is_pair(counts) else ""


def is_pair(counts: Any) -> bool:
    """Say whether ``counts`` are a numerator and a denominator that is not 0."""
    return isinstance(counts, (list, tuple)) and len(counts) == 2 and bool(counts[1])


def change(difference: float | None, *, is_share: bool, minus: str = "-") -> str:
    """Return a signed change; of a share in percentage points; None: nothing.

    ``minus`` is the sign for a fall: a hyphen where the output may be ASCII.
    """
    if difference is None:
        return ""
    if difference == 0:
        return "no change"
    size = abs(difference) * 100 if is_share else abs(difference)
    text = f"{size:.1f}" if is_share else f"{size:.4g}"
    if is_share and text == "0.0":
        text = "<0.1"
    return f"{'+' if difference > 0 else minus}{text}{' points' if is_share else ''}"


def seconds(value: float | None) -> str:
    """Return a time span."""
    if value is None:
        return NONE
    if value < 0.0995:
        return f"{value * 1000:.0f} ms" if value >= 0.001 else "below 1 ms" if value else "0 s"
    if value < 10:
        return f"{value:.2f} s"
    if value < 120:
        return f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def money(value: Any) -> str:
    """Return dollars, two decimals at least, six at most; None: ``not reported``."""
    if value is None:
        return "not reported"
    amount = Decimal(str(value)).quantize(Decimal("0.000001")).normalize()
    places = max(2, -int(amount.as_tuple().exponent))
    return f"${amount:,.{places}f}"


def moment(text: str | None) -> str:
    """Return a UTC time as ``2026-01-31 12:00 UTC``, or the text itself if it is none."""
    if text is None:
        return "not finished"
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{at:%Y-%m-%d %H:%M} UTC"


def span(start: str, end: str | None) -> float | None:
    """Return the seconds between two times of a record, None if one is missing."""
    if end is None:
        return None
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None


def count(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 case``, ``2 cases``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
