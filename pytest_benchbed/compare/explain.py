"""Each reading and number behind a verdict, in the order in which they were used."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pytest_benchbed.compare import noise
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.compare.lines import flaky_cases
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.compare.readings import READINGS
from pytest_benchbed.compare.sentence import rule_sentence
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.gate import Suspect

MOST_CASES = 20
"""Cases of a kind that are shown one by one."""


def explanation(
    gate: GateResult, candidate: RunFacts, old: Sequence[RunFacts], profile: str
) -> list[str]:
    """Return the lines of ``benchbed gate --explain``.

    Args:
        gate: the verdict.
        candidate: the run.
        old: the runs of the old code, the baseline first.
        profile: whose verdict it is.
    """
    lines = [f"why: profile {term(profile)}"]
    lines += [f"  {line}" for line in _lines(gate, candidate, old, profile)]
    lines.append("readings, where the rules leave something open:")
    lines += [f"  {line}" for line in READINGS]
    return lines


def _lines(
    gate: GateResult, candidate: RunFacts, old: Sequence[RunFacts], profile: str
) -> Iterator[str]:
    yield f"runs of the old code: {', '.join(term(run.id) for run in old) or 'none'}"
    yield _rule(gate, candidate)
    if not old:
        yield f"verdict: {gate.status}: {gate.reason}"
        return
    yield (
        f"compared: {gate.coverage.compared} of {gate.coverage.of}; unstable, where runs of the "
        f"old code differ: D = {gate.D} {names(gate.unstable) if gate.unstable else ''}".rstrip()
    )
    yield from _noise(gate)
    yield f"suspects, worse than every run of the old code: S = {len(gate.suspects)}"
    for suspect in gate.suspects[:MOST_CASES]:
        yield from _suspect(suspect, candidate.rows[suspect.case], old, profile)
    if len(gate.suspects) > MOST_CASES:
        yield f"  and {len(gate.suspects) - MOST_CASES} more, see metrics.json"
    for target in gate.targets:
        left = _identities(target.errors) or "clean"
        yield f"target {term(target.case)}: {left}"
    if sentence := rule_sentence(gate, is_grouped=bool(candidate.record.counts.groups)):
        yield f"rule: {sentence}"
    yield f"verdict: {gate.status}: {gate.reason}"


def _rule(gate: GateResult, candidate: RunFacts) -> str:
    is_declared = candidate.record.adapter.deterministic
    says = "deterministic" if is_declared else "nothing of being deterministic"
    source = (
        f"auto, as the system declares {says}"
        if gate.rule_source == "auto"
        else (f"asked for by {term(gate.rule_source)}")
    )
    if gate.rule_source == "auto" and is_declared:
        source += f" and D = {gate.D}"
    return f"rule: {gate.rule} ({source})"


def _noise(gate: GateResult) -> Iterator[str]:
    if gate.flaky_estimate is None:
        yield "noise: no control, K = 0, so flaky cases are not known"
        if gate.rule == "confirm":
            yield f"re-asks of a suspect: r = {gate.r}, where no control says how many are needed"
        return
    flaky = Fraction(gate.flaky_estimate)
    above = f", so {flaky_cases(gate)} cases" if flaky > gate.coverage.compared else ""
    yield (
        f"flaky cases: F = D (K + 2) / K = {gate.D} · {gate.K + 2} / {gate.K} = "
        f"{_number(flaky)}{above}"
    )
    chance = noise.false_alarm_per_flaky_case(gate.K, gate.r)
    if gate.rule == "confirm":
        yield (
            f"re-asks of a suspect: r = {gate.r}, the fewest with F · B(K + 2, r + 2) <= 1/20: "
            f"{_number(flaky)} · {chance} = {_number(flaky * chance)}"
        )
    if gate.false_alarm.estimate is not None and gate.rule != "allowance":
        yield (f"false alarm: 1 - exp(-F · B(K + 2, r + 2)) = {percent(gate.false_alarm.estimate)}")
    if gate.loo_counts is not None and gate.allowed is not None:
        counts = ", ".join(map(str, gate.loo_counts))
        yield (
            f"allowance: runs of the old code are suspects of each other {counts} times, so "
            f"lambda = {gate.lambda_:.4g} and {gate.allowed} allowed (95 % of a Poisson)"
        )


def _suspect(suspect: Suspect, row: Row, old: Sequence[RunFacts], profile: str) -> Iterator[str]:
    yield (
        f"  {term(suspect.case)}: {suspect.outcome}, wrong in {suspect.wrong} of "
        f"{count(suspect.attempts, 'attempt')}; new: {_identities(suspect.errors) or 'by value'}"
    )
    for run in old:
        other = run.rows.get(suspect.case)
        errors = other["errors"].get(profile, ()) if other else ()
        yield f"    {term(run.id)}: {_identities(errors) or 'no error'}"
    for reask in row.get("reasks") or ():
        errors = (reask["errors"] or {}).get(profile)
        what = reask["outcome"] if errors is None else _identities(errors) or "no error"
        yield f"    attempt {reask['attempt']}: {term(str(what))}"


def _identities(errors: Sequence[Mapping[str, Any]]) -> str:
    parts = []
    for error in errors[:5]:
        where = " ".join(f"{name}={value}" for name, value in sorted(error["where"].items()))
        parts.append(term(f"{error['kind']} {where}".strip(), 80))
    more = f" and {len(errors) - 5} more" if len(errors) > 5 else ""
    return ", ".join(parts) + more


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.3g}"
