from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.benchmarks.table_separators import LAYOUTS
from pytest_benchbed.benchmarks.table_separators import MAX_SEPARATORS
from pytest_benchbed.benchmarks.table_separators import TableAnswer
from pytest_benchbed.benchmarks.table_separators import TableInputs
from pytest_benchbed.benchmarks.table_separators import TablePrediction
from pytest_benchbed.benchmarks.table_separators import TableSeparators
from pytest_benchbed.generators.table_layouts import LAYOUTS as GENERATED
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import table
from pytest_benchbed.generators.tables import answer
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.case import Case

RIGHT: dict[str, Any] = {"rows": [10.5, 20], "columns": [7], "spans": []}


def case_and_answer() -> tuple[Case, dict[str, Any]]:
    crop = table(case_plans()[3])
    case = Case("sep-004", "table-separators", crop.inputs("a.png", "a.pdf"))
    return case, answer(crop)


@pytest.mark.req("ENV-005", "ENV-011", "ENV-012", "ENV-111")
def test_the_type_is_accepted_and_gates_on_logical() -> None:
    registry = BenchmarkRegistry()
    registry.add("pytest_benchbed.benchmarks.table_separators:TableSeparators")

    kind = registry.get("table-separators")

    assert (kind.format, kind.scoring_version) == (
        "benchbed.table-separators.v1",
        "benchbed.table-separators.scores.v1",
    )
    assert (kind.tier, kind.board, kind.viewer) == ("component", "Extract", "table-grid")
    assert kind.profiles[0] == "logical"
    assert kind.headline[0] == "exact"


def test_categories_are_the_layouts_of_the_generator() -> None:
    assert tuple(GENERATED) == LAYOUTS
    assert TableSeparators.categories == LAYOUTS


def test_every_headline_metric_exists_and_is_explained() -> None:
    case, truth = case_and_answer()
    kind = TableSeparators()
    scores = kind.score_case(case, truth, kind.answer_as_prediction(case, truth))

    for name in kind.headline:
        profile, metric = kind.find_headline(name, scores)
        assert profile is not None
        assert metric in kind.explain
    assert kind.find_headline("exact", scores)[0] == "logical"


@pytest.mark.req("ENV-007", "ENV-009")
def test_one_prediction_is_scored_by_each_profile_separately() -> None:
    case, truth = case_and_answer()
    kind = TableSeparators()
    right = kind.answer_as_prediction(case, truth)
    no_spans = right | {"spans": []}

    scores = kind.score_case(case, truth, no_spans)

    assert right["spans"]
    assert tuple(scores) == ("logical", "geometric")
    assert scores["logical"].errors
    assert not scores["geometric"].errors


def test_the_answer_and_itself_as_prediction_have_their_shapes() -> None:
    case, truth = case_and_answer()

    TableAnswer.from_json(truth)
    TablePrediction.from_json(TableSeparators().answer_as_prediction(case, truth))


def test_an_answer_for_other_words_is_a_fault_of_the_dataset() -> None:
    case, truth = case_and_answer()
    shorter = truth | {"cells": truth["cells"][:-1]}

    with pytest.raises(ValueError, match="words, but the answer has"):
        TableSeparators().score_case(case, shorter, RIGHT)


@pytest.mark.parametrize(
    "change",
    [
        {"rows": [20, 10]},
        {"rows": "10"},
        {"rows": ["10"]},
        {"rows": [True]},
        {"rows": [float("nan")]},
        {"rows": [float("inf")]},
        {"rows": [1e9]},
        {"rows": None},
        {"columns": [float(number) for number in range(MAX_SEPARATORS + 1)]},
        {"spans": [{"row": 0, "column": 0}]},
        {"spans": [{"row": -1, "column": 0, "rows": 1, "columns": 2}]},
        {"spans": [{"row": 0, "column": 0, "rows": 0, "columns": 2}]},
        {"spans": [{"row": 0.5, "column": 0, "rows": 1, "columns": 2}]},
        {"more": 1},
    ],
)
def test_a_malformed_prediction_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ShapeError):
        TablePrediction.from_json(RIGHT | change)


@pytest.mark.parametrize("name", ["rows", "columns", "spans"])
def test_a_prediction_without_a_list_is_refused(name: str) -> None:
    partial = {key: value for key, value in RIGHT.items() if key != name}

    with pytest.raises(ShapeError, match=name):
        TablePrediction.from_json(partial)


@pytest.mark.parametrize(
    "change",
    [
        {"rows": []},
        {"rows": [5, 5]},
        {"rows": [-40, 99999]},
        {"spans": [{"row": 900, "column": 0, "rows": 1, "columns": 2}]},
        {"spans": [{"row": 0, "column": 0, "rows": 1, "columns": 1}] * 2},
    ],
)
def test_a_wrong_answer_is_not_malformed(change: dict[str, Any]) -> None:
    TablePrediction.from_json(RIGHT | change)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"row_gaps": []}, "row separators, but 0 gaps"),
        ({"columns": [1.0]}, "column separators, but"),
        ({"spans": [{"row": 0, "column": 0, "rows": 1, "columns": 99}]}, "leaves the grid"),
        ({"spans": [{"row": 90, "column": 0, "rows": 1, "columns": 2}]}, "leaves the grid"),
        ({"cells": [[99, 0]]}, "word 0 lies outside"),
        ({"cells": [[0, 99]]}, "word 0 lies outside"),
    ],
)
def test_an_inconsistent_answer_is_refused(change: dict[str, Any], text: str) -> None:
    _, truth = case_and_answer()

    with pytest.raises(ShapeError, match=text):
        TableAnswer.from_json(truth | change)


def test_an_answer_with_a_separator_outside_its_gap_is_refused() -> None:
    _, truth = case_and_answer()
    high = truth["row_gaps"][0][1]
    moved = truth | {"rows": [high + 0.1, *truth["rows"][1:]]}

    with pytest.raises(ShapeError, match="row separator 0 lies outside its gap"):
        TableAnswer.from_json(moved)


def test_inputs_are_closed_and_words_have_four_numbers() -> None:
    case, _ = case_and_answer()

    TableInputs.from_json(dict(case.inputs))
    with pytest.raises(ShapeError):
        TableInputs.from_json(dict(case.inputs) | {"answer": 1})
    with pytest.raises(ShapeError):
        TableInputs.from_json(dict(case.inputs) | {"words": [{"text": "a", "box": [1, 2, 3]}]})
