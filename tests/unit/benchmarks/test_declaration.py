from __future__ import annotations

import functools

import pytest
from pydantic import BaseModel

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.declaration import checked_type
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import UsageProblem
from tests.unit.benchmarks.toys import toy


def refusal(kind: object) -> str:
    with pytest.raises(UsageProblem) as caught:
        checked_type(kind)
    return str(caught.value)


class Anything(BaseModel):
    pass


def test_a_complete_type_is_built() -> None:
    full = toy(
        profiles=("logical", "geometric"),
        family="tables",
        headline=("exact", "geometric.recall"),
        lower_is_better={"offset"},
        explain={"exact": "share of exact tables"},
        tier="component",
        board="Extract",
        categories=("ruled", "unruled"),
        viewer="table-grid",
        inputs_model=Anything,
        prediction_model=Anything,
        drive="my_bench.drive:ask",
        at_least={"exact": 1},
        tolerance={"offset": 0.5},
    )

    assert isinstance(checked_type(full), full)


@pytest.mark.req("ENV-005")
@pytest.mark.parametrize("name", ["id", "format", "label", "scoring_version"])
@pytest.mark.parametrize("value", [..., "", "  ", 3])
def test_a_mandatory_declaration_that_is_missing_is_refused(name: str, value: object) -> None:
    text = refusal(toy(**{name: value}))

    assert f"Toy (my_bench): {name!r} is not declared" in text
    assert f"set {name} = " in text


@pytest.mark.req("ENV-005")
def test_a_type_without_score_case_is_refused() -> None:
    assert "score_case is not defined" in refusal(toy(score_case=Benchmark.score_case))


@pytest.mark.req("ENV-012")
def test_an_unknown_tier_is_refused_with_the_nearest() -> None:
    text = refusal(toy(tier="documents"))

    assert "unknown tier 'documents'. Did you mean 'document'?" in text
    assert "Toy (my_bench)" in text


@pytest.mark.req("ENV-019")
def test_a_board_is_one_of_six() -> None:
    assert "unknown board 'Legale'. Did you mean 'Legal'?" in refusal(toy(board="Legale"))


@pytest.mark.req("ENV-019")
@pytest.mark.parametrize(
    "board", ["Extract", "Verify", "Locate", "Research", "Legal", "Site", None]
)
def test_the_six_boards_and_none_are_taken(board: str | None) -> None:
    assert checked_type(toy(board=board)).board == board


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"id": "a b"}, "bad id 'a b'"),
        ({"id": "-a"}, "bad id"),
        ({"id": "all"}, "--bench=all runs everything"),
        ({"family": "all"}, "--bench=all runs everything"),
        ({"family": "x y"}, "bad family"),
        ({"format": "a b"}, "bad format"),
        ({"scoring_version": "v2"}, "bad scoring_version 'v2'"),
        ({"scoring_version": "toy.scores.v1"}, "bad scoring_version"),
        ({"scoring_version": "example.toy.scores.v0"}, "bad scoring_version"),
        ({"profiles": ()}, "profiles is empty"),
        ({"profiles": "logical"}, "Write a tuple, such as profiles = ('one',)"),
        ({"profiles": {"a", "b"}}, "Write a tuple"),
        ({"profiles": ("a", "a")}, "holds 'a' twice"),
        ({"profiles": ("a", "")}, "Every entry is a name"),
        ({"profiles": ("a", 1)}, "Every entry is a name"),
        ({"profiles": ("a.b",)}, "bad profile 'a.b'"),
        ({"viewer": "grid"}, "unknown viewer 'grid'"),
        ({"viewer": None}, "unknown viewer 'None'"),
        ({"categories": "ruled"}, "categories"),
        ({"categories": ("a", "a")}, "holds 'a' twice"),
        ({"inputs_model": dict}, "inputs_model is no pydantic model"),
        ({"prediction_model": Anything()}, "prediction_model is no pydantic model"),
        ({"drive": "my_bench.drive"}, "bad drive"),
        ({"headline": "exact"}, "headline"),
        ({"headline": ("exact", "exact")}, "holds 'exact' twice"),
        ({"headline": ("defualt.exact",)}, "Did you mean 'default'?"),
        ({"headline": ("default.",)}, "unknown profile"),
        ({"lower_is_better": "wer"}, "lower_is_better"),
        ({"lower_is_better": {""}}, "lower_is_better"),
        ({"explain": ("exact",)}, "explain is no mapping"),
        ({"at_least": 0.8}, "at_least is no mapping"),
        ({"at_least": {"": 0.8}}, "at_least names ''"),
        ({"at_least": {"default.f1": 0.8}}, "Write 'f1'"),
        ({"at_least": {"f1": "high"}}, "at_least['f1'] is 'high'"),
        ({"at_least": {"f1": True}}, "at_least['f1'] is True"),
        ({"at_least": {"f1": float("nan")}}, "at_least['f1'] is nan"),
        ({"tolerance": {"f1": -0.1}}, "Set it to a number, 0 or more"),
        ({"tolerance": {"default.f1": 0.1}}, "Write 'f1'"),
        ({"lower_is_better": {"default.f1"}}, "Write 'f1'"),
    ],
)
def test_a_declaration_that_means_nothing_is_refused(declared: dict, words: str) -> None:
    text = refusal(toy(**declared))

    assert text.startswith("benchmark type Toy (my_bench): ")
    assert words in text
    assert 2 <= len(text.splitlines()) <= 3


@pytest.mark.parametrize("kind", [object(), dict, "toy", Benchmark])
def test_what_is_no_type_is_refused(kind: object) -> None:
    assert "pytest_benchbed" in refusal(kind)


def test_a_metric_name_may_hold_a_dot_that_is_no_profile() -> None:
    checked_type(toy(at_least={"f1.micro": 0.5}, headline=("default.f1.micro",)))


def as_float(self, case, answer, prediction) -> float:
    return 1.0


def as_bool(self, case, answer, prediction) -> bool:
    return True


def as_checks(self, case, answer, prediction) -> dict[str, bool]:
    return {"a": True}


def as_profiles(self, case, answer, prediction) -> dict[str, ProfileScore]:
    return {}


def as_unresolvable(self, case: Nowhere, answer, prediction) -> float:  # noqa: F821
    return 1.0


def as_nothing_known(self, case: Nowhere, answer, prediction):  # noqa: F821
    return 1.0


@pytest.mark.req("ENV-007")
@pytest.mark.parametrize("score_case", [as_float, as_unresolvable])
def test_a_float_without_a_bound_can_make_no_case_fail(score_case: object) -> None:
    text = refusal(toy(score_case))

    assert "no case could ever fail" in text
    assert "at_least = {'score': 0.8}" in text


@pytest.mark.parametrize("bound", [{"at_least": {"score": 1}}, {"tolerance": {"score": 0.1}}])
def test_a_float_with_a_bound_is_taken(bound: dict) -> None:
    assert checked_type(toy(as_float, **bound))


@pytest.mark.parametrize(
    ("score_case", "declared", "words"),
    [
        (as_float, {"at_least": {"score": 0}}, "at_least['score'] is 0"),
        (as_float, {"at_least": {"score": 1.01}}, "lies in [0, 1]"),
        (as_float, {"at_least": {"score": 0.00004}}, "every score keeps the bound"),
        (as_float, {"tolerance": {"score": 1}}, "every score keeps the bound"),
        (as_float, {"at_least": {"f1": 0.5}}, "at_least names 'f1'"),
        (as_float, {"at_least": {"score": 0.5}, "headline": ("f1",)}, "headline names 'f1'"),
        (as_bool, {"tolerance": {"score": 0.1}}, "returns bool has no metric"),
        (as_checks, {"at_least": {"a": 0.1}}, "returns dict[str, bool] has no metric"),
        (as_bool, {"profiles": ("a", "b")}, "a short form for one profile, but 2 profiles"),
    ],
)
def test_an_announced_short_form_bounds_what_can_be_declared(
    score_case: object, declared: dict, words: str
) -> None:
    assert words in refusal(toy(score_case, **declared))


@pytest.mark.parametrize("score_case", [as_bool, as_checks])
def test_a_bool_or_checks_can_fail_without_a_bound(score_case: object) -> None:
    assert checked_type(toy(score_case))


def test_the_headline_of_a_float_may_name_its_profile() -> None:
    checked_type(toy(as_float, at_least={"score": 0.5}, headline=("default.score",)))


@pytest.mark.parametrize("score_case", [as_profiles, as_nothing_known])
def test_what_cannot_be_seen_from_outside_is_left_to_the_score(score_case: object) -> None:
    assert checked_type(toy(score_case, profiles=("a", "b"), at_least={"f1": 0.5}))


async def waiting(self, case, answer, prediction):
    return True


def too_few(self, answer, prediction):
    return True


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"score_case": waiting}, "score_case is async"),
        ({"score_case": too_few}, "score_case cannot be called as score_case(self, case, answer"),
        ({"quality": lambda self: 1.0}, "quality cannot be called as quality(self, scores)"),
        ({"is_worse": lambda self, profile, candidate: True}, "is_worse cannot be called"),
    ],
)
def test_a_method_of_another_shape_is_refused(declared: dict, words: str) -> None:
    assert words in refusal(toy(**declared))


def test_a_constructor_that_raises_is_named() -> None:
    def constructor(self, path):
        pass

    text = refusal(toy(__init__=constructor))

    assert "building it raised TypeError" in text
    assert "constructor take no arguments" in text


def test_a_partial_as_scorer_has_no_annotation_to_read() -> None:
    scorer = functools.partialmethod(lambda self, case, answer, prediction, fold: True, fold=True)

    assert checked_type(toy(scorer))
