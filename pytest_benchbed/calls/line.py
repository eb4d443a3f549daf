"""One line of ``calls.jsonl``: canonical JSON that carries its own SHA-256."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from datetime import UTC
from datetime import datetime
from typing import Any

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.canonical import sha256_hex
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

Line = dict[str, Any]
"""One record with all keys of the format."""

KINDS = ("intent", "outcome")
STATES = ("ok", "no-answer", "technical", "unsupported")
_MARK = b',"sha256":"%s"' % (b"0" * 64)
_SEAL = re.compile(rb',"sha256":"[0-9a-f]{64}"')


def utc_now() -> str:
    """Return the time as UTC RFC 3339 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def raw_fields(raw: str | None) -> dict[str, Any]:
    """Return ``raw`` for a record, in base64 (``raw_base64``) if it is no plain text.

    Bytes that are not UTF-8 arrive as lone surrogates (``surrogateescape``).
    """
    if raw is None or ("\x00" not in raw and not _has_surrogate(raw)):
        return {"raw": raw}
    try:
        data = raw.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = raw.encode("utf-8", "surrogatepass")
    return {"raw": base64.b64encode(data).decode("ascii"), "raw_base64": True}


def _has_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def seal(row: Mapping[str, Any]) -> tuple[Line, bytes]:
    """Return the record with its ``sha256``, and its line."""
    text = canonical({**row, "sha256": "0" * 64})
    digest = sha256_hex(text.replace(_MARK, b"", 1))
    line = {**row, "sha256": digest}
    return line, text.replace(_MARK, b',"sha256":"%s"' % digest.encode(), 1) + b"\n"


class OutcomeForm:
    """Seals many outcomes that differ in their case, reply and request alone.

    The lines are equal to those of :func:`seal`, at a sixth of the price: a
    batch of 10,000 cases pays for each before its first item runs.
    """

    def __init__(self, common: Mapping[str, Any]) -> None:
        """``common``: every key of an outcome but ``case``, ``raw`` and ``request_sha256``."""
        self._common = common
        # The keys in canonical order, cut where something is put in.
        self._head = self._part("at", "attempt", "benchmark") + b',"case":'
        self._middle = b"," + self._part("context", "error", "kind", "latency_s", "queue_s")[1:]
        self._tail = b"," + self._part("slot", "state", "usage")[1:] + b"}\n"

    def _part(self, *names: str) -> bytes:
        return canonical({name: self._common[name] for name in names})[:-1]

    def seal(self, case: str, raw: str | None, request_sha256: str) -> bytes:
        """Return the line of one outcome."""
        fields = raw_fields(raw)
        if "raw_base64" in fields:
            row = {**self._common, **fields, "case": case, "request_sha256": request_sha256}
            return seal(row)[1]
        body = b'%b%b%b,"raw":%b,"request_sha256":"%b"' % (
            self._head,
            canonical(case),
            self._middle,
            canonical(raw),
            request_sha256.encode("ascii"),
        )
        digest = sha256_hex(body + self._tail[:-1]).encode("ascii")
        return b'%b,"sha256":"%b"%b' % (body, digest, self._tail)


def unseal(data: bytes) -> Line:
    """Read one line, with or without its end.

    Raises:
        MalformedJson: it is no JSON object.
        ValueError: it is no record, or differs from its ``sha256``.
    """
    row = read_json(data)
    if not isinstance(row, dict):
        raise MalformedJson("syntax", "a record is an object")
    # The first is the record's own: a quote inside a string has a backslash, and what
    # sorts before it (error) holds no object.
    text = data.rstrip(b"\n")
    found = _SEAL.search(text)
    body = text[: found.start()] + text[found.end() :] if found else text
    if row.get("sha256") != sha256_hex(body):
        raise ValueError("the line differs from its sha256")
    if row.get("kind") not in KINDS or not {"case", "context", "attempt"} <= row.keys():
        raise ValueError("the line is no record of a call")
    if row["kind"] == "outcome" and not (row.get("state") in STATES and "usage" in row):
        raise ValueError("the line is no outcome of a call")
    return row
