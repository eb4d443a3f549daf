"""What a rule makes of the suspects: passed, failed, or not to be decided.

``strict`` fails on any suspect. ``confirm`` fails on one that was wrong in
every re-ask, or on more suspects than repeated runs of the old code show
against each other. ``allowance`` is the second half of that alone. Targets are
not asked about here: an error of theirs fails every rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pytest_benchbed.compare import noise
from pytest_benchbed.compare.confirm import CONFIRMED
from pytest_benchbed.compare.confirm import OPEN
from pytest_benchbed.compare.confirm import REGRESSION
from pytest_benchbed.compare.confirm import Confirmation
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.compare.tally import Groups
from pytest_benchbed.compare.tally import clusters

UNCONFIRMED = "unconfirmed"
NO_CONTROLS = "no controls"
OUT_OF_BUDGET = "budget"
"""First words of the reason of an undecided verdict."""

STRICT_OFFLINE = "strict: offline"
ADD_A_CONTROL = "add a control"


@dataclass(frozen=True, slots=True)
class Noise:
    """What the runs of the old code say, and what follows from it before the first call."""

    controls: int
    """K."""
    unstable: int
    """D."""
    flaky: Fraction | None
    """Estimated number of flaky cases; None without controls."""
    rechecks: int
    """r: re-asks per suspect; 0 under a rule that asks none again."""
    is_enough: bool
    """Whether r keeps false alarms as rare as wanted."""
    counts: Sequence[int] | None
    """Suspects of each run of the old code against the others."""
    allowed: int | None
    """Allowed suspects; None without controls, and under strict."""

    @property
    def expected(self) -> float | None:
        """Suspects to expect without a change (lambda), if there is an allowance."""
        return None if self.counts is None else float(noise.mean_suspects(self.counts))


def noise_of(rule: str, unstable: int, controls: int, counts: Sequence[int] | None = None) -> Noise:
    """Return the noise that a rule works with.

    Args:
        rule: ``strict``, ``confirm`` or ``allowance``.
        unstable: D.
        controls: K.
        counts: of :func:`~pytest_benchbed.compare.tally.suspects_of_old`; strict needs none.
    """
    rechecks, is_enough = noise.rechecks(unstable, controls) if rule == "confirm" else (0, True)
    used = None if rule == "strict" or not controls else counts
    return Noise(
        controls=controls,
        unstable=unstable,
        flaky=noise.flaky_estimate(unstable, controls),
        rechecks=rechecks,
        is_enough=is_enough,
        counts=used,
        allowed=None if used is None else noise.allowance(used),
    )


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the rule decides, were nothing else wrong with the run."""

    status: Literal["passed", "failed", "incomplete"]
    found: tuple[str, ...] = ()
    """What fails the gate, in words."""
    undecided: str = ""
    """Why nothing is decided, in words, or ``""``."""
    notes: tuple[str, ...] = ()
    """What a reader must know about the way it was decided."""


def state_under(rule: str) -> Confirmation:
    """Return the state of a suspect under a rule that asks none again."""
    return Confirmation("unconfirmed") if rule == "allowance" else REGRESSION


def rule_on(
    rule: str,
    states: Mapping[str, Confirmation],
    noise_seen: Noise,
    groups: Groups | None = None,
) -> Ruling:
    """Return the ruling on the suspects of a profile.

    Args:
        rule: ``strict``, ``confirm`` or ``allowance``.
        states: every suspect with what is known of it, see
            :func:`~pytest_benchbed.compare.confirm.confirmation`; under a rule that
            asks nothing again what :func:`state_under` returns. ``regression`` is
            what nothing excuses, such as a fallen target: it fails any rule.
        noise_seen: of the same rule.
        groups: the group of each case that has one.
    """
    suspects = sorted(states)
    confirmed = [case for case in suspects if states[case].outcome in CONFIRMED]
    if rule == "strict":
        return Ruling("failed", (_regressions(suspects),)) if suspects else Ruling("passed")
    found = _too_many(suspects, noise_seen, groups)
    if rule == "allowance":
        if confirmed:
            found = (*found, _regressions(confirmed))
        return _allowance(suspects, found, noise_seen)
    if confirmed:
        found = (*found, f"{count(len(confirmed), 'regression')} confirmed {names(confirmed)}")
    return _confirm({case: states[case] for case in suspects}, found, noise_seen)


def _confirm(states: Mapping[str, Confirmation], found: tuple[str, ...], seen: Noise) -> Ruling:
    """Decide in this order: too many or confirmed, all cleared, as good as confirmed, unknown."""
    notes = () if seen.is_enough else (ADD_A_CONTROL,)
    left = [case for case, state in states.items() if state.outcome in OPEN]
    if found:
        return Ruling("failed", found, notes=notes)
    if not left:
        return Ruling("passed", notes=notes)
    poor = [case for case in left if states[case].is_out_of_budget]
    is_quiet = seen.flaky is not None and noise.is_quiet(seen.flaky, seen.controls)
    if is_quiet and len(poor) < len(left):
        # Nobody asked, or nobody answered.
        found = (f"{_regressions(left)}, not cleared by a re-ask",)
        return Ruling("failed", found, notes=(*notes, STRICT_OFFLINE))
    why = OUT_OF_BUDGET if len(poor) == len(left) else UNCONFIRMED
    broken = f"{count(len(left), 'case')} could be broken {names(left)}"
    return Ruling("incomplete", undecided=f"{why}: not confirmed, {broken}", notes=notes)


def _allowance(suspects: Sequence[str], found: tuple[str, ...], seen: Noise) -> Ruling:
    if found:
        return Ruling("failed", found)
    if suspects and seen.allowed is None:
        why = f"{NO_CONTROLS}: {count(len(suspects), 'suspect')} {names(suspects)}"
        return Ruling("incomplete", undecided=why)
    return Ruling("passed")


def _too_many(suspects: Sequence[str], seen: Noise, groups: Groups | None) -> tuple[str, ...]:
    size = clusters(suspects, groups)
    if seen.allowed is None or size <= seen.allowed:
        return ()
    what = f"{size} groups with suspects" if size < len(suspects) else count(size, "suspect")
    return (f"{what}, more than the {seen.allowed} allowed {names(suspects)}",)


def _regressions(cases: Sequence[str]) -> str:
    where = "on a stable case" if len(cases) == 1 else "on stable cases"
    return f"{count(len(cases), 'regression')} {where} {names(cases)}"
