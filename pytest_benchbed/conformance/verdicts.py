"""The rule of pairing and gate: what can happen to a case, in a table, with the type's own rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_benchbed.benchmarks.score import declined
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.outcome import item_outcome
from pytest_benchbed.conformance.isolation import fixture_run
from pytest_benchbed.conformance.scored import skip_if_broken
from pytest_benchbed.conformance.subject import Result
from pytest_benchbed.conformance.subject import Subject
from pytest_benchbed.conformance.subject import row_of
from pytest_benchbed.model.run import Hole
from pytest_benchbed.model.run import TechnicalRecord

RIGHT, WRONG, OTHER, TECHNICAL, MISSING = "right", "wrong", "other", "technical", "missing"


@dataclass(frozen=True)
class Line:
    """One line of the table: what the runs say of one case, and what must follow."""

    name: str
    baseline: str | None
    candidate: str
    item: str | None
    gate: str
    controls: tuple[str, ...] = ()
    is_target: bool = False


TABLE = (
    Line("right before and now", RIGHT, RIGHT, "passed", "passed"),
    Line("a new error", RIGHT, WRONG, "failed", "failed"),
    Line("the same error", WRONG, WRONG, "xfailed", "passed"),
    Line("fixed", WRONG, RIGHT, "passed", "passed"),
    Line("one error for another", WRONG, OTHER, "failed", "failed"),
    Line("wrong, and a control was right", WRONG, WRONG, "xfailed", "passed", (RIGHT,)),
    Line("wrong, and a control was wrong too", RIGHT, WRONG, "xfailed", "passed", (WRONG,)),
    Line("another error than an unstable case has", RIGHT, OTHER, "xfailed", "passed", (WRONG,)),
    Line("a new error, and the control agrees", RIGHT, WRONG, "failed", "failed", (RIGHT,)),
    Line("a target with a known error", WRONG, WRONG, "failed", "failed", (), True),
    Line("a target that is right", WRONG, RIGHT, "passed", "passed", (), True),
    Line("a technical failure", RIGHT, TECHNICAL, "error", "blocked"),
    Line("no result", RIGHT, MISSING, None, "incomplete"),
    Line("wrong, and no result before", MISSING, WRONG, "failed", "incomplete"),
    Line("wrong, without a baseline", None, WRONG, "failed", "baseline required"),
    Line("right, without a baseline", None, RIGHT, "passed", "baseline required"),
)


def follow_the_table(subject: Subject) -> None:
    """Ask the outcome of the case and the verdict for each line of the table."""
    skip_if_broken(subject)
    profile = subject.benchmark.profiles[0]
    case = next((case for case in subject.wrong if _is_wrong(subject, case, profile)), None)
    if case is None:
        pytest.skip("not judged: wrong.json has no case with an error in the first profile")
    run = fixture_run(subject).run
    assert run is not None
    if case not in subject.own:
        pytest.skip(f"not judged: answer_as_prediction raises for case {case}")
    right = run.facts()
    # Some cases beside the one in question are enough: a run over these alone.
    rows = {
        name: {**right.rows[name], **_scored(subject.result(name, subject.own[name]))}
        for name in {case: None, **subject.sample}
    }
    table = _Table(subject, profile, case, RunFacts(right.record, rows))
    findings = [fault for line in TABLE if (fault := table.fault(line))]
    if findings:
        subject.broken(
            "pairing and gate follow the table",
            findings,
            "let quality be 1 without an error, and is_worse true for a new mistake and false for "
            "equal scores",
        )


def _is_wrong(subject: Subject, case: str, profile: str) -> bool:
    result = subject.result(case, subject.wrong[case])
    return result.scores is not None and result.errors(profile) > 0


def _scored(result: Result) -> dict[str, Any]:
    assert result.scores is not None, "an answer as its prediction is refused: another rule"
    return {"state": "scored", "reason": None, **row_of(result)}


class _Table:
    """The rows and runs that the lines of the table stand for."""

    def __init__(self, subject: Subject, profile: str, case: str, right: RunFacts) -> None:
        self.subject = subject
        self.profile = profile
        self.case = case
        self.right = right
        row = right.rows[case]
        wrong = subject.result(case, subject.wrong[case])
        other = Result(scores=declined(subject.benchmark), quality=0.0)
        self.rows: Mapping[str, dict[str, Any] | None] = {
            RIGHT: dict(row),
            WRONG: {**row, **_scored(wrong)},
            OTHER: {**row, **_scored(other)},
            TECHNICAL: {
                **row,
                "state": TECHNICAL,
                "reason": "adapter: crash",
                "errors": {},
                "metrics": {},
                "quality": None,
            },
            MISSING: None,
        }

    def fault(self, line: Line) -> str:
        """Say how outcome or verdict differ from the line; empty if they are as it says."""
        if OTHER in (line.candidate, line.baseline) and self.subject.benchmark.has_own_is_worse:
            return ""  # What is worse is the type's to say.
        return "; ".join(part for part in (self._item_fault(line), self._gate_fault(line)) if part)

    def _item_fault(self, line: Line) -> str:
        row = self.rows[line.candidate]
        if row is None:
            return ""
        controls = [self.rows[name] for name in line.controls]
        outcome = item_outcome(
            row,
            self.rows[line.baseline] if line.baseline else None,
            [control for control in controls if control is not None],
            profile=self.profile,
            has_baseline=line.baseline is not None,
            unpaired=False,
            is_target=line.is_target,
            judge=self.subject.benchmark,
        )
        if outcome.outcome == line.item:
            return ""
        got = f"{outcome.outcome} ({outcome.reason})" if outcome.reason else outcome.outcome
        return f"case {self.case}, {line.name}: the case is {got}, not {line.item}"

    def _gate_fault(self, line: Line) -> str:
        verdict = decide(
            self._run("candidate", line.candidate),
            self._run("baseline", line.baseline) if line.baseline else None,
            [
                self._run(f"control-{number}", name)
                for number, name in enumerate(line.controls, start=1)
            ],
            profile=self.profile,
            decides=True,
            rule="strict",
            rule_source="conformance",
            targets=[self.case] if line.is_target else [],
            judge=self.subject.benchmark,
        )
        if verdict.status == line.gate:
            return ""
        return (
            f"case {self.case}, {line.name}: the gate is {verdict.status} ({verdict.reason}), "
            f"not {line.gate}"
        )

    def _run(self, name: str, kind: str) -> RunFacts:
        rows = {case: row for case, row in self.right.rows.items() if case != self.case}
        row = self.rows[kind]
        if row is not None:
            rows[self.case] = row
        is_lost = int(kind == MISSING)
        is_technical = int(kind == TECHNICAL)
        counts = self.right.record.counts.model_copy(
            update={
                "scope": len(self.right.rows),
                "selected": len(self.right.rows),
                "scored": len(rows) - is_technical,
                "technical": is_technical,
                "holes": is_lost,
            }
        )
        failure = TechnicalRecord(case=self.case, whose="adapter", kind="crash", detail="")
        record = self.right.record.model_copy(
            update={
                "id": name,
                "status": "completed",
                "counts": counts,
                "technical": [failure] * is_technical,
                "holes": [Hole(case=self.case, reason="crash")] * is_lost,
            }
        )
        return RunFacts(record, rows)
