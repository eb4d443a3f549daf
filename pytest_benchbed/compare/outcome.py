"""The outcome of one case as a test, from its row and those of the old code.

Called once in each item, so a case without errors leaves after two look-ups.
The verdict never reads what is decided here; it asks the same functions again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from typing import NamedTuple

from pytest_benchbed.compare.confirm import Confirmation
from pytest_benchbed.compare.coverage import difference
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.compare.judge import declined
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.stability import Change
from pytest_benchbed.compare.stability import change_of
from pytest_benchbed.compare.tally import Suspected
from pytest_benchbed.compare.tally import tally
from pytest_benchbed.model.errors import TechnicalFailure


class ItemOutcome(NamedTuple):
    """What pytest reports for the case."""

    outcome: Literal["passed", "failed", "xfailed", "error", "skipped"]
    reason: str
    """Shown to the user; may hold text of the system, so escape it. ``""`` when passed."""


PASSED = ItemOutcome("passed", "")


def item_outcome(
    row: Row,
    baseline_row: Row | None,
    control_rows: Sequence[Row],
    *,
    profile: str,
    has_baseline: bool,
    unpaired: bool,
    is_target: bool,
    judge: Judge,
    is_new: bool = False,
    rule: str = "strict",
    state: Confirmation | None = None,
) -> ItemOutcome:
    """Decide the outcome.

    Args:
        row: the case's row.
        baseline_row: the baseline's row of the case, None if it has none.
        control_rows: those of the controls that have one.
        profile: the gate profile.
        has_baseline: whether the run has a baseline at all.
        unpaired: whether errors are only recorded (``--bench-unpaired``).
        is_target: whether the case must be right.
        judge: the benchmark type.
        is_new: whether a revision added the case after the baseline was made.
        rule: the rule that decides.
        state: under ``confirm`` what the re-asks of a suspect showed; None: it was
            not asked again.
    """
    if row["state"] == "technical":
        return ItemOutcome("error", row["reason"] or "technical failure")
    if row["state"] == "skipped":
        return ItemOutcome("skipped", row["reason"] or "not supported")
    errors = row["errors"].get(profile)
    if errors is None:
        return ItemOutcome("error", f"profile {profile} has no score for this case")
    if not errors and not (has_baseline and (judge.tolerance or judge.has_own_is_worse)):
        return PASSED
    if unpaired:
        return ItemOutcome("xfailed", "unpaired") if errors else PASSED
    if errors and (is_target or not has_baseline):
        what = "the system declined" if declined(row, profile) else count(len(errors), "error")
        return ItemOutcome("failed", f"target: {what}" if is_target else what)
    paired = _paired(row, baseline_row, control_rows, profile, judge, is_new)
    if isinstance(paired, ItemOutcome):
        return paired
    return ItemOutcome("failed", paired) if is_target else _suspect(paired, rule, state)


def _suspect(regression: str, rule: str, state: Confirmation | None) -> ItemOutcome:
    """Return the outcome of a stable case that is worse than in every run of the old code."""
    if rule == "allowance":
        # The whole run is judged: a case must not turn red what the gate passes.
        return ItemOutcome("xfailed", "suspect: counted by the gate")
    if rule != "confirm":
        return ItemOutcome("failed", regression)
    if state is None:
        return ItemOutcome("failed", f"{regression}, not confirmed: it was not asked again")
    if state.outcome == "wobbled":
        return ItemOutcome(
            "xfailed", f"wobbled: wrong in {state.wrong} of {state.attempts} attempts"
        )
    return ItemOutcome("failed", f"{regression}, {_ASKED_AGAIN[state.outcome].format(state)}")


_ASKED_AGAIN = {
    "regression": "not asked again",
    "confirmed": "confirmed: wrong in {0.wrong} of {0.attempts} attempts",
    "confirmed-vary": "confirmed, errors vary: wrong in {0.wrong} of {0.attempts} attempts",
    "unconfirmed": "not confirmed: it could not be asked again often enough",
    "not-reasked": "not asked again: more suspects than allowed already",
}


def _paired(
    row: Row,
    baseline_row: Row | None,
    control_rows: Sequence[Row],
    profile: str,
    judge: Judge,
    is_new: bool,
) -> ItemOutcome | str:
    """Return the outcome, or of a suspect what got worse."""
    errors = row["errors"][profile]
    if baseline_row is None or baseline_row["state"] != "scored":
        if not errors:
            return PASSED
        if is_new or (baseline_row is not None and baseline_row["state"] == "skipped"):
            return ItemOutcome("xfailed", "new: not judged")
        return ItemOutcome("failed", "errors, and the baseline has no result to compare with")
    old = [baseline_row, *(other for other in control_rows if other["state"] == "scored")]
    for other in old:
        if part := difference(row, other, profile):
            return ItemOutcome("xfailed", f"unverifiable: other {part}") if errors else PASSED
    try:
        change = change_of(row, old, profile=profile, judge=judge)
    except TechnicalFailure as failure:
        return ItemOutcome("error", str(failure))
    if change.is_suspect:
        return _regression(row, profile, change)
    if not errors:
        return PASSED
    return ItemOutcome("xfailed", _excuse(change))


def _regression(row: Row, profile: str, change: Change) -> str:
    if declined(row, profile):
        return "regression: the system declined, the old code answered"
    fallen = [place[0][1] for kind, place in change.new if kind == "worse" and place]
    if fallen:
        return f"regression: {', '.join(sorted(fallen))} fell by more than the tolerance"
    return f"regression: {count(len(change.new), 'new error')} on a stable case"


def _excuse(change: Change) -> str:
    if change.is_unstable:
        return "unstable: baseline and control differ"
    if change.new:
        # Only a type that redefines worse gets here.
        return "other errors than baseline, not worse"
    return "no new error, some of the baseline's gone" if change.gone else "same errors as baseline"


def suspected(
    row: Row,
    baseline_row: Row | None,
    control_rows: Sequence[Row | None],
    *,
    profile: str,
    is_target: bool,
    judge: Judge,
) -> Suspected | None:
    """Return the case as a suspect, if it is one: then rule ``confirm`` asks it again.

    The gate finds the same suspects in the same rows.

    Raises:
        TechnicalFailure: the type's ``is_worse`` raised.
    """
    old = [baseline_row, *control_rows]
    if any(not is_comparable(row, other, profile) for other in old):
        return None
    known = [other for other in old if other is not None]
    found = tally(
        [(row["case"], row, known)],
        profile=profile,
        judge=judge,
        targets={row["case"]} if is_target else (),
    )
    for failure in found.failures:
        raise failure
    return found.suspects[0] if found.suspects else None


def is_comparable(row: Row, other: Row | None, profile: str) -> bool:
    """Say whether both are scored in the profile, and answer the same question."""
    return (
        other is not None
        and row["state"] == other["state"] == "scored"
        and profile in row["errors"]
        and profile in other["errors"]
        and not difference(row, other, profile)
    )
