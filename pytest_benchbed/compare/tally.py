"""What the cases of one comparison show: who is a suspect, who is unstable, who moved.

A suspect is a stable case that is worse than in every run of the old code. The
same question put to each run of the old code, against the others, tells how
many suspects no change at all makes: the allowance rests on these counts.

Cases of one group (one document, one site) fail together. Where cases have
groups, suspects are counted by group, and so is what moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.compare.pair import ErrorSet
from pytest_benchbed.compare.stability import UNCHANGED
from pytest_benchbed.compare.stability import change_of
from pytest_benchbed.model.errors import TechnicalFailure

Differing = Iterable[tuple[str, Row, Sequence[Row]]]
"""Case, its row, and the rows of the old code, the baseline's first."""

Groups = Mapping[str, str]
"""Case to its group; a case without one stands for itself."""


@dataclass(frozen=True, slots=True)
class Suspected:
    """A stable case that is worse than in every run of the old code."""

    case: str
    new: ErrorSet
    row: Row
    old: Sequence[Row]
    is_target: bool
    """A target without an error whose metric fell: it is never asked again."""


@dataclass
class Tally:
    """What the compared cases show under one profile; lists in the order of the cases."""

    suspects: list[Suspected] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)
    worse: int = 0
    """Cases (groups) with a regression and no fix."""
    better: int = 0
    mixed: int = 0
    """Cases with both; groups in which as much got worse as better."""
    failures: list[TechnicalFailure] = field(default_factory=list)
    """Of the type's ``is_worse``."""
    disagreeing: list[tuple[str, Sequence[Row]]] = field(default_factory=list, repr=False)
    """The unstable cases with their rows of the old code."""


def tally(
    differing: Differing,
    *,
    profile: str,
    judge: Judge,
    targets: Collection[str] = (),
    groups: Groups | None = None,
) -> Tally:
    """Go through the cases that may have changed.

    Args:
        differing: all scored and of equal key; cases that did not change may be left out.
        profile: one of the benchmark's.
        judge: the benchmark type.
        targets: cases that must be right. One with an error fails as a target
            and is no suspect.
        groups: the group of each case that has one; None or empty: cases count one by one.
    """
    found = Tally()
    moved: dict[str, list[int]] = {}
    for case, row, old in differing:
        try:
            change = change_of(row, old, profile=profile, judge=judge)
        except TechnicalFailure as failure:
            found.failures.append(failure)
            continue
        if change is UNCHANGED:
            continue
        if change.is_worse or change.is_better:
            step = int(change.is_worse) - int(change.is_better)
            moved.setdefault(cluster(case, groups), []).append(step)
        if change.is_unstable:
            found.unstable.append(case)
            found.disagreeing.append((case, old))
        elif change.is_suspect and (case not in targets or not row["errors"][profile]):
            suspect = Suspected(case, change.new, row, old, is_target=case in targets)
            found.suspects.append(suspect)
    for steps in moved.values():
        total = sum(steps)
        found.worse += total > 0
        found.better += total < 0
        found.mixed += total == 0
    return found


def cluster(case: str, groups: Groups | None) -> str:
    """Return what the case is counted as: its group, or itself.

    A group may bear the name of a case: they are kept apart.
    """
    group = groups.get(case) if groups else None
    return f"case {case}" if group is None else f"group {group}"


def clusters(cases: Iterable[str], groups: Groups | None = None) -> int:
    """Return how many clusters have at least one of these cases."""
    if not groups:
        return len(set(cases))
    return len({cluster(case, groups) for case in cases})


def suspects_of_old(
    found: Tally,
    runs: int,
    *,
    profile: str,
    judge: Judge,
    targets: Collection[str] = (),
    groups: Groups | None = None,
) -> list[int] | None:
    """Return the suspects of each run of the old code, taken as the candidate against the others.

    Stable are the cases in which the others agree; so only cases that are
    unstable among all can be suspects of one. None of a single run.

    Args:
        found: the tally of the candidate.
        runs: K + 1.
        profile: as for :func:`tally`.
        judge: as for :func:`tally`; one that breaks here is added to ``failures``.
        targets: as for :func:`tally`.
        groups: as for :func:`tally`.
    """
    if runs < 2:
        return None
    counts: list[Counter[str]] = [Counter() for _ in range(runs)]
    for case, old in found.disagreeing:
        for place, row in enumerate(old):
            if case in targets and row["errors"][profile]:
                continue
            others = [*old[:place], *old[place + 1 :]]
            try:
                change = change_of(row, others, profile=profile, judge=judge)
            except TechnicalFailure as failure:
                found.failures.append(failure)
                continue
            if change.is_suspect:
                counts[place][cluster(case, groups)] += 1
    return [len(counted) for counted in counts]
