"""Build small benchmark types for the tests of this folder."""

from __future__ import annotations

from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.model.case import Case

DECLARED = {
    "id": "toy",
    "format": "example.toy.v1",
    "label": "Toy",
    "scoring_version": "example.toy.scores.v1",
}


def toy(score_case: Any = None, **declared: Any) -> type[Benchmark]:
    """Return a type; a declaration set to ``...`` is left out."""

    def equal(self, case, answer, prediction):
        return prediction == answer

    body = {**DECLARED, "score_case": score_case or equal, "__module__": "my_bench", **declared}
    return type(
        "Toy", (Benchmark,), {key: value for key, value in body.items() if value is not ...}
    )


def scoring(result: Any, **declared: Any) -> Benchmark:
    """Return a type that scores every case with ``result``."""

    def score_case(self, case, answer, prediction):
        return result

    return toy(score_case, **declared)()


CASE = Case("c-1", "toy", {"text": "a"})
