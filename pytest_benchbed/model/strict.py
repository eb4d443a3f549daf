"""The one JSON reader for everything that comes from outside.

Frames, predictions, result records, dataset files and run files all go through
:func:`read_json`. It refuses what the standard reader lets through: duplicate
keys, NaN and infinities, huge numbers, deep nesting, lone surrogates, NUL, a
byte order mark, and anything but exactly one document.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from sys import intern
from typing import Any

from pytest_benchbed.model.canonical import MAX_INTEGER

MAX_DEPTH = 64
MAX_INTEGER_DIGITS = 19

# A string, or one bracket. Possessive, and a string that never closes is taken
# to the end: else hostile text with many quotes costs quadratic time.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_NO_BRACKETS = re.compile(r'(?:[^"\[\]{}]++|"(?:[^"\\]|\\.)*+(?:"|\\?\Z))++', re.DOTALL)
_MANY_DIGITS = re.compile(rb"[0-9]{16}")
_BAD_CHARACTER = re.compile("[\x00\ud800-\udfff]")


class MalformedJson(ValueError):
    """The text is not JSON that this project accepts.

    ``kind`` is a stable word (``not_utf8``, ``bom``, ``empty``, ``syntax``,
    ``duplicate_key``, ``not_finite``, ``number_too_large``, ``too_deep``,
    ``bad_character``); ``detail`` says more, without quoting the text;
    ``position`` is the character of a ``syntax`` fault, else None.
    """

    def __init__(self, kind: str, detail: str, position: int | None = None) -> None:
        """Keep the parts."""
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.position = position


def read_json(data: bytes | str, *, max_depth: int = MAX_DEPTH) -> Any:
    """Parse exactly one JSON document.

    Text is not normalised. ``data`` as ``str`` must already be decoded strictly.

    Raises:
        MalformedJson: for every deviation, see its ``kind``.
    """
    text = _decode(data)
    if not text.strip(" \t\r\n"):
        raise MalformedJson("empty", "no document")
    _check_depth(text, max_depth)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        where = f"{error.msg.removesuffix(' at')} at character {error.pos}"
        raise MalformedJson("syntax", where, error.pos) from None
    # A NUL as it is was a syntax error already, so ASCII without escapes needs no search.
    if "\\u" in text or (not text.isascii() and _BAD_CHARACTER.search(text)):
        _check_characters(value)
    return value


def _decode(data: bytes | str) -> str:
    if isinstance(data, str):
        text = data
    else:
        try:
            text = bytes(data).decode("utf-8")
        except UnicodeDecodeError as error:
            raise MalformedJson("not_utf8", f"byte {error.start} is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise MalformedJson("bom", "starts with a byte order mark")
    return text


def _check_depth(text: str, max_depth: int) -> None:
    """Count the nesting before parsing: the standard parser recurses."""
    if text.count("[") + text.count("{") <= max_depth:
        return
    # Peel off the innermost pairs, one level a round: half the price of going through the
    # tokens. What does not come out empty is too deep or not balanced.
    rest = _NO_BRACKETS.sub("", text).replace("{", "[").replace("}", "]")
    for _ in range(max_depth):
        if not rest:
            return
        rest = rest.replace("[]", "")
    if not rest:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        character = text[token.start()]
        if character in "[{":
            depth += 1
            if depth > max_depth:
                raise MalformedJson("too_deep", f"nested deeper than {max_depth}")
        elif character in "]}":
            depth -= 1


def check_readable(data: bytes) -> None:
    """Check that canonical JSON, which this program has just made, can be read back.

    Raises:
        MalformedJson: it is nested too deep, a string holds U+0000, or a float is written
            as a whole number that is too large.
    """
    # Only these get through the encoder; most texts have none of them, by three quick looks.
    if (
        data.count(b"[") + data.count(b"{") > MAX_DEPTH
        or b"\\u0000" in data
        or _MANY_DIGITS.search(data)
    ):
        read_json(data)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = {intern(key): item for key, item in pairs}
    if len(value) != len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise MalformedJson("duplicate_key", f"key {ascii(key)[:80]} stands twice")
    return value


def _integer(text: str) -> int:
    if len(text) < 16:  # most are, and 2^53 has 16 digits
        return int(text)
    if len(text.lstrip("-")) > MAX_INTEGER_DIGITS or abs(number := int(text)) > MAX_INTEGER:
        raise MalformedJson("number_too_large", "an integer is beyond 2^53 - 1")
    return number


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise MalformedJson("number_too_large", "a number overflows")
    return number


def _constant(text: str) -> Any:
    raise MalformedJson("not_finite", f"{text} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_float, parse_constant=_constant
)


def _check_characters(value: Any) -> None:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if _BAD_CHARACTER.search(item):
                raise MalformedJson("bad_character", "a string has U+0000 or a lone surrogate")
        elif isinstance(item, dict):
            stack.extend(item.keys())
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
