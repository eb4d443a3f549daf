"""The table of the rules that know the noise: one line of ``gate-rules.jsonl`` each.

Written as the table of verdicts, with the re-asks of a case beside it: each the
errors of one answer, or ``!technical`` or ``!budget``. Lines V are of the table
of verdicts, lines R are ours.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.compare.confirm import confirmation
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import decide_by
from pytest_benchbed.compare.outcome import item_outcome
from pytest_benchbed.compare.outcome import suspected
from pytest_benchbed.compare.rules import ChosenRule
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import reask
from tests.vectors.test_gate_vectors import facts
from tests.vectors.test_gate_vectors import runs

HERE = Path(__file__).parent
VECTORS = [json.loads(line) for line in (HERE / "gate-rules.jsonl").read_text("utf-8").splitlines()]


def with_reasks(candidate: RunFacts, vector: dict[str, Any]) -> RunFacts:
    """The candidate, with what was answered when its suspects were asked again."""
    rows = dict(candidate.rows)
    for case, what in vector["cases"].items():
        if "reasks" in what:
            given = [reask(one, number) for number, one in enumerate(what["reasks"], start=2)]
            rows[case] = {**rows[case], "reasks": given}
    return RunFacts(candidate.record, rows)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_the_table_of_rules(vector: dict[str, Any]) -> None:
    expect = dict(vector["expect"])
    candidate, base, *controls = runs(vector)
    candidate = with_reasks(candidate, vector)
    judge = Judging(tolerance=vector.get("tolerance"))
    targets = vector.get("targets", ())
    result = decide_by(
        ChosenRule(vector["rule"], vector["rule"]),
        candidate,
        base,
        controls,
        profile=PROFILE,
        decides=True,
        targets=targets,
        judge=judge,
        groups=vector.get("groups"),
    )
    assert result.status == expect.pop("status"), result.reason
    assert expect.pop("reason", "") in result.reason
    found = facts(result, candidate)
    assert expect.pop("line", "") in found.pop("text")
    found |= {
        "counts": result.loo_counts,
        "allowed": result.allowed,
        "outcomes": {one.case: one.outcome for one in result.suspects},
        "attempts": {one.case: [one.attempts, one.wrong] for one in result.suspects},
    }
    states = {one.case: one.outcome for one in result.suspects}
    items = {}
    for case in expect.pop("items", {}):
        row, old = candidate.rows[case], base.rows[case]
        repeats = [control.rows[case] for control in controls]
        what: dict[str, Any] = {
            "profile": PROFILE,
            "judge": judge,
            "is_target": case in targets,
        }
        suspect = suspected(row, old, repeats, **what)
        assert (suspect is not None) == (case in states)
        state = None
        if suspect is not None and result.rule == "confirm":
            state = confirmation(
                suspect, row.get("reasks", ()), rechecks=result.r, profile=PROFILE, judge=judge
            )
        outcome = item_outcome(
            row, old, repeats, has_baseline=True, unpaired=False, rule=result.rule, state=state,
            **what,
        )  # fmt: skip
        items[case] = outcome.outcome
    assert items == vector["expect"].get("items", {})
    assert {name: found[name] for name in expect} == expect


def test_every_verdict_of_these_rules_is_in_the_table() -> None:
    numbers = {vector["id"][:3] for vector in VECTORS}
    assert numbers >= {f"V{number:02}" for number in [*range(8, 26), 28, 29]}
