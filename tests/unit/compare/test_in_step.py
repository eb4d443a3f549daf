"""Rows in their files are gone through together; only what differs is parsed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.compare.coverage import cover
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.in_step import LOOK
from pytest_benchbed.compare.in_step import PERFECT
from pytest_benchbed.compare.in_step import RIGHT
from pytest_benchbed.compare.in_step import SCORED
from pytest_benchbed.compare.in_step import UNSCORED
from pytest_benchbed.compare.in_step import WRONG
from pytest_benchbed.compare.in_step import Grader
from pytest_benchbed.compare.in_step import imperfect_rows
from pytest_benchbed.compare.in_step import in_step
from pytest_benchbed.compare.in_step import scored_cases
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.rows import SavedRows
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import PROFILES
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import error
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

CLEAN = {"a": 0, "errors": {"geometric": [], "logical": []}, "key_parts": {}}


class Counted(SavedRows):
    """Rows that remember which of them were parsed."""

    parsed: list[str]

    def _row(self, number: int) -> dict[str, Any]:
        self.parsed.append(self.cases[number])
        return super()._row(number)


@pytest.fixture
def saved(tmp_path: Path):
    """A run with these cases, its rows in a file; times are of the run."""

    def save(cases: dict[str, Any], name: str = "candidate", **changes: Any) -> RunFacts:
        run = run_of(cases, name, **changes)
        for one in run.rows.values():
            one["x"]["latency_s"] = len(name) / 7
        path = tmp_path / f"{name}.jsonl"
        digest = write_results(path, (canonical(run.rows[case]) for case in sorted(run.rows)))
        rows = Counted.open(path, digest, run=name, profiles=PROFILES)
        rows.parsed = []
        return RunFacts(run.record, rows)

    return save


def head_of(one: dict[str, Any]) -> bytes:
    return canonical(one).rpartition(b',"x":{')[0]


def test_equal_rows_come_with_their_grade_and_all_others_without(saved):
    mine = saved({"a": "", "b": "x", "c": "", "d": "", "e": ""})
    base = saved({"0": "", "a": "", "b": "x", "c": "y", "e": "", "f": ""}, "base")
    control = saved({"a": "", "b": "x", "c": "", "d": "", "e": "!skipped"}, "control-1")

    found = dict(in_step(mine.rows, [base.rows, control.rows]))

    assert list(found) == ["a", "b", "c", "d", "e"]
    assert found == {"a": PERFECT, "b": WRONG, "c": None, "d": None, "e": None}


def test_as_many_cases_are_not_the_same_cases(saved):
    mine = saved({"a": "", "b": "", "c": "", "d": ""})
    base = saved({"a": "", "a-1": "", "b": "", "d": ""}, "base")
    found = dict(in_step(mine.rows, [base.rows]))
    assert [case for case, grade in found.items() if grade is None] == ["c"]


@pytest.mark.parametrize("which", [0, 1])
def test_rows_that_are_objects_are_looked_at_one_by_one(saved, which):
    runs = [saved({"b": "", "a": ""}), saved({"b": "", "a": ""}, "base")]
    runs[which] = RunFacts(runs[which].record, dict(runs[which].rows))
    assert list(in_step(runs[0].rows, [runs[1].rows])) == [("a", None), ("b", None)]


NESTED = row("a", errors=[error("x") | {"got": CLEAN}])
DIGESTS = {"answer": "0" * 64, "files": "0" * 64, "inputs": "0" * 64}


@pytest.mark.parametrize(
    ("made", "grade"),
    [
        (row("a"), PERFECT),
        (row("a") | {"category": ',"errors":{"geometric":[],"logical":[]}'}, PERFECT),
        (row("a", quality=0.5), RIGHT),
        (row("a") | {"reason": "text"}, RIGHT),
        (row("a") | {"repeats": [{"attempt": 2, "errors": {"logical": []}}]}, RIGHT),
        (row("a", "x"), WRONG),
        (row("a", "x", metrics={"key_parts": 1.0, "keys": None, "metrics": [1, 2]}), WRONG),
        (row("a", "x") | {"reason": ',"key_parts":{"answer":"'}, WRONG),
        (NESTED, WRONG),
        (row("a", errors=[error("x") | {"got": {"a": 1, "key_parts": DIGESTS}}]), WRONG),
        (NESTED | {"repeats": [{"attempt": 2, "errors": {"logical": []}}]}, SCORED),
        (NESTED | {"keys": {"logical": "0" * 64}}, SCORED),
        (row("a", "x") | {"errors": {"geometric": []}, "keys": {"geometric": "0" * 64}}, SCORED),
        (row("a", "!declined"), SCORED),
        (row("a", "!skipped"), UNSCORED),
        (row("a", "!technical"), UNSCORED),
        (row("a") | {"state": "skipped"}, UNSCORED),
        (row("a") | {"state": "odd"}, LOOK),
    ],
)
def test_a_head_tells_what_is_right_perfect_or_wrong(made, grade):
    head = head_of(json.loads(canonical(made)))
    assert Grader(PROFILES).grade(head) == grade


def test_one_error_is_looked_at_and_no_other_that_is_the_same_in_all_runs(saved):
    cases = {f"c{n}": "x" for n in range(9)}
    runs = [saved(cases), saved(cases, "base")]

    assert gate(*runs).status == "passed"
    assert [run.rows.parsed for run in runs] == [["c0"], []]


def test_errors_of_another_profile_are_none_of_this(saved):
    """That a type can fail shows in the profile that is judged."""
    made = {name: row(name, "x", quality=0.0) for name in "ab"}
    for one in made.values():
        one["errors"]["logical"] = []
    assert "this type cannot fail" in gate(saved(made), saved(made, "base")).reason
    assert gate(saved(made), saved(made, "base"), profile="geometric").status == "passed"


def test_only_rows_that_differ_or_have_an_error_are_parsed(saved):
    cases = {"a": "", "b": "x", "c": "!declined", "d": "", "e": "!skipped", "f": ""}
    mine = saved(cases)
    base = saved({**cases, "d": "y"}, "base")
    control = saved(cases, "control-1")

    covered = cover(mine, base, [control], PROFILE)

    assert covered.compared == ["a", "b", "c", "d", "f"]
    assert [case for case, *_ in covered.differing] == ["d"]
    assert (covered.no_answer, covered.no_answer_known, covered.skipped) == (["c"], 1, ["e"])
    assert (covered.perfect, covered.has_errors) == (2, True)
    assert mine.rows.parsed == ["b", "c", "d", "e"]
    # Of the old code also what is not compared, to say why.
    assert (base.rows.parsed, control.rows.parsed) == (["d", "e"], ["d"])


def test_a_verdict_over_equal_right_rows_parses_none(saved):
    cases = {f"c{n}": "" for n in range(20)}
    runs = [saved(cases), saved(cases, "base"), saved(cases, "control-1")]

    assert gate(*runs).status == "passed"
    assert gate(*runs, judge=Judging(tolerance={"score": 0.1})).status == "passed"
    assert [run.rows.parsed for run in runs] == [[], [], []]


@pytest.mark.req("ENV-062")
def test_a_quality_below_1_without_any_error_still_shows_a_type_that_cannot_fail(saved):
    half = {"a": "", "b": row("b", quality=0.5), "c": row("c", quality=0.5)}
    runs = [saved(half), saved(half, "base")]
    assert "this type cannot fail" in gate(*runs).reason
    # Also where only the baseline has the case, or only it has an error.
    assert "the quality of b is below 1" in gate(saved({"a": ""}), runs[1]).reason
    wrong = saved({"a": "", "b": "x"}, "base")
    assert "removed" in gate(saved({"a": ""}), wrong).reason


def test_scored_and_imperfect_rows_are_found_by_their_grades(saved):
    run = saved({"a": "", "b": "x", "c": "!skipped", "d": "!technical", "e": row("e", quality=0.9)})

    assert scored_cases(run.rows) == {"a", "b", "e"}
    assert run.rows.parsed == []
    assert [case for case, _ in imperfect_rows(run.rows)] == ["b", "c", "d", "e"]
    assert scored_cases(dict(run.rows)) == {"a", "b", "e"}


def test_a_row_with_its_keys_in_another_order_is_parsed_for_its_state(tmp_path):
    line = {"case": "a", "x": {}, **{k: v for k, v in row("a").items() if k not in ("case", "x")}}
    (tmp_path / "results.jsonl").write_bytes(json.dumps(line).encode() + b"\n")
    rows = SavedRows.open(tmp_path / "results.jsonl", None, run="old", profiles=PROFILES)
    assert scored_cases(rows) == {"a"}


@pytest.mark.req("ENV-062")
def test_a_profile_that_the_record_does_not_name_is_looked_for_in_each_row(saved):
    cases = {"a": "", "b": ""}
    found = cover(saved(cases), saved(cases, "base"), [], "third")
    assert (found.compared, found.unscored) == ([], ["a", "b"])


def test_without_profiles_no_row_is_right():
    assert Grader([]).grade(head_of(row("a") | {"errors": {}, "keys": {}})) == SCORED
