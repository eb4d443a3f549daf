"""Benchmark type ``letters``: the distinct letters of a text, and the most frequent one."""

from __future__ import annotations

from pydantic import BaseModel

from pytest_benchbed import Benchmark
from pytest_benchbed import Error
from pytest_benchbed import ProfileScore


class Prediction(BaseModel):
    letters: list[str]
    most: str


class Letters(Benchmark):
    id = "letters"
    format = "example.letters.v1"
    label = "Letters of a text"
    scoring_version = "example.letters.scores.v1"
    profiles = ("set", "most")
    headline = ("f1",)
    prediction_model = Prediction

    def score_case(self, case, answer, prediction):
        expected, got = set(answer["letters"]), set(prediction["letters"])
        errors = [Error("missing", {"letter": one}) for one in sorted(expected - got)]
        errors += [Error("invented", {"letter": one}) for one in sorted(got - expected)]
        f1 = (2 * len(expected & got), len(expected) + len(got))
        most = [] if prediction["most"] == answer["most"] else [Error("most", {})]
        return {"set": ProfileScore(errors, {"f1": f1}), "most": ProfileScore(most)}
