from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.benchmarks.generic.make import make_type
from pytest_benchbed.benchmarks.selfcheck import answer_fault
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.benchmarks.generic.scored import Scored

CASE = Case("c-1", "mine", {})


@pytest.mark.parametrize(
    ("scoring", "answer", "prediction", "errors"),
    [
        ({}, "Invoice", "invoice.", []),
        ({}, "Invoice", "receipt", ["wrong"]),
        ({}, "Invoice", "", ["missing"]),
        ({}, "Invoice", {}, ["missing"]),
        ({}, "Invoice", {"label": "invoice", "confidence": 0.5}, []),
        ({}, {"category": "invoice"}, {"category": "Invoice"}, []),
        ({}, {"category": "invoice"}, {"label": "invoice"}, ["missing"]),
        ({}, {"category": "invoice"}, "invoice", []),
        ({"field": "kind"}, {"kind": "a", "x": 1}, {"kind": "b"}, ["wrong"]),
        ({}, None, {"label": None}, []),
        ({}, None, "x", ["invented"]),
        ({}, 3, "3", []),
        ({}, True, "TRUE", []),
        ({}, "+", "-", ["wrong"]),
        ({}, "?", "!", ["wrong"]),
        ({"profile": "exact"}, "Yes", "yes", ["wrong"]),
        ({"profile": "spoken", "locale": "en"}, "five", "5", []),
        ({"labels": ["yes", "no"]}, "yes", "no", ["wrong"]),
        ({"labels": ["yes", "no"]}, "yes", "perhaps", ["invented"]),
        ({"aliases": {"yes": ["sí", "oui"]}}, "yes", "Sí", []),
        ({"labels": ["yes", "no"], "aliases": {"yes": ["sí"]}}, "no", "sí", ["wrong"]),
    ],
)
def test_labels(scoring: dict[str, Any], answer: Any, prediction: Any, errors: list[str]) -> None:
    found = Scored("label", scoring, answer, prediction)

    assert found.errors == errors
    assert found.first.metrics == {"exact": (int(not errors), 1)}
    assert found.quality == float(not errors)


@pytest.mark.parametrize("type_id", ["label", "text"])
def test_a_list_is_no_label_and_no_text(type_id: str) -> None:
    with pytest.raises(TechnicalFailure) as caught:
        Scored(type_id, {}, "yes", ["yes"])

    assert caught.value.kind == "shape"


@pytest.mark.parametrize("type_id", ["label", "text"])
@pytest.mark.parametrize(
    ("scoring", "answer"),
    [({"field": "labl"}, {"label": "x", "text": "x"}), ({}, {"kind": "x", "source": "y"})],
    ids=["misspelt", "of two"],
)
def test_an_object_without_the_field_is_a_fault_and_not_always_right(
    type_id: str, scoring: dict[str, Any], answer: dict[str, str]
) -> None:
    with pytest.raises(
        TechnicalFailure, match=r"the answer has no .*; set scoring\.field"
    ) as caught:
        Scored(type_id, scoring, answer, {**answer, "kind": "another"})

    assert caught.value.kind == "bad_answer"


@pytest.mark.parametrize("type_id", ["label", "text"])
@pytest.mark.parametrize(
    ("named", "answers", "sentence"),
    [
        ("kind", ["plain", {"kind": "x"}], None),
        ("kind", [{"other": 1}, {"kind": "x"}], None),
        ("kind", ["plain"], None),
        (None, [{"any": "x"}], None),
        ("knd", [{"kind": "x"}], "unknown field 'knd'. Did you mean 'kind'?"),
        (None, [{"one": 1, "two": 2}], "'. Known: one, two."),
    ],
)
def test_a_field_that_no_answer_has_is_told_of_the_settings(
    type_id: str, named: str | None, answers: list[Any], sentence: str | None
) -> None:
    found = make_type("mine", type_id, {"field": named}).settings_fault(iter(answers))

    assert (found is None) == (sentence is None)
    assert (sentence or "") in (found or "")


def test_an_answer_that_is_no_label_is_a_fault_of_the_dataset() -> None:
    benchmark = make_type("mine", "label", {"labels": ["yes", "no"], "aliases": {"no": ["nay"]}})

    assert "bad_answer: the answer is none of scoring.labels" in str(
        answer_fault(benchmark, CASE, "perhaps")
    )
    assert answer_fault(benchmark, CASE, "Nay") is None


@pytest.mark.parametrize(("type_id", "answer"), [("label", None), ("text", None), ("text", "a")])
def test_an_answer_is_its_own_prediction(type_id: str, answer: Any) -> None:
    benchmark = make_type("mine", type_id, {})

    assert answer_fault(benchmark, CASE, answer) is None


@pytest.mark.parametrize(
    ("scoring", "answer", "prediction", "errors", "metric", "quality"),
    [
        ({}, "A b!", "a B", [], None, 1.0),
        ({}, "a b", "a c", ["wrong"], None, 0.0),
        ({}, "a b", "", ["missing"], None, 0.0),
        ({}, {"text": ""}, "a", ["invented"], None, 0.0),
        ({"compare": "similarity", "at_least": 0.8}, "Harbor Point", "harbor pont", [], None, None),
        ({"compare": "similarity", "at_least": 0.8}, "abc", "xyz", ["wrong"], 0.0, 0.0),
        ({"compare": "wer", "at_most": 0.25}, "a b c d", "a b c", [], (1, 4), 0.75),
        ({"compare": "wer", "at_most": 0.2}, "a b c d", "a b c", ["wrong"], (1, 4), 0.75),
        ({"compare": "wer", "at_most": 0.2}, "a", "b c d", ["wrong"], (3, 1), 0.0),
        ({"compare": "wer", "at_most": 0.2}, {"text": ""}, "b c", ["invented"], (2, 0), 0.0),
        (
            {"compare": "wer", "at_most": 0.2},
            {"text": ""},
            {"text": "."},
            ["invented"],
            (1, 0),
            0.0,
        ),
        ({"compare": "wer", "at_most": 0.2}, {"text": ""}, {"text": " "}, [], (0, 0), 1.0),
        ({"compare": "cer", "at_most": 0.3}, "abcd", "abcx", [], (1, 4), 0.75),
        ({"compare": "wer", "at_most": 0, "locale": "en"}, "five euros", "€5", [], (0, 2), 1.0),
    ],
)
def test_texts(
    scoring: dict[str, Any],
    answer: Any,
    prediction: Any,
    errors: list[str],
    metric: Any,
    quality: float | None,
) -> None:
    found = Scored("text", scoring, answer, prediction)

    assert found.errors == errors
    if metric is not None:
        assert found.first.metrics[scoring["compare"]] == metric
    if quality is not None:
        assert found.quality == quality


def test_an_error_rate_is_told_as_spoken_and_as_written() -> None:
    scoring = {"compare": "wer", "at_most": 0.1, "locale": "en"}
    found = Scored("text", scoring, "pay five euros", "pay five €")

    assert list(found.all) == ["spoken", "written"]
    assert [score.metrics["wer"] for score in found.all.values()] == [(0, 3), (1, 3)]
    (error,) = found.all["written"].errors
    assert error.note == "wer 0.3333 (1 of 3), at most 0.1"
    assert Scored("text", {**scoring, "profile": "written"}, "a", "a").benchmark.profiles == (
        "written",
        "spoken",
    )
