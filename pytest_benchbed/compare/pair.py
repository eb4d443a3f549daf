"""Pair the errors of one case under one profile: sets in, what is new and gone out.

This is all that a type needs which declares neither tolerances nor a *worse*
of its own; :mod:`~pytest_benchbed.compare.stability` adds those. Errors compare
by identity, that is kind and place, never by text: a mistake worded another
way is the same mistake (ENV-055 to ENV-059).
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchbed.model.canonical import canonical

ErrorKey = tuple[str, tuple[tuple[str, Any], ...]]
"""An error's identity: its kind, and its place by name with lists as tuples."""

ErrorSet = frozenset[ErrorKey]


@dataclass(frozen=True, slots=True)
class Paired:
    """What changed in one case under one profile."""

    new: ErrorSet
    """Errors of the candidate that no run of the old code has."""

    regressed: ErrorSet
    """Errors of the candidate that the baseline has not; ``new`` and more."""

    gone: ErrorSet
    """Errors of the baseline that the candidate has not."""

    is_unstable: bool
    """Runs of the same code differ: what is new is reported, not gated."""


def pair(candidate: ErrorSet, baseline: ErrorSet, controls: Sequence[ErrorSet]) -> Paired:
    """Compare one case; ``controls`` may be empty, their order is of no matter.

    Without controls nothing is unstable: that noise was not looked for is for
    the verdict to print, no reason to excuse an error.
    """
    return Paired(
        new=candidate.difference(baseline, *controls),
        regressed=candidate - baseline,
        gone=baseline - candidate,
        # An error that only vanished counts too: what heals by itself breaks by itself.
        is_unstable=any(control != baseline for control in controls),
    )


def error_set(errors: Iterable[Mapping[str, Any]]) -> ErrorSet:
    """Return the identities of errors in their JSON form; doubles collapse.

    Equal exactly when their canonical JSON is equal, at a tenth of its price,
    which a run of 10,000 cases and four profiles pays in full.
    """
    return frozenset([_identity(error) for error in errors])


def _identity(error: Mapping[str, Any]) -> ErrorKey:
    place = [
        (name, tuple(value) if type(value) is list else value)
        for name, value in error["where"].items()
    ]
    place.sort()
    return error["kind"], tuple(place)


def errors_json(errors: Iterable[ErrorKey]) -> list[dict[str, Any]]:
    """Return ``[{kind, where}]`` sorted by canonical form: the same bytes in any order."""
    rows = [
        {
            "kind": kind,
            "where": {
                name: list(value) if isinstance(value, tuple) else value for name, value in place
            },
        }
        for kind, place in errors
    ]
    return sorted(rows, key=canonical)
