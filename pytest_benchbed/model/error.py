"""Errors and profile scores: what a benchmark type says about one prediction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pytest_benchbed.model.canonical import canonical

Metric = float | int | None | tuple[int, int]
"""A number, null (nothing to measure), or a pair of numerator and denominator."""


class Error:
    """One mistake in one case, comparable between runs.

    Identity is ``kind`` and ``where`` alone (ENV-008): the same mistake in two
    runs is equal even if what was got differs. ``expected``, ``got`` and
    ``note`` are detail for the reader.
    """

    __slots__ = ("expected", "got", "key", "kind", "note", "where")

    kind: str
    """A stable word such as ``merged`` or ``missing``."""
    where: Mapping[str, str | int | list[str | int]]
    """Ids, keys and positions. No float and no free text."""
    expected: Any
    got: Any
    note: str
    key: str
    """Canonical JSON of ``kind`` and ``where``: the identity."""

    def __init__(
        self,
        kind: str,
        where: Mapping[str, str | int | list[str | int]] | None = None,
        expected: Any = None,
        got: Any = None,
        note: str = "",
    ) -> None:
        """Build an error.

        Raises:
            TypeError: ``kind`` is no text, or ``where`` holds a float, a bool
                or anything nested deeper than one list.
        """
        place = dict(where or {})
        if not isinstance(kind, str) or not kind:
            raise TypeError(f"the kind of an error must be text, not {kind!r}")
        for name, value in place.items():
            parts = value if isinstance(value, (list, tuple)) else [value]
            if not isinstance(name, str) or any(type(part) not in (str, int) for part in parts):
                raise TypeError(
                    f"where[{name!r}] of error {kind!r} must be text, a whole number or a list "
                    f"of them, not {_kind(value)}"
                )
        put = object.__setattr__
        put(self, "kind", kind)
        put(self, "where", place)
        put(self, "expected", expected)
        put(self, "got", got)
        put(self, "note", note)
        put(self, "key", canonical({"kind": kind, "where": place}).decode("utf-8"))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"an Error is frozen; {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Error is frozen; {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Error) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        place = ", ".join(f"{name}={value!r}" for name, value in self.where.items())
        return f"Error({self.kind!r}, {place})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Error, (self.kind, self.where, self.expected, self.got, self.note)

    def to_json(self) -> dict[str, Any]:
        """Return ``{kind, where, expected?, got?, note?}``; empty detail is left out."""
        row: dict[str, Any] = {"kind": self.kind, "where": dict(self.where)}
        if self.expected is not None:
            row["expected"] = self.expected
        if self.got is not None:
            row["got"] = self.got
        if self.note:
            row["note"] = self.note
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Error:
        """Read what :meth:`to_json` wrote (``TypeError`` or ``KeyError`` if it is not that)."""
        return cls(
            row["kind"], row["where"], row.get("expected"), row.get("got"), row.get("note", "")
        )


def error_key(row: Mapping[str, Any]) -> str:
    """Return the identity of an error in its JSON form, without building an :class:`Error`."""
    return canonical({"kind": row["kind"], "where": row["where"]}).decode("utf-8")


class ProfileScore:
    """Errors and metrics of one prediction under one profile.

    ``errors`` is a set by identity; the order of first sight is kept for
    printing. A ratio over nothing is None, never 0 or 1.
    """

    __slots__ = ("errors", "metrics")

    errors: tuple[Error, ...]
    metrics: Mapping[str, Metric]

    def __init__(
        self, errors: Sequence[Error] = (), metrics: Mapping[str, Metric] | None = None
    ) -> None:
        """Keep distinct errors and checked metrics.

        Raises:
            TypeError: an error that is no :class:`Error`, or a metric that is
                neither a number, None nor a pair of whole numbers.
            ValueError: a metric that is NaN or infinite.
        """
        for error in errors:
            if not isinstance(error, Error):
                raise TypeError(f"errors must be Error values, not {type(error).__name__}")
        checked = {name: _metric(name, value) for name, value in (metrics or {}).items()}
        object.__setattr__(self, "errors", tuple(dict.fromkeys(errors)))
        object.__setattr__(self, "metrics", checked)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a ProfileScore is frozen; {name!r} cannot be set")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProfileScore):
            return NotImplemented
        return set(self.errors) == set(other.errors) and self.metrics == other.metrics

    def __hash__(self) -> int:
        return hash(frozenset(self.errors))

    def __repr__(self) -> str:
        return f"ProfileScore(errors={list(self.errors)!r}, metrics={dict(self.metrics)!r})"

    @property
    def keys(self) -> frozenset[str]:
        """The identities of the errors."""
        return frozenset(error.key for error in self.errors)

    def metrics_json(self) -> dict[str, Any]:
        """Return the metrics with pairs as two-element lists."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.metrics.items()
        }


def _kind(value: Any) -> str:
    """Name what stands where no such thing may; the value itself may be of an answer."""
    nested = [part for part in value if type(part) not in (str, int)] if _is_list(value) else []
    return f"a list with a {type(nested[0]).__name__}" if nested else f"a {type(value).__name__}"


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _metric(name: str, value: Any) -> Metric:
    if value is None or type(value) is int:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"metric {name!r} is {value!r}; use None for a ratio over nothing")
        return float(value)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        top, bottom = value
        if type(top) is int and type(bottom) is int and bottom >= 0:
            return (top, bottom)
    raise TypeError(
        f"metric {name!r} must be a number, None or a pair (numerator, denominator), not {value!r}"
    )
