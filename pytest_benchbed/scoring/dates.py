"""Dates, English and Spanish, to ISO tokens; what could be two days is not decided."""

from __future__ import annotations

import re
from datetime import date

from pytest_benchbed.scoring.currency import CURRENCY_SIGNS
from pytest_benchbed.scoring.currency import CURRENCY_WORDS
from pytest_benchbed.scoring.locales import language
from pytest_benchbed.scoring.number_words import Part
from pytest_benchbed.scoring.number_words import Words
from pytest_benchbed.scoring.ordinals import ordinal_at

_MONTHS = (
    "january february march april may june july august september october november december",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
)
MONTHS = {
    form: number
    for names in _MONTHS
    for number, name in enumerate(names.split(), 1)
    for form in (name, name[:3])
}
DATE_STARTS = frozenset({*MONTHS, "the"})
"""Words, besides numbers, that a date may begin with."""
_ONLY_IN_FULL = {"may"}
"""Also a common word: a month only between a day and a year."""
_NUMERIC = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})")
_DAY = re.compile(r"0?[1-9]|[12][0-9]|3[01]")
_YEAR = re.compile(r"[1-9][0-9]{3}")
_LEAP_YEAR = 2024


def date_at(words: Words, at: int) -> tuple[str, int] | None:
    """Return the ISO token of a date that begins at a token, and the index behind it.

    Day + month without a year is ``--11-04``, month + year ``2024-11``. Month
    names of both languages are read in every locale.
    """
    numeric = numeric_date(words.here(at), words.locale)
    return (numeric, at + 1) if numeric is not None else _Dates(words).date(at)


def numeric_date(token: str, locale: str | None) -> str | None:
    """Return the ISO form of ``d/m/yyyy``, None if it is not decided or impossible."""
    found = _NUMERIC.fullmatch(token)
    if found is None:
        return None
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if locale in ("es", "en-GB"):
        day, month = first, second
    elif locale == "en-US":
        day, month = second, first
    elif first == second or (first > 12) != (second > 12):
        day, month = max(first, second), min(first, second)
    else:
        return None
    return _iso(year, month, day)


def is_ambiguous_date(token: str, locale: str | None) -> bool:
    """Say whether a token is a date in digits that can be two days, and which is not told."""
    return (
        _NUMERIC.fullmatch(token) is not None
        and numeric_date(token, locale) is None
        and None not in (numeric_date(token, "es"), numeric_date(token, "en-US"))
    )


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


class _Dates:
    """Dates with a month in words, over the tokens of one text."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def date(self, at: int) -> tuple[str, int] | None:
        start = at
        if self.words.here(at) == "the" and language(self.words.locale) == "en":
            if not self.is_ordinal(at + 1):
                return None
            at += 1
        found = self.day_first(at)
        return found or (self.month_first(at) if at == start else None)

    def day_first(self, at: int) -> tuple[str, int] | None:
        day = self.day(at)
        if day is None:
            return None
        month = self.month(self.after(day[1], "of", "de"))
        if month is None:
            return None
        year = self.year(self.after(month[1], "of", "de", "del"))
        return self.written(at, year, month, day)

    def month_first(self, at: int) -> tuple[str, int] | None:
        month = self.month(at)
        if month is None:
            return None
        day = self.day(self.after(month[1], "the"))
        if day is not None:
            year = self.year(day[1])
            found = self.written(at, year, month, day) if year is not None else None
            if found is not None:
                return found
        year = self.year(self.after(month[1], "of", "de", "del"))
        if year is not None and self.words.here(at) not in _ONLY_IN_FULL:
            return f"{year[0]:04}-{month[0]:02}", year[1]
        return self.written(at, None, month, day) if day is not None else None

    def written(self, at: int, year: Part | None, month: Part, day: Part) -> tuple[str, int] | None:
        """Return a day and a month with or without a year; what is no day stays as it is."""
        if year is None and self.words.here(month[1] - 1) in _ONLY_IN_FULL:
            return None
        end = max(month[1], day[1]) if year is None else year[1]
        iso = _iso(_LEAP_YEAR if year is None else year[0], month[0], day[0])
        if iso is None:
            return " ".join(self.words.tokens[at:end]), end
        return (f"--{iso[5:]}" if year is None else iso), end

    def is_measured(self, at: int) -> bool:
        """Say whether the token at ``at`` makes the number before it an amount."""
        word = self.words.here(at)
        if word in CURRENCY_SIGNS:
            # In front of a number it is that one's.
            return not self.words.here(at + 1)[:1].isdigit()
        is_share = word in ("%", "percent", "per") or (
            word == "por" and self.words.here(at + 1) == "ciento"
        )
        return word in CURRENCY_WORDS or is_share or not self.words.ends_here(at)

    def after(self, at: int, *fillers: str) -> int:
        return at + (self.words.here(at) in fillers)

    def month(self, at: int) -> Part | None:
        value = MONTHS.get(self.words.here(at))
        return None if value is None else (value, at + 1)

    def is_ordinal(self, at: int) -> bool:
        return ordinal_at(self.words, at) is not None

    def day(self, at: int) -> Part | None:
        found = ordinal_at(self.words, at)
        if found is None:
            word = self.words.here(at)
            is_digits = _DAY.fullmatch(word) is not None
            found = (int(word), at + 1) if is_digits else self.words.below_hundred(at)
            # An ordinal is never an amount, whatever follows.
            if found is None or self.is_measured(found[1]):
                return None
        return found if 1 <= found[0] <= 31 else None

    def year(self, at: int) -> Part | None:
        word = self.words.here(at)
        if _YEAR.fullmatch(word):
            found: Part | None = (int(word), at + 1)
        else:
            number = self.words.number(at) if word else None
            is_year = number is not None and _YEAR.fullmatch(number.text) is not None
            found = (int(number.text), number.end) if number is not None and is_year else None
        return None if found is None or self.is_measured(found[1]) else found
