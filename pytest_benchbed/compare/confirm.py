"""One suspect and its re-asks: what they show, and whether to ask once more.

The same function serves the session, which asks while the state is open, and
whoever judges the saved run later: a state depends on what is recorded alone.
A re-ask is a line of the row's ``reasks``; its ``errors`` (and ``metrics``,
where metrics decide) are by profile, as the row's own, and null when there was
no answer to score: a technical failure, or no money left.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Literal
from typing import NamedTuple

from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.pair import ErrorSet
from pytest_benchbed.compare.stability import change_of
from pytest_benchbed.compare.tally import Suspected

SuspectOutcome = Literal[
    "regression", "wobbled", "confirmed", "confirmed-vary", "unconfirmed", "not-reasked"
]

Reask = Mapping[str, Any]
"""``{attempt, errors: {profile: [...]}|null, metrics?: {profile: {...}}, outcome}``."""

BUDGET = "budget"
"""``outcome`` of a re-ask that was not made because the budget was reached."""

INSTANT_S = 0.010
"""Quicker than any system that thinks."""

CONFIRMED: frozenset[SuspectOutcome] = frozenset({"regression", "confirmed", "confirmed-vary"})
OPEN: frozenset[SuspectOutcome] = frozenset({"unconfirmed", "not-reasked"})


class Confirmation(NamedTuple):
    """What is known of one suspect."""

    outcome: SuspectOutcome
    attempts: int = 1
    """Scored attempts, the first included."""
    wrong: int = 1
    """How many of them were worse than every run of the old code."""
    is_open: bool = False
    """Undecided, and another re-ask would help: ask once more, or leave it unconfirmed."""
    is_out_of_budget: bool = False


REGRESSION = Confirmation("regression")
"""A suspect that nothing excuses: it is not asked again."""


def confirmation(
    suspect: Suspected, reasks: Sequence[Reask], *, rechecks: int, profile: str, judge: Judge
) -> Confirmation:
    """Return what the re-asks made so far show.

    One right answer clears the suspect (``wobbled``), however many were asked
    for. ``rechecks`` wrong ones confirm it: with an error that is there in every
    attempt (``confirmed``), or each time another (``confirmed-vary``). Right is
    an answer that is not worse than every run of the old code: errors that one
    of them has too do not count. A re-ask without a score neither clears nor
    confirms, and ends the asking.

    Args:
        suspect: of the profile.
        reasks: those on record, in order of their attempts.
        rechecks: r.
        profile: the same as the suspect's.
        judge: the benchmark type.

    Raises:
        TechnicalFailure: the type's ``is_worse`` raised.
    """
    if suspect.is_target:
        return REGRESSION
    drawn = [reask for reask in reasks if _has_score(reask, profile)]
    same: ErrorSet = suspect.new
    wrong = 1
    for reask in drawn:
        new = _wrong_again(suspect, reask, profile, judge)
        wrong += bool(new)
        same &= new
    attempts = 1 + len(drawn)
    if wrong < attempts:
        return Confirmation("wobbled", attempts, wrong)
    if len(drawn) >= rechecks:
        return Confirmation("confirmed" if same else "confirmed-vary", attempts, wrong)
    ended = reasks[-1] if reasks and not _has_score(reasks[-1], profile) else None
    return Confirmation(
        "unconfirmed",
        attempts,
        wrong,
        is_open=ended is None,
        is_out_of_budget=ended is not None and ended.get("outcome") == BUDGET,
    )


def _has_score(reask: Reask, profile: str) -> bool:
    return profile in (reask["errors"] or {})


def _wrong_again(suspect: Suspected, reask: Reask, profile: str, judge: Judge) -> ErrorSet:
    """Return what makes a re-ask worse than every run of the old code; nothing: it is clean."""
    row = {
        "case": suspect.case,
        "errors": reask["errors"],
        "metrics": reask.get("metrics") or {},
    }
    change = change_of(row, suspect.old, profile=profile, judge=judge)
    return change.new if change.is_suspect else frozenset()


def may_ask(suspects_so_far: int, allowed: int | None) -> bool:
    """Say whether a suspect is worth another call.

    Above the allowance the verdict is failed whatever the re-asks say, so that
    a run with many broken cases does not pay for each of them again.

    Args:
        suspects_so_far: suspects (groups with one) seen so far, this one included.
        allowed: None without controls: then nothing stops the asking.
    """
    return allowed is None or suspects_so_far <= allowed


def has_open_end(reasks: Sequence[Reask]) -> bool:
    """Say whether a re-ask failed, or was not paid: a run that is gone on with makes it good."""
    return any(reask["errors"] is None for reask in reasks)


def may_be_cached(reasks: Sequence[Reask]) -> bool:
    """Say whether the re-asks of a suspect look like one answer given again.

    Each with a score is flagged by the adapter (``cached``), or is byte-equal to the
    first reply (``is_same_reply``) and came in less than 10 ms (``latency_s``). Such
    re-asks confirm nothing: the verdict stays, with a note. False without any.
    """
    drawn = [reask for reask in reasks if reask["errors"] is not None]
    return bool(drawn) and all(
        reask.get("cached") or (reask.get("is_same_reply") and _is_instant(reask))
        for reask in drawn
    )


def _is_instant(reask: Reask) -> bool:
    latency = reask.get("latency_s")
    return latency is not None and latency < INSTANT_S
