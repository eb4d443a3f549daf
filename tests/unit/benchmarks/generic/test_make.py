from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.benchmarks.generic import make
from pytest_benchbed.benchmarks.generic.make import TYPES
from pytest_benchbed.benchmarks.generic.make import make_type
from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.model.errors import UsageProblem


def version(type_id: str, scoring: dict[str, Any]) -> str:
    return make_type("mine", type_id, scoring).scoring_version


@pytest.mark.parametrize("type_id", TYPES)
def test_no_settings_will_do(type_id: str) -> None:
    benchmark = make_type("mine", type_id, {})

    assert benchmark.id == "mine"
    assert benchmark.format == f"benchbed.{type_id}.v1"
    assert benchmark.scoring_version.startswith(f"benchbed.{type_id}.scores.v1+")


@pytest.mark.req("ENV-011")
def test_the_scoring_version_follows_the_settings_and_the_normaliser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = {"compare": "number"}
    before = version("fields", {"fields": {"a": rule}})

    assert version("fields", {"locale": None, "fields": {"a": "number"}}) == before
    assert version("fields", {"fields": {"a": {**rule, "tolerance": 0}}}) == before
    # A setting that a later version adds changes no score of those that do not name it.
    assert version("label", {}) == "benchbed.label.scores.v1+d9907e882383"
    others = [
        version("fields", {}),
        version("fields", {"fields": {"a": "date"}}),
        version("fields", {"fields": {"b": "number"}}),
        version("fields", {"fields": {"a": {**rule, "tolerance": 1}}}),
        version("fields", {"fields": {"a": rule}, "locale": "es"}),
    ]
    monkeypatch.setattr(make, "TEXT_VERSION", "text.v2")
    others.append(version("fields", {"fields": {"a": rule}}))

    assert len({before, *others}) == 7


@pytest.mark.parametrize(
    ("type_id", "scoring", "words"),
    [
        ("lable", {}, "field type: unknown type 'lable'. Did you mean 'label'?"),
        ("label", {"lables": []}, "scoring.lables: unknown key 'lables'. Did you mean 'labels'?"),
        ("label", {"labels": ["a"]}, "scoring.labels: List should have at least 2"),
        ("label", {"labels": ["A", "a."]}, "labels 'A' and 'a.' are the same after profile"),
        ("label", {"labels": ["a", "b"], "aliases": {"c": []}}, "'c' is none of the labels"),
        ("label", {"aliases": {"a": ["x"], "b": ["X"]}}, "alias 'X' is that of 'b' and of 'a'"),
        ("label", {"locale": "fr"}, "scoring.locale: Input should be 'en-US', 'en-GB', 'en' or"),
        ("label", {"profile": "writen"}, "Did you mean 'written'?"),
        ("label", {"profile": 5}, "scoring.profile: Input should be 'exact', 'written' or"),
        ("text", {"compare": "wer"}, "wer needs at_most, such as 0.1: without it nothing fails"),
        ("text", {"compare": "wer", "at_least": 0.1}, "wer takes at_most, not at_least"),
        ("text", {"compare": "similarity"}, "similarity needs at_least, such as 0.9"),
        ("text", {"at_least": 0.9}, "equal has no bound"),
        ("text", {"compare": "similarity", "at_least": 0}, "scoring.at_least: Input should be gr"),
        ("text", {"compare": "cer", "at_most": 1}, "scoring.at_most: Input should be less than 1"),
        ("fields", {"default": "ignore"}, "every field is ignored, so no case could ever fail"),
        ("fields", {"fields": {"a": "nmber"}}, "fields.a: unknown rule 'nmber'. Did you mean 'n"),
        ("fields", {"fields": {"a": {"tolerance": 1}}}, "fields.a: compare is missing.\nSet it"),
        (
            "fields",
            {"fields": {"a": {"compare": "number", "tolerence": 1}}},
            "scoring.fields.a.tolerence: unknown key 'tolerence'. Did you mean 'tolerance'?",
        ),
        ("fields", {"default": {"compare": "text"}}, "scoring.default: similarity needs at_least"),
        ("fields", {"default": {"compare": "set", "x": 1}}, "scoring.default.x: unknown key 'x'"),
        ("fields", {"fields": {"a": {"compare": "number", "relative": 1}}}, "fields.a.relative: I"),
        ("fields", {"fields": {"": "set"}}, "scoring.fields"),
        ("facts", {"whole_word": True}, "Did you mean 'whole_words'?"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_their_key(
    type_id: str, scoring: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageProblem) as caught:
        make_type("mine", type_id, scoring)

    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["all", "my bench"])
def test_the_id_is_checked_like_that_of_any_type(name: str) -> None:
    with pytest.raises(UsageProblem, match="benchmark type Label"):
        make_type(name, "label", {})


def test_a_registry_tells_the_fault_of_a_file_to_who_asks_for_its_benchmark() -> None:
    registry = BenchmarkRegistry()

    def refused(is_registered: bool) -> None:
        raise UsageProblem("no")

    registry.add_from_file("bad", refused)
    registry.add_from_file("good", lambda is_registered: make_type("good", "label", {}))
    registry.add_from_file("none", lambda is_registered: None)

    assert registry.names() == ["bad", "good"]
    assert registry.get("good").id == "good"
    with pytest.raises(UsageProblem, match="no"):
        registry.get("bad")
    assert registry.family("good") == []
