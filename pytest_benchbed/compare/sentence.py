"""What the rule did, in words for somebody who never heard of a suspect."""

from __future__ import annotations

from pytest_benchbed.compare.confirm import CONFIRMED
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.model.gate import GateResult

BLIND = "One broken case cannot be seen by this rule."


def rule_sentence(gate: GateResult) -> str:
    """Return one or two sentences on how the rule came to its verdict; "" without a baseline."""
    if gate.baseline is None:
        return ""
    if gate.rule == "confirm":
        return _confirm(gate)
    if gate.rule == "allowance":
        return _allowance(gate)
    return f"{_worse(gate)} Any one fails." if gate.suspects else _worse(gate)


def _worse(gate: GateResult) -> str:
    cases = len(gate.suspects)
    if not cases:
        return "No stable case is worse than the old code."
    verb = "is" if cases == 1 else "are"
    return f"{count(cases, 'case')} {verb} worse than in every run of the old code."


def _confirm(gate: GateResult) -> str:
    if not gate.suspects:
        return "No stable case is worse than the old code, so none was asked again."
    ends = [
        ("right when asked again, which is noise", {"wobbled"}),
        ("wrong every time", CONFIRMED),
        ("not asked often enough to tell", {"unconfirmed"}),
        ("not asked again, as there were too many", {"not-reasked"}),
    ]
    parts = []
    for words, outcomes in ends:
        cases = sum(one.outcome in outcomes for one in gate.suspects)
        if cases:
            parts.append(f"{cases} {'was' if cases == 1 else 'were'} {words}")
    return f"{_worse(gate)} Of these {', '.join(parts)}.{_by_itself(gate)}"


def _by_itself(gate: GateResult) -> str:
    if gate.allowed is None:
        return ""
    return f" Without any change up to {gate.allowed} may be."


def _allowance(gate: GateResult) -> str:
    return f"{_worse(gate)}{_by_itself(gate)} {BLIND}"
