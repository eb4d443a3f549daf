"""Words and letters that multiply a number."""

from __future__ import annotations

import re

from pytest_benchbed.model.digits import DIGITS
from pytest_benchbed.model.digits import Ambiguous
from pytest_benchbed.scoring.numbers import QUALIFIER
from pytest_benchbed.scoring.numbers import read_number

SCALES = {
    "en": {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12},
    "es": {
        "mil": 10**3, "millón": 10**6, "millones": 10**6, "billón": 10**12, "billones": 10**12,
    },
}  # fmt: skip
"""By language; a Spanish ``billón`` is 10^12."""
LETTERS = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9}
"""Scales beside a currency; elsewhere ``m`` is metres."""

_NUMBER = re.compile(rf"((?:{QUALIFIER})?[-+]?)({DIGITS})")
_MAX_DIGITS = 40


def scaled(number: str, factor: int, locale: str | None) -> str | None:
    """Multiply a number in digits exactly; None if it cannot be decided or is out of bounds.

    Sign and qualifier stay in front; decimals are kept as far as they are left.
    """
    found = _NUMBER.fullmatch(number)
    if found is None or len(found[2]) > _MAX_DIGITS:
        return None
    reading = read_number(found[2], locale)
    if isinstance(reading.value, Ambiguous):
        return None
    mark = next((sign for sign in reading.canonical if sign in ".,"), "")
    whole, _, decimals = reading.canonical.partition(mark) if mark else (reading.canonical, "", "")
    places = len(decimals)
    product = str(int(whole + decimals) * factor)
    if not places:
        return found[1] + product
    product = product.rjust(places + 1, "0")
    rest = product[-places:].rstrip("0")
    return found[1] + product[:-places] + (mark + rest if rest else "")
