"""The gate: one verdict of one profile, from saved runs alone.

``decide`` is a pure function of records, rows and options: the same input
gives the same bytes, in whatever order cases, controls and errors come. It
reads no outcome of a test, no clock and no answer. Source: ENV-055 to ENV-065.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from fractions import Fraction

from pytest_benchbed.compare import noise
from pytest_benchbed.compare.coverage import Covered
from pytest_benchbed.compare.coverage import cover
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.facts import seconds_between
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.pair import error_set
from pytest_benchbed.compare.pair import errors_json
from pytest_benchbed.compare.refuse import CONTROL_ALONE
from pytest_benchbed.compare.refuse import uncontrolled_text
from pytest_benchbed.compare.rules import check_justification
from pytest_benchbed.compare.rules import choose_rule
from pytest_benchbed.compare.stability import UNCHANGED
from pytest_benchbed.compare.stability import change_of
from pytest_benchbed.compare.status import NO_RESULT
from pytest_benchbed.compare.status import SKIPPED
from pytest_benchbed.compare.status import Evidence
from pytest_benchbed.compare.status import status_of
from pytest_benchbed.compare.warnings import warnings_of
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.gate import ControlRef
from pytest_benchbed.model.gate import FalseAlarm
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.gate import SignTest
from pytest_benchbed.model.gate import SmallestChange
from pytest_benchbed.model.gate import Suspect
from pytest_benchbed.model.gate import TargetState

STALE_DAYS = 30
RECHECKS = 0
"""Rule ``strict`` asks no suspect again."""


def decide(
    candidate: RunFacts,
    baseline: RunFacts | None,
    controls: Sequence[RunFacts] = (),
    *,
    profile: str,
    decides: bool,
    rule: str,
    rule_source: str,
    targets: Collection[str],
    judge: Judge,
    justification: str | None = None,
    stale_days: int = STALE_DAYS,
    max_unjudged: Fraction | None = None,
) -> GateResult:
    """Return the verdict of ``profile``.

    The runs have passed :func:`~pytest_benchbed.compare.refuse.check_comparable`.

    Args:
        candidate: the run to be judged; one that is not finished is never passed or failed.
        baseline: the run compared with; None gives ``baseline required``.
        controls: same-code repeats of the baseline, in any order.
        profile: one of the benchmark's.
        decides: whether this verdict is the run's.
        rule: ``strict`` or ``auto``.
        rule_source: where the rule was asked for.
        targets: cases that must be right.
        judge: the benchmark type.
        justification: reason given for a fall; no rule that is built takes one.
        stale_days: age of the newest run of the old code that is worth a warning.
        max_unjudged: share of the cases in [0, 1] above which a pass is incomplete.

    Raises:
        UsageProblem: a rule that is unknown or not built, a justification, or a
            control without a result for a compared case.
        RunError: a record that contradicts its results.
    """
    chosen = choose_rule(rule, rule_source)
    check_justification(justification, chosen.name)
    if baseline is None and controls:
        raise UsageProblem(CONTROL_ALONE)
    ordered = sorted(controls, key=lambda control: control.id)
    is_by_value = bool(judge.tolerance) or judge.has_own_is_worse
    covered = cover(candidate, baseline, ordered, profile, is_by_value=is_by_value)
    for control, cases in covered.uncontrolled.items():
        raise UsageProblem(uncontrolled_text(control, cases))
    wanted = frozenset(targets)
    tally = _compare(covered, profile, wanted, judge)
    evidence = Evidence(
        candidate=candidate,
        baseline=baseline,
        controls=ordered,
        profile=profile,
        judge=judge,
        covered=covered,
        suspects=tally.suspects,
        unstable=tally.unstable,
        targets=[_target(candidate, case, profile) for case in sorted(wanted)],
        failures=tally.failures,
        max_unjudged=max_unjudged,
    )
    status, reason = status_of(evidence)
    unstable = len(tally.unstable)
    judged = len(covered.compared) - unstable
    flaky = noise.flaky_estimate(unstable, len(ordered))
    single, spread = noise.smallest_change(judged)
    return GateResult(
        status=status,
        reason=reason,
        rule=chosen.name,
        rule_source=chosen.source,
        decides=decides,
        baseline=baseline.id if baseline else None,
        controls=[
            ControlRef(
                run=control.id,
                age_s=seconds_between(control.record, candidate.record),
                identity=control.record.adapter.identity,
            )
            for control in ordered
        ],
        K=len(ordered),
        D=unstable,
        r=RECHECKS,
        flaky_estimate=None if flaky is None else f"{flaky.numerator}/{flaky.denominator}",
        # The allowance belongs to rules that are not built: strict allows none.
        loo_counts=None,
        lambda_=None,
        allowed=None,
        suspects=tally.suspects,
        unstable=tally.unstable,
        targets=list(evidence.targets),
        justification=None,
        coverage=covered.to_model(candidate.record),
        identified={
            run.id: run.record.adapter.identified
            for run in [candidate, *([baseline] if baseline else []), *ordered]
        },
        false_alarm=FalseAlarm(
            estimate=noise.false_alarm(unstable, len(ordered), RECHECKS),
            limit95=noise.false_alarm_limit(unstable, len(ordered), RECHECKS),
        ),
        smallest_change=SmallestChange(single=single, spread=spread, of=judged),
        sign_test=SignTest(
            worse=tally.worse,
            better=tally.better,
            mixed=tally.mixed,
            p=noise.sign_test(tally.worse, tally.better),
        ),
        warnings=warnings_of(evidence, chosen, stale_days),
    )


@dataclass
class _Tally:
    suspects: list[Suspect] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)
    worse: int = 0
    better: int = 0
    mixed: int = 0
    failures: list[TechnicalFailure] = field(default_factory=list)


def _compare(covered: Covered, profile: str, targets: frozenset[str], judge: Judge) -> _Tally:
    """Go through the cases that may have changed; those of a group count one by one."""
    tally = _Tally()
    for case, row, old in covered.differing:
        try:
            change = change_of(row, old, profile=profile, judge=judge)
        except TechnicalFailure as failure:
            tally.failures.append(failure)
            continue
        if change is UNCHANGED:
            continue
        tally.mixed += change.is_worse and change.is_better
        tally.worse += change.is_worse and not change.is_better
        tally.better += change.is_better and not change.is_worse
        if change.is_unstable:
            tally.unstable.append(case)
        elif change.is_suspect and (case not in targets or not row["errors"][profile]):
            # A target with an error fails as a target; one whose metric fell has none.
            tally.suspects.append(
                Suspect(
                    case=case,
                    errors=errors_json(change.new),
                    outcome="regression",
                    attempts=1,
                    wrong=1,
                )
            )
    return tally


def _target(candidate: RunFacts, case: str, profile: str) -> TargetState:
    """Return the errors left on a target: all of them, known or not, unstable or not."""
    row = candidate.rows.get(case)
    if row is not None and row["state"] == "scored":
        errors = errors_json(error_set(row["errors"].get(profile, ())))
    else:
        kind = SKIPPED if row is not None and row["state"] == "skipped" else NO_RESULT
        errors = [{"kind": kind, "where": {}}]
    return TargetState(case=case, errors=errors)
