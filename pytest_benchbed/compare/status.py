"""The status of a verdict and its reason: the first of an ordered list of conditions.

``blocked``, ``unavailable``, ``baseline required``, ``incomplete``, ``failed``,
``passed``. What stands earlier hides what stands later, so that a verdict over
half a run never reads like a verdict; regressions seen so far are said all
the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_benchbed.compare.confirm import CONFIRMED
from pytest_benchbed.compare.confirm import OPEN
from pytest_benchbed.compare.coverage import Covered
from pytest_benchbed.compare.exit import NOT_SUPPORTED
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.in_step import imperfect_rows
from pytest_benchbed.compare.judge import NO_ANSWER
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.compare.phrases import scope_text
from pytest_benchbed.compare.ruling import Ruling
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import Suspect
from pytest_benchbed.model.gate import TargetState
from pytest_benchbed.model.run import GateStatus
from pytest_benchbed.model.run import RunRecord

UNPAIRED = "--bench-unpaired"
SKIPPED = "skipped"
NO_RESULT = "no-result"
"""Kinds that stand in a target's errors when it was skipped, or has no result."""


@dataclass(frozen=True)
class Evidence:
    """What the conditions look at."""

    candidate: RunFacts
    baseline: RunFacts | None
    controls: Sequence[RunFacts]
    profile: str
    judge: Judge
    covered: Covered
    suspects: Sequence[Suspect]
    unstable: Sequence[str]
    targets: Sequence[TargetState]
    failures: Sequence[TechnicalFailure]
    """Of the type's ``is_worse``."""
    ruling: Ruling
    """What the rule makes of the suspects."""
    max_unjudged: Fraction | None


def status_of(evidence: Evidence) -> tuple[GateStatus, str]:
    """Return the status and its reason, one line of plain words."""
    if reason := _blocked(evidence):
        return "blocked", reason
    if reason := _unavailable(evidence):
        return "unavailable", reason
    if evidence.baseline is None:
        # There may well be a promoted one: it was set aside.
        is_chosen = UNPAIRED in evidence.candidate.record.argv
        reason = (
            f"compared with nothing, as {UNPAIRED} says: name a saved run with --baseline=RUN"
            if is_chosen
            else "no saved run to compare with: name one with --baseline=RUN"
        )
        reason += ", or benchbed promote RUN"
        if holes := evidence.covered.holes:
            # Such a run cannot become the baseline either.
            reason += f"; {count(len(holes), 'case')} without a result {names(holes)}"
        return "baseline required", reason
    compared = f"compared {len(evidence.covered.compared)} of {evidence.covered.of}"
    if scope := scope_text(evidence.candidate.record.scope):
        # Whole, but not the whole dataset.
        compared += f" in scope {scope}"
    if reason := _incomplete(evidence):
        return "incomplete", "; ".join([f"{reason}, {compared}", *_found(evidence, so_far=True)])
    if found := _found(evidence, so_far=False):
        return "failed", f"{'; '.join(found)}, {compared}"
    if evidence.ruling.undecided:
        return "incomplete", f"{evidence.ruling.undecided}, {compared}"
    if reason := _too_little_judged(evidence):
        return "incomplete", f"{reason}, {compared}"
    clean = f"{count(len(evidence.targets), 'target')} clean, " if evidence.targets else ""
    return "passed", f"{_excused(evidence)}, {clean}{compared}"


def _excused(evidence: Evidence) -> str:
    """Say why the suspects, if there are any, do not fail the gate."""
    suspects = evidence.suspects
    if not suspects:
        return "no regression on stable cases"
    if all(one.outcome == "wobbled" for one in suspects):
        return f"no regression confirmed, {count(len(suspects), 'suspect')} right when asked again"
    return f"{count(len(suspects), 'suspect')} not confirmed, no more than allowed"


def _blocked(evidence: Evidence) -> str:
    record = evidence.candidate.record
    parts = []
    if record.status == "void" or record.dataset.canary == "found":
        parts.append("run void: the canary of the answers was found on the system's side")
    # A case may be scored by its first attempt and broken in a repeat: the record knows.
    cases = set(evidence.covered.technical)
    cases |= {one.case for one in record.technical if one.case is not None}
    if cases:
        parts.append(f"{count(len(cases), 'technical failure')} {names(sorted(cases))}")
    of_run = [f"{one.whose}: {term(one.kind, 60)}" for one in record.technical if one.case is None]
    if of_run:
        parts.append(f"technical failure of the run {names(sorted(set(of_run)))}")
    parts += [
        f"technical failure of the scorer ({term(failure.where)}: {failure.kind} raised "
        f"{term(failure.detail, 80)})"
        for failure in evidence.failures[:1]
    ]
    return "; ".join([*parts, *_spend(record)])


def _spend(record: RunRecord) -> list[str]:
    spend = record.spend
    if spend.unpriced_attempts:
        return [f"spend unknown: {count(spend.unpriced_attempts, 'unpriced call')}"]
    if spend.budget_usd is None:
        return []
    if spend.spent_usd is None:
        return [f"cost not reported under a budget of ${spend.budget_usd:f}"]
    if spend.spent_usd > spend.budget_usd:
        return [f"spent ${spend.spent_usd:f}, over the budget of ${spend.budget_usd:f}"]
    return []


def _unavailable(evidence: Evidence) -> str:
    covered = evidence.covered
    if covered.unscored:
        return (
            f"profile {term(evidence.profile, 60)} has no score for "
            f"{count(len(covered.unscored), 'case')} {names(covered.unscored)}"
        )
    if covered.selected and len(covered.skipped) == covered.selected:
        return NOT_SUPPORTED
    if case := _cannot_fail(evidence):
        return (
            "this type cannot fail: no error in any compared run, although the quality of "
            f"{case} is below 1"
        )
    return ""


def _cannot_fail(evidence: Evidence) -> str:
    """Return a case that shows that errors never come although answers are not perfect.

    A declined case shows nothing: its quality is 0 whatever the scorer does.
    Types that judge by a threshold or by ``is_worse`` can fail without an error.
    """
    judge, profile = evidence.judge, evidence.profile
    if judge.tolerance or judge.has_own_is_worse or getattr(judge, "at_least", None):
        return ""
    if evidence.covered.has_errors:
        return ""
    found = ""
    runs = [evidence.candidate, *([evidence.baseline] if evidence.baseline else [])]
    for run in [*runs, *evidence.controls]:
        if evidence.covered.perfect == len(run.rows):
            # Every one of them was seen.
            continue
        for case, row in imperfect_rows(run.rows):
            if row["state"] != "scored":
                continue
            errors = row["errors"].get(profile)
            if errors:
                if any(error["kind"] != NO_ANSWER for error in errors):
                    return ""
            elif row["quality"] is not None and row["quality"] < 1:
                found = min(found, case) if found else case
    return found


def _incomplete(evidence: Evidence) -> str:
    covered = evidence.covered
    parts = []
    if covered.holes:
        parts.append(f"{count(len(covered.holes), 'case')} without a result {names(covered.holes)}")
    if covered.lost:
        parts.append(f"{count(covered.lost, 'selected case')} neither scored nor on record")
    if covered.support_lost:
        parts.append(f"support lost {names(covered.support_lost)}")
    if covered.removed:
        parts.append(
            f"{count(len(covered.removed), 'case')} of the baseline removed from the dataset "
            f"{names(covered.removed)}"
        )
    if covered.unverifiable:
        ids = [one.case for one in covered.unverifiable]
        differs = ", ".join(sorted({one.differs for one in covered.unverifiable}))
        parts.append(f"{count(len(ids), 'case')} not comparable, other {differs} {names(ids)}")
    if covered.not_in_baseline:
        ids = covered.not_in_baseline
        parts.append(f"{count(len(ids), 'case')} not in the baseline {names(ids)}")
    if covered.not_selected:
        parts.append(f"{count(covered.not_selected, 'case')} not selected")
    missing = [one.case for one in evidence.targets if _kinds(one) == [NO_RESULT]]
    if missing:
        parts.append(f"{count(len(missing), 'target')} without a result {names(missing)}")
    status = evidence.candidate.record.status
    if status != "completed" and not parts:
        parts.append(f"the run is not finished: its status is {status!r}")
    if not covered.compared and not parts:
        parts.append("no case to compare")
    return "; ".join(parts)


def _found(evidence: Evidence, *, so_far: bool) -> list[str]:
    """Return what fails the gate: targets first, then regressions.

    ``so_far``: as it is said of a run that is not whole.
    """
    wrong = [one.case for one in evidence.targets if one.errors and _kinds(one)[0] != NO_RESULT]
    end = " so far" if so_far else ""
    parts = []
    if wrong:
        parts.append(f"{count(len(wrong), 'target')} not right{end} {names(wrong)}")
    if not so_far:
        return [*parts, *evidence.ruling.found]
    for outcomes, noun, more in ((CONFIRMED, "regression", ""), (OPEN, "suspect", " unconfirmed")):
        cases = [one.case for one in evidence.suspects if one.outcome in outcomes]
        if cases:
            parts.append(f"{count(len(cases), noun)}{more}{end} {names(cases)}")
    return parts


def _kinds(target: TargetState) -> list[str]:
    return [error["kind"] for error in target.errors]


def _too_little_judged(evidence: Evidence) -> str:
    if evidence.max_unjudged is None:
        return ""
    unjudged = unjudged_cases(evidence.covered, evidence.unstable)
    if unjudged <= evidence.max_unjudged * evidence.covered.of:
        return ""
    return f"coverage: {unjudged} of {evidence.covered.of} cases cannot be judged"


def unjudged_cases(covered: Covered, unstable: Sequence[str]) -> int:
    """Return how many of the cases to be compared no rule can judge."""
    return len(unstable) + len(covered.unverifiable)
