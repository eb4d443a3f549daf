"""Numbers, names and shares as they stand in verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence

from pytest_benchbed.model.escape import term

MAX_NAMES = 5


def count(number: int, noun: str) -> str:
    """Return ``1 case``, ``2 cases``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def names(ids: Sequence[str]) -> str:
    """Return case ids in brackets, the first five and how many more."""
    more = len(ids) - MAX_NAMES
    rest = f", and {more} more" if more > 0 else ""
    return f"({', '.join(ids[:MAX_NAMES])}{rest})"


def percent(share: float) -> str:
    """Return a share in [0, 1] with one digit below 10 %, none above; 0 only for nothing.

    >>> percent(0.0259), percent(0.259)
    ('2.6 %', '26 %')
    """
    value = share * 100
    if value == 0:
        return "0 %"
    if value < 0.05:
        return "below 0.1 %"
    return f"{value:.1f} %" if round(value, 1) < 10 else f"{value:.0f} %"


def scope_text(scope: Mapping[str, Sequence[str]]) -> str:
    """Return a scope as it is typed: ``tag=red tag=blue suite=s1``; "" for the whole dataset.

    >>> scope_text({"tag": ["red", "blue"]})
    'tag=red tag=blue'
    """
    return " ".join(term(f"{key}={value}", 60) for key in sorted(scope) for value in scope[key])


def age(seconds: float) -> str:
    """Return an age in the largest whole unit: ``3 d``, ``5 h``, ``20 min``.

    Negative: the run began later than the one it is compared with.
    """
    size = abs(seconds)
    text = f"{size // 60:.0f} min"
    if size >= 86_400:
        text = f"{size // 86_400:.0f} d"
    elif size >= 3_600:
        text = f"{size // 3_600:.0f} h"
    return f"{text} later" if seconds < 0 else text
