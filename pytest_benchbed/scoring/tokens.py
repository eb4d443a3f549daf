"""The tokens of a text: signs made one, case folded, punctuation at the edges dropped.

What the steps of ``normalise.py`` look at. Each token knows what stood before
it, because ``one thousand, two hundred`` is one number and ``twenty. Four`` is
two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

NOTHING, COMMA, STOP = 0, 1, 2
"""What stood between a token and the one before it."""

_THOUSANDS_SPACE = re.compile("(?<=[0-9])[\u00a0\u2007\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_ZERO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_SIGNS = str.maketrans(
    {
        **dict.fromkeys(_ZERO_WIDTH),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2212\u2010\u2011", "-"),
        "\u2264": "<=",
        "\u2265": ">=",
    }
)
_MINUS_DASH = re.compile("(?:(?<=[0-9])|(?<![^\\W_]))[\u2013\u2014](?=[0-9])")
_DASH = re.compile("[\u2013\u2014]")
_LAST_LATIN = "\u017f"
"""Up to here no letter composes or decomposes in folding."""
_EDGE = '.,;:!?¡¿…"()[]{}«»'
_LEADING = re.compile(rf"[{re.escape(_EDGE)}]+")
_REFERENCE = re.compile(r"[^\W\d_](?=.*[0-9])\w*(?:[-/._]\w+)+")
_INNER_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_QUALIFIERS = frozenset({"<", ">", "<=", ">="})
_NUMBER_START = re.compile(r"[-+]?[.,]?[0-9]|[-+]?(?:us)?[€$£][-+]?[0-9]")


def folded(text: str) -> str:
    """Return ``text`` with one sign for each meaning, in folded case, in NFC.

    Diacritics and digits of other scripts stay.
    """
    if text.isascii():
        return text.lower()
    text = _THOUSANDS_SPACE.sub("", unicodedata.normalize("NFC", text)).translate(_SIGNS)
    if not text.isascii():
        if _DASH.search(text):
            text = _DASH.sub(" ", _MINUS_DASH.sub("-", text))
        if max(text) <= _LAST_LATIN:
            return unicodedata.normalize("NFC", text.casefold())
        # Folding may leave what composes, and composing what folds: canonical caseless matching.
        decomposed = unicodedata.normalize("NFD", text).casefold()
        return unicodedata.normalize("NFC", unicodedata.normalize("NFD", decomposed).casefold())
    return text.lower()


def tokens_of(text: str) -> tuple[list[str], list[int]]:
    """Return the tokens of a folded text, and for each what stood before it.

    A qualifier is joined to its number (``< 0.5`` becomes ``<0.5``), words
    joined by a hyphen come apart, references such as ``inv-2024-0031`` stay.
    """
    tokens: list[str] = []
    breaks: list[int] = []
    between = NOTHING
    for word in text.split():
        if word.isalnum() and not (tokens and tokens[-1] in _QUALIFIERS):
            tokens.append(word)
            breaks.append(between)
            between = NOTHING
            continue
        before, core, after = _edges(word)
        between = max(between, before)
        if not core:
            between = max(between, after)
            continue
        first, *others = _parts(core)
        if tokens and tokens[-1] in _QUALIFIERS and _NUMBER_START.match(first):
            tokens[-1] += first
        else:
            tokens.append(first)
            breaks.append(between)
        tokens += others
        breaks += [NOTHING] * len(others)
        between = after
    return tokens, breaks


def joined(tokens: Sequence[str]) -> list[str]:
    """Join each qualifier to the number behind it: ``< 0.5`` becomes ``<0.5``."""
    if _QUALIFIERS.isdisjoint(tokens):
        return list(tokens)
    result: list[str] = []
    for token in tokens:
        if result and result[-1] in _QUALIFIERS and _NUMBER_START.match(token):
            result[-1] += token
        else:
            result.append(token)
    return result


def _edges(word: str) -> tuple[int, str, int]:
    """Return what is dropped before a word (as a break), the word, and what is dropped behind."""
    core = word.rstrip(_EDGE)
    after = word[len(core) :]
    found = _LEADING.match(core)
    if found is None:
        return NOTHING, core, _break(after)
    dropped = found[0]
    rest = core[found.end() :]
    # The mark of ``.5`` belongs to the number; the last one of ``...5`` does not.
    is_single = dropped[-1] in ".," and dropped[-2:-1] not in (".", ",")
    if is_single and rest[:1].isascii() and rest[:1].isdigit():
        dropped, rest = dropped[:-1], dropped[-1] + rest
    return _break(dropped), rest, _break(after)


def _break(dropped: str) -> int:
    if not dropped:
        return NOTHING
    return COMMA if dropped == "," else STOP


def _parts(word: str) -> list[str]:
    if "-" not in word or _REFERENCE.fullmatch(word):
        return [word]
    return _INNER_HYPHEN.split(word)
