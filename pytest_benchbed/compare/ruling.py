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
    found: tuple[str, ...]
    """What fails the gate, in words."""
    undecided: str
    """Why nothing is decided, in words, or ``""``."""
    sentence: str
    """What the rule did, for the user."""
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
    if rule == "strict":
        return _strict(suspects)
    if rule == "allowance":
        return _allowance(suspects, states, noise_seen, groups)
    return _confirm(suspects, states, noise_seen, groups)


def _strict(suspects: Sequence[str]) -> Ruling:
    if not suspects:
        return Ruling("passed", (), "", "No stable case is worse than the old code.")
    return Ruling(
        "failed", (_regressions(suspects),), "", f"{_new_errors(suspects)} Any one fails."
    )


def _confirm(
    suspects: Sequence[str],
    states: Mapping[str, Confirmation],
    seen: Noise,
    groups: Groups | None,
) -> Ruling:
    """Decide in this order: too many, confirmed, all cleared, as good as confirmed, unknown."""
    confirmed = [case for case in suspects if states[case].outcome in CONFIRMED]
    left = [case for case in suspects if states[case].outcome in OPEN]
    notes = () if seen.is_enough else (ADD_A_CONTROL,)
    found = _too_many(suspects, seen, groups)
    if confirmed:
        found = (*found, f"{count(len(confirmed), 'regression')} confirmed {names(confirmed)}")
    story = _asked_again(suspects, states, seen)
    if found:
        return Ruling("failed", found, "", story, notes)
    if not left:
        return Ruling("passed", (), "", story, notes)
    poor = [case for case in left if states[case].is_out_of_budget]
    # The words "could be broken" are for a verdict that is not decided.
    broken = f"{count(len(left), 'case')} could be broken {names(left)}"
    is_quiet = seen.flaky is not None and noise.is_quiet(seen.flaky, seen.controls)
    if is_quiet and len(poor) < len(left):
        found = (f"{_regressions(left)}, not asked again",)
        return Ruling("failed", found, "", story, (*notes, STRICT_OFFLINE))
    why = OUT_OF_BUDGET if len(poor) == len(left) else UNCONFIRMED
    return Ruling("incomplete", (), f"{why}: not confirmed, {broken}", story, notes)


def _allowance(
    suspects: Sequence[str],
    states: Mapping[str, Confirmation],
    seen: Noise,
    groups: Groups | None,
) -> Ruling:
    fallen = [case for case in suspects if states[case].outcome in CONFIRMED]
    found = _too_many(suspects, seen, groups)
    if fallen:
        found = (*found, _regressions(fallen))
    blind = "One broken case cannot be seen by this rule."
    if found:
        return Ruling("failed", found, "", f"{_new_errors(suspects)} {blind}")
    if suspects and seen.allowed is None:
        why = f"{NO_CONTROLS}: {count(len(suspects), 'suspect')} {names(suspects)}"
        return Ruling("incomplete", (), why, f"{_new_errors(suspects)} {blind}")
    if not suspects:
        return Ruling("passed", (), "", f"No stable case is worse than the old code. {blind}")
    story = (
        f"{_new_errors(suspects)} Runs of the old code show as many against each other, so none "
        f"is taken for a regression. {blind}"
    )
    return Ruling("passed", (), "", story)


def _too_many(suspects: Sequence[str], seen: Noise, groups: Groups | None) -> tuple[str, ...]:
    size = clusters(suspects, groups)
    if seen.allowed is None or size <= seen.allowed:
        return ()
    what = f"{size} groups with suspects" if size < len(suspects) else count(size, "suspect")
    return (f"{what}, more than the {seen.allowed} allowed {names(suspects)}",)


def _regressions(cases: Sequence[str]) -> str:
    where = "on a stable case" if len(cases) == 1 else "on stable cases"
    return f"{count(len(cases), 'regression')} {where} {names(cases)}"


def _new_errors(suspects: Sequence[str]) -> str:
    verb = "is" if len(suspects) == 1 else "are"
    return f"{count(len(suspects), 'case')} {verb} worse than in every run of the old code."


def _asked_again(suspects: Sequence[str], states: Mapping[str, Confirmation], seen: Noise) -> str:
    """Say in a sentence or two what the re-asks showed."""
    if not suspects:
        return "No stable case is worse than the old code, so none was asked again."
    by = {
        word: [case for case in suspects if states[case].outcome in outcomes]
        for word, outcomes in (
            ("was right when asked again, which is noise", {"wobbled"}),
            ("was wrong every time", CONFIRMED),
            ("was not asked often enough to tell", {"unconfirmed"}),
            ("was not asked again, as there were too many", {"not-reasked"}),
        )
    }
    parts = [f"{len(cases)} {word}" for word, cases in by.items() if cases]
    allowed = "" if seen.allowed is None else f" The old code makes up to {seen.allowed} by itself."
    return f"{_new_errors(suspects)} Of these {'; '.join(parts)}.{allowed}"
