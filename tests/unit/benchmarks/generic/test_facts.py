from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.benchmarks.generic.make import make_type
from pytest_benchbed.benchmarks.selfcheck import answer_fault
from pytest_benchbed.model.case import Case
from tests.unit.benchmarks.generic.scored import Scored

TEXT = "Pay the net amount, then the gross amount. Net 30; no refund."


@pytest.mark.parametrize(
    ("answer", "text", "errors"),
    [
        ("net 30", TEXT, []),
        (["net 30", "refunds"], TEXT, ["missing contains 1"]),
        ({"contains": ["no refund"]}, {"text": TEXT}, []),
        ({"contains": ["x"]}, {}, ["missing contains 0"]),
        ({"absent": ["guarantee"]}, TEXT, []),
        ({"absent": ["guarantee", "refund"]}, TEXT, ["invented absent 1"]),
        ({"absent": ["guarantee"]}, "", ["missing text"]),
        ({"order": ["net amount", "gross amount", "net 30"]}, TEXT, []),
        ({"order": ["gross amount", "net amount"]}, TEXT, ["out_of_order order 1"]),
        ({"order": ["net amount", "amount"]}, "net amount", ["out_of_order order 1"]),
        ({"order": ["net", "discount"]}, TEXT, ["missing order 1"]),
        ({"count": {"amount": 2, "refund": 1}}, TEXT, []),
        ({"count": {"amount": 3, "refund": 0}}, TEXT, ["missing count 0", "invented count 1"]),
        ({"count": {"a": 2}}, "a a", []),
        ("amoun", TEXT, ["missing contains 0"]),
        ("…", "so …", ["missing contains 0"]),
    ],
)
def test_facts(answer: Any, text: Any, errors: list[str]) -> None:
    found = Scored("facts", {}, answer, text)

    assert found.errors == errors
    assert found.first.metrics["exact"] == (int(not errors), 1)


def test_the_share_of_right_facts_is_the_quality() -> None:
    answer = {"contains": ["net 30", "refunds"], "absent": ["gross"], "count": {"the": 2}}

    assert Scored("facts", {}, answer, TEXT).quality == 0.5


def test_parts_of_words_are_found_on_request_and_numbers_in_any_form() -> None:
    assert Scored("facts", {"whole_words": False}, "amoun", TEXT).errors == []
    spoken = {"profile": "spoken", "locale": "en"}
    assert Scored("facts", spoken, "€5", "It costs five euros.").errors == []
    assert Scored("facts", {"field": "reply"}, "a", {"reply": "a"}).errors == []


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("a", None),
        ({"order": ["b", "a"], "contains": ["a", "c"], "count": {"c": 3, "d": 0}}, None),
        ({"absent": ["a"]}, None),
        ({"contains": ["net amount"], "count": {"amount": 1}}, None),
        ({"contains": ["a"], "absent": ["A"]}, "the answer scores an error"),
        ({}, "asserts nothing"),
        ({"contain": ["a"]}, "contain"),
        ([], "asserts nothing"),
        (5, "answer: "),
    ],
)
def test_an_answer_can_be_won(answer: Any, fault: str | None) -> None:
    found = answer_fault(make_type("mine", "facts", {}), Case("c-1", "mine", {}), answer)

    assert (found is None) if fault is None else (fault in str(found))
