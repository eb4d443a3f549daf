"""Keys bind a result to what was asked, what was right and how it was judged."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.keys import CaseKeys
from pytest_benchbed.compare.keys import key_parts
from pytest_benchbed.model.canonical import digest
from tests.unit.compare.builders import ExampleType

PARTS = key_parts("a" * 64, [("b.png", "1" * 64), ("a.png", "2" * 64)], "c" * 64)


def keys(case_id="sep-001", parts=PARTS, judge=None, **declared):
    kind = type("Kind", (ExampleType,), declared)
    return CaseKeys(kind(), judge).of(case_id, parts)


@pytest.mark.parametrize("judge", [None, {"model": "large", "rubric": "é"}])
@pytest.mark.parametrize("case_id", ["sep-001", "año"])
def test_a_key_is_the_digest_of_all_that_it_binds(case_id, judge):
    assert keys(case_id, judge=judge) == {
        profile: digest(
            {
                "benchmark": ExampleType.id,
                "scoring_version": ExampleType.scoring_version,
                "profile": profile,
                "case_id": case_id,
                "judge": judge,
                **PARTS,
            }
        )
        for profile in ExampleType.profiles
    }


@pytest.mark.parametrize(
    "change",
    [
        *({"parts": {**PARTS, part: "9" * 64}} for part in ("inputs", "files", "answer")),
        {"case_id": "sep-002"},
        {"judge": {"model": "large"}},
        {"id": "another"},
        {"scoring_version": "example.scores.v2"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_is_another_makes_every_key_another(change):
    before, after = keys(), keys(**change)

    assert len({*before.values(), *after.values()}) == 2 * len(ExampleType.profiles)


def test_files_count_by_path_and_bytes_not_by_their_order():
    swapped = key_parts("a" * 64, [("a.png", "2" * 64), ("b.png", "1" * 64)], "c" * 64)
    renamed = key_parts("a" * 64, [("c.png", "1" * 64), ("a.png", "2" * 64)], "c" * 64)
    assert swapped == PARTS
    assert renamed["files"] != PARTS["files"]
