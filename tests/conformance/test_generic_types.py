"""The suite over the types that need no code, each with settings of several kinds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.data.pin import pin
from tests.conformance.distribution import pytest_with
from tests.plugin.bench import write_lines

CONFTEST = """
from pathlib import Path


def pytest_benchbed_datasets(registry):
    registry.add_fixtures(Path(__file__).parent / "fixtures")
"""
# What reads a reply is the same for every type, and stands before all of them.
CHOSEN = "not table-separators and (fields or not broken_output)"
FIELDS: dict[str, Any] = {
    "locale": "en",
    "fields": {
        "total": {"compare": "number", "tolerance": 0.5},
        "on": "date",
        "tags": "set",
        "/lines/*/price": "number",
        "title": {"compare": "text", "at_least": 0.8},
        "id": {"compare": "exact", "profile": "exact"},
    },
}
TYPES: dict[str, tuple[dict[str, Any], list[Any], Any]] = {
    "label": (
        {"labels": ["yes", "no", "maybe"], "aliases": {"yes": ["sí"]}},
        ["yes", {"label": "no"}, "maybe"],
        "no",
    ),
    "text": (
        {"compare": "cer", "at_most": 0.2, "locale": "en"},
        ["pay five euros", {"text": "the cat sat on the mat"}, "twenty-first of May 2024"],
        "a dog",
    ),
    "fields": (
        FIELDS,
        [
            {"total": "<5 mg/L", "on": "4 May 2024", "tags": ["a", "b"], "id": "X-1", "gone": None},
            {"total": 12.5, "title": "Harbor Point", "lines": [{"price": 1}, {"price": "$2"}]},
            {"total": "-3 €", "names": ["Ann", "Bo"], "who": {"first": "Ann", "last": "O'Neill"}},
        ],
        {"total": "5 mg/L", "on": "5 May 2024", "tags": ["c", "b"], "id": "x-1", "gone": "here"},
    ),
    "facts": (
        {"locale": "en"},
        ["net 30", {"contains": ["refund"], "absent": ["guarantee"]}, {"order": ["one", "two"]}],
        "net 60",
    ),
}


@pytest.mark.req("ENV-104", "ENV-105")
def test_the_suite_runs_over_each_type_without_code(tmp_path: Path) -> None:
    for name, (scoring, answers, wrong) in TYPES.items():
        folder = tmp_path / "cases" / name / "v1"
        folder.mkdir(parents=True)
        ids = [f"{name}-{number}" for number in range(1, len(answers) + 1)]
        write_lines(folder / "cases.jsonl", [{"id": case, "inputs": {}} for case in ids])
        rows = [{"id": case, "answer": one} for case, one in zip(ids, answers, strict=True)]
        write_lines(
            folder / "answers.jsonl", [{**row, "canary": "c0ffee" * 5 + "42"} for row in rows]
        )
        pin(folder, benchmark=name, id=f"{name}-v1", visibility="public")
        file = {"schema": "benchbed.bench.v1", "type": name, "scoring": scoring}
        (folder.parent / "bench.json").write_text(json.dumps(file), "utf-8")
        fixtures = tmp_path / "fixtures" / name
        fixtures.mkdir(parents=True)
        right = answers[0] if name != "facts" else "Payment is net 30."
        (fixtures / "correct.json").write_text(json.dumps({ids[0]: right}), "utf-8")
        (fixtures / "wrong.json").write_text(json.dumps({ids[0]: wrong}), "utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}

    done = pytest_with(
        environment,
        tmp_path,
        "--pyargs",
        "pytest_benchbed.conformance",
        "-k",
        CHOSEN,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "65 passed" in done.stdout
