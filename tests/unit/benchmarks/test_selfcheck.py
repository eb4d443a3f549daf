from __future__ import annotations

import pytest
from pydantic import BaseModel
from pydantic import model_validator

from pytest_benchbed.benchmarks.selfcheck import answer_fault
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from tests.unit.benchmarks.toys import CASE
from tests.unit.benchmarks.toys import scoring
from tests.unit.benchmarks.toys import toy


class Inputs(BaseModel):
    text: str


class Number(BaseModel):
    value: int


def test_an_answer_that_wins_has_no_fault() -> None:
    kind = toy(inputs_model=Inputs, answer_model=Number, prediction_model=Number)

    assert answer_fault(kind(), CASE, {"value": 1}) is None


def test_an_answer_is_fed_back_the_way_the_type_says() -> None:
    def unpacked(self, case, answer):
        return {"value": answer["value"]}

    def right(self, case, answer, prediction):
        return prediction["value"] == answer["value"]

    kind = toy(right, answer_as_prediction=unpacked, prediction_model=Number)

    assert answer_fault(kind(), CASE, {"value": 1, "source": "page 3"}) is None


class Other(BaseModel):
    page: int


def leave(self: object, case: object, answer: object) -> object:
    raise SystemExit(0)


class Leaving(BaseModel):
    @model_validator(mode="before")
    @classmethod
    def _leave(cls, value: object) -> object:
        raise SystemExit(0)


class Broken(BaseModel):
    @model_validator(mode="before")
    @classmethod
    def _break(cls, value: object) -> object:
        raise KeyError("value")


@pytest.mark.parametrize(
    ("declared", "answer", "words"),
    [
        ({"inputs_model": Other}, {}, "inputs: page: Field required"),
        (
            {"answer_model": Number},
            {"value": "1"},
            "answer: value: Input should be a valid integer",
        ),
        ({"answer_model": Number}, {"value": 1, "x": 1}, "answer: x: Extra inputs"),
        ({"answer_model": Broken}, {"value": 1}, "answer: Broken raised KeyError"),
        ({"answer_model": Leaving}, {"value": 1}, "answer: Leaving raised SystemExit"),
        ({"answer_as_prediction": leave}, {"value": 1}, "of toy raised SystemExit"),
        ({"prediction_model": Other}, {"value": 1}, "as a prediction: shape: page: Field required"),
        ({}, [1], "as a prediction: shape: the prediction is a list"),
        (
            {"answer_as_prediction": lambda self, case, answer: answer["page"]},
            {"value": 1},
            "answer_as_prediction of toy raised KeyError",
        ),
    ],
)
def test_a_case_that_does_not_fit_its_type_is_named(
    declared: dict, answer: object, words: str
) -> None:
    fault = answer_fault(toy(**declared)(), CASE, answer)

    assert fault is not None
    assert words in fault


def test_an_answer_that_scores_an_error_is_named_with_profile_and_place() -> None:
    errors = [Error("merged", {"row": 2}, expected="benzene"), Error("split")]
    kind = scoring(
        {"logical": ProfileScore(), "geometric": ProfileScore(errors)},
        profiles=("logical", "geometric"),
    )

    fault = answer_fault(kind, CASE, {})

    assert fault == (
        "the answer scores an error in profile 'geometric': Error('merged', row=2) and 1 more"
    )


def test_an_answer_with_one_error_has_no_more() -> None:
    fault = answer_fault(scoring(False), CASE, {})

    assert fault == "the answer scores an error in profile 'default': Error('wrong', )"
