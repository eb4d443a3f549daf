"""Secrets taken out of text before it is written anywhere.

The values an adapter was given by name are replaced by ``[NAME]``, also where
they stand base64- or URL-encoded or escaped in JSON. Patterns of well-known
keys are a second net for logs and messages. Standard library only: the
supervisor process imports it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pytest_benchbed.model.errors import UsageProblem

SHORTEST_SECRET = 6

_KEYS = re.compile(
    rb"\b(?:sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|gh[oprsu]_[A-Za-z0-9]{20,})"
    rb"|(?<=Bearer )[A-Za-z0-9._~+/-]{16,}=*"
)
_KEY_MARK = b"[secret]"


class Redactor:
    """Replaces the values of declared variables by their names.

    ``values`` maps a name to its value.

    Raises:
        UsageProblem: a value shorter than 6 characters. Replacing so short a
            text everywhere would make logs unreadable and hide nothing.
    """

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.values = dict(values or {})
        marks: dict[bytes, bytes] = {}
        for name, value in self.values.items():
            if len(value) < SHORTEST_SECRET:
                raise UsageProblem(
                    f"the environment variable {name} has a value of {len(value)} characters: "
                    f"too short to be kept out of logs and reports.\n"
                    "If it is no secret, hand it over by --bench-adapter-option instead."
                )
            for form in _forms(value):
                marks.setdefault(form, f"[{name}]".encode())
        self._marks = marks
        self.longest = max(map(len, marks), default=0)
        """Bytes of the longest form that is searched for."""
        longest_first = sorted(marks, key=len, reverse=True)
        self._known = (
            re.compile(b"|".join(re.escape(form) for form in longest_first)) if marks else None
        )

    def data(self, data: bytes) -> bytes:
        """Return output of a process without the values and without what looks like a key."""
        return _KEYS.sub(_KEY_MARK, self.known(data))

    def known(self, data: bytes) -> bytes:
        """Return data without the values; what only looks like a key may be of a document."""
        if self._known is None:
            return data
        return self._known.sub(lambda match: self._marks[match.group()], data)

    def text(self, text: str) -> str:
        """Return a message without the values and without what looks like a key."""
        encoded = text.encode("utf-8", "surrogatepass")
        return self.data(encoded).decode("utf-8", "surrogatepass")

    def value(self, value: Any) -> Any:
        """Return a prediction without the values, in its strings and keys.

        Patterns are not applied: a prediction may hold any text of a document.
        """
        return self._walk(value) if self._known else value

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            assert self._known is not None
            encoded = value.encode("utf-8", "surrogatepass")
            found = self._known.sub(lambda match: self._marks[match.group()], encoded)
            return found.decode("utf-8", "surrogatepass")
        if isinstance(value, list):
            return [self._walk(item) for item in value]
        if isinstance(value, dict):
            return {self._walk(key): self._walk(item) for key, item in value.items()}
        return value

    def safe_end(self, data: bytes, end: int) -> int:
        """Return the nearest place, not before ``end``, where ``data`` can be cut.

        A value that stands across ``end`` is kept in one piece.
        """
        if self._known:
            for match in self._known.finditer(data):
                if match.start() < end < match.end():
                    return match.end()
                if match.start() >= end:
                    break
        return end


def _forms(value: str) -> Iterator[bytes]:
    """Yield the spellings of one secret."""
    import json
    from urllib.parse import quote
    from urllib.parse import quote_plus

    raw = value.encode("utf-8", "surrogateescape")
    yield raw
    yield json.dumps(value)[1:-1].encode()
    yield json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "surrogateescape")
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield quoted.encode()
        yield re.sub(r"%..", lambda match: match.group().lower(), quoted).encode()
    yield from _base64_forms(raw)


def _base64_forms(raw: bytes) -> Iterator[bytes]:
    """Yield what base64 makes of ``raw``, alone and inside a longer text.

    Three characters stand for four bytes, so inside a longer text (such as
    ``user:password``) there are three forms, without the characters at the
    ends that depend on the neighbours.
    """
    import base64

    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(raw)
        yield whole
        yield whole.rstrip(b"=")
        for before in range(3):
            first = (0, 2, 3)[before]
            last = (before + len(raw)) * 8 // 6
            core = encode(b"\0" * before + raw)[first:last]
            if len(core) >= SHORTEST_SECRET:
                yield core
