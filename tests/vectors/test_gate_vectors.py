"""The table of verdicts: one line of ``gate.jsonl`` each, ten cases where nothing else is said.

Those of the rules that ask again or count are in ``gate-rules.jsonl``.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.compare import noise
from pytest_benchbed.compare.coverage import grown_cases
from pytest_benchbed.compare.exit import raises_exit_status
from pytest_benchbed.compare.lines import verdict_lines
from pytest_benchbed.compare.outcome import item_outcome
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.model.errors import UsageProblem
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import letters
from tests.unit.compare.builders import planned
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of
from tests.unit.compare.builders import saved

HERE = Path(__file__).parent
VECTORS = [json.loads(line) for line in (HERE / "gate.jsonl").read_text("utf-8").splitlines()]
NUMBERS = json.loads((HERE / "gate-numbers.json").read_text("utf-8"))


def runs(vector: dict[str, Any]) -> list[Any]:
    """Candidate, baseline and controls of a vector, filled up to ten cases."""
    cases = vector["cases"]
    repeats = max((len(case.get("controls", ())) for case in cases.values()), default=0)
    fillers = [f"filler-{n}" for n in range(10 - len(cases) + len(vector.get("grown", ())))]
    if "z" in cases and cases["z"]["candidate"] == "!missing":
        fillers.append("filler-9")
    plain = {case: "" for case in fillers}
    quality = vector.get("quality", {})
    columns: list[dict[str, Any]] = [{**plain}, dict.fromkeys(fillers, vector.get("fillers", ""))]
    columns += [{**columns[1]} for _ in range(repeats)]
    for case, what in cases.items():
        given = [what["candidate"], what["baseline"], *what.get("controls", ())]
        for column, one in zip(columns, given, strict=False):
            column[case] = row(case, one, quality=quality[case]) if case in quality else one
    left_out = 0
    if "only" in vector:
        left_out = len(columns[0]) - len(vector["only"])
        columns[0] = {case: columns[0][case] for case in vector["only"]}
    adapter = {
        "deterministic": vector.get("deterministic", False),
        "identified": vector.get("identified", True),
    }
    history = [
        {"at": "2026-03-09T12:00:00Z", "what": "grown", "from": "1", "to": {"added": ids}}
        for ids in [vector.get("grown")]
        if ids
    ]
    return [
        run_of(columns[0], not_selected=left_out, adapter=adapter),
        run_of(columns[1], "base", adapter=adapter, history=history),
        *(
            run_of(column, f"control-{n}", adapter=adapter, started_at=f"2026-03-0{n}T00:00:00Z")
            for n, column in enumerate(columns[2:], start=1)
        ),
    ]


def refused_runs(how: str) -> tuple[Any, Any, list[Any]]:
    """Runs that ``check_comparable`` has to refuse."""
    plain = {f"case-{n}": "" for n in range(10)}
    candidate = planned(run_of(plain))
    small = {"model": "small", "identity": "6" * 64}
    large = {"model": "large", "identity": "7" * 64}
    base = saved(run_of(plain, "base", adapter=small))
    controls: list[Any] = []
    if how == "own run":
        base = saved(run_of(plain))
    elif how == "digest":
        other = {"digests": {"inputs": "1" * 64, "answers": "9" * 64}, "identity": "e" * 64}
        base = saved(run_of(plain, "base", dataset=other))
    elif how == "control model":
        controls = [saved(run_of(plain, "control-1", adapter=large))]
    else:
        entry = {"at": "2026-03-09T12:00:00Z", "what": "reused", "from": "base", "to": 10}
        controls = [saved(run_of(plain, "control-1", adapter=small, history=[entry]))]
    return candidate, base, controls


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_the_table_of_verdicts(vector: dict[str, Any]) -> None:
    expect = dict(vector["expect"])
    if "refuse" in vector:
        candidate, base, controls = refused_runs(vector["refuse"])
        with pytest.raises(UsageProblem) as refusal:
            check_comparable(candidate, base, controls)
        assert expect["refused"] in str(refusal.value)
        return
    candidate, base, *controls = runs(vector)
    judge = Judging(tolerance=vector.get("tolerance"))
    options: dict[str, Any] = {
        "rule": vector["rule"],
        "targets": vector.get("targets", ()),
        "judge": judge,
        "justification": vector.get("justification"),
    }
    if "refused" in expect:
        with pytest.raises(UsageProblem) as refusal:
            gate(candidate, base, *controls, **options)
        assert expect["refused"] in str(refusal.value)
        return
    result = gate(candidate, base, *controls, **options)
    assert result.status == expect.pop("status"), result.reason
    found = facts(result, candidate)
    items = {
        case: item_outcome(
            candidate.rows[case],
            base.rows.get(case),
            [control.rows[case] for control in controls],
            profile=PROFILE,
            has_baseline=True,
            unpaired=False,
            is_target=case in options["targets"],
            judge=judge,
            is_new=case in grown_cases(base.record),
        ).outcome
        for case in expect.pop("items", {})
    }
    assert items == vector["expect"].get("items", {})
    assert expect.pop("reason", "") in result.reason
    assert expect.pop("line", "") in found.pop("text")
    assert {name: found[name] for name in expect} == expect


def facts(result: Any, candidate: Any) -> dict[str, Any]:
    """What a vector may expect of a verdict."""
    coverage = result.coverage
    lines = verdict_lines(
        result, record=candidate.record, profile=PROFILE, control_command="benchbed again"
    )
    return {
        "rule": result.rule,
        "rule_source": result.rule_source,
        "K": result.K,
        "D": result.D,
        "r": result.r,
        "flaky_estimate": result.flaky_estimate,
        "suspects": {one.case: letters(one.errors) for one in result.suspects},
        "targets": {one.case: letters(one.errors) for one in result.targets},
        "unstable": result.unstable,
        "sign": [result.sign_test.worse, result.sign_test.better, result.sign_test.mixed],
        "compared": [coverage.compared, coverage.of],
        "holes": coverage.holes,
        "not_selected": coverage.not_selected,
        "not_in_baseline": coverage.not_in_baseline,
        "removed": coverage.removed,
        "new": coverage.new,
        "no_answer": coverage.no_answer,
        "warnings": result.warnings,
        "raises": raises_exit_status(
            result, partial_by_selection=coverage.not_selected > 0, require_gate=False
        ),
        "text": "\n".join(lines),
    }


def test_the_table_has_every_verdict_from_1_to_44() -> None:
    rules = (HERE / "gate-rules.jsonl").read_text("utf-8").splitlines()
    numbers = {vector["id"][:3] for vector in [*VECTORS, *map(json.loads, rules)]}
    assert {name for name in numbers if name.startswith("V")} == {
        f"V{number:02}" for number in range(1, 45)
    }


@pytest.mark.parametrize(
    "name", ["gate.jsonl", "gate-numbers.json", "gate-rules.jsonl", "noise-numbers.json"]
)
def test_the_copied_vectors_are_what_they_were(name: str) -> None:
    lines = (HERE / "gate.sha256").read_text("utf-8").splitlines()
    listed = {file: digest for digest, file in (line.split("  ") for line in lines)}
    assert hashlib.sha256((HERE / name).read_bytes()).hexdigest() == listed[name]


@pytest.mark.parametrize("given", NUMBERS["exact_sign_test_one_sided"], ids=str)
def test_sign_test(given: dict[str, Any]) -> None:
    assert noise.sign_test(given["worse"], given["better"]) == pytest.approx(given["p"], abs=1e-10)


@pytest.mark.parametrize("given", NUMBERS["statsmodels_mcnemar_two_sided_exact"], ids=str)
def test_the_sign_test_is_half_of_mcnemar(given: dict[str, Any]) -> None:
    twice = 2 * noise.sign_test(given["worse"], given["better"])
    assert twice == pytest.approx(given["p"], abs=1e-10)


@pytest.mark.parametrize("given", NUMBERS["false_alarm_per_flaky_case"], ids=str)
def test_false_alarm_of_one_flaky_case(given: dict[str, Any]) -> None:
    alarm = noise.false_alarm_per_flaky_case(given["controls"], given["rechecks"])
    assert float(alarm) == pytest.approx(given["mean_over_uniform_p"], abs=1e-10)


@pytest.mark.parametrize("given", NUMBERS["flaky_estimate"], ids=str)
def test_flaky_estimate(given: dict[str, Any]) -> None:
    assert noise.flaky_estimate(given["unstable_seen"], given["controls"]) == given["estimate"]


@pytest.mark.parametrize("given", NUMBERS["false_alarm_of_a_run"], ids=str)
def test_false_alarm_of_a_run(given: dict[str, Any]) -> None:
    alarm = noise.false_alarm(given["unstable"], given["controls"], given["rechecks"])
    assert alarm is not None
    assert alarm * 100 == pytest.approx(given["percent"], abs=0.0501)


@pytest.mark.parametrize("given", NUMBERS["limit95"], ids=str)
def test_limit_when_nothing_unstable_was_seen(given: dict[str, Any]) -> None:
    limit = noise.false_alarm_limit(0, given["controls"], given["rechecks"])
    assert limit is not None
    assert limit * 100 == pytest.approx(given["percent"], abs=0.0501)
