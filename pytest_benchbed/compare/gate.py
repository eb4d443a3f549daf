"""The gate: one verdict of one profile, from saved runs alone.

``decide`` is a pure function of records, rows and options: the same input
gives the same bytes, in whatever order cases, controls and errors come. It
reads no outcome of a test, no clock and no answer. Source: ENV-055 to ENV-065.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from fractions import Fraction

from pytest_benchbed.compare import noise
from pytest_benchbed.compare.confirm import REGRESSION
from pytest_benchbed.compare.confirm import Confirmation
from pytest_benchbed.compare.confirm import confirmation
from pytest_benchbed.compare.confirm import may_ask
from pytest_benchbed.compare.coverage import cover
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.facts import seconds_between
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.old_code import noise_seen
from pytest_benchbed.compare.pair import error_set
from pytest_benchbed.compare.pair import errors_json
from pytest_benchbed.compare.refuse import CONTROL_ALONE
from pytest_benchbed.compare.refuse import uncontrolled_text
from pytest_benchbed.compare.rules import ChosenRule
from pytest_benchbed.compare.rules import automatic_rule
from pytest_benchbed.compare.rules import check_justification
from pytest_benchbed.compare.rules import choose_rule
from pytest_benchbed.compare.ruling import Noise
from pytest_benchbed.compare.ruling import rule_on
from pytest_benchbed.compare.ruling import state_under
from pytest_benchbed.compare.status import NO_RESULT
from pytest_benchbed.compare.status import SKIPPED
from pytest_benchbed.compare.status import Evidence
from pytest_benchbed.compare.status import status_of
from pytest_benchbed.compare.tally import Groups
from pytest_benchbed.compare.tally import Suspected
from pytest_benchbed.compare.tally import Tally
from pytest_benchbed.compare.tally import clusters
from pytest_benchbed.compare.tally import tally
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
        rule: ``strict``, ``confirm``, ``allowance`` or ``auto``.
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
    return decide_by(
        chosen,
        candidate,
        baseline,
        controls,
        profile=profile,
        decides=decides,
        targets=targets,
        judge=judge,
        groups=candidate.groups(),
        stale_days=stale_days,
        max_unjudged=max_unjudged,
    )


def with_holm(gates: Mapping[str, GateResult]) -> dict[str, GateResult]:
    """Return the verdicts of several profiles, each sign test beside its p-value by Holm.

    Of five profiles one is low by chance far more often than of one.
    """
    if len(gates) < 2:
        return dict(gates)
    adjusted = noise.holm({profile: gate.sign_test.p for profile, gate in gates.items()})
    return {
        profile: gate.model_copy(
            update={"sign_test": gate.sign_test.model_copy(update={"holm": adjusted[profile]})}
        )
        for profile, gate in gates.items()
    }


def decide_by(
    chosen: ChosenRule,
    candidate: RunFacts,
    baseline: RunFacts | None,
    controls: Sequence[RunFacts] = (),
    *,
    profile: str,
    decides: bool,
    targets: Collection[str],
    judge: Judge,
    groups: Groups | None = None,
    stale_days: int = STALE_DAYS,
    max_unjudged: Fraction | None = None,
) -> GateResult:
    """Return the verdict of ``profile`` under a rule that was chosen already.

    Args:
        chosen: ``strict``, ``confirm`` or ``allowance``; or ``auto``, which takes one
            of them by what the system declares and the old code shows.
        candidate: as for :func:`decide`. Its rows hold the re-asks, in ``reasks``.
        baseline: as for :func:`decide`.
        controls: as for :func:`decide`.
        profile: as for :func:`decide`.
        decides: as for :func:`decide`.
        targets: as for :func:`decide`.
        judge: as for :func:`decide`.
        groups: the group of each case that has one; suspects are then counted by group.
        stale_days: as for :func:`decide`.
        max_unjudged: as for :func:`decide`.

    Raises:
        UsageProblem: a control without a baseline, or without a result for a compared case.
        RunError: a record that contradicts its results.
    """
    if baseline is None and controls:
        raise UsageProblem(CONTROL_ALONE)
    ordered = sorted(controls, key=lambda control: control.id)
    is_by_value = bool(judge.tolerance) or judge.has_own_is_worse
    covered = cover(candidate, baseline, ordered, profile, is_by_value=is_by_value)
    for control, cases in covered.uncontrolled.items():
        raise UsageProblem(uncontrolled_text(control, cases))
    wanted = frozenset(targets)
    found = tally(covered.differing, profile=profile, judge=judge, targets=wanted, groups=groups)
    if chosen.name == "auto":
        chosen = automatic_rule(candidate.record.adapter.deterministic, len(found.unstable))
    seen = noise_seen(
        chosen.name,
        found,
        len(ordered),
        profile=profile,
        judge=judge,
        targets=wanted,
        groups=groups,
    )
    states = _states(chosen.name, found, seen, profile, judge, groups)
    ruling = rule_on(chosen.name, states, seen, groups)
    evidence = Evidence(
        candidate=candidate,
        baseline=baseline,
        controls=ordered,
        profile=profile,
        judge=judge,
        covered=covered,
        suspects=[_suspect(one, states[one.case]) for one in found.suspects if one.case in states],
        unstable=found.unstable,
        targets=[_target(candidate, case, profile) for case in sorted(wanted)],
        failures=found.failures,
        ruling=ruling,
        max_unjudged=max_unjudged,
    )
    status, reason = status_of(evidence)
    judged = clusters(set(covered.compared).difference(found.unstable), groups)
    single, spread = noise.smallest_change(judged, chosen.name, seen.allowed)
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
        K=seen.controls,
        D=seen.unstable,
        r=seen.rechecks,
        flaky_estimate=_fraction(seen.flaky),
        loo_counts=None if seen.counts is None else list(seen.counts),
        lambda_=seen.expected,
        allowed=seen.allowed,
        suspects=list(evidence.suspects),
        unstable=found.unstable,
        targets=list(evidence.targets),
        justification=None,
        coverage=covered.to_model(candidate.record),
        identified={
            run.id: run.record.adapter.identified
            for run in [candidate, *([baseline] if baseline else []), *ordered]
        },
        false_alarm=_false_alarm(chosen.name, seen),
        smallest_change=SmallestChange(single=single, spread=spread, of=judged),
        sign_test=SignTest(
            worse=found.worse,
            better=found.better,
            mixed=found.mixed,
            p=noise.sign_test(found.worse, found.better),
        ),
        warnings=warnings_of(evidence, stale_days),
    )


def _states(
    rule: str, found: Tally, seen: Noise, profile: str, judge: Judge, groups: Groups | None
) -> dict[str, Confirmation]:
    """Return what is known of each suspect; of one whose type breaks there is a failure instead."""
    if rule != "confirm":
        return {
            one.case: REGRESSION if one.is_target else state_under(rule) for one in found.suspects
        }
    is_asked = may_ask(clusters((one.case for one in found.suspects), groups), seen.allowed)
    states: dict[str, Confirmation] = {}
    for one in found.suspects:
        try:
            state = confirmation(
                one,
                one.row.get("reasks") or (),
                rechecks=seen.rechecks,
                profile=profile,
                judge=judge,
            )
        except TechnicalFailure as failure:
            found.failures.append(failure)
            continue
        if state.is_open and not is_asked:
            state = state._replace(outcome="not-reasked")
        states[one.case] = state
    return states


def _suspect(suspect: Suspected, state: Confirmation) -> Suspect:
    return Suspect(
        case=suspect.case,
        errors=errors_json(suspect.new),
        outcome=state.outcome,
        attempts=state.attempts,
        wrong=state.wrong,
    )


def _fraction(value: Fraction | None) -> str | None:
    return None if value is None else f"{value.numerator}/{value.denominator}"


def _false_alarm(rule: str, seen: Noise) -> FalseAlarm:
    """Return how often the rule is wrong without a change; the allowance by its own counts."""
    if rule == "allowance":
        estimate = None if seen.counts is None else noise.allowance_alarm(seen.counts)
        return FalseAlarm(estimate=estimate, limit95=None)
    return FalseAlarm(
        estimate=noise.false_alarm(seen.unstable, seen.controls, seen.rechecks),
        limit95=noise.false_alarm_limit(seen.unstable, seen.controls, seen.rechecks),
    )


def _target(candidate: RunFacts, case: str, profile: str) -> TargetState:
    """Return the errors left on a target: all of them, known or not, unstable or not."""
    row = candidate.rows.get(case)
    if row is not None and row["state"] == "scored":
        errors = errors_json(error_set(row["errors"].get(profile, ())))
    else:
        kind = SKIPPED if row is not None and row["state"] == "skipped" else NO_RESULT
        errors = [{"kind": kind, "where": {}}]
    return TargetState(case=case, errors=errors)
