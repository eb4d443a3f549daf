from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.benchmarks.generic import fields
from pytest_benchbed.benchmarks.generic.make import make_type
from pytest_benchbed.benchmarks.selfcheck import answer_fault
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.benchmarks.generic.scored import Scored


def errors(scoring: dict[str, Any], answer: Any, prediction: Any, **inputs: Any) -> list[str]:
    return Scored("fields", scoring, answer, prediction, **inputs).errors


def one(rule: Any, expected: Any, got: Any, locale: str | None = "en") -> list[str]:
    """Return the errors of one field under a rule; a second one, which is right, is compared."""
    scoring = {"locale": locale, "fields": {"f": rule}}
    return errors(scoring, {"f": expected, "g": 1}, {"f": got, "g": 1})


@pytest.mark.parametrize(
    ("expected", "got", "kinds"),
    [
        ("Acme Ltd.", "acme ltd", []),
        ("Acme", "Acne", ["wrong f"]),
        ("Acme", None, ["missing f"]),
        ("Acme", " ", ["missing f"]),
        ("Acme", ["Acme"], ["wrong f"]),
        (None, "Acme", ["invented f"]),
        ("", None, []),
        ([], "", []),
        ({}, {"a": 1}, ["invented f"]),
        (5, 5.0, []),
        (5, "5", []),
        (5, 6, ["wrong f"]),
        (0, 0, []),
        (0, None, ["missing f"]),
        (True, True, []),
        (True, 1, ["wrong f"]),
        ("<0.5", "0.5", ["qualifier_lost f"]),
        ("-5 €", "5 €", ["sign_lost f"]),
        ("5 mg", "5", ["unit_lost f"]),
        ("5 mg", "5 g", ["unit_wrong f"]),
        ("3,5", "3.5", ["ambiguous f"]),
        (10**20, 10**20, []),
    ],
)
def test_a_field_without_a_rule_is_equal_as_written(
    expected: Any, got: Any, kinds: list[str]
) -> None:
    assert errors({"locale": "en"}, {"f": expected}, {"f": got}) == kinds


@pytest.mark.parametrize(
    ("rule", "expected", "got", "kinds"),
    [
        ("number", 1288, "1,288.00", []),
        ("number", "1,288", 1288, []),
        ("number", "five euros", "€5", []),
        ("number", 5, "five or six", ["wrong f"]),
        ("number", 5, "5 or so of them", ["unit_wrong f"]),
        ("number", 5, "5 to 6", ["wrong f"]),
        ("number", 5, "n/a", ["wrong f"]),
        ("number", "n/a", "N/A", []),
        ("number", "n/a", 5, ["wrong f"]),
        ("number", 1288, "1,28,8", ["ambiguous f"]),
        ({"compare": "number", "tolerance": 0.5}, 5, 5.5, []),
        ({"compare": "number", "tolerance": 0.5}, 5, 5.6, ["wrong f"]),
        ({"compare": "number", "relative": 0.01}, 100, 101, []),
        ({"compare": "number", "unit": "ignore"}, "5 mg", "5 g", []),
        ({"compare": "number", "locale": "es"}, 3.5, "3,5", []),
        ("date", "4 November 2024", "2024-11-04", []),
        ("date", "2024-11-04", "2024-11-05", ["wrong f"]),
        ("date", "2024-11-04", "04/11/2024", ["ambiguous f"]),
        ("date", "2024-11-04", "31/02/2024", ["wrong f"]),
        ("date", "2024-11-04", "", ["missing f"]),
        ({"compare": "date", "locale": "es"}, "2024-11-04", "04/11/2024", []),
        ({"compare": "text", "at_least": 0.8}, "Harbor Point", "harbor pont", []),
        ({"compare": "text", "at_least": 0.8}, "Harbor Point", "Haven", ["wrong f"]),
        ({"compare": "text", "measure": "wer", "at_most": 0.5}, "a b", "a c", []),
        ({"compare": "exact", "profile": "exact"}, "Acme", "acme", ["wrong f"]),
        ({"compare": "exact", "profile": "spoken"}, "five", "5", []),
        ("ignore", "a", "b", []),
        ("ignore", {"a": 1}, None, []),
        ("set", ["a", "b"], ["B", "a", "a."], []),
        ("set", ["a", "b"], ["b", "c", "d"], ["missing f 0", "invented f 1", "invented f 2"]),
        ("set", ["a", "b"], None, ["missing f 0", "missing f 1"]),
        ("set", ["a"], "a", []),
        ("set", [{"n": "A"}, 5], [5, {"n": "a"}], []),
        ("set", [["A", "b"]], [["a", "B."]], []),
        ("set", "a", "a.", []),
        ("set", [], ["a"], ["invented f"]),
        ("exact", ["a", "b"], ["a", "b"], []),
        ("exact", ["a", "b"], ["b", "a"], ["invented f 1", "missing f 1"]),
        ("exact", ["a", "b", "c"], ["a", "x", "c"], ["wrong f 1"]),
        ("exact", ["a", "b"], ["a"], ["missing f 1"]),
        ("number", [1, "<2"], ["1", "2"], ["qualifier_lost f 1"]),
        ("number", ["1 mg", "1,28,8"], ["1 mg", "1,28,8"], []),
        ({"compare": "number", "tolerance": 1}, [10, 20], [10.5, 20], []),
        ("date", ["4 May 2024"], ["2024-05-04"], []),
    ],
)
def test_rules(rule: Any, expected: Any, got: Any, kinds: list[str]) -> None:
    assert one(rule, expected, got) == kinds


def test_objects_and_lists_of_objects_are_compared_by_place() -> None:
    scoring = {
        "fields": {"/who/age": "number", "/lines/*/price": "number", "/lines/*/id": "ignore"}
    }
    answer = {
        "who": {"name": "Ann", "age": "30"},
        "lines": [{"id": 1, "price": 5, "what": "a"}, {"id": 2, "price": 6, "what": "b"}],
    }

    assert errors(scoring, answer, answer) == []
    assert errors(scoring, answer, {}) == [
        "missing /who/name", "missing /who/age", "missing lines 0", "missing lines 1",
    ]  # fmt: skip
    said = {
        "who": {"name": "ann", "age": 31},
        "lines": [{"price": "5.0", "what": "A"}, {"price": 7, "what": "b"}, {"price": 1}],
    }
    assert errors(scoring, answer, said) == [
        "wrong /who/age", "wrong /lines/1/price", "invented lines 1",
    ]  # fmt: skip


def test_everything_may_be_ignored_but_some_places() -> None:
    scoring = {"default": "ignore", "fields": {"total": "number", "/lines/*/price": "number"}}
    answer = {"total": 5, "x": "y", "e": {}, "names": ["a"], "lines": [{"price": 1, "n": "b"}]}

    assert errors(scoring, answer, {"total": 5, "lines": [{"price": 1, "n": "c"}]}) == []
    assert errors(scoring, answer, {"total": 6, "lines": [{"price": 2}]}) == [
        "wrong total", "wrong /lines/0/price",
    ]  # fmt: skip


def test_what_an_answer_does_not_have_is_asserted_only_on_request() -> None:
    answer, said = {"a": "x", "o": {"p": 1}}, {"a": "x", "o": {"p": 1, "q": 2}, "b": "y", "c": None}

    assert errors({}, answer, said) == []
    assert errors({"extra": "invented"}, answer, said) == ["invented /o/q", "invented b"]
    ignored = {"extra": "invented", "fields": {"b": "ignore", "/o/q": "ignore"}}
    assert errors(ignored, answer, said) == []


def test_what_is_invented_in_a_set_has_its_number_in_any_order() -> None:
    scoring = {"fields": {"f": "set"}}
    found = [
        {
            (error.key, error.got)
            for error in Scored("fields", scoring, {"f": ["a"]}, said).first.errors
        }
        for said in ({"f": ["a", "c", "b"]}, {"f": ["b", "c", "a"]})
    ]

    assert found[0] == found[1]


def test_the_share_of_right_fields_is_the_quality() -> None:
    found = Scored(
        "fields", {}, {"a": "x", "b": "y", "c": ["z"]}, {"a": "x", "b": "n", "c": ["z", "w"]}
    )

    assert found.errors == ["wrong b", "invented c 1"]
    assert found.first.metrics == {"fields": (2, 4), "exact": (0, 1)}
    assert found.quality == 0.5


def test_the_case_names_its_locale() -> None:
    scoring = {"fields": {"t": "number"}}

    assert errors(scoring, {"t": 1288}, {"t": "1.288"}, locale="es") == []
    assert errors(scoring, {"t": 1288}, {"t": "1.288"}, locale="en") == ["wrong t"]
    assert errors(scoring, {"t": 1288}, {"t": "1.288"}, locale="fr") == ["ambiguous t"]


def test_names_with_slashes_are_written_as_pointers() -> None:
    assert errors({"fields": {"/~1a~0": "number"}}, {"/a~": 1}, {"/a~": 2}) == ["wrong /~1a~0"]


def test_an_answer_that_asserts_nothing_is_refused() -> None:
    benchmark = make_type("mine", "fields", {})
    case = Case("c-1", "mine", {})

    assert "asserts nothing" in str(answer_fault(benchmark, case, {}))
    assert answer_fault(benchmark, case, {"a": None}) is None
    with pytest.raises(TechnicalFailure, match="shape"):
        Scored("fields", {}, {"a": 1}, ["a"])


def test_lists_that_are_too_long_are_not_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "MAX_CELLS", 3)

    with pytest.raises(TechnicalFailure, match="too_large"):
        errors({}, {"a": ["x", "y"]}, {"a": ["x", "z"]})


@pytest.mark.parametrize(
    ("rule", "expected", "got", "note"),
    [
        ("number", "5", "5 €", 'give it one, or the rule "unit": "ignore"'),
        ("exact", "5", "5 €", "it is the answer that has no unit"),
        ("number", "5 €", "5", ""),
    ],
)
def test_a_unit_that_the_answer_lacks_is_told_apart_from_one_that_was_lost(
    rule: str, expected: str, got: str, note: str
) -> None:
    scoring = {"locale": "en", "fields": {"f": rule}}
    (error,) = Scored("fields", scoring, {"f": expected}, {"f": got}).first.errors

    assert (error.kind, note in error.note, bool(error.note)) == ("unit_lost", True, bool(note))


def test_a_case_whose_every_field_is_ignored_is_no_green_case() -> None:
    settings = {"fields": {"a": "ignore", "/b/c": "ignore"}}

    with pytest.raises(TechnicalFailure, match="ignores every field"):
        errors(settings, {"a": 1, "b": {"c": 2}}, {})
    assert errors(settings, {"a": 1, "d": None}, {}) == []


ANSWERS = [
    {"total": 5, "lines": []},
    {"total": 6, "lines": [{"price": 2}], "buyer": {"name": "Acme"}, "note": None},
]


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("total", None),
        ("lines", None),
        ("/lines/*/price", None),
        ("/buyer/name", None),
        ("note", None),
        ("/note/text", None),  # below a null: another answer may have it
        ("totl", "unknown field 'totl'. Did you mean 'total'?"),
        ("/lines/0/price", "unknown field '/lines/0/price'. Did you mean '/lines/*/price'?"),
        ("/buyer/nme", "unknown field '/buyer/nme'. Did you mean '/buyer/name'?"),
        ("Zeit", "unknown field 'Zeit'. Known: "),
    ],
)
def test_a_rule_is_of_a_field_that_some_answer_has(named: str, sentence: str | None) -> None:
    kind = make_type("mine", "fields", {"fields": {named: "number"}})

    found = kind.settings_fault(iter(ANSWERS))

    if sentence is None:
        assert found is None
    else:
        assert found is not None
        assert sentence in found


def test_a_field_that_only_predictions_have_may_be_ignored() -> None:
    fields = {"fields": {"total": "number", "confidence": "ignore"}}

    assert make_type("mine", "fields", {**fields, "extra": "invented"}).settings_fault(ANSWERS) is (
        None
    )
    assert "'confidence'" in str(make_type("mine", "fields", fields).settings_fault(ANSWERS))
