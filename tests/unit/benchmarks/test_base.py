from __future__ import annotations

import pytest

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.base import pool
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from tests.unit.benchmarks.toys import CASE
from tests.unit.benchmarks.toys import toy

WRONG = Error("merged", {"row": 1})


@pytest.mark.parametrize(
    ("values", "pooled"),
    [
        ([], None),
        ([None, None], None),
        ([1, 0.5, None], 0.75),
        ([(1, 2), (3, 4)], (4, 6)),
        ([(0, 0), (0, 0)], None),
        ([(0, 0), (1, 3)], (1, 3)),
        ([[1, 2], None], (1, 2)),
        ([0], 0.0),
    ],
)
def test_pairs_are_pooled_and_numbers_averaged(values: list, pooled: object) -> None:
    assert pool(values) == pooled


def test_a_metric_that_some_rows_lack_is_summed_up_over_the_others() -> None:
    rows = [{"exact": [1, 1], "offset": 2.0}, {"exact": [0, 1]}, {"offset": 4.0}]

    assert toy()().summarise("default", rows) == {"exact": (1, 2), "offset": 3.0}


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [({"exact": (1, 4)}, 0.25), ({"exact": (0, 0)}, None), ({"exact": 1}, 1.0), ({}, None)],
)
def test_quality_is_the_first_headline_metric(metrics: dict, expected: float | None) -> None:
    kind = toy(headline=("exact", "other"))()

    assert kind.quality({"default": ProfileScore(metrics=metrics)}) == expected


def test_without_a_headline_quality_is_whether_the_first_profile_has_an_error() -> None:
    kind = toy(profiles=("a", "b"))()

    assert kind.quality({"a": ProfileScore(), "b": ProfileScore([WRONG])}) == 1.0
    assert kind.quality({"a": ProfileScore([WRONG]), "b": ProfileScore()}) == 0.0


def test_a_headline_is_looked_for_in_the_order_of_the_profiles() -> None:
    kind = toy(profiles=("a", "b"))()
    scores = {"b": ProfileScore(metrics={"f1": 1, "c.f1": 1}), "a": ProfileScore(metrics={"f1": 0})}

    assert kind.find_headline("f1", scores) == ("a", "f1")
    assert kind.find_headline("b.f1", scores) == ("b", "f1")
    assert kind.find_headline("c.f1", scores) == ("b", "c.f1")
    assert kind.find_headline("wer", scores) == (None, "wer")


@pytest.mark.req("ENV-059")
def test_worse_is_a_new_error_even_if_there_are_fewer() -> None:
    kind = toy()()
    before = ProfileScore([Error("a"), Error("b")])

    assert kind.is_worse("default", ProfileScore([Error("c")]), before)
    assert not kind.is_worse("default", ProfileScore([Error("a")]), before)
    assert not kind.is_worse("default", before, before)


def test_defaults_of_a_type() -> None:
    kind = toy()()

    assert kind.unit(CASE) == "all"
    assert kind.answer_as_prediction(CASE, {"a": 1}) == {"a": 1}
    assert (kind.profiles, kind.viewer, kind.board, kind.tier) == (("default",), "json", None, None)


def test_the_base_class_scores_nothing() -> None:
    with pytest.raises(TypeError, match="does not define score_case"):
        Benchmark().score_case(CASE, 1, 1)
