from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.compare.noise_ledger import Strike
from pytest_benchbed.runs.brief import build_brief
from tests.unit.runs.builders import error
from tests.unit.runs.builders import record
from tests.unit.runs.builders import result
from tests.unit.runs.builders import wrong


def brief(rows: Any, before: Any, buckets: dict[str, str], **more: Any) -> dict[str, Any]:
    base = None if before is None else {row["case"]: row for row in before}
    run = record("new", **more.pop("run", {}))
    return build_brief(run, rows, base, buckets, profile="logical", status="failed", **more)


@pytest.mark.req("ENV-069")
def test_changed_cases_are_grouped_by_bucket_and_category() -> None:
    rows = [
        wrong("e", "split", category=None),
        wrong("d", "merged"),
        wrong("f", "merged"),
        wrong("c", "merged"),
        result("b"),
        wrong("a", "taken", category="dense"),
    ]
    before = [result("a"), wrong("b", "split"), result("c"), result("d"), wrong("e", "split")]
    buckets = {
        "a": "worse",
        "b": "better",
        "c": "worse",
        "d": "noisy",
        "e": "remaining",
        "f": "worse",
    }

    groups = brief(rows, before, buckets)["groups"]

    assert [(g["bucket"], g["category"], [c["case"] for c in g["cases"]]) for g in groups] == [
        ("worse", "dense", ["a"]),
        ("worse", "ruled", ["c", "f"]),
        ("better", "ruled", ["b"]),
        ("noisy", "ruled", ["d"]),
        ("remaining", None, ["e"]),
    ]


def test_errors_are_parted_by_identity_into_new_gone_and_kept() -> None:
    row = wrong("a", "merged", "split")
    row["errors"]["logical"][0]["got"] = "now"
    old = wrong("a", "merged", "taken")
    old["errors"]["logical"][0]["got"] = "then"

    [group] = brief([row], [old], {"a": "worse"})["groups"]

    assert group["cases"] == [
        {
            "case": "a",
            "new": [error("split", cell=1)],
            "gone": [error("taken", cell=1)],
            "kept": [error("merged", cell=1) | {"got": "now"}],
        }
    ]


def test_without_a_baseline_every_error_is_kept() -> None:
    [group] = brief([wrong("a", "merged")], None, {"a": "remaining"})["groups"]

    [case] = group["cases"]
    assert (case["new"], case["gone"]) == ([], [])
    assert case["kept"] == [error("merged", cell=1)]


def test_a_case_the_baseline_lacks_has_new_errors_only() -> None:
    [group] = brief([wrong("a", "merged")], [], {"a": "worse"})["groups"]

    assert group["cases"][0]["new"] == [error("merged", cell=1)]


def test_cases_that_need_no_look_are_left_out() -> None:
    rows = [result("a"), result("b"), result("c"), result("d")]

    found = brief(rows, rows, {"a": "unchanged", "b": "technical", "c": "skipped"})

    assert found["groups"] == []


def test_the_head_names_run_dataset_baseline_and_verdict() -> None:
    found = brief(
        [],
        [],
        {},
        run={"baseline": {"id": "base", "identity": "1" * 64}},
        strikes=[Strike("a", wobbled=2, suspect=3, of=5)],
    )

    assert found == {
        "schema": "benchbed.review-brief.v1",
        "run": "new",
        "benchmark": "table-separators",
        "dataset": "synthetic-v1",
        "baseline": "base",
        "gate": {"status": "failed", "profile": "logical"},
        "groups": [],
        "intermittent": ["a"],
        "strikes": [{"case": "a", "wobbled": 2, "suspect": 3, "of": 5}],
    }


def test_a_run_without_a_baseline_names_none() -> None:
    assert brief([], None, {})["baseline"] is None
