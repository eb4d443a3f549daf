"""What the rule did, in words for somebody who never heard of a suspect."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_benchbed.compare.confirm import CONFIRMED
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.ruling import STRICT_OFFLINE
from pytest_benchbed.model.gate import GateResult

BLIND = "One broken case cannot be seen by this rule."


def rule_sentence(gate: GateResult, *, is_grouped: bool = False) -> str:
    """Return one or two sentences on how the rule came to its verdict; "" without a baseline.

    ``is_grouped``: cases have groups, so that suspects are allowed by group.
    """
    if gate.baseline is None:
        return ""
    if gate.rule == "confirm":
        return _confirm(gate, is_grouped)
    if gate.rule == "allowance":
        return f"{_worse(gate)}{_by_itself(gate, is_grouped)} {BLIND}"
    return f"{_worse(gate)} Any one fails." if gate.suspects else _worse(gate)


def _worse(gate: GateResult) -> str:
    cases = len(gate.suspects)
    if not cases:
        return "No stable case is worse than the old code."
    verb = "is" if cases == 1 else "are"
    return f"{count(cases, 'case')} {verb} worse than in every run of the old code."


def _confirm(gate: GateResult, is_grouped: bool) -> str:
    if not gate.suspects:
        return "No stable case is worse than the old code, so none was asked again."
    # More than chance makes are no noise, even if each of them is right when asked again.
    noise = "" if _is_too_many(gate, is_grouped) else ", which is noise"
    ends = [
        (f"right when asked again{noise}", {"wobbled"}),
        (f"wrong every time{_fails(gate)}", CONFIRMED),
        ("not asked often enough to tell", {"unconfirmed"}),
        ("not asked again, as there were too many", {"not-reasked"}),
    ]
    parts = []
    for words, outcomes in ends:
        cases = sum(one.outcome in outcomes for one in gate.suspects)
        if cases:
            parts.append(f"{cases} {'was' if cases == 1 else 'were'} {words}")
    number = str(len(gate.suspects))
    if len(parts) == 1:
        told = f"{'It' if number == '1' else 'All'}{parts[0].removeprefix(number)}"
        return f"{_worse(gate)} {told}.{_by_itself(gate, is_grouped)}"
    return f"{_worse(gate)} Of these {_listed(parts)}.{_by_itself(gate, is_grouped)}"


def _listed(parts: Sequence[str]) -> str:
    return ", and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _by_itself(gate: GateResult, is_grouped: bool) -> str:
    """Say how many are no news, unless one of them is confirmed, which no number excuses."""
    if gate.allowed is None or any(one.outcome in CONFIRMED for one in gate.suspects):
        return ""
    if _is_too_many(gate, is_grouped):
        most = count(gate.allowed, "group" if is_grouped else "case")
        return f" That is more than chance makes ({most} at most){_fails(gate)}."
    if STRICT_OFFLINE in gate.warnings:
        return f" The old code showed too little noise to explain it{_fails(gate)}."
    if gate.allowed == 0:
        return " Without any change even one would be a surprise."
    such = "one is" if gate.allowed == 1 else f"up to {gate.allowed} are"
    if is_grouped:
        such = f"such cases in up to {count(gate.allowed, 'group')} are"
    return f" Without any change {such} no surprise."


def _fails(gate: GateResult) -> str:
    """Of a run that is not whole something else decides."""
    return ", which fails the gate" if gate.status == "failed" else ""


def _is_too_many(gate: GateResult, is_grouped: bool) -> bool:
    if gate.allowed is None:
        return False
    if is_grouped:
        # How many groups the suspects are in, only the reason knows.
        return f"more than the {gate.allowed} allowed" in gate.reason
    return len(gate.suspects) > gate.allowed
