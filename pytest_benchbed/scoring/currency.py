"""Amounts of money: the number first, then one word for the currency."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_benchbed.model.digits import DIGITS
from pytest_benchbed.model.digits import Ambiguous
from pytest_benchbed.scoring.locales import decimal_sign
from pytest_benchbed.scoring.locales import language
from pytest_benchbed.scoring.numbers import QUALIFIER
from pytest_benchbed.scoring.numbers import read_number
from pytest_benchbed.scoring.scales import LETTERS
from pytest_benchbed.scoring.scales import SCALES
from pytest_benchbed.scoring.scales import scaled

EURO, DOLLAR, POUND = "euro", "dollar", "pound"
CURRENCY_WORDS = {
    "euro": EURO, "euros": EURO, "dollar": DOLLAR, "dollars": DOLLAR, "dólar": DOLLAR,
    "dólares": DOLLAR, "pound": POUND, "pounds": POUND, "libra": POUND, "libras": POUND,
}  # fmt: skip
CURRENCY_SIGNS = {
    "€": EURO, "$": DOLLAR, "us$": DOLLAR, "£": POUND, "eur": EURO, "usd": DOLLAR, "gbp": POUND,
}  # fmt: skip
"""May also stand in front of the number."""
_NAMES = {
    "en": {EURO: "euro", DOLLAR: "dollar", POUND: "pound"},
    "es": {EURO: "euro", DOLLAR: "dólar", POUND: "libra"},
}
_CENTS = {"cent", "cents", "céntimo", "céntimos", "centavo", "centavos", "penny", "pence"}

_CURRENCIES = frozenset({*CURRENCY_WORDS, *CURRENCY_SIGNS})
_FACTORS = SCALES["en"] | SCALES["es"] | LETTERS
_NUMBER_STARTS = frozenset("0123456789<>=~±+-")
_SIGN = re.compile("[€$£]")
_NUMBER = re.compile(rf"((?:{QUALIFIER})?[-+]?)({DIGITS})")
_SIGN_FIRST = re.compile(rf"((?:{QUALIFIER})?[-+]?)(us\$|[€$£])([-+]?)({DIGITS})(k|m|mn|bn)?")
_SIGN_LAST = re.compile(rf"((?:{QUALIFIER})?[-+]?{DIGITS})(k|m|mn|bn)?([€$£])")
_LETTER = re.compile(rf"((?:{QUALIFIER})?[-+]?{DIGITS})(k|m|mn|bn)")


class _Glued(str):
    """A currency sign or a scale that stands at its number without a space."""

    __slots__ = ()


def split_money(tokens: Sequence[str], breaks: Sequence[int]) -> tuple[list[str], list[int]]:
    """Take signs of currencies and letters of scales off the numbers they are glued to."""
    if not _SIGN.search("".join(tokens)):
        return list(tokens), list(breaks)
    parts: list[str] = []
    places: list[int] = []
    for token, between in zip(tokens, breaks, strict=True):
        split = _split(token) if _SIGN.search(token) else [token]
        parts += split
        places += [between] + [0] * (len(split) - 1)
    return parts, places


def _split(token: str) -> list[str]:
    first = _SIGN_FIRST.fullmatch(token)
    if first is not None and not (first[1][-1:] in "+-" and first[1] and first[3]):
        number = first[1] + first[3] + first[4]
        return [_Glued(first[2]), number, *([_Glued(first[5])] if first[5] else [])]
    last = _SIGN_LAST.fullmatch(token)
    if last is not None:
        return [last[1], *([_Glued(last[2])] if last[2] else []), last[3]]
    return [token]


def with_money(tokens: Sequence[str], locale: str | None) -> list[str]:
    """Return the tokens with every amount in its one form.

    ``tokens``: after :func:`split_money`, with numbers in canonical digits.
    """
    if _CURRENCIES.isdisjoint(tokens):
        return list(tokens)
    result: list[str] = []
    at = 0
    while at < len(tokens):
        found = _amount(tokens, at, locale)
        if found is None:
            result.append(tokens[at])
            at += 1
        else:
            number, currency, at = found
            result += [number, _NAMES[language(locale) or "en"][currency]]
    return result


def _amount(tokens: Sequence[str], at: int, locale: str | None) -> tuple[str, str, int] | None:
    """Return number, currency and the index behind an amount that begins at ``at``."""
    prefix = CURRENCY_SIGNS.get(tokens[at])
    number_at = at + (prefix is not None)
    if number_at >= len(tokens) or tokens[number_at][0] not in _NUMBER_STARTS:
        return None
    number, end, is_scaled = _scaled(tokens, number_at, locale)
    if not _NUMBER.fullmatch(number):
        return None
    following = tokens[end] if end < len(tokens) else ""
    if prefix is not None:
        if following in CURRENCY_WORDS and not isinstance(tokens[at], _Glued):
            return None  # "€ 5 dollar": the word behind a number is what this function writes
        currency = prefix
        end += CURRENCY_WORDS.get(following) == prefix
    else:
        if is_scaled and following == "de" and end + 1 < len(tokens):
            following, end = tokens[end + 1], end + 1
        suffix = CURRENCY_WORDS.get(following) or CURRENCY_SIGNS.get(following)
        if suffix is None or isinstance(following, _Glued):
            return None
        currency, end = suffix, end + 1
    number = _without_zeros(number, locale)
    cents = _cents(tokens, end, locale)
    if cents is not None and number.lstrip("<>=~±+-").isdigit():
        return f"{number}{decimal_sign(locale) or '.'}{cents[0]:02}", currency, cents[1]
    return number, currency, end


def _scaled(tokens: Sequence[str], at: int, locale: str | None) -> tuple[str, int, bool]:
    """Return a number with the scales behind it multiplied in, and the index behind them."""
    number, end, is_scaled = tokens[at], at + 1, False
    letter = _LETTER.fullmatch(number)
    if letter is not None:
        larger = scaled(letter[1], LETTERS[letter[2]], locale)
        if larger is not None:
            number, is_scaled = larger, True
    while end < len(tokens) and tokens[end] in _FACTORS:
        larger = scaled(number, _FACTORS[tokens[end]], locale)
        if larger is None:
            break
        number, end, is_scaled = larger, end + 1, True
    return number, end, is_scaled


def _without_zeros(number: str, locale: str | None) -> str:
    """Drop decimals of zeros alone."""
    found = _NUMBER.fullmatch(number)
    if found is None or isinstance(read_number(found[2], locale).value, Ambiguous):
        return number
    whole, mark, decimals = re.match(r"([0-9]+)([.,]?)([0-9]*)", found[2]).groups()  # type: ignore[union-attr]
    return found[1] + whole if mark and not decimals.strip("0") else number


def _cents(tokens: Sequence[str], at: int, locale: str | None) -> tuple[int, int] | None:
    """Read ``and 50 cents``; Spanish ``con 50`` may leave the word out."""
    words = [*tokens[at : at + 3], "", "", ""][:3]
    count = int(words[1]) if words[1].isascii() and words[1].isdigit() and len(words[1]) < 3 else 0
    if not 0 < count < 100 or words[0] not in ("and", "con", "y"):
        return None
    if words[2] in _CENTS:
        return count, at + 3
    return (count, at + 2) if words[0] == "con" and language(locale) == "es" else None
