"""A verdict over rows that lie in their files is the one over the same rows as objects."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.compare.coverage import cover
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.in_step import scored_cases
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.rows import SavedRows
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import PROFILES
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import error
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

CASES = ["a", "a-1", "B", "c", "d", "e"]
GROWN = {"at": "2026-03-09T12:00:00Z", "what": "grown", "from": "1"}
TEXT = st.sampled_from(
    ["", 'x","state":"scored","x":{', ',"errors":{"geometric":[],"logical":[]}', "ñ"]
)
PLAIN = st.sampled_from(
    ["", "a", "b", "ab", "!declined", "!skipped", "!technical", "!hole", "!missing"]
)
CHANGES = st.sampled_from(
    ["", "answer", "unscored", "quality", "metric", "words", "repeats", "nested"]
)
CASE = st.tuples(PLAIN, CHANGES, TEXT)
RUN = st.fixed_dictionaries(dict.fromkeys(CASES, CASE))
LIKE = st.dictionaries(st.sampled_from(CASES), CASE, max_size=3)
"""What differs from the candidate: most cases of most runs do not."""
JUDGES = [
    Judging(),
    Judging(tolerance={"score": 0.1}),
    Judging(is_worse=lambda one, two: len(one.errors) > len(two.errors)),
]


def made(case: str, what: tuple[str, str, str], run: int) -> Any:
    """The row of a case, with times of its run."""
    plain, change, text = what
    if plain in ("!hole", "!missing"):
        return plain
    values: dict[str, Any] = {}
    if change == "answer":
        values["answer"] = "another"
    if change == "quality":
        values["quality"] = 0.5
    if change == "metric" and not plain.startswith("!"):
        values["metrics"] = {"score": 0.5}
    if change == "nested" and not plain:
        nested = {"a": 0, "errors": {"geometric": [], "logical": []}, "key_parts": {}}
        values["errors"] = [error("no-answer") | {"got": nested}, error("no-answer")]
    found = row(case, plain, **values)
    if change == "unscored" and found["state"] == "scored":
        found["errors"] = {"geometric": []}
        found["keys"] = {"geometric": found["keys"]["geometric"]}
    if change == "words":
        found["reason"] = found["category"] = text
        for one in found["errors"].get(PROFILE, ()):
            one["got"] = text
    if change == "repeats":
        found["repeats"] = [{"attempt": 2, "errors": {PROFILE: []}, "quality": 1, "x": {"y": run}}]
    found["x"]["latency_s"] = run / 7
    return json.loads(canonical(found))


def facts(cases: dict[str, Any], name: str, number: int, **changes: Any) -> RunFacts:
    return run_of({case: made(case, what, number) for case, what in cases.items()}, name, **changes)


def in_file(run: RunFacts, folder: str, *, is_known: bool) -> RunFacts:
    """The same run with its rows in a file."""
    path = Path(folder) / f"{run.id}.jsonl"
    digest = write_results(path, (canonical(run.rows[case]) for case in sorted(run.rows)))
    return RunFacts(run.record, saved_rows(path, digest if is_known else None))


def saved_rows(path: Path, digest: str | None) -> SavedRows:
    return SavedRows.open(path, digest, run="run", profiles=PROFILES)


def verdict(runs: list[RunFacts], **options: Any) -> Any:
    try:
        return gate(*runs, **options).to_json()
    except BenchbedError as problem:
        return str(problem)


@pytest.mark.req("ENV-056", "ENV-060", "ENV-062")
@settings(max_examples=80, deadline=None)
@given(
    RUN,
    st.lists(LIKE, max_size=3),
    st.tuples(*[st.lists(st.sampled_from(CASES), max_size=2)] * 3),
    st.sampled_from(JUDGES),
    st.booleans(),
)
def test_rows_in_files_give_the_verdict_of_the_same_rows_as_objects(
    cases, others, lists, judge, is_known
):
    added, targets, retired = lists
    grown = [{**GROWN, "to": {"added": added}}] if added else []
    runs = [facts(cases, "candidate", 1, history=grown, retired=retired)]
    for number, like in enumerate(others, start=2):
        name = "base" if number == 2 else f"control-{number}"
        runs.append(facts({**cases, **like}, name, number, history=grown))
    with tempfile.TemporaryDirectory() as folder:
        saved = [in_file(run, folder, is_known=is_known) for run in runs]

        options = {"judge": judge, "targets": targets}
        assert verdict(saved, **options) == verdict(runs, **options)
        for one, two in zip(saved, runs, strict=True):
            assert scored_cases(one.rows) == scored_cases(two.rows)
        if len(runs) > 1:
            assert classes(saved) == classes(runs)


def classes(runs: list[RunFacts]) -> dict[str, Any]:
    """Every class of the coverage; which of the compared cases were parsed is free."""
    covered = asdict(cover(runs[0], runs[1], runs[2:], PROFILE))
    return {name: covered[name] for name in covered if name not in ("differing", "perfect")}
