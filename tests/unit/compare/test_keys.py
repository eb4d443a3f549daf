"""Keys bind a result to what was asked, what was right and how it was judged."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.keys import CaseKeys
from pytest_benchbed.compare.keys import case_key
from pytest_benchbed.compare.keys import case_keys
from pytest_benchbed.compare.keys import key_parts
from pytest_benchbed.model.canonical import digest
from tests.unit.compare.builders import ExampleType

PARTS = key_parts("a" * 64, [("b.png", "1" * 64), ("a.png", "2" * 64)], "c" * 64)
WHOLE = {
    "benchmark": "table-separators",
    "scoring_version": "example.scores.v1",
    "profile": "logical",
    "case_id": "sep-001",
    "judge": None,
}


def test_a_key_is_the_digest_of_all_that_it_binds():
    assert case_key(PARTS, **WHOLE) == digest({**WHOLE, **PARTS})


@pytest.mark.parametrize("judge", [None, {"model": "large", "rubric": "é"}])
def test_the_quick_way_for_many_cases_gives_the_same_keys(judge):
    keys = CaseKeys(ExampleType(), judge).of("sep-001", PARTS)

    assert keys == case_keys(ExampleType(), "sep-001", PARTS, judge=judge)
    assert keys == {
        profile: case_key(PARTS, **{**WHOLE, "profile": profile, "judge": judge})
        for profile in ExampleType.profiles
    }


@pytest.mark.parametrize("part", ["inputs", "files", "answer"])
def test_another_part_is_another_key(part):
    assert case_key({**PARTS, part: "9" * 64}, **WHOLE) != case_key(PARTS, **WHOLE)


@pytest.mark.parametrize("name", WHOLE)
def test_another_frame_is_another_key(name):
    assert case_key(PARTS, **{**WHOLE, name: "another"}) != case_key(PARTS, **WHOLE)


def test_files_count_by_path_and_bytes_not_by_their_order():
    swapped = key_parts("a" * 64, [("a.png", "2" * 64), ("b.png", "1" * 64)], "c" * 64)
    renamed = key_parts("a" * 64, [("c.png", "1" * 64), ("a.png", "2" * 64)], "c" * 64)
    assert swapped == PARTS
    assert renamed["files"] != PARTS["files"]
