"""English number words: cardinals, decimals, years in pairs, ordinals."""

from __future__ import annotations

from pytest_benchbed.scoring.number_words import Found
from pytest_benchbed.scoring.number_words import Part
from pytest_benchbed.scoring.number_words import Words
from pytest_benchbed.scoring.scales import SCALES
from pytest_benchbed.scoring.tokens import COMMA

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
UNITS = {word: value for value, word in enumerate(_SMALL.split())}
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), 2)}
_FIRST = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
ORDINALS = {word: value for value, word in enumerate(_FIRST.split(), 1)} | {
    f"{word[:-1]}ieth": value for word, value in TENS.items()
}


class English(Words):
    """The English grammar."""

    starts = frozenset({*UNITS, *TENS, *ORDINALS, "a"})
    scales = SCALES["en"]
    points = {"point": "."}
    spoken_digits = {word: value for word, value in UNITS.items() if value < 10} | {"oh": 0}

    def in_words(self, at: int) -> Found | None:
        """Read a cardinal or a year; scales stand in falling order."""
        year = self.year_pair(at)
        if year is not None:
            return Found(str(year[0]), year[1])
        chunk = self._chunk(at, is_first=True)
        if chunk is None:
            return None
        value, end = chunk
        scale = self.scales.get(self.here(end), 0)
        if not scale:
            return self._half(value, end) or self._ended(value, end)
        total = 0
        while True:
            total, end, limit = total + value * scale, end + 1, scale
            chunk = self._chunk(end, is_first=False)
            scale = self.scales.get(self.word(chunk[1]), 0) if chunk else 0
            if chunk is None or (scale or 1) >= limit:
                break
            if not scale:
                return self._ended(total + chunk[0], chunk[1])
            value, end = chunk
        rest = self._and(end)
        if rest is not None and self.word(rest[1]) not in self.scales:
            return self._ended(total + rest[0], rest[1])
        return self.decimals(total, end) or Found(str(total), end, True)

    def _ended(self, value: int, at: int) -> Found:
        return self.decimals(value, at) or Found(str(value), at)

    def below_hundred(self, at: int) -> Part | None:
        """Read a unit, a teen, or tens with or without a unit."""
        word = self.here(at)
        if word in UNITS:
            return UNITS[word], at + 1
        if word not in TENS:
            return None
        unit = UNITS.get(self.word(at + 1), 0)
        return (TENS[word] + unit, at + 2) if 0 < unit < 10 else (TENS[word], at + 1)

    def year_pair(self, at: int) -> Part | None:
        """Read a year such as ``twenty twenty four`` or ``nineteen oh five``."""
        word = self.here(at)
        century = 20 if word == "twenty" else UNITS.get(word, 0)
        if century < 11:
            return None
        if self.word(at + 1) == "oh":
            digit = UNITS.get(self.word(at + 2), 0)
            return (century * 100 + digit, at + 3) if 0 < digit < 10 else None
        rest = self.below_hundred(at + 1) if self.word(at + 1) else None
        if rest is None or rest[0] < 10 or not self.ends_here(rest[1]):
            return None
        return century * 100 + rest[0], rest[1]

    def ordinal(self, at: int) -> Part | None:
        """Read an ordinal from ``first`` to ``ninety ninth``."""
        word = self.here(at)
        if word in ORDINALS:
            return ORDINALS[word], at + 1
        unit = ORDINALS.get(self.word(at + 1), 0) if word in TENS else 0
        return (TENS[word] + unit, at + 2) if 0 < unit < 10 else None

    def _chunk(self, at: int, *, is_first: bool) -> Part | None:
        """Read a number below 1000, or one such as ``nineteen hundred``."""
        if not is_first and not self.word(at, COMMA):
            return None
        if self.here(at) == "a":
            # Whatever stands between: a bare ``a`` stays a word, and is read again without it.
            following = self.here(at + 1)
            if following == "hundred":
                return self._hundreds(1, at + 2)
            return (1, at + 1) if following in self.scales else None
        rest = self.below_hundred(at)
        if rest is None or self.word(rest[1]) != "hundred":
            return rest
        is_count = 0 < rest[0] < 10 or (rest[0] > 10 and rest[0] % 10)
        return self._hundreds(rest[0], rest[1] + 1) if is_count else rest

    def _hundreds(self, count: int, at: int) -> Part:
        rest = self._and(at)
        if rest is None and self.word(at):
            rest = self.below_hundred(at)
        return (count * 100 + rest[0], rest[1]) if rest and rest[0] else (count * 100, at)

    def _and(self, at: int) -> Part | None:
        """Read ``and`` with a rest below 100 that is no part of a larger number."""
        if self.word(at) != "and" or not self.word(at + 1):
            return None
        rest = self.below_hundred(at + 1)
        return rest if rest and rest[0] and self.word(rest[1]) != "hundred" else None

    def _half(self, value: int, at: int) -> Found | None:
        """Read ``and a half million``."""
        if [self.word(at + number) for number in range(3)] != ["and", "a", "half"]:
            return None
        scale = self.scales.get(self.word(at + 3), 0)
        return Found(str(value * scale + scale // 2), at + 4, True) if scale else None
