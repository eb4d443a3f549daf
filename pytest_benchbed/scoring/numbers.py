"""Numbers in digits: one canonical form by locale, and no guess where two readings are left."""

from __future__ import annotations

import re

from pytest_benchbed.model.digits import DIGITS
from pytest_benchbed.model.digits import Reading
from pytest_benchbed.model.digits import read_digits
from pytest_benchbed.scoring.locales import decimal_sign

QUALIFIER = r"<=|>=|<|>|~|±"
"""What says that a number is no exact one."""

_PREFIXED = re.compile(rf"((?:{QUALIFIER})?[-+]?)({DIGITS})")


def read_number(token: str, locale: str | None) -> Reading:
    """Read a digit token by the decimal sign of a locale (:func:`.read_digits`).

    Raises:
        ValueError: ``token`` is no digit token.
    """
    return read_digits(token, decimal_sign(locale))


def canonical_token(token: str, locale: str | None) -> str:
    """Return a token in canonical form: a number keeps its sign and qualifier, a word itself."""
    found = _PREFIXED.fullmatch(token)
    return found[1] + read_number(found[2], locale).canonical if found else token
