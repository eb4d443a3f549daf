from __future__ import annotations

import pytest
from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import RootModel
from pydantic import field_validator

from pytest_benchbed.benchmarks.function import type_of_function
from pytest_benchbed.benchmarks.prediction import MAX_ITEMS
from pytest_benchbed.benchmarks.prediction import MAX_TEXT
from pytest_benchbed.benchmarks.prediction import validate_prediction
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.benchmarks.toys import toy


class Span(BaseModel):
    row: int
    rows: int = 1


class Grid(BaseModel):
    rows: list[float]
    spans: list[Span] = []
    corner: tuple[int, int] | None = None
    title: str = ""

    @field_validator("title")
    @classmethod
    def _short(cls, value: str) -> str:
        if value == "broken":
            raise KeyError(value)
        if value == "long":
            raise ValueError("the title is long")
        return value


GRID = toy(prediction_model=Grid)()
FREE = toy()()


def failure(benchmark, prediction) -> TechnicalFailure:
    with pytest.raises(TechnicalFailure) as caught:
        validate_prediction(benchmark, prediction)
    return caught.value


@pytest.mark.parametrize(
    "prediction",
    [
        {"rows": []},
        {"rows": [1, 2.5]},
        {"rows": [0], "corner": [1, 2], "spans": [{"row": 1}]},
        {"rows": [0], "title": "𐍈 é"},
    ],
)
def test_a_prediction_that_fits_is_let_through(prediction: dict) -> None:
    assert validate_prediction(GRID, prediction) is None


@pytest.mark.req("ENV-044", "ENV-050")
@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        ({}, "rows: Field required"),
        ([], "top level: Input should be an object"),
        ("rows", "top level"),
        ({"rows": [True]}, "rows.0: Input should be a valid number"),
        ({"rows": ["1"]}, "rows.0"),
        ({"rows": None}, "rows"),
        ({"rows": [0], "spans": [{"row": 1.5}]}, "spans.0.row"),
        ({"rows": [0], "spans": [{"row": 1.0}]}, "spans.0.row"),
        ({"rows": [0], "spans": [{"row": True}]}, "spans.0.row"),
        ({"rows": [0], "score": 1.0}, "score: Extra inputs are not permitted"),
        ({"rows": [0], "spans": [{"row": 1, "passed": True}]}, "spans.0.passed: Extra inputs"),
        ({"rows": [0], "corner": [1, 2, 3]}, "corner"),
        ({"rows": [0], "title": "long"}, "the title is long"),
        ({"rows": ["a", "b", "c"]}, "(and 2 more)"),
        ({"rows": [0], "__proto__": 1}, "__proto__"),
        ({"rows": [0], "title": "\ud800"}, "Invalid JSON"),
        ({"rows": [float("nan")]}, "NaN or infinity"),
    ],
)
def test_a_prediction_of_another_shape_is_a_technical_failure_of_the_case(
    prediction: object, words: str
) -> None:
    got = failure(GRID, prediction)

    assert (got.kind, got.whose) == ("shape", "adapter")
    assert words in got.detail


@pytest.mark.req("ENV-044")
def test_a_model_that_allows_extra_keys_does_not_let_them_in() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")

        rows: int

    assert "score" in failure(toy(prediction_model=Open)(), {"rows": 1, "score": 1}).detail


def test_the_detail_quotes_no_value_and_stays_short() -> None:
    got = failure(GRID, {"rows": ["secret " * 100], "k" * 5000: 1})

    assert "secret" not in got.detail
    assert len(got.detail) <= 200


def test_a_validator_that_breaks_is_the_fault_of_the_type() -> None:
    got = failure(GRID, {"rows": [0], "title": "broken"})

    assert (got.kind, got.whose) == ("validator_raised", "scorer")
    assert got.detail == "Grid raised KeyError"
    assert got.where == "Toy (my_bench)"


def test_without_a_model_any_object_is_let_through() -> None:
    assert validate_prediction(FREE, {"anything": [None, {"deep": True}]}) is None


@pytest.mark.parametrize("prediction", [[], [1], "text", 1, True])
def test_without_a_model_what_is_no_object_is_refused(prediction: object) -> None:
    got = failure(FREE, prediction)

    assert got.kind == "shape"
    assert "not an object (toy declares no prediction_model)" in got.detail


@pytest.mark.parametrize("prediction", [[], [1], "text", 1, True, {}])
def test_a_plain_function_scores_any_value(prediction: object) -> None:
    kind = type_of_function("price", "my_bench:f", lambda prediction, expected: True, {})

    assert validate_prediction(kind(), prediction) is None


class Maybe(RootModel[int | None]):
    pass


@pytest.mark.parametrize("kind", [GRID, FREE, toy(prediction_model=Maybe)()])
def test_null_is_never_a_prediction(kind) -> None:
    assert failure(kind, None).detail == "the prediction is null"


@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        ({"a": ["x" * (MAX_TEXT + 1)]}, "a text is longer than 1,000,000"),
        ({"x" * (MAX_TEXT + 1): 1}, "a text is longer"),
        ({"a": {"b": [0] * (MAX_ITEMS + 1)}}, "more than 100,000 elements"),
        (dict.fromkeys(map(str, range(MAX_ITEMS + 1))), "more than 100,000 elements"),
    ],
)
def test_an_oversized_text_or_list_is_refused(prediction: object, words: str) -> None:
    assert words in failure(FREE, prediction).detail


def test_texts_and_lists_at_the_limit_are_let_through() -> None:
    assert validate_prediction(FREE, {"a": "x" * MAX_TEXT, "b": [0] * MAX_ITEMS}) is None
