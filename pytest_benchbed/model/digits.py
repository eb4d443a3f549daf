"""Digits with ``.`` and ``,`` between them: one reading, and no guess where two are left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

DIGITS = r"[0-9]+(?:[.,][0-9]+)*"
"""A digit token: digits with ``.`` and ``,`` between them."""

_DIGITS = re.compile(DIGITS)


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A number without a decidable reading: equal to the same text alone, never to a number."""

    text: str


class Reading(NamedTuple):
    """How a digit token is read."""

    canonical: str
    """Without thousands marks, with the known decimal sign; or as it was written."""
    value: Decimal | Ambiguous


def read_digits(token: str, sign: str | None) -> Reading:
    """Read a digit token; ``sign``: the decimal sign, None where it is not known.

    The decimal sign of the canonical form is ``sign``, which makes the form
    idempotent. Without it a single mark is a decimal sign only where it can be
    no thousands mark: ``14.2`` is a number, ``1,288`` is not decided.

    Raises:
        ValueError: ``token`` is no digit token.
    """
    if token.isdigit() and token.isascii():
        return Reading(token, Decimal(token))
    if not _DIGITS.fullmatch(token):
        raise ValueError(f"{token!r} is no digit token")
    marks = [mark for mark in token if mark in ".,"]
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


def _joined(groups: Sequence[str]) -> Reading:
    whole = "".join(groups)
    return Reading(whole, Decimal(whole))


def _are_thousands(groups: Sequence[str]) -> bool:
    """Say whether groups of digits stand as thousands: ``1`` ``288`` ``000``."""
    first = groups[0]
    return len(first) <= 3 and first[0] != "0" and all(len(group) == 3 for group in groups[1:])
