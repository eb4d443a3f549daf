from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.error import error_key

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
PART = TEXT | st.integers(-(2**53) + 1, 2**53 - 1)
ERRORS = st.builds(
    Error,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
    st.dictionaries(TEXT, PART | st.lists(PART, max_size=3), max_size=3),
    expected=st.none() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    got=st.none() | TEXT,
    note=TEXT,
)


@pytest.mark.req("ENV-008")
def test_the_same_mistake_is_equal_whatever_was_got() -> None:
    first = Error("cell", {"row": 1, "column": 2}, expected="<0.5", got="0.5", note="qualifier")
    second = Error("cell", {"column": 2, "row": 1}, got="5")

    assert first == second
    assert hash(first) == hash(second)
    assert first.key == '{"kind":"cell","where":{"column":2,"row":1}}'


@pytest.mark.req("ENV-008")
@pytest.mark.parametrize(
    "other",
    [
        Error("cells", {"row": 1}),
        Error("cell", {"row": 2}),
        Error("cell", {"row": "1"}),
        Error("cell", {"row": [1]}),
        Error("cell", {"line": 1}),
        Error("cell"),
        "cell",
    ],
)
def test_another_kind_or_place_is_another_mistake(other: object) -> None:
    assert Error("cell", {"row": 1}) != other


@pytest.mark.req("ENV-008")
@settings(deadline=None)
@given(ERRORS)
def test_an_error_survives_a_json_round_trip(error: Error) -> None:
    row = json.loads(json.dumps(error.to_json()))

    back = Error.from_json(row)

    assert back == error
    assert (back.expected, back.got, back.note) == (error.expected, error.got, error.note)
    assert error_key(row) == error.key
    assert back.to_json() == row


def test_empty_detail_is_not_written() -> None:
    assert Error("cell").to_json() == {"kind": "cell", "where": {}}
    assert Error("cell", {"row": 1}, 0, False, "n").to_json() == {
        "kind": "cell",
        "where": {"row": 1},
        "expected": 0,
        "got": False,
        "note": "n",
    }


@pytest.mark.req("ENV-008")
@pytest.mark.parametrize(
    "where",
    [
        {"row": 1.5},
        {"row": True},
        {"row": None},
        {"row": {"deep": 1}},
        {"row": [[1]]},
        {"row": [1, 2.0]},
        {"row": {1, 2}},
        {1: "row"},
    ],
)
def test_a_place_holds_texts_and_whole_numbers_only(where: dict) -> None:
    with pytest.raises(TypeError, match="whole number"):
        Error("cell", where)


@pytest.mark.parametrize("kind", ["", None, 3])
def test_a_kind_is_a_word(kind: object) -> None:
    with pytest.raises(TypeError, match="kind of an error must be text"):
        Error(kind)  # type: ignore[arg-type]


@pytest.mark.parametrize("where", [{"row": 2**60}, {"name": "\ud800"}])
def test_a_place_that_cannot_be_written_is_refused(where: dict) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Error("cell", where)


def test_a_place_is_a_copy() -> None:
    where = {"row": 1}
    error = Error("cell", where)
    where["row"] = 2

    assert error.where == {"row": 1}


def test_an_error_is_frozen_and_can_be_copied() -> None:
    error = Error("cell", {"row": 1}, expected="a", got="b", note="c")

    with pytest.raises(AttributeError, match="frozen"):
        error.kind = "other"
    with pytest.raises(AttributeError, match="frozen"):
        del error.kind
    for same in (copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert same == error
        assert same.to_json() == error.to_json()


def test_an_error_is_printed_by_kind_and_place() -> None:
    assert repr(Error("cell", {"row": 1, "at": ["a"]}, got="x")) == "Error('cell', row=1, at=['a'])"


@pytest.mark.parametrize("row", [{"kind": "cell"}, {"where": {}}, {"kind": 1, "where": {}}])
def test_what_is_no_error_in_json_is_refused(row: dict) -> None:
    with pytest.raises((KeyError, TypeError)):
        Error.from_json(row)


def test_errors_of_a_score_are_a_set_in_the_order_of_first_sight() -> None:
    score = ProfileScore([Error("b"), Error("a", got=1), Error("b"), Error("a", got=2)])

    assert [error.to_json().get("got") for error in score.errors] == [None, 1]
    assert score.keys == {Error("a").key, Error("b").key}


def test_scores_are_equal_by_errors_and_metrics() -> None:
    score = ProfileScore([Error("a"), Error("b")], {"f1": 0.5})

    assert score == ProfileScore([Error("b"), Error("a", got=1)], {"f1": 0.5})
    assert hash(score) == hash(ProfileScore([Error("b"), Error("a")], {"f1": 0.5}))
    assert score != ProfileScore([Error("a")], {"f1": 0.5})
    assert score != ProfileScore([Error("a"), Error("b")], {"f1": 0.6})
    assert score != "score"


def test_metrics_are_numbers_nulls_and_pairs() -> None:
    score = ProfileScore(metrics={"n": 3, "f1": 0.5, "none": None, "exact": [1, 2], "t": (0, 0)})

    assert score.metrics == {"n": 3, "f1": 0.5, "none": None, "exact": (1, 2), "t": (0, 0)}
    assert score.metrics_json() == {"n": 3, "f1": 0.5, "none": None, "exact": [1, 2], "t": [0, 0]}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_metric_is_finite(value: float) -> None:
    with pytest.raises(ValueError, match="use None for a ratio over nothing"):
        ProfileScore(metrics={"f1": value})


@pytest.mark.parametrize("value", [True, "1", (1, 2, 3), (1.0, 2), (1, -1), (True, 2), {1, 2}, {}])
def test_a_metric_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="metric 'f1' must be"):
        ProfileScore(metrics={"f1": value})  # type: ignore[dict-item]


def test_errors_of_a_score_are_error_values() -> None:
    with pytest.raises(TypeError, match="must be Error values, not str"):
        ProfileScore(["cell"])  # type: ignore[list-item]


def test_a_score_is_frozen() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        ProfileScore().errors = ()
    assert repr(ProfileScore([Error("a")], {"n": 1})) == (
        "ProfileScore(errors=[Error('a', )], metrics={'n': 1})"
    )
