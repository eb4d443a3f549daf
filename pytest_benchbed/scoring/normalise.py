"""Texts brought to one form, so that what means the same compares equal.

The same function is applied to both sides of every comparison. It is pure,
idempotent and total, and its version is part of every scoring version that
rests on it. What could be read in two ways is not guessed: it stays as it is
written. Diacritics, digits of other scripts, articles, spelling and the zero
of ``0.50`` are never touched.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from pytest_benchbed.model.digits import DIGITS
from pytest_benchbed.scoring.currency import split_money
from pytest_benchbed.scoring.currency import with_money
from pytest_benchbed.scoring.dates import DATE_STARTS
from pytest_benchbed.scoring.dates import date_at
from pytest_benchbed.scoring.locales import language
from pytest_benchbed.scoring.number_words import NoWords
from pytest_benchbed.scoring.number_words import Words
from pytest_benchbed.scoring.numbers import QUALIFIER
from pytest_benchbed.scoring.numbers import canonical_token
from pytest_benchbed.scoring.ordinals import ordinal_at
from pytest_benchbed.scoring.ordinals import written_ordinal
from pytest_benchbed.scoring.tokens import folded
from pytest_benchbed.scoring.tokens import joined
from pytest_benchbed.scoring.tokens import tokens_of
from pytest_benchbed.scoring.words_en import English
from pytest_benchbed.scoring.words_es import Spanish

TEXT_VERSION = "text.v1"
"""Of the rules; a changed rule raises it, and with it every scoring version."""

Profile = Literal["exact", "written", "spoken"]
PROFILES: tuple[Profile, ...] = ("exact", "written", "spoken")

_SHORT = 80
"""Longest text, in characters, whose form is remembered."""
_DIGITS = frozenset("0123456789")
_PER_CENT = re.compile(rf"((?:{QUALIFIER})?[-+]?{DIGITS})%")
_A_NUMBER = re.compile(rf"(?:{QUALIFIER})?[-+]?{DIGITS}")


def normalise(text: str, locale: str | None, profile: Profile) -> str:
    """Return the one form of ``text``: tokens joined by one space; ``""`` if nothing is left.

    Args:
        text: any text.
        locale: ``en-US``, ``en-GB``, ``en``, ``es`` or None: no number words are
            read, and no mark between digits is decided that can be two things.
        profile: ``exact`` (NFC, one space for each run), ``written`` (also case,
            punctuation, currency, thousands, ordinals), ``spoken`` (also number
            words, per cent, dates).
    """
    if len(text) <= _SHORT:
        return _remembered(text, locale, profile)
    return _normalised(text, locale, profile)


@lru_cache(maxsize=8192)
def _remembered(text: str, locale: str | None, profile: Profile) -> str:
    """Values of fields come again and again: a city, a currency, a date."""
    return _normalised(text, locale, profile)


def _normalised(text: str, locale: str | None, profile: Profile) -> str:
    if profile == "exact":
        return " ".join(unicodedata.normalize("NFC", text).split())
    tokens, breaks = split_money(*tokens_of(folded(text)))
    tokens = [canonical_token(token, locale) if token[-1] in _DIGITS else token for token in tokens]
    words = _grammar(tokens, breaks, locale)
    tokens = _spoken(words) if profile == "spoken" else _with_ordinals(words)
    # After each step that makes numbers: what stands beside one is seen by the next.
    tokens = with_money(joined(tokens), locale)
    return " ".join(joined(tokens))


def _grammar(tokens: Sequence[str], breaks: Sequence[int], locale: str | None) -> Words:
    spoken = language(locale)
    kind = English if spoken == "en" else Spanish if spoken == "es" else NoWords
    return kind(tokens, breaks, locale)


def _with_ordinals(words: Words) -> list[str]:
    result: list[str] = []
    at = 0
    while at < len(words.tokens):
        token = words.tokens[at]
        may_be_one = token in words.starts if token[0].isalpha() else token[-1] not in _DIGITS
        ordinal = ordinal_at(words, at) if may_be_one else None
        if ordinal is None:
            result.append(token)
            at += 1
        else:
            result.append(written_ordinal(ordinal[0], words.locale))
            at = ordinal[1]
    return result


def _spoken(words: Words) -> list[str]:
    """Return the tokens with dates, ordinals, number words and per cent in their one form."""
    result: list[str] = []
    at = 0
    while at < len(words.tokens):
        token = words.tokens[at]
        if token[0].isalpha() and not (token in words.starts or token in DATE_STARTS):
            result.append(token)
            at += 1
            continue
        # Dates first: a day is an ordinal too, and a year a number.
        date = date_at(words, at)
        if date is not None:
            result.append(date[0])
            at = date[1]
            continue
        ordinal = ordinal_at(words, at)
        if ordinal is not None:
            result.append(written_ordinal(ordinal[0], words.locale))
            at = ordinal[1]
            continue
        number = words.number(at)
        token, at = (number.text, number.end) if number else (token, at + 1)
        glued = _PER_CENT.fullmatch(token) if token[-1] == "%" else None
        result += [canonical_token(glued[1], words.locale), "%"] if glued else [token]
        end = _per_cent(words, at)
        if end > at and not glued and _A_NUMBER.fullmatch(token):
            result.append("%")
            at = end
    return result


def _per_cent(words: Words, at: int) -> int:
    """Return the index behind ``percent``, ``per cent`` or ``por ciento``, or ``at``."""
    if words.here(at) in ("%", "percent"):
        return at + 1
    pair = (words.here(at), words.here(at + 1))
    return at + 2 if pair in (("per", "cent"), ("por", "ciento")) else at
