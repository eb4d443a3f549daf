"""The bucket of a case in report, brief and terminal: what a reader looks at first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pytest_benchbed.compare.coverage import difference
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.compare.stability import change_of
from pytest_benchbed.model.errors import TechnicalFailure

Bucket = Literal["technical", "skipped", "noisy", "worse", "better", "remaining", "unchanged"]
BUCKETS: tuple[Bucket, ...] = (
    "technical", "skipped", "noisy", "worse", "better", "remaining", "unchanged",
)  # fmt: skip
"""In order of precedence."""

_ERRORS_DECIDE = ErrorsDecide()


def bucket(
    row: Row,
    baseline_row: Row | None,
    control_rows: Sequence[Row] = (),
    *,
    profile: str,
    judge: Judge = _ERRORS_DECIDE,
    is_wobbled: bool = False,
) -> Bucket:
    """Return the first bucket that fits, under the gate profile.

    technical, skipped, noisy (unstable and changed, or a suspect that a re-ask
    cleared), worse (new error), better (fixed, nothing new), remaining (errors,
    all known), unchanged (no error).
    Without a comparable baseline row a case with errors is ``remaining``: a
    case of another key is not compared, only shown. A type whose ``is_worse``
    raises makes its case ``technical``.
    """
    if row["state"] == "technical":
        return "technical"
    if row["state"] == "skipped":
        return "skipped"
    left: Bucket = "remaining" if row["errors"].get(profile) else "unchanged"
    old = [other for other in (baseline_row, *control_rows) if other is not None]
    if baseline_row is None or not all(_is_comparable(row, other, profile) for other in old):
        return left
    try:
        change = change_of(row, old, profile=profile, judge=judge)
    except TechnicalFailure:
        return "technical"
    if not (change.is_worse or change.is_better):
        return left
    if change.is_unstable or is_wobbled:
        return "noisy"
    return "worse" if change.is_worse else "better"


def _is_comparable(row: Row, other: Row, profile: str) -> bool:
    return (
        other["state"] == "scored"
        and profile in row["errors"]
        and profile in other["errors"]
        and not difference(row, other, profile)
    )
