"""A number with its qualifier, sign and unit, and how two of them differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from pytest_benchbed.model.digits import DIGITS
from pytest_benchbed.model.digits import Ambiguous
from pytest_benchbed.scoring.normalise import normalise
from pytest_benchbed.scoring.numbers import QUALIFIER
from pytest_benchbed.scoring.numbers import read_number

_QUANTITY = re.compile(rf"({QUALIFIER})?([-+]?)({DIGITS}|[.,][0-9]+)(?![0-9.,])\s?(\D.*)?")

_SECOND = re.compile(r"\s[^\w\s]*[0-9]")
"""Another number: ``5 or 6`` is none."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a text or a JSON number says."""

    number: Decimal | Ambiguous
    """With its sign."""
    qualifier: str = ""
    unit: str | None = ""
    """``""``: a text without one; None: a JSON number, which says nothing about units."""


def quantity_of(value: object, locale: str | None) -> Quantity | None:
    """Read a JSON number or a text; None: it is no quantity.

    A text is read as spoken: ``five euros`` is 5 euro. Text that begins with
    no number, a date and a reference are none.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return Quantity(Decimal(repr(value)), unit=None)
    if not isinstance(value, str):
        return None
    found = _QUANTITY.fullmatch(normalise(value, locale, "spoken"))
    if found is None:
        return None
    qualifier, sign, digits, unit = found[1] or "", found[2], found[3], found[4] or ""
    if (unit[:1] in ("-", "/") and unit[1:2].isdigit()) or _SECOND.search(unit):
        return None
    number = read_number(digits if digits[0].isdigit() else f"0{digits}", locale).value
    if isinstance(number, Ambiguous):
        return Quantity(Ambiguous(sign + digits), qualifier, unit)
    return Quantity(-number if sign == "-" else number, qualifier, unit)


def difference(
    expected: Quantity,
    got: Quantity,
    *,
    tolerance: Decimal = Decimal(0),
    relative: Decimal = Decimal(0),
    is_unit_compared: bool = True,
) -> str | None:
    """Return the kind of error between two quantities, None if they agree.

    ``ambiguous``: one of them cannot be decided and they are not the same
    text; ``sign_lost``, ``sign_wrong``, ``qualifier_lost``,
    ``qualifier_wrong``, ``unit_lost``, ``unit_wrong``: the numbers agree but
    for that; ``wrong``: they do not.

    Args:
        expected: of the answer. A text asserts its unit, or that there is
            none; beside a JSON number any one word will do.
        got: of the prediction.
        tolerance: largest absolute difference.
        relative: largest difference as a share of the expected number.
        is_unit_compared: False: any unit will do.
    """
    one, other = expected.number, got.number
    if isinstance(one, Ambiguous) or isinstance(other, Ambiguous):
        if one != other:
            return "ambiguous"
    else:
        allowed = tolerance + relative * abs(one)
        if abs(one - other) > allowed:
            if one and abs(one + other) <= allowed:
                return "sign_lost" if one < 0 else "sign_wrong"
            return "wrong"
    if expected.qualifier != got.qualifier:
        return "qualifier_wrong" if got.qualifier else "qualifier_lost"
    if not is_unit_compared:
        return None
    if expected.unit is None:
        # No unit is asserted; more than one word is more than a unit.
        return "unit_wrong" if " " in (got.unit or "") else None
    if expected.unit != (got.unit or ""):
        return "unit_wrong" if expected.unit and got.unit else "unit_lost"
    return None
