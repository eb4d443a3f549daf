from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

from pytest_benchbed.benchmarks.score import declined
from pytest_benchbed.benchmarks.score import quality
from pytest_benchbed.benchmarks.score import score
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.benchmarks.toys import CASE
from tests.unit.benchmarks.toys import scoring
from tests.unit.benchmarks.toys import toy

TWO = ("logical", "geometric")


def deep(levels: int) -> list:
    return [] if levels == 1 else [deep(levels - 1)]


def failure(benchmark, answer=None, prediction=None) -> TechnicalFailure:
    with pytest.raises(TechnicalFailure) as caught:
        score(benchmark, CASE, answer, prediction)
    return caught.value


def only(benchmark, answer=None, prediction=None) -> ProfileScore:
    scores = score(benchmark, CASE, answer, prediction)
    assert list(scores) == list(benchmark.profiles)
    return scores[benchmark.profiles[0]]


@pytest.mark.req("ENV-007")
def test_true_is_no_error_and_false_is_one() -> None:
    assert only(scoring(True)) == ProfileScore()
    assert only(scoring(False)) == ProfileScore([Error("wrong")])


@pytest.mark.req("ENV-007")
def test_each_false_check_is_an_error_of_its_own() -> None:
    got = only(scoring({"total": True, "date": False, "sign": False}))

    assert got.errors == (Error("wrong", {"check": "date"}), Error("wrong", {"check": "sign"}))


@pytest.mark.req("ENV-007")
@pytest.mark.parametrize("value", [0.5, 1, 0, 1.0])
def test_a_number_is_the_metric_score(value: float) -> None:
    got = only(scoring(value, tolerance={"score": 0.1}))

    assert got == ProfileScore(metrics={"score": float(value)})
    assert isinstance(got.metrics["score"], float)


@pytest.mark.req("ENV-007", "ENV-009")
def test_every_declared_profile_is_scored_in_the_order_of_the_type() -> None:
    wrong = ProfileScore([Error("merged", {"row": 1})], {"exact": (0, 1)})

    scores = score(
        scoring({"geometric": ProfileScore(), "logical": wrong}, profiles=TWO), CASE, 1, 2
    )

    assert list(scores.items()) == [("logical", wrong), ("geometric", ProfileScore())]


@pytest.mark.parametrize(
    ("result", "declared", "words"),
    [
        (None, {}, "returned None"),
        ("right", {}, "returned str"),
        ({1, 2}, {}, "returned set"),
        ([True], {}, "returned list"),
        ((x for x in ()), {}, "returned generator"),
        (float("nan"), {}, "returned nan"),
        (float("inf"), {}, "returned inf"),
        ({}, {}, "returned an empty dict"),
        (ProfileScore(), {}, "returned ProfileScore"),
        ({"total": 1}, {}, "'total' has a int"),
        ({"total": True, "date": "no"}, {}, "'date' has a str"),
        ({1: True}, {}, "maps names to True or False"),
        ({"": True}, {}, "maps names to True or False"),
        (1.01, {"tolerance": {"score": 0.1}}, "1.01 lies outside [0, 1]"),
        (-0.01, {"tolerance": {"score": 0.1}}, "outside [0, 1]"),
        (2, {"tolerance": {"score": 0.1}}, "outside [0, 1]"),
        ({"default": ProfileScore(), "total": True}, {}, "unknown profile 'total'"),
        ({"logical": ProfileScore()}, {"profiles": TWO}, "profile 'geometric' got nothing"),
        (
            {"logical": ProfileScore(), "geometric": True},
            {"profiles": TWO},
            "profile 'geometric' got bool",
        ),
        (
            {"logical": ProfileScore(), "geometrc": ProfileScore()},
            {"profiles": TWO},
            "Did you mean 'geometric'?",
        ),
        (True, {"profiles": TWO}, "a bool is a short form for one profile, and 2 are declared"),
        ({"total": True}, {"profiles": TWO}, "short form for one profile"),
    ],
)
def test_what_is_no_score_is_a_technical_failure_of_the_scorer(
    result: object, declared: dict, words: str
) -> None:
    got = failure(scoring(result, **declared))

    assert (got.kind, got.whose) == ("bad_score", "scorer")
    assert got.where == "Toy (my_bench), case c-1"
    assert words in got.detail


@pytest.mark.req("ENV-007")
@pytest.mark.parametrize(
    "bound",
    [
        {},
        {"at_least": {"f1": 0.5}},
        {"at_least": {"score": 0}},
        {"at_least": {"score": 0.00004}},
        {"at_least": {"score": 1}, "lower_is_better": ("score",)},
        {"tolerance": {"score": 1}},
    ],
)
def test_a_float_without_a_bound_is_refused_at_its_first_score(bound: dict) -> None:
    got = failure(scoring(0.3, **bound))

    assert (got.kind, got.whose) == ("cannot_fail", "scorer")


@pytest.mark.parametrize(
    ("value", "bound", "is_below"),
    [
        (0.79994, 0.8, True),
        (0.79996, 0.8, False),
        (0.8, 0.8, False),
        (0.9 - 0.1, 0.8, False),
        (0.1 + 0.2, 0.30004, False),
        (0, 0.0001, True),
    ],
)
def test_a_bound_is_compared_at_four_places(value: float, bound: float, is_below: bool) -> None:
    got = only(scoring(value, at_least={"score": bound}))

    assert got.errors == ((Error("below", {"metric": "score"}),) if is_below else ())


def test_below_tells_the_bound_and_the_value() -> None:
    result = {"default": ProfileScore(metrics={"f1": (7, 10)})}

    got = only(scoring(result, at_least={"f1": 0.75}))

    assert [error.to_json() for error in got.errors] == [
        {"kind": "below", "where": {"metric": "f1"}, "expected": 0.75, "got": [7, 10]}
    ]


def test_a_pair_is_compared_as_its_exact_ratio() -> None:
    result = {"default": ProfileScore(metrics={"f1": (3, 4)})}

    assert only(scoring(result, at_least={"f1": 0.75})).errors == ()


@pytest.mark.parametrize("nothing", [None, (0, 0)])
def test_nothing_to_measure_is_not_below(nothing: object) -> None:
    result = {"default": ProfileScore(metrics={"f1": nothing})}

    assert only(scoring(result, at_least={"f1": 0.9})).errors == ()


def test_of_a_metric_where_lower_is_better_more_than_the_bound_is_the_error() -> None:
    def wer(value: float) -> ProfileScore:
        result = {"default": ProfileScore(metrics={"wer": value})}
        return only(scoring(result, at_least={"wer": 0.2}, lower_is_better={"wer"}))

    assert wer(0.2).errors == ()
    assert wer(0.2001).errors == (Error("below", {"metric": "wer"}),)


def test_a_bound_holds_in_every_profile_that_has_the_metric() -> None:
    result = {
        "logical": ProfileScore([Error("merged")], {"f1": 0.1}),
        "geometric": ProfileScore(metrics={"recall": 0.1}),
    }

    scores = score(scoring(result, profiles=TWO, at_least={"f1": 0.5}), CASE, 1, 2)

    assert scores["logical"].errors == (Error("merged"), Error("below", {"metric": "f1"}))
    assert scores["geometric"].errors == ()


@pytest.mark.parametrize("what", ["at_least", "tolerance"])
def test_a_bound_on_a_metric_that_never_comes_cannot_fail(what: str) -> None:
    result = {"default": ProfileScore(metrics={"f1": 0.5})}

    got = failure(scoring(result, **{what: {"f2": 0.5}}))

    assert got.kind == "cannot_fail"
    assert "no profile has the metric 'f2'" in got.detail
    assert "(metrics: f1)" in got.detail


def test_what_a_scorer_does_to_its_arguments_nobody_else_sees() -> None:
    def greedy(self, case, answer, prediction):
        case.inputs["words"].clear()
        answer["rows"].append(9)
        prediction["rows"].clear()
        prediction["score"] = 1
        return True

    case = dataclasses.replace(CASE, inputs={"words": [{"text": "a"}]})
    answer, prediction = {"rows": [1, [2]]}, {"rows": [1, [2]]}

    score(toy(greedy)(), case, answer, prediction)

    assert case.inputs == {"words": [{"text": "a"}]}
    assert answer == prediction == {"rows": [1, [2]]}


def test_a_scorer_sees_plain_json_and_the_files_of_the_case() -> None:
    seen = {}

    def look(self, case, answer, prediction):
        seen.update(case=case, answer=answer, prediction=prediction)
        return True

    case = dataclasses.replace(CASE, files={"a.png": Path("a.png")})
    score(toy(look)(), case, {"a": None}, [1, 2.5, "x", True])

    assert seen == {"case": case, "answer": {"a": None}, "prediction": [1, 2.5, "x", True]}


@pytest.mark.req("ENV-051")
@pytest.mark.parametrize(
    "raised",
    [
        KeyError("benzene"),
        AssertionError("benzene"),
        RecursionError("benzene"),
        SystemExit(0),
        pytest.skip.Exception("benzene"),
        NoAnswer("benzene"),
    ],
)
def test_a_scorer_that_raises_is_named_with_its_line_and_without_its_text(
    raised: BaseException,
) -> None:
    def broken(self, case, answer, prediction):
        raise raised  # the line that is shown

    got = failure(toy(broken)())

    assert (got.kind, got.whose) == ("scorer_raised", "scorer")
    assert got.where == "Toy (my_bench), case c-1"
    assert got.detail.startswith(f"{type(raised).__name__} at test_score.py:")
    assert got.detail.endswith("raise raised  # the line that is shown")
    assert "benzene" not in str(got)


def test_the_line_shown_is_the_last_one_of_the_type_not_of_a_library() -> None:
    def broken(self, case, answer, prediction):
        return json.loads("{")

    got = failure(toy(broken)())

    assert got.detail.endswith('return json.loads("{")')


def test_a_scorer_without_source_is_named_all_the_same() -> None:
    space: dict = {}
    exec("def broken(self, case, answer, prediction): return 1 / 0", space)

    assert failure(toy(space["broken"])()).detail == "ZeroDivisionError at <string>:1"


def test_a_scorer_that_is_no_function_is_named_by_the_last_line() -> None:
    class Scorer:
        def __call__(self, case, answer, prediction):
            raise ValueError

    assert failure(toy(staticmethod(Scorer()))()).detail.startswith("ValueError at test_score.py:")


def test_a_scorer_that_cannot_be_called_is_named_without_a_line() -> None:
    assert failure(toy(lambda self: True)()).detail == "TypeError"


def test_ctrl_c_in_a_scorer_stops() -> None:
    def stopped(self, case, answer, prediction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score(toy(stopped)(), CASE, 1, 1)


@pytest.mark.parametrize(("whose", "blamed"), [("adapter", "scorer"), ("judge", "judge")])
def test_a_technical_failure_of_a_kernel_keeps_its_kind(whose: str, blamed: str) -> None:
    def bounded(self, case, answer, prediction):
        raise TechnicalFailure("too_large", "400 x 60000 nodes", whose=whose)

    got = failure(toy(bounded)())

    assert (got.kind, got.detail, got.whose) == ("too_large", "400 x 60000 nodes", blamed)
    assert "case c-1" in got.where


@pytest.mark.req("ENV-008")
@pytest.mark.parametrize(
    "make",
    [
        lambda: Error("cell", {"row": 1.5}),
        lambda: Error("cell", {"row": {1, 2}}),
        lambda: Error("", {}),
        lambda: ProfileScore([{"kind": "cell"}]),
        lambda: ProfileScore(metrics={"f1": math.nan}),
        lambda: ProfileScore(metrics={"f1": {0.5}}),
    ],
)
def test_an_error_or_metric_that_cannot_be_built_is_the_scorer_raising(make) -> None:
    def broken(self, case, answer, prediction):
        return {"default": make()}

    assert failure(toy(broken)()).kind == "scorer_raised"


@pytest.mark.req("ENV-008")
@pytest.mark.parametrize(
    ("result", "words"),
    [
        (ProfileScore([Error("cell", expected={1, 2})]), "error 'cell' of profile 'default'"),
        (ProfileScore([Error("cell", got=math.nan)]), "holds what is no JSON"),
        (ProfileScore([Error("cell", got=2**60)]), "holds what is no JSON"),
        (ProfileScore([Error("cell", got={1: 2})]), "holds what is no JSON"),
        (ProfileScore([Error("cell", got=object())]), "holds what is no JSON"),
        (ProfileScore([Error("cell", note="\ud800")]), "holds what is no JSON"),
        (ProfileScore([Error("cell", note=7)]), "the note of error 'cell' is no text"),  # type: ignore[arg-type]
        (ProfileScore([Error("cell", got=deep(70))]), "too_deep"),
        (ProfileScore(metrics={"f1": 2**60}), "a metric of profile 'default'"),
        (ProfileScore(metrics={"f1": 1e17}), "number_too_large"),
        (ProfileScore(metrics={"": 1}), "a metric without a name"),
        (ProfileScore(metrics={3: 1}), "a metric without a name"),  # type: ignore[dict-item]
    ],
)
def test_what_cannot_be_saved_is_refused_before_it_is_recorded(
    result: ProfileScore, words: str
) -> None:
    got = failure(scoring({"default": result}))

    assert got.kind == "bad_score"
    assert words in got.detail


def test_a_detail_that_holds_itself_is_refused() -> None:
    loop: list = []
    loop.append(loop)

    assert (
        failure(scoring({"default": ProfileScore([Error("cell", got=loop)])})).kind == "bad_score"
    )


@pytest.mark.req("ENV-008")
def test_scored_errors_survive_a_json_round_trip() -> None:
    error = Error("cell", {"at": [1, "b"]}, expected={"x": [1.5, None]}, got=("a",), note="moved")

    got = only(scoring({"default": ProfileScore([error, error])}))

    assert len(got.errors) == 1
    assert Error.from_json(json.loads(json.dumps(got.errors[0].to_json()))) == error


@pytest.mark.parametrize("profiles", [("default",), TWO])
def test_a_declined_case_has_one_error_in_every_profile(profiles: tuple[str, ...]) -> None:
    scores = declined(scoring(True, profiles=profiles))

    assert scores == {name: ProfileScore([Error("no-answer")]) for name in profiles}


def test_a_declined_case_has_quality_zero_without_asking_the_type() -> None:
    benchmark = scoring(True, quality=lambda self, scores: 1.0)

    assert quality(benchmark, declined(benchmark)) == 0.0


@pytest.mark.parametrize(("value", "expected"), [(None, None), (0, 0.0), (1, 1.0), (0.25, 0.25)])
def test_quality_is_what_the_type_says(value: float | None, expected: float | None) -> None:
    benchmark = scoring(True, quality=lambda self, scores: value)

    assert quality(benchmark, {"default": ProfileScore()}) == expected


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.2, "quality is 1.2"),
        (-1, "quality is -1"),
        (True, "quality is a bool"),
        (math.nan, "quality is a float"),
        ("1", "quality is a str"),
    ],
)
def test_a_quality_outside_zero_and_one_is_refused(value: object, words: str) -> None:
    benchmark = scoring(True, quality=lambda self, scores: value)

    with pytest.raises(TechnicalFailure, match=r"\[0, 1\]") as caught:
        quality(benchmark, {"default": ProfileScore()})

    assert (caught.value.kind, caught.value.whose) == ("bad_score", "scorer")
    assert words in caught.value.detail


def test_a_quality_that_raises_is_a_technical_failure() -> None:
    def broken(self, scores):
        raise KeyError("f1")

    with pytest.raises(TechnicalFailure) as caught:
        quality(scoring(True, quality=broken), {"default": ProfileScore()})

    assert caught.value.kind == "scorer_raised"


def test_ctrl_c_in_quality_stops() -> None:
    def stopped(self, scores):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quality(scoring(True, quality=stopped), {"default": ProfileScore()})
