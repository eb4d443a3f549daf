"""Ordinals from 1 to 99: ``fourth`` is ``4th``, ``cuarta`` is ``4º``."""

from __future__ import annotations

import re

from pytest_benchbed.scoring.locales import language
from pytest_benchbed.scoring.number_words import Part
from pytest_benchbed.scoring.number_words import Words

_EN = re.compile(r"([1-9][0-9]?)(?:st|nd|rd|th)")
_ES = re.compile(r"([1-9][0-9]?)\.?(?:[ºª]|er|r[oa]|d[oa]|t[oa]|m[oa]|v[oa]|n[oa])")
_SIGN = re.compile(r"([1-9][0-9]?)\.?[ºª]")


def ordinal_at(words: Words, at: int) -> Part | None:
    """Return the ordinal at a token and the index behind it, None if there is none."""
    word = words.here(at)
    if word[:1].isdigit():
        spanish = language(words.locale) == "es"
        found = (_ES if spanish else _EN).fullmatch(word) or _SIGN.fullmatch(word)
        return (int(found[1]), at + 1) if found else None
    return words.ordinal(at)


def written_ordinal(value: int, locale: str | None) -> str:
    """Return the one form of an ordinal."""
    if language(locale) == "es":
        return f"{value}º"
    teens = value // 10 == 1
    return f"{value}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th')}"
