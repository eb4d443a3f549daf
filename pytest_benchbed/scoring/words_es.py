"""Spanish number words: cardinals in both genders, decimals, ordinals."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_benchbed.scoring.number_words import Found
from pytest_benchbed.scoring.number_words import Part
from pytest_benchbed.scoring.number_words import Words
from pytest_benchbed.scoring.scales import SCALES

_SMALL = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
    "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
)
UNITS = {word: value for value, word in enumerate(_SMALL.split())} | {
    "veintiún": 21,
    "veintiuna": 21,
}
_ONE = {"uno": 1}
"""``un`` and ``una`` alone are articles."""
_ANY_ONE = {"un": 1, "uno": 1, "una": 1}
_TENS_WORDS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa"
TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), 3)}
_HUNDREDS_STEMS = "dosc tresc cuatroc quin seisc setec ochoc novec"
_HUNDREDS = {"cien": 100, "ciento": 100} | {
    f"{stem}ient{gender}s": 100 * value
    for value, stem in enumerate(_HUNDREDS_STEMS.split(), 2)
    for gender in "oa"
}
_LARGE = (
    (("billón", "billones"), 10**12),
    (("millón", "millones"), 10**6),
)
_FIRST = "primer segund tercer cuart quint sext séptim octav noven"
_FUSED = {"undécim": 11, "duodécim": 12} | {
    f"{tens}{stem}": base + unit
    for tens, base in (("decimo", 10), ("vigesimo", 20))
    for unit, stem in enumerate(_FIRST.split(), 1)
}
_TENTHS_STEMS = "vig trig cuadrag quincuag sexag septuag octog nonag"
_TENTHS = {f"{stem}ésim": 10 * value for value, stem in enumerate(_TENTHS_STEMS.split(), 2)} | {
    "décim": 10
}
_ORDINAL_STEMS = {stem: value for value, stem in enumerate(_FIRST.split(), 1)}
ORDINALS = {
    f"{stem}{gender}": value
    for stem, value in (_ORDINAL_STEMS | _FUSED | _TENTHS).items()
    for gender in "oa"
} | {"primer": 1, "tercer": 3}


class Spanish(Words):
    """The Spanish grammar."""

    starts = frozenset({*UNITS, *_ANY_ONE, *TENS, *_HUNDREDS, *ORDINALS, *SCALES["es"]})
    scales = SCALES["es"]
    points = {"coma": ",", "punto": "."}
    spoken_digits = {word: value for word, value in UNITS.items() if value < 10} | _ANY_ONE

    def in_words(self, at: int) -> Found | None:
        """Read a cardinal; ``dos millones y medio`` too."""
        if self.here(at) in ("millón", "billón"):
            return self._half(at, 1, 0)
        total, end = 0, at
        for names, scale in _LARGE:
            part = self._below_million(end, _ANY_ONE) if end == at or self.word(end) else None
            # Whatever stands between: a bare ``un`` stays a word, and is read again without it.
            if part is None or self.here(part[1]) not in names:
                continue
            half = self._half(part[1], part[0], total)
            if half is not None:
                return half
            total, end = total + part[0] * scale, part[1] + 1
        last = self._below_million(end, _ONE) if end == at or self.word(end) else None
        if last is not None and (last[0] or end == at):
            return self.decimals(total + last[0], last[1]) or Found(str(total + last[0]), last[1])
        return Found(str(total), end, True) if end > at else None

    def below_hundred(self, at: int) -> Part | None:
        """Read a number up to ``veintinueve``, or tens with or without ``y`` and a unit."""
        return self._below_hundred(at, _ONE)

    def ordinal(self, at: int) -> Part | None:
        """Read an ordinal from ``primero`` to ``nonagésimo noveno``; gender does not count."""
        value = ORDINALS.get(self.here(at))
        if value is None:
            return None
        unit = ORDINALS.get(self.word(at + 1), 0) if value % 10 == 0 else 0
        return (value + unit, at + 2) if 0 < unit < 10 else (value, at + 1)

    def _half(self, at: int, count: int, total: int) -> Found | None:
        """Read ``millón y medio``, its scale at ``at``."""
        if (self.here(at + 1), self.here(at + 2)) != ("y", "medio"):
            return None
        scale = self.scales[self.here(at)]
        return Found(str(total + count * scale + scale // 2), at + 3, True)

    def _below_million(self, at: int, one: Mapping[str, int]) -> Part | None:
        if self.here(at) == "mil":
            thousands, end = 1, at + 1
        else:
            chunk = self._below_thousand(at, one)
            if chunk is None or not chunk[0] or self.word(chunk[1]) != "mil":
                return chunk
            thousands, end = chunk[0], chunk[1] + 1
        rest = self._below_thousand(end, one) if self.word(end) else None
        if rest is None or not rest[0]:
            return thousands * 1000, end
        return thousands * 1000 + rest[0], rest[1]

    def _below_thousand(self, at: int, one: Mapping[str, int]) -> Part | None:
        hundreds = _HUNDREDS.get(self.here(at))
        if hundreds is None:
            return self._below_hundred(at, one)
        rest = self._below_hundred(at + 1, _ANY_ONE) if self.word(at + 1) else None
        if rest is None or not rest[0] or self.here(at) == "cien":
            return hundreds, at + 1
        return hundreds + rest[0], rest[1]

    def _below_hundred(self, at: int, one: Mapping[str, int]) -> Part | None:
        word = self.here(at)
        value = one.get(word, UNITS.get(word))
        if value is not None:
            return value, at + 1
        if word not in TENS:
            return None
        unit = (UNITS | _ANY_ONE).get(self.word(at + 2), 0) if self.word(at + 1) == "y" else 0
        return (TENS[word] + unit, at + 3) if 0 < unit < 10 else (TENS[word], at + 1)
