"""Numbers in words to digits: the part that English and Spanish share."""

from __future__ import annotations

import re
from abc import ABC
from abc import abstractmethod
from collections.abc import Mapping
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from pytest_benchbed.model.digits import DIGITS
from pytest_benchbed.scoring.currency import CURRENCY_WORDS
from pytest_benchbed.scoring.numbers import QUALIFIER
from pytest_benchbed.scoring.numbers import read_number
from pytest_benchbed.scoring.scales import scaled
from pytest_benchbed.scoring.tokens import NOTHING

Part = tuple[int, int]
"""A number that was read, and the index of the first token behind it."""

_NUMBER = re.compile(rf"(?:{QUALIFIER})?[-+]?({DIGITS})")


class Found(NamedTuple):
    """A number that begins at some token."""

    text: str
    """In digits, with the decimal sign that its words name."""
    end: int
    """Index of the first token behind it."""
    is_scaled: bool = False
    """Whether its last word is a scale, such as ``million``."""


class Words(ABC):
    """What the grammars of both languages share, over the tokens of one text.

    ``locale`` None: no word is a number.
    """

    starts: frozenset[str]
    """Words that a number or an ordinal may begin with."""
    scales: Mapping[str, int]
    points: Mapping[str, str]
    """Word in front of decimals to their sign."""
    spoken_digits: Mapping[str, int]
    """Words of single digits among decimals."""

    def __init__(self, tokens: Sequence[str], breaks: Sequence[int], locale: str | None) -> None:
        """Keep the tokens, what stands before each, and the locale of numbers in digits."""
        self.tokens = tokens
        self.breaks = breaks
        self.locale = locale

    def number(self, at: int) -> Found | None:
        """Return the number that begins at ``at``, None if none does.

        Digits count only in front of a scale (``1.5 million``), and scales
        behind a number always belong to it.
        """
        is_word = self.tokens[at][0].isalpha()
        found = self.in_words(at) if is_word else self._in_digits(at)
        return None if found is None else self._with_scales(found)

    @abstractmethod
    def in_words(self, at: int) -> Found | None:
        """Read a number in the words of the language."""

    @abstractmethod
    def below_hundred(self, at: int) -> Part | None:
        """Read a number below 100."""

    @abstractmethod
    def ordinal(self, at: int) -> Part | None:
        """Read an ordinal from 1 to 99."""

    def ends_here(self, at: int) -> bool:
        """Say whether the token at ``at`` goes on with no number that stands before it."""
        word = self.word(at)
        return word not in self.scales and word not in self.points and word != "hundred"

    def here(self, at: int) -> str:
        """Return the token at ``at`` whatever stands before it, ``""`` behind the last one."""
        return self.tokens[at] if at < len(self.tokens) else ""

    def word(self, at: int, allowed: int = NOTHING) -> str:
        """Return the token at ``at`` if no more than ``allowed`` stands before it, else ``""``."""
        return self.here(at) if at < len(self.tokens) and self.breaks[at] <= allowed else ""

    def decimals(self, whole: int, at: int) -> Found | None:
        """Read the word of a decimal sign and the decimals behind it."""
        sign = self.points.get(self.word(at))
        if sign is None:
            return None
        digits, end = "", at + 1
        while (digit := self.spoken_digits.get(self.word(end))) is not None:
            digits, end = f"{digits}{digit}", end + 1
        if not digits and self.word(end):
            rest = self.below_hundred(end)
            if rest is not None:
                digits, end = str(rest[0]), rest[1]
        return Found(f"{whole}{sign}{digits}", end) if digits else None

    def _in_digits(self, at: int) -> Found | None:
        if self.here(at + 1) not in self.scales:
            return None
        found = _NUMBER.fullmatch(self.tokens[at])
        if found is None or not isinstance(read_number(found[1], self.locale).value, Decimal):
            return None
        return Found(self.tokens[at], at + 1)

    def _with_scales(self, found: Found) -> Found:
        # Whatever stands between: without punctuation the text reads the same.
        text, end, is_scaled = found
        while self.here(end) in self.scales:
            larger = scaled(text, self.scales[self.here(end)], self.locale)
            if larger is None:
                break
            text, end, is_scaled = larger, end + 1, True
        if is_scaled and self.here(end) == "de" and self.here(end + 1) in CURRENCY_WORDS:
            end += 1
        return Found(text, end, is_scaled)


class NoWords(Words):
    """The grammar where no language is known."""

    starts: frozenset[str] = frozenset()
    scales: Mapping[str, int] = {}
    points: Mapping[str, str] = {}
    spoken_digits: Mapping[str, int] = {}

    def in_words(self, at: int) -> Found | None:
        """Read nothing."""
        return None

    def below_hundred(self, at: int) -> Part | None:
        """Read nothing."""
        return None

    def ordinal(self, at: int) -> Part | None:
        """Read nothing."""
        return None
