from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.predictions import Predictions
from tests.unit.runs.builders import SPANISH
from tests.unit.runs.builders import outcome
from tests.unit.runs.builders import write_calls


def intent(case: str) -> dict[str, Any]:
    return {"kind": "intent", "benchmark": "b", "case": case, "context": None, "attempt": 1}


def test_each_answered_case_has_its_reply_as_received(tmp_path: Path) -> None:
    raw = json.dumps({"text": SPANISH, "n": [1.0]}, ensure_ascii=False)
    path = write_calls(tmp_path, [intent("a"), outcome("a", raw), outcome("b", " 7 ")])

    replies = Predictions.open(path)

    assert dict(replies) == {"a": raw, "b": " 7 "}
    assert len(replies) == 2
    assert replies.get("c") is None


def test_a_missing_file_has_no_replies(tmp_path: Path) -> None:
    assert dict(Predictions.open(tmp_path / "calls.jsonl")) == {}


def test_the_last_outcome_of_a_case_counts(tmp_path: Path) -> None:
    """A technical case that was asked again has the later reply, and the reverse."""
    path = write_calls(
        tmp_path,
        [
            outcome("a", None, state="technical"),
            outcome("b", '"old"'),
            outcome("a", '"new"'),
            outcome("b", None, state="technical"),
        ],
    )

    assert dict(Predictions.open(path)) == {"a": '"new"'}


@pytest.mark.parametrize(
    "line",
    [
        outcome("a", '"again"', attempt=2),
        outcome(None, '"usage of a batch"'),
        outcome(None, '"prepared"', context="page-1"),
        outcome("a", None, state="no-answer"),
        outcome("a", None, state="unsupported"),
        outcome("a", "{", state="technical"),
        outcome("a", "/w==", raw_base64=True),
        outcome("a", "1") | {"kind": "intent", "error": {"kind": "outcome"}},
    ],
    ids=["repeat", "batch", "context", "declined", "unsupported", "malformed", "no-text", "intent"],
)
def test_other_lines_are_no_predictions(tmp_path: Path, line: dict[str, Any]) -> None:
    assert dict(Predictions.open(write_calls(tmp_path, [line]))) == {}


def test_asking_again_without_an_outcome_takes_no_reply_away(tmp_path: Path) -> None:
    path = write_calls(tmp_path, [intent("a"), outcome("a", "1"), intent("a")])

    assert dict(Predictions.open(path)) == {"a": "1"}


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = write_calls(
        tmp_path, [outcome("a", "1")], tail=b'{"attempt":1,"case":"b","kind":"outcome","raw'
    )

    assert dict(Predictions.open(path)) == {"a": "1"}


def test_a_damaged_line_before_the_last_is_refused_by_number(tmp_path: Path) -> None:
    path = write_calls(tmp_path, [outcome("a", "1")])
    path.write_bytes(b'{"kind":"outcome",,}\n' + path.read_bytes())

    with pytest.raises(RunError, match=r"calls\.jsonl:1: is damaged"):
        Predictions.open(path)


def test_a_reply_cannot_pose_as_a_record(tmp_path: Path) -> None:
    forged = json.dumps(outcome("b", '"forged"'))
    path = write_calls(tmp_path, [outcome("a", forged), intent('x","kind":"outcome')])

    assert dict(Predictions.open(path)) == {"a": forged}


@pytest.mark.parametrize("data", [b"", b"[1]" * 500, b'{"raw":7}' + b" " * 500, b"\xff" * 500])
def test_a_file_that_changes_under_the_reader_is_refused(tmp_path: Path, data: bytes) -> None:
    path = write_calls(tmp_path, [outcome("a", "1")])
    replies = Predictions.open(path)
    path.write_bytes(data)

    with pytest.raises(RunError, match="was changed while it was read"):
        _ = replies["a"]


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        Predictions.open(tmp_path)
