"""Canonical JSON (RFC 8785) and the digests made of it.

:func:`canonical` gives the bytes that every digest, identity and sorted file
of this project is made of. Plain values take a fast way through the standard
encoder, whose output is equal to RFC 8785 for them; all others (floats with an
exponent, keys outside ASCII) go through the ``rfc8785`` package, which is also
the oracle in the tests.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

JSON = Any
"""A JSON value: None, bool, int, float, str, list or dict with str keys."""

MAX_INTEGER = 2**53 - 1


class _NotPlainError(Exception):
    """The value needs the full RFC 8785 encoder."""


_ENCODE = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"), check_circular=False
).encode


def canonical(value: JSON) -> bytes:
    """Return the RFC 8785 form of ``value`` as UTF-8.

    ``1.0`` is written ``1``; keys sort by UTF-16 unit; Unicode is not normalised.

    Raises:
        ValueError: NaN, infinity, an integer beyond 2^53 - 1, a lone surrogate,
            a key that is no string, or a value that is no JSON.
    """
    try:
        return _ENCODE(_plain(value)).encode("utf-8")
    except _NotPlainError:
        pass
    import rfc8785

    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        raise ValueError(f"no canonical JSON: {error}") from None


def _plain(value: Any) -> Any:
    """Copy ``value`` with whole floats as integers, or say that it is not plain."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int:
        if -MAX_INTEGER <= value <= MAX_INTEGER:
            return value
        raise _NotPlainError
    if kind is float:
        # repr and ECMAScript agree between 1e-4 and 1e16, but for whole numbers.
        if value == int(value) if -1e15 < value < 1e15 else False:
            return int(value)
        if 1e-4 <= abs(value) < 1e15:
            return value
        raise _NotPlainError
    if kind is dict:
        plain = {}
        for key, item in value.items():
            if type(key) is not str or not key.isascii():
                raise _NotPlainError
            plain[key] = _plain(item)
        return plain
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]
    raise _NotPlainError


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
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))
