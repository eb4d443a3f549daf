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


def change_of(row: Row, old: Sequence[Row], *, profile: str, judge: Judge) -> Change:
    """Compare one case's row with those of the old code: the baseline's, then the controls'.

    All rows are scored and of equal key. Without controls every case is stable.

    Raises:
        TechnicalFailure: the type's ``is_worse`` raised.
    """
    errors = row["errors"][profile]
    # Nearly every case of nearly every run ends here; no set is built for it.
    for other in old:
        if other["errors"][profile] != errors:
            break
    else:
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


def moves(rows: Sequence[Row], *, profile: str, judge: Judge) -> list[tuple[int, int]]:
    """Return the pairs (i, j) in which row j of a case is worse than row i, and not better too."""
    own = _asker(profile, judge) if judge.has_own_is_worse else None
    sets = _error_sets(rows, profile)
    metrics = _measured(rows, profile, judge)

    def is_worse(one: int, two: int) -> bool:
        is_worse = own(rows[one], rows[two]) if own else bool(sets[one] - sets[two])
        return is_worse or any(metric.is_worse(one, two) for metric in metrics)

    pairs = permutations(range(len(rows)), 2)
    return [(one, two) for one, two in pairs if is_worse(two, one) and not is_worse(one, two)]


def _error_sets(rows: Sequence[Row], profile: str) -> list[ErrorSet]:
    """Return the error set of each row; equal lists, which most are, become a set once."""
    known: list[tuple[object, ErrorSet]] = []
    sets: list[ErrorSet] = []
    for row in rows:
        errors = row["errors"][profile]
        found = next((one for other, one in known if other == errors), None)
        if found is None:
            found = error_set(errors)
            known.append((errors, found))
        sets.append(found)
    return sets


def _by_errors(row: Row, old: Sequence[Row], profile: str) -> Change:
    mine, baseline, *controls = _error_sets([row, *old], profile)
    paired = pair(mine, baseline, controls)
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
    is_worst = all(is_worse(row, other) for other in old)
    mine, *sets = _error_sets([row, *old], profile)
    new = mine.difference(*sets)
    if is_worst and not new:
        new = frozenset([_fall()])
    return Change(
        new=new,
        gone=sets[0] - mine,
        is_worse=is_worse(row, old[0]),
        is_better=is_worse(old[0], row),
        is_unstable=is_unstable,
        is_suspect=is_worst and not is_unstable,
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
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # pytest.skip() and sys.exit() are no answer
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
    runs = range(1, len(old) + 1)
    for metric in _measured([row, *old], profile, judge):
        is_unstable = is_unstable or any(metric.is_worse(*two) for two in permutations(runs, 2))
        is_worse = is_worse or metric.is_worse(0, 1)
        is_better = is_better or metric.is_worse(1, 0)
        if all(metric.is_worse(0, run) for run in runs):
            fallen.append(_fall(metric.name))
    return Change(
        new=change.new.union(fallen),
        gone=change.gone,
        is_worse=is_worse,
        is_better=is_better,
        is_unstable=is_unstable,
        is_suspect=(change.is_suspect or bool(fallen)) and not is_unstable,
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    """One metric of several rows of a case, in ten-thousandths."""

    name: str
    tolerance: int
    lower_is_better: bool
    values: list[int | None]

    def is_worse(self, one: int, two: int) -> bool:
        value, other = self.values[one], self.values[two]
        return is_worse_value(value, other, self.tolerance, lower=self.lower_is_better)


def _measured(rows: Sequence[Row], profile: str, judge: Judge) -> list[_Measured]:
    return [
        _Measured(
            name,
            ten_thousandths(tolerance) or 0,
            name in judge.lower_is_better,
            [ten_thousandths(_metrics(row, profile).get(name)) for row in rows],
        )
        for name, tolerance in judge.tolerance.items()
    ]


def _metrics(row: Row, profile: str) -> Mapping[str, Metric]:
    metrics: Mapping[str, Metric] = row["metrics"].get(profile, {})
    return metrics


def _fall(metric: str | None = None) -> ErrorKey:
    """Return the stand-in for a loss that is no error: it names the metric, if one fell."""
    return "worse", () if metric is None else (("metric", metric),)
