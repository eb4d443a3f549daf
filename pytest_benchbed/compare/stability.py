"""What changed in one case, by whatever its type calls *worse*.

Three sources of *worse* exist: a new error (the default), a metric that falls
by more than its tolerance, and a type's own ``is_worse``. Each says which
repeats of the old code agree (the case is stable), and whether the candidate
is worse than all of them (the case is a suspect). The item, the gate, the
buckets and the review brief all ask here, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.compare.judge import declined
from pytest_benchbed.compare.pair import ErrorKey
from pytest_benchbed.compare.pair import ErrorSet
from pytest_benchbed.compare.pair import error_set
from pytest_benchbed.compare.pair import pair
from pytest_benchbed.compare.values import is_worse_value
from pytest_benchbed.compare.values import spreads
from pytest_benchbed.compare.values import ten_thousandths
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import Metric
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import TechnicalFailure

NOTHING: ErrorSet = frozenset()


@dataclass(frozen=True, slots=True)
class Change:
    """What one case did between the old code and the candidate, under one profile."""

    new: ErrorSet = NOTHING
    """Errors in no run of the old code, and what stands for a fall: kind ``worse``."""

    gone: ErrorSet = NOTHING
    """Errors of the baseline that the candidate has not."""

    is_worse: bool = False
    """Worse than the baseline, whatever the controls say: a regression."""

    is_better: bool = False
    """The baseline is worse than the candidate: a fix."""

    is_unstable: bool = False
    """Runs of the old code differ among themselves."""

    is_suspect: bool = False
    """Stable, and worse than every run of the old code."""


UNCHANGED = Change()


def change_of(
    row: Row, baseline: Row, controls: Sequence[Row], *, profile: str, judge: Judge
) -> Change:
    """Compare one case's row with those of the old code.

    All rows are scored and of equal key. Without controls every case is stable.

    Raises:
        TechnicalFailure: the type's ``is_worse`` raised.
    """
    old = [baseline, *controls]
    errors = row["errors"][profile]
    # Nearly every case of nearly every run ends here; no set is built for it.
    if all(other["errors"][profile] == errors for other in old):
        if not (judge.tolerance or judge.has_own_is_worse):
            return UNCHANGED
        metrics = _metrics(row, profile)
        if all(_metrics(other, profile) == metrics for other in old):
            return UNCHANGED
    change = (
        _by_own_rule(row, old, profile, judge)
        if judge.has_own_is_worse
        else _by_errors(row, old, profile)
    )
    return _with_tolerances(change, row, old, profile, judge) if judge.tolerance else change


def is_worse_than(row: Row, other: Row, *, profile: str, judge: Judge) -> bool:
    """Say whether one row is worse than another of the same case (a regression, not yet noise)."""
    return change_of(row, other, (), profile=profile, judge=judge).is_worse


def _by_errors(row: Row, old: Sequence[Row], profile: str) -> Change:
    baseline, *controls = (error_set(other["errors"][profile]) for other in old)
    paired = pair(error_set(row["errors"][profile]), baseline, controls)
    return Change(
        new=paired.new,
        gone=paired.gone,
        is_worse=bool(paired.regressed),
        is_better=bool(paired.gone),
        is_unstable=paired.is_unstable,
        is_suspect=bool(paired.new) and not paired.is_unstable,
    )


def _by_own_rule(row: Row, old: Sequence[Row], profile: str, judge: Judge) -> Change:
    is_worse = _asker(profile, judge)
    is_unstable = any(is_worse(one, two) for one, two in permutations(old, 2))
    beats_none = all(is_worse(row, other) for other in old)
    sets = [error_set(other["errors"][profile]) for other in old]
    mine = error_set(row["errors"][profile])
    new = mine.difference(*sets)
    if beats_none and not new:
        new = frozenset([_fall()])
    return Change(
        new=new,
        gone=sets[0] - mine,
        is_worse=is_worse(row, old[0]),
        is_better=is_worse(old[0], row),
        is_unstable=is_unstable,
        is_suspect=beats_none and not is_unstable,
    )


def _asker(profile: str, judge: Judge) -> Callable[[Row, Row], bool]:
    """Return the type's ``is_worse`` over rows; it is asked about answered cases only."""
    scores: dict[int, ProfileScore] = {}

    def score(row: Row) -> ProfileScore:
        if id(row) not in scores:
            errors = [Error.from_json(error) for error in row["errors"][profile]]
            scores[id(row)] = ProfileScore(errors, _metrics(row, profile))
        return scores[id(row)]

    def is_worse(one: Row, two: Row) -> bool:
        if declined(one, profile):
            return not declined(two, profile)
        if declined(two, profile):
            return False
        try:
            return bool(judge.is_worse(profile, score(one), score(two)))
        except Exception as error:
            raise TechnicalFailure(
                "is_worse", repr(error), where=f"case {one['case']}, {profile}", whose="scorer"
            ) from error

    return is_worse


def _with_tolerances(
    change: Change, row: Row, old: Sequence[Row], profile: str, judge: Judge
) -> Change:
    """Add what the metrics say: a type with errors and tolerances is a suspect by either."""
    is_unstable = change.is_unstable
    is_worse, is_better = change.is_worse, change.is_better
    fallen: list[ErrorKey] = []
    for metric, allowed in judge.tolerance.items():
        tolerance = ten_thousandths(allowed) or 0
        lower = metric in judge.lower_is_better
        value = ten_thousandths(_metrics(row, profile).get(metric))
        others = [ten_thousandths(_metrics(other, profile).get(metric)) for other in old]
        falls = [is_worse_value(value, other, tolerance, lower=lower) for other in others]
        is_unstable = is_unstable or spreads(others, tolerance)
        is_worse = is_worse or falls[0]
        is_better = is_better or is_worse_value(others[0], value, tolerance, lower=lower)
        if all(falls):
            fallen.append(_fall(metric))
    return Change(
        new=change.new.union(fallen),
        gone=change.gone,
        is_worse=is_worse,
        is_better=is_better,
        is_unstable=is_unstable,
        is_suspect=(change.is_suspect or bool(fallen)) and not is_unstable,
    )


def _metrics(row: Row, profile: str) -> Mapping[str, Metric]:
    metrics: Mapping[str, Metric] = row["metrics"].get(profile, {})
    return metrics


def _fall(metric: str | None = None) -> ErrorKey:
    """Return the stand-in for a loss that is no error: it names the metric, if one fell."""
    return "worse", () if metric is None else (("metric", metric),)
