"""What runs of the old code show among themselves, before the candidate is asked.

The session has to know r and the allowance before its first re-ask. The verdict
works them out again over the cases it could compare; these can only be fewer, so
what it needs is never more than what was asked for.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence

from pytest_benchbed.compare.coverage import cover
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.rules import automatic_rule
from pytest_benchbed.compare.ruling import Noise
from pytest_benchbed.compare.ruling import noise_of
from pytest_benchbed.compare.tally import Groups
from pytest_benchbed.compare.tally import Tally
from pytest_benchbed.compare.tally import suspects_of_old
from pytest_benchbed.compare.tally import tally


def noise_before(
    rule: str,
    baseline: RunFacts,
    controls: Sequence[RunFacts],
    *,
    profile: str,
    judge: Judge,
    is_deterministic: bool,
    cases: Collection[str] | None = None,
    targets: Collection[str] = (),
    groups: Groups | None = None,
) -> tuple[str, Noise]:
    """Return the rule that will decide, and the noise it works with.

    Args:
        rule: ``strict``, ``confirm``, ``allowance`` or ``auto``.
        baseline: the baseline.
        controls: its controls, in any order; all comparable with it.
        profile: the gate profile.
        judge: the benchmark type.
        is_deterministic: what the system declares; ``auto`` asks.
        cases: those that were selected; None: all.
        targets: cases that must be right.
        groups: the group of each case that has one.

    Raises:
        TechnicalFailure: the type's ``is_worse`` raised.
    """
    ordered = sorted(controls, key=lambda control: control.id)
    found = compared(baseline, baseline, ordered, profile, judge, groups)
    if cases is not None:
        selected = frozenset(cases)
        found.unstable = [case for case in found.unstable if case in selected]
        found.disagreeing = [one for one in found.disagreeing if one[0] in selected]
    if rule == "auto":
        rule = automatic_rule(is_deterministic, len(found.unstable)).name
    seen = noise_seen(
        rule, found, len(ordered), profile=profile, judge=judge, targets=targets, groups=groups
    )
    check_sound(found)
    return rule, seen


def compared(
    candidate: RunFacts,
    baseline: RunFacts,
    controls: Sequence[RunFacts],
    profile: str,
    judge: Judge,
    groups: Groups | None,
) -> Tally:
    """Return the tally of a run of the old code against others; targets are no matter.

    Raises:
        TechnicalFailure: the type's ``is_worse`` raised.
    """
    is_by_value = bool(judge.tolerance) or judge.has_own_is_worse
    covered = cover(candidate, baseline, controls, profile, is_by_value=is_by_value)
    found = tally(covered.differing, profile=profile, judge=judge, groups=groups)
    check_sound(found)
    return found


def noise_seen(
    rule: str,
    found: Tally,
    controls: int,
    *,
    profile: str,
    judge: Judge,
    targets: Collection[str] = (),
    groups: Groups | None = None,
) -> Noise:
    """Return the noise of a tally with that many controls, for a rule.

    What the type's ``is_worse`` raises meanwhile is among ``found.failures`` afterwards.
    """
    counts = None
    if rule != "strict":
        counts = suspects_of_old(
            found, controls + 1, profile=profile, judge=judge, targets=targets, groups=groups
        )
    return noise_of(rule, len(found.unstable), controls, counts)


def check_sound(found: Tally) -> None:
    """Raise the first failure of a tally.

    Raises:
        TechnicalFailure: the type's ``is_worse`` raised.
    """
    for failure in found.failures:
        raise failure
