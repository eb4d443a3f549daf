"""What the gate asks a type."""

from __future__ import annotations

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.judge import declined
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import row


class Ranked(Benchmark):
    def is_worse(self, profile, candidate, other):
        return candidate.metrics["ndcg"] < other.metrics["ndcg"]


def test_a_benchmark_is_a_judge_and_knows_whether_it_redefines_worse():
    runs = [
        {"x": row("x", metrics={"ndcg": 0.5}), "y": "a"},
        {"x": row("x", metrics={"ndcg": 0.9}), "y": row("y", "a", metrics={"ndcg": 0.9})},
    ]
    runs[0]["y"] = row("y", "b", metrics={"ndcg": 0.9})

    assert [one.case for one in gate(*runs, judge=Ranked()).suspects] == ["x"]
    assert [one.case for one in gate(*runs, judge=Benchmark()).suspects] == ["y"]


def test_by_default_a_new_error_is_worse_and_nothing_else():
    one, two = ProfileScore([Error("a"), Error("b")]), ProfileScore([Error("b")])
    judge = ErrorsDecide()
    assert judge.is_worse(PROFILE, one, two)
    assert not judge.is_worse(PROFILE, two, one)
    assert not judge.is_worse(PROFILE, one, one)


def test_only_the_one_error_of_a_declined_case_means_declined():
    assert declined(row("x", "!declined"), PROFILE)
    assert not declined(row("x", ""), PROFILE)
    assert not declined(row("x", "a"), PROFILE)
