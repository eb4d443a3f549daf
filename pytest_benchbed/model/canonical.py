"""Canonical JSON (RFC 8785) and the digests made of it.

:func:`canonical` gives the bytes that every digest, identity and sorted file
of this project is made of. Plain values take a fast way through the standard
encoder, whose output is equal to RFC 8785 for them; all others (floats with an
exponent, characters of two UTF-16 units) go through the ``rfc8785`` package,
which is also the oracle in the tests.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

JSON = Any
"""A JSON value: None, bool, int, float, str, list or dict with str keys."""

MAX_INTEGER = 2**53 - 1

_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")


class _NotPlainError(Exception):
    """The value needs the full RFC 8785 encoder."""


def _encoder(*, ensure_ascii: bool) -> Callable[[Any], str]:
    """Return ``JSONEncoder.encode`` without its set-up, which costs as much as a short row."""
    encoder = json.JSONEncoder(
        ensure_ascii=ensure_ascii,
        allow_nan=False,
        sort_keys=True,
        separators=(",", ":"),
        check_circular=False,
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # an interpreter without the C accelerator
        return encoder.encode
    string = (
        json.encoder.encode_basestring_ascii if ensure_ascii else json.encoder.encode_basestring
    )
    parts = make(None, encoder.default, string, None, ":", ",", True, False, False)
    return lambda value: "".join(parts(value, 0))


_STRING: Callable[[str], str] = json.encoder.encode_basestring
_ENCODE = _encoder(ensure_ascii=False)
_ENCODE_ASCII = _encoder(ensure_ascii=True)


def canonical(value: JSON) -> bytes:
    """Return the RFC 8785 form of ``value`` as UTF-8 (raises as :func:`canonical_text`)."""
    return canonical_text(value).encode("utf-8")


def canonical_text(value: JSON) -> str:
    """Return the RFC 8785 form of ``value``.

    ``1.0`` is written ``1``; keys sort by UTF-16 unit; Unicode is not normalised.

    Raises:
        ValueError: NaN, infinity, an integer beyond 2^53 - 1, a lone surrogate,
            a key that is no string, or a value that is no JSON.
    """
    # Without keys there is nothing to sort.
    text = _STRING(value) if type(value) is str else _encoded(value)
    if text.isascii():
        return text
    # UTF-16 sorts like code points as long as no character needs two units.
    if type(value) is not str and _TWO_UNITS.search(text):
        return _full(value).decode("utf-8")
    text.encode("utf-8")  # refuses a lone surrogate
    return text


def _encoded(value: Any) -> str:
    """Encode plain parts the fast way and only what is not plain in full.

    A latency below 0.1 ms is not plain, and stands in most rows.
    """
    try:
        if value and (type(value) is dict or type(value) is list):
            return _ENCODE(_plain(value))
        return _ENCODE(_plain([value])[0])
    except (_NotPlainError, TypeError):  # TypeError: keys of several types cannot be sorted
        pass
    if type(value) is dict and all(type(key) is str for key in value):
        members = (f"{_ENCODE(key)}:{_encoded(item)}" for key, item in sorted(value.items()))
        return f"{{{','.join(members)}}}"
    if type(value) in (list, tuple):
        return f"[{','.join(map(_encoded, value))}]"
    return number(value) if type(value) is float else _full(value).decode("utf-8")


def number(value: float) -> str:
    """Return the RFC 8785 form of one number.

    Raises:
        ValueError: NaN, infinity or an integer beyond 2^53 - 1.
    """
    if type(value) is int and -MAX_INTEGER <= value <= MAX_INTEGER:
        return str(value)
    if type(value) is float:
        if value == 0 or 1e-4 <= value < 1e15:
            whole = int(value)
            # repr and ECMAScript agree here, but for whole numbers.
            return str(whole) if whole == value else repr(value)
        if 1e-6 <= value < 1e-4:
            # ECMAScript has the digits of repr, without an exponent down to here.
            return f"{Decimal(repr(value)):f}"
    return _full(value).decode("utf-8")


def _full(value: Any) -> bytes:
    import rfc8785

    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        raise ValueError(f"no canonical JSON: {error}") from None


def _plain(container: Any) -> Any:
    """Return a dict or list with whole floats as integers, or say that it is not plain.

    A container is copied only where something changes in it, and the kinds are
    tested in the order of their frequency: this walk costs half of what the
    encoding costs, and every row of every run takes it.
    """
    changed = None
    if type(container) is dict:
        for key in container:
            # The first is enough: with others of another type the sort breaks.
            if type(key) is not str:
                raise _NotPlainError
            break
    for key, item in container.items() if type(container) is dict else enumerate(container):
        kind = type(item)
        if kind is str:
            continue
        if kind is dict or kind is list:
            new = _plain(item) if item else item
            if new is item:
                continue
        elif kind is float:
            # repr and ECMAScript agree between 1e-4 and 1e16, but for whole numbers.
            if not -1e15 < item < 1e15:
                raise _NotPlainError
            new = int(item)
            if new != item:
                if -1e-4 < item < 1e-4:
                    raise _NotPlainError
                continue
        elif kind is int:
            if -MAX_INTEGER <= item <= MAX_INTEGER:
                continue
            raise _NotPlainError
        elif item is None or kind is bool:
            continue
        elif kind is tuple:
            new = _plain(list(item))
        else:
            raise _NotPlainError
        if changed is None:
            changed = container.copy()
        changed[key] = new
    return container if changed is None else changed


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of ``data`` as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: JSON) -> str:
    """Return the SHA-256 of the canonical form of ``value``."""
    return sha256_hex(canonical(value))


def ascii_json(value: JSON) -> str:
    """Return one line of pure ASCII JSON with sorted keys.

    For text that crosses processes: a lone surrogate in an unescaped string
    cannot be sent and kills an xdist worker.
    """
    return _ENCODE_ASCII(value)
