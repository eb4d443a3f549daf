"""The table viewer: geometry from the request, faults from the recorded errors."""

from __future__ import annotations

import pytest

from pytest_benchbed.report.grid import table_grid
from tests.unit.report.builders import ANSWER
from tests.unit.report.builders import WORDS_OF_CROP
from tests.unit.report.builders import error

DIGEST = "a" * 64
REQUEST = {
    "id": "a",
    "inputs": {"image": "assets/a.png", "width": 160, "height": 60, "words": WORDS_OF_CROP},
    "files": [{"path": "assets/a.png", "size": 1, "sha256": DIGEST}],
}
ASSETS = {DIGEST: f"{DIGEST}.png"}


def grid(answer=ANSWER, prediction=ANSWER, request=REQUEST, errors=(), assets=ASSETS):
    return table_grid(answer, prediction, request, errors, assets)


def lines(segments) -> list[tuple[str, str, str, str]]:
    return [(one.x1, one.y1, one.x2, one.y2) for one in segments]


@pytest.mark.req("ENV-076")
def test_true_and_predicted_separators_are_drawn_over_the_image() -> None:
    drawn = grid(prediction={"rows": [21.5], "columns": [50]})

    assert drawn.image == f"{DIGEST}.png"
    assert (drawn.width, drawn.height) == ("160", "60")
    assert lines(drawn.truth) == [
        ("50", "0", "50", "60"),
        ("100", "0", "100", "60"),
        ("0", "20", "160", "20"),
        ("0", "40", "160", "40"),
    ]
    assert lines(drawn.predicted) == [("50", "0", "50", "60"), ("0", "21.5", "160", "21.5")]


def test_a_spanning_cell_cuts_the_separators_below_it() -> None:
    answer = ANSWER | {"spans": [{"row": 0, "column": 0, "rows": 1, "columns": 2}]}

    drawn = grid(answer=answer)

    assert lines(drawn.truth)[0] == ("50", "20", "50", "60")
    assert lines(drawn.truth)[1] == ("100", "0", "100", "60")


def test_a_span_over_rows_cuts_row_separators_in_two() -> None:
    answer = ANSWER | {"spans": [{"row": 0, "column": 1, "rows": 2, "columns": 1}]}

    assert lines(grid(answer=answer).truth)[2:4] == [
        ("0", "20", "50", "20"),
        ("100", "20", "160", "20"),
    ]


def test_gaps_show_where_a_separator_may_lie() -> None:
    boxes = [(one.x, one.y, one.width, one.height) for one in grid().gaps]

    assert ("45", "0", "10", "60") in boxes
    assert ("0", "18", "160", "4") in boxes


def test_a_separator_that_an_error_names_is_marked_and_no_other() -> None:
    drawn = grid(
        prediction={"rows": [20, 30], "columns": [50, 100]},
        errors=[
            error("missing", axis="rows", separator=1),
            error("extra", got=30, axis="rows", band=1, nth=1),
        ],
    )

    assert [one.is_wrong for one in drawn.truth] == [False, False, False, True]
    assert [one.is_wrong for one in drawn.predicted] == [False, False, False, True]


def test_words_of_the_cells_and_words_that_errors_name_are_marked() -> None:
    by_cell = grid(errors=[error("merged", cell=[1, 1], **{"with": [0, 0]})])
    by_number = grid(errors=[error("taken", word=2, by=[9, 9])])

    assert [word.name for word in by_cell.wrong_words] == ["Lead", "<0.5"]
    assert [word.name for word in by_number.wrong_words] == ["mg/kg"]


def test_without_the_image_the_words_are_drawn() -> None:
    drawn = grid(assets={})

    assert drawn.image == ""
    assert [word.name for word in drawn.words] == ["Lead", "<0.5", "mg/kg"]
    assert not grid().words


@pytest.mark.parametrize(
    ("answer", "prediction", "request_"),
    [
        ("text", ANSWER, REQUEST),
        ({"rows": "20"}, ANSWER, REQUEST),
        (ANSWER, ANSWER, None),
        (ANSWER, ANSWER, {"id": "a", "inputs": {"width": True, "height": 3}, "files": []}),
    ],
)
def test_other_data_is_no_grid(answer, prediction, request_) -> None:
    assert table_grid(answer, prediction, request_, (), {}) is None


@pytest.mark.parametrize(
    "prediction",
    [
        None,
        {"rows": [1, "x"], "columns": []},
        {"rows": [1], "columns": [2], "spans": "x"},
        {"rows": [-50, 1e6], "columns": [True], "spans": [{"row": 1}, 3]},
        {"rows": [], "columns": [], "spans": [{"row": -5, "column": 0, "rows": 99, "columns": 99}]},
    ],
)
def test_a_strange_prediction_breaks_nothing(prediction) -> None:
    errors = [
        error("x", got="text", axis=3, separator="y", word="z", cell=["a", "b"]),
        error("x", got=3, axis=["rows"], separator=[1]),
    ]

    assert grid(prediction=prediction, errors=errors).truth


def test_strange_words_and_gaps_break_nothing() -> None:
    words = [3, {"box": [1]}, {"box": [5, 5, 1, 1]}, {"text": 7, "box": [1, 2, 3, 4]}]
    request = REQUEST | {"inputs": REQUEST["inputs"] | {"words": words}}

    answer = ANSWER | {"row_gaps": "x", "cells": [[[1], {}], 3]}
    errors = [error("x", cell=[0, 0])]
    drawn = grid(answer=answer, request=request, assets={}, errors=errors)

    assert [word.name for word in drawn.words] == ["", "7"]
    assert len(drawn.gaps) == 2


def test_the_drawing_says_in_words_what_it_shows() -> None:
    assert grid(prediction=None).label == (
        "Table crop assets/a.png: 2 row and 2 column separators in the answer, no predicted grid."
    )
    assert "predicted 1 row and 0 column" in grid(prediction={"rows": [3], "columns": []}).label
