from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.runs.comparison import write_comparison
from pytest_benchbed.runs.read import Run
from tests.unit.runs.builders import SPANISH
from tests.unit.runs.builders import outcome
from tests.unit.runs.builders import save_run
from tests.unit.runs.builders import write_calls

ANSWERS = {"a": {"rows": [1.0]}, "b": SPANISH}


def compared(path: Path, *runs: Any, cases: str = "ab", **more: Any) -> list[dict[str, Any]]:
    write_comparison(path, cases, ANSWERS.__getitem__, *runs, **more)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.req("ENV-096")
def test_each_answer_stands_beside_every_prediction(tmp_path: Path) -> None:
    rows = compared(
        tmp_path / "comparison.jsonl",
        {"a": "[1]", "b": json.dumps(SPANISH)},
        {"a": "[2]", "b": "null"},
        controls=[{"a": "[3]", "b": "1"}, {"a": "[4]", "b": "2"}],
    )

    assert rows == [
        {
            "case": "a",
            "answer": {"rows": [1]},
            "predictions": {"candidate": [1], "baseline": [2], "controls": [[3], [4]]},
        },
        {
            "case": "b",
            "answer": SPANISH,
            "predictions": {"candidate": SPANISH, "baseline": None, "controls": [1, 2]},
        },
    ]


def test_a_run_that_is_not_compared_has_no_key(tmp_path: Path) -> None:
    [row] = compared(tmp_path / "c", {"a": "1"}, cases="a")

    assert row["predictions"] == {"candidate": 1}


@pytest.mark.parametrize("raw", ["{", "[1] [2]", "NaN", '{"a":1,"a":2}', "", '"\\ud800"'])
def test_a_missing_or_unreadable_reply_is_null(tmp_path: Path, raw: str) -> None:
    [row] = compared(tmp_path / "c", {"a": raw}, {}, cases="a")

    assert row["predictions"] == {"candidate": None, "baseline": None}


def test_rows_are_sorted_and_each_case_stands_once(tmp_path: Path) -> None:
    rows = compared(tmp_path / "c", {}, cases="bab")

    assert [row["case"] for row in rows] == ["a", "b"]


def test_answers_are_fetched_one_by_one_as_their_row_is_written(tmp_path: Path) -> None:
    """A hundred thousand answers need not fit into memory."""
    events: list[str] = []

    class Replies(dict[str, str]):
        def get(self, case: str, default: Any = None) -> Any:
            events.append(f"reply {case}")
            return default

    def answer(case: str) -> Any:
        events.append(f"answer {case}")
        return 0

    write_comparison(tmp_path / "c", "ab", answer, Replies())

    assert events == ["reply a", "answer a", "reply b", "answer b"]


def test_without_cases_the_file_is_empty(tmp_path: Path) -> None:
    assert compared(tmp_path / "c", {}, cases="") == []


def test_the_replies_of_a_saved_run_are_its_predictions(tmp_path: Path) -> None:
    root = save_run(tmp_path / "base")
    write_calls(root, [outcome("a", "[1]")])
    run = Run.open(root)

    rows = compared(run.paths.comparison, run.predictions())

    assert [row["predictions"]["candidate"] for row in rows] == [[1], None]
