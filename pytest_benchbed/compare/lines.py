"""A verdict as text: the block of the terminal and the summary, and the last line.

Every verdict shows coverage, noise, the system and the smallest change it could
have seen, a failed or incomplete one too: without them a reader cannot tell
what the word in capitals is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from fractions import Fraction

from pytest_benchbed.compare.confirm import CONFIRMED
from pytest_benchbed.compare.confirm import OPEN
from pytest_benchbed.compare.phrases import age
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.compare.phrases import scope_text
from pytest_benchbed.compare.sentence import rule_sentence
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import AdapterRecord
from pytest_benchbed.model.run import RunRecord

MAX_REASONS = 5
"""Reasons of cases without a result that are printed."""


def verdict_lines(
    gate: GateResult,
    *,
    record: RunRecord,
    profile: str,
    control_command: str,
    beside: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> list[str]:
    """Return the block of one verdict, without a line end.

    Args:
        gate: the verdict.
        record: the candidate's record.
        profile: whose verdict it is.
        control_command: records one control of the baseline; printed if there
            is none; ``""`` leaves it out.
        beside: lines about what does not decide, such as latency and cost.
        warnings: what is worth a warning about it.
    """
    lines = [_title(gate, record, profile), _coverage(gate, record)]
    if scope := scope_text(record.scope):
        lines.append(f"  scope {scope}: no case outside it was asked or compared")
    lines += [*_missing(gate), *_holes(record)]
    is_told = gate.rule == "allowance" or (gate.suspects and gate.rule != "strict")
    told = (
        [f"  {rule_sentence(gate, is_grouped=is_grouped(record))}"]
        if gate.baseline is not None and is_told
        else []
    )
    lines += [
        _suspects(gate, record),
        *told,
        _noise(gate, control_command),
        _system(gate, record.adapter),
        _smallest_change(gate, record),
    ]
    if gate.baseline is not None:
        lines.append(_sign_test(gate, record))
    return [*lines, *beside, *(f"  warning: {warning}" for warning in [*gate.warnings, *warnings])]


def other_profile_lines(gates: Mapping[str, GateResult]) -> list[str]:
    """Return a line for each profile whose verdict is not the run's."""
    return [
        f"  profile {term(name, 60)}, not deciding: {gate.status.upper()}: {term(gate.reason, 300)}"
        for name, gate in gates.items()
        if not gate.decides
    ]


def last_line(gate: GateResult) -> str:
    """Return the line that ends a session: ``benchbed: gate FAILED: <reason>``."""
    return f"benchbed: gate {gate.status.upper()}: {gate.reason}"


def recorded_verdict(record: RunRecord) -> str:
    """Return the last line for a run whose baseline or controls are not at hand."""
    stands = record.gate.status if record.gate else "none"
    return (
        "benchbed: gate BASELINE REQUIRED: the runs it was compared with are not at hand, so its "
        f"verdict stays as it was ({stands})"
    )


def _title(gate: GateResult, record: RunRecord, profile: str) -> str:
    rule = f"rule {gate.rule}" + (" (auto)" if gate.rule_source == "auto" else "")
    role = "gate" if gate.decides else "profile"
    return (
        f"bench {term(record.benchmark.id)} · {role} {term(profile)} · {rule} · "
        f"{gate.status.upper()}"
    )


def _retired(gate: GateResult, record: RunRecord) -> int:
    return max(len(gate.coverage.retired), record.counts.retired)


def _coverage(gate: GateResult, record: RunRecord) -> str:
    coverage = gate.coverage
    share = f" ({percent(gate.D / coverage.of)})" if coverage.of and gate.D else ""
    return (
        f"  compared {coverage.compared} of {coverage.of} · unstable {gate.D}{share} · "
        f"retired {_retired(gate, record)} · skipped {len(coverage.skipped)} · "
        f"new {len(coverage.new)} · unverifiable {len(coverage.unverifiable)}"
    )


def _missing(gate: GateResult) -> list[str]:
    """Return the line of what is there only when something is wrong, or nothing."""
    coverage = gate.coverage
    counts = [
        ("holes", len(coverage.holes)),
        ("not selected", coverage.not_selected),
        ("not in baseline", len(coverage.not_in_baseline)),
        ("support lost", len(coverage.support_lost)),
        ("removed", len(coverage.removed)),
    ]
    facts = [f"{word} {number}" for word, number in counts if number]
    if coverage.no_answer:
        facts.append(f"no answer {len(coverage.no_answer)} ({coverage.no_answer_known} known)")
    return [f"  {' · '.join(facts)}"] if facts else []


def _holes(record: RunRecord) -> list[str]:
    """Return why cases have no result, each reason once; the report has them all."""
    cases: dict[str, list[str]] = {}
    for hole in record.holes:
        cases.setdefault(hole.reason, []).append(term(hole.case))
    lines = [
        f"  no result: {term(reason, 120)} {names(concerned)}"
        for reason, concerned in cases.items()
    ]
    more = len(lines) - MAX_REASONS
    if more > 0:
        lines[MAX_REASONS:] = [f"  no result: {count(more, 'more reason')}"]
    return lines


def _suspects(gate: GateResult, record: RunRecord) -> str:
    clean = sum(1 for target in gate.targets if not target.errors)
    targets = f"{clean} of {len(gate.targets)} clean" if gate.targets else "none"
    return f"  {' · '.join([*suspect_facts(gate, record), f'targets {targets}'])}"


def suspect_facts(gate: GateResult, record: RunRecord) -> list[str]:
    """Return the suspects, and where they were asked again what that showed and took."""
    parts = [f"suspects {len(gate.suspects)}"]
    if gate.allowed is not None and is_grouped(record):
        parts.append(f"allowed in {count(gate.allowed, 'group')}")
    elif gate.allowed is not None:
        parts = [f"{parts[0]} of {gate.allowed} allowed"]
    if gate.rule == "confirm":
        parts += _asked_again(gate, record)
    return parts


def _asked_again(gate: GateResult, record: RunRecord) -> list[str]:
    """Return what became of the suspects, and what asking them again took."""
    number = Counter(one.outcome for one in gate.suspects)
    parts = [
        f"confirmed {sum(number[outcome] for outcome in CONFIRMED)}",
        f"wobbled {number['wobbled']}",
        f"unconfirmed {sum(number[outcome] for outcome in OPEN)}",
    ]
    calls = reask_calls(gate, record)
    cost = record.spend.reask_usd
    price = "" if not calls else ", cost not reported" if cost is None else f", ${cost:f}"
    return [*parts, f"{count(calls, 're-ask call')}{price}"]


def reask_calls(gate: GateResult, record: RunRecord) -> int:
    """Return the calls that asking again took; of an older record those with a score."""
    made = record.spend.reask_calls
    return sum(one.attempts - 1 for one in gate.suspects) if made is None else made


def _noise(gate: GateResult, control_command: str) -> str:
    alarm = gate.false_alarm
    if alarm.estimate is None or gate.flaky_estimate is None:
        add = f" · add one: {control_command}" if control_command else ""
        return f"  noise unknown: no control run{add}"
    # A seen nothing proves little, so the limit stands beside it.
    limit = "" if alarm.limit95 is None else f" (95 % limit {percent(alarm.limit95)})"
    return (
        f"  noise: {count(gate.K, 'control')} ({control_ages(gate)}) · flaky cases est. "
        f"{flaky_cases(gate)} · r {gate.r} · "
        f"false alarm est. {percent(alarm.estimate)}{limit}"
    )


def control_ages(gate: GateResult) -> str:
    """Return the ages of the controls: ``3 d, 2 d old``."""
    ages = ", ".join(age(control.age_s) for control in gate.controls)
    return ages if any(control.age_s < 0 for control in gate.controls) else f"{ages} old"


def mixed_number(fraction: str) -> str:
    """Return ``numerator/denominator`` as people read it.

    >>> mixed_number("4/1"), mixed_number("10/3")
    ('4', '3.3')
    """
    value = Fraction(fraction)
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.1f}"


def flaky_cases(gate: GateResult) -> str:
    """Return the estimated flaky cases as people read it: ``4``, or ``all 20``, never more."""
    estimate = gate.flaky_estimate or "0"
    if Fraction(estimate) > gate.coverage.compared:
        return f"all {gate.coverage.compared}"
    return mixed_number(estimate)


def _system(gate: GateResult, adapter: AdapterRecord) -> str:
    name = term(f"{adapter.name} {adapter.version}".rstrip(), 120)
    unknown = sorted(run for run, is_identified in gate.identified.items() if not is_identified)
    if unknown:
        return (
            f"  system: {name} · system not identified (run {', '.join(unknown)}): report a "
            "version, or watch the product's files"
        )
    by = [word for word, is_there in _identified_by(adapter) if is_there]
    return f"  system: {name} · identified" + (f" by {', '.join(by)}" if by else "")


def _identified_by(adapter: AdapterRecord) -> list[tuple[str, bool]]:
    # The default version of an executable is its own digest: the file again, not the product.
    is_reported = adapter.version not in ("", adapter.code_sha256)
    return [("version", is_reported), ("watch", adapter.watch_sha256 is not None)]


def _smallest_change(gate: GateResult, record: RunRecord) -> str:
    if gate.baseline is None:
        return "  smallest change seen: none, as nothing was compared"
    unseen = gate.D + _retired(gate, record) + len(gate.coverage.skipped)
    return (
        f"  smallest change seen: {smallest_change_text(gate, record)}; nothing can be seen in the "
        f"{unseen} unstable, retired or skipped cases"
    )


def is_grouped(record: RunRecord) -> bool:
    """Say whether cases have groups: then these are counted where cases fail together."""
    return bool(record.counts.groups)


def smallest_change_text(gate: GateResult, record: RunRecord) -> str:
    """Return the smallest change that the rule sees, in one case and spread over many."""
    change = gate.smallest_change
    unit = "judged group" if is_grouped(record) else "judged case"
    seen = "not visible"
    if change.single is not None:
        seen = f"{count(change.single, 'case')} broken every time"
    elif change.spread is not None:
        seen = "one broken case not visible"
    if change.spread is not None:
        seen += f"; spread-out: {change.spread} of {count(change.of, unit)}"
        seen += " (80 % of the time)" if change.spread > 1 else ""
    elif change.single is not None:
        seen += "; spread-out: unknown" if gate.allowed is None else "; spread-out: not visible"
    return seen


def _sign_test(gate: GateResult, record: RunRecord) -> str:
    test = gate.sign_test
    return (
        f"  against the baseline alone: worse {test.worse}, better {test.better}, "
        f"mixed {test.mixed} · {sign_test_text(gate, record)}"
    )


def sign_test_text(gate: GateResult, record: RunRecord) -> str:
    """Return p of the sign test, and where there are several profiles that by Holm."""
    test = gate.sign_test
    # Cases of one document fail together, so the reader is told what was counted.
    unit = "group" if is_grouped(record) else "case"
    holm = "" if test.holm is None else f", by Holm over all profiles {test.holm:.2g}"
    return f"sign test p {test.p:.2g} (by {unit}){holm}"
