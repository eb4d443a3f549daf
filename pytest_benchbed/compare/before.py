"""What is known before the first call: the rule, and how often a suspect is asked again."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.compare.outcome import is_comparable
from pytest_benchbed.compare.rules import ChosenRule
from pytest_benchbed.compare.rules import automatic_rule
from pytest_benchbed.compare.ruling import noise_of
from pytest_benchbed.compare.tally import Groups
from pytest_benchbed.compare.tally import suspects_of_old
from pytest_benchbed.compare.tally import tally


class Rechecking(NamedTuple):
    """By what rule suspects are judged."""

    rule: str
    """``strict``, ``confirm`` or ``allowance``."""
    rechecks: int
    """r: how often a suspect is asked again at most."""
    allowed: int | None
    """Suspects (groups with one) above which none is asked again; None: no limit."""


def rechecking(
    chosen: ChosenRule,
    old: Sequence[Mapping[str, Row]],
    cases: Iterable[str],
    *,
    is_deterministic: bool,
    profile: str,
    judge: Judge,
    targets: Collection[str] = (),
    groups: Groups | None = None,
) -> Rechecking:
    """Return the rule for a run that is yet to be made.

    The verdict counts the unstable cases once more, over those that were compared
    then; of a whole run these are the same.

    Args:
        chosen: what was asked for.
        old: rows of the runs of the old code by case, the baseline's first.
        cases: the scope.
        is_deterministic: what the system declares.
        profile: the one that decides.
        judge: the benchmark type.
        targets: cases that must be right.
        groups: the group of each case that has one.
    """
    found = tally(
        _differing(old, cases, profile, judge), profile=profile, judge=judge, groups=groups
    )
    rule = chosen.name
    if rule == "auto":
        rule = automatic_rule(is_deterministic, len(found.unstable)).name
    counts = suspects_of_old(
        found, len(old), profile=profile, judge=judge, targets=targets, groups=groups
    )
    noise = noise_of(rule, len(found.unstable), len(old) - 1, counts)
    return Rechecking(rule, noise.rechecks, noise.allowed)


def _differing(
    old: Sequence[Mapping[str, Row]], cases: Iterable[str], profile: str, judge: Judge
) -> Iterator[tuple[str, Row, list[Row]]]:
    """Yield the cases in which the old code may disagree with itself."""
    is_by_value = bool(judge.tolerance) or judge.has_own_is_worse
    for case in cases:
        rows = [run[case] for run in old if case in run]
        if len(rows) < len(old) or not all(is_comparable(rows[0], row, profile) for row in rows):
            continue
        if is_by_value or any(row["errors"][profile] for row in rows):
            yield case, rows[0], rows
