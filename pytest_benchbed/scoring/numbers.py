"""Numbers in digits: one canonical form by locale, and no guess where two readings are left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from pytest_benchbed.scoring.locales import decimal_sign

DIGITS = r"[0-9]+(?:[.,][0-9]+)*"
"""A digit token: digits with ``.`` and ``,`` between them."""
QUALIFIER = r"<=|>=|<|>|~|±"
"""What says that a number is no exact one."""

_DIGITS = re.compile(DIGITS)
_PREFIXED = re.compile(rf"((?:{QUALIFIER})?[-+]?)({DIGITS})")


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A number without a decidable reading: equal to the same text alone, never to a number."""

    text: str


class Reading(NamedTuple):
    """How a digit token is read."""

    canonical: str
    """Without thousands marks, with the locale's own decimal sign; or as it was written."""
    value: Decimal | Ambiguous


def read_number(token: str, locale: str | None) -> Reading:
    """Read a digit token.

    The decimal sign of the canonical form is the locale's own, which makes the
    form idempotent. Without a locale a single mark is a decimal sign only where
    it can be no thousands mark: ``14.2`` is a number, ``1,288`` is not decided.

    Raises:
        ValueError: ``token`` is no digit token.
    """
    if token.isdigit() and token.isascii():
        return Reading(token, Decimal(token))
    if not _DIGITS.fullmatch(token):
        raise ValueError(f"{token!r} is no digit token")
    marks = [sign for sign in token if sign in ".,"]
    sign = decimal_sign(locale)
    groups = re.split("[.,]", token)
    last = marks[-1]
    if len(set(marks)) == 2:
        if marks.count(last) == 1 and _are_thousands(groups[:-1]):
            whole = "".join(groups[:-1])
            return Reading(f"{whole}{sign or last}{groups[-1]}", Decimal(f"{whole}.{groups[-1]}"))
    elif len(marks) > 1:
        if _are_thousands(groups):
            return _joined(groups)
    elif last == sign or (sign is None and not _are_thousands(groups)):
        return Reading(token, Decimal(".".join(groups)))
    elif sign is not None and _are_thousands(groups):
        return _joined(groups)
    return Reading(token, Ambiguous(token))


def canonical_token(token: str, locale: str | None) -> str:
    """Return a token in canonical form: a number keeps its sign and qualifier, a word itself."""
    found = _PREFIXED.fullmatch(token)
    return found[1] + read_number(found[2], locale).canonical if found else token


def _joined(groups: Sequence[str]) -> Reading:
    whole = "".join(groups)
    return Reading(whole, Decimal(whole))


def _are_thousands(groups: Sequence[str]) -> bool:
    """Say whether groups of digits stand as thousands: ``1`` ``288`` ``000``."""
    first = groups[0]
    return len(first) <= 3 and first[0] != "0" and all(len(group) == 3 for group in groups[1:])
