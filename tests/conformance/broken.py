"""Types that each break one rule, as the ``conftest.py`` of an author's repository.

``sound`` breaks none. Every other one is ``sound`` with one thing changed; the
scores of those called ``odd-…`` are refused as a whole.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from pytest_benchbed.data.pin import pin
from tests.plugin.bench import write_lines

CANARY = "0ddba11c" * 4
ANSWERS = {
    "w-1": ["ash", "oak", "elm", "fir", "yew", "box"],
    "w-2": ["kite", "crow"],
    "w-3": ["salt"],
}
WRONG = {"w-1": ["ash", "pine", "oak"], "w-2": ["crow", "crow", "rook"]}

CONFTEST = """
from pathlib import Path

from pydantic import BaseModel
from pytest_benchbed import Benchmark, Error, ProfileScore


class Prediction(BaseModel):
    words: list[str]


class Sound(Benchmark):
    id = "sound"
    format = "example.sound.v1"
    label = "Words"
    scoring_version = "example.sound.scores.v1"
    headline = ("f1",)
    prediction_model = Prediction

    def score_case(self, case, answer, prediction):
        expected, got = set(answer["words"]), set(prediction["words"])
        errors = [Error("missing", {"word": word}) for word in sorted(expected - got)]
        errors += [Error("extra", {"word": word}) for word in sorted(got - expected)]
        return self.scores(errors, expected, got)

    def scores(self, errors, expected, got):
        f1 = (2 * len(expected & got), len(expected) + len(got))
        return {"default": ProfileScore(errors, {"f1": f1})}


class Loose(Error):
    def to_json(self):
        return {"kind": self.kind, "where": {}}

"""

REGISTER = """

def pytest_benchbed_benchmarks(registry):
    for kind in (Sound, *Sound.__subclasses__()):
        registry.add(kind)


def pytest_benchbed_datasets(registry):
    registry.add_fixtures(Path(__file__).parent / "fixtures")
"""


class Broken(NamedTuple):
    """A type that breaks one rule."""

    rule: str
    """The method of ``Conformance`` that must fail."""
    says: str
    """What its failure says of the case or the data."""
    body: str = ""
    """Lines of the class."""


_SUPER = """
    def score_case(self, case, answer, prediction):
        scores = super().score_case(case, answer, prediction)
        errors, metrics = list(scores["default"].errors), dict(scores["default"].metrics)
        {lines}
        return {{"default": ProfileScore(errors, metrics)}}
"""


def _changed(lines: str) -> str:
    return _SUPER.format(lines=lines)


WHOLE = "test_every_score_is_whole"
BROKEN = {
    "odd-raising": Broken(
        WHOLE, "case w-1*KeyError at conftest.py:*", _changed('raise KeyError("x")')
    ),
    "odd-exiting": Broken(WHOLE, "case w-1*SystemExit at*", _changed("raise SystemExit(0)")),
    "odd-recursing": Broken(
        WHOLE, "case w-1*RecursionError*", _changed("self.score_case(case, answer, prediction)")
    ),
    "odd-nan-metric": Broken(
        WHOLE, "case w-1*metric 'n' is nan*", _changed('metrics["n"] = float("nan")')
    ),
    "odd-infinite": Broken(
        WHOLE, "case w-1*metric 'n' is inf*", _changed('metrics["n"] = float("inf")')
    ),
    "odd-set-detail": Broken(
        WHOLE,
        "case w-1, given its prediction in wrong.json*no JSON*",
        _changed("errors = [Error(one.kind, one.where, {1, 2}) for one in errors]"),
    ),
    "odd-float-where": Broken(
        WHOLE,
        "case w-1, given its prediction in wrong.json*where?'x'? of error 'at'*not a float*",
        _changed('errors = [Error("at", {"x": 1.5}) for one in errors]'),
    ),
    "odd-unhashable": Broken(
        WHOLE,
        "case w-1, given its prediction in wrong.json*where?'x'? of error 'at'*not a dict*",
        _changed('errors = [Error("at", {"x": {"y": [1]}}) for one in errors]'),
    ),
    "odd-other-profile": Broken(
        WHOLE, "case w-1*", "    def score_case(self, *_):\n        return {'no': ProfileScore()}\n"
    ),
    "odd-quality-two": Broken(
        WHOLE, "case w-1*quality is 2*", "    def quality(self, scores):\n        return 2.0\n"
    ),
    "odd-bad-summary": Broken(
        WHOLE,
        "all cases: summarise('default')*nan*",
        "    def summarise(self, profile, rows):\n        return {'f1': float('nan')}\n",
    ),
    "unwinnable": Broken(
        "test_an_answer_as_its_own_prediction_has_no_error",
        "case w-3: the answer scores an error in profile 'default'*never*",
        _changed('errors += [Error("never")] if case.id == "w-3" else []'),
    ),
    "bad-correct": Broken("test_correct_json_has_no_error", "case w-1: *missing*"),
    "mild-wrong": Broken("test_wrong_json_has_an_error", "case w-1: 0 errors*"),
    "silence": Broken(
        "test_empty_output_passes_nothing",
        'case w-1: {"words": ?]} has no error in profile*',
        _changed('errors = errors if prediction["words"] else []'),
    ),
    "any-answer": Broken(
        "test_the_prediction_of_another_case_never_helps",
        "every case passes with the prediction of another one",
        _changed(f"errors = [] if prediction['words'] in {list(ANSWERS.values())} else errors"),
    ),
    "counting-said": Broken(
        "test_saying_it_twice_never_helps",
        "case w-1, wrong.json: with all of 'words' doubled*",
        _changed(
            'errors = errors[: max(0, len(answer["words"]) - len(prediction["words"])) or 1]'
            ' if errors and case.id == "w-1" else errors'
        ),
    ),
    "first-word": Broken(
        "test_order_never_helps_where_it_does_not_count",
        "case w-1, wrong.json: *'words' reversed*",
        _changed(
            'errors += [Error("start")] if errors and prediction["words"][:1] != ["oak"] else []'
        ),
    ),
    "counting-calls": Broken(
        "test_scoring_again_gives_the_same",
        "case w-1, given its own answer: metric 'calls'*",
        "    calls = 0\n"
        + _changed('type(self).calls += 1\n        metrics["calls"] = self.calls'),
    ),
    "unsorted": Broken(
        "test_scoring_under_another_hash_seed_gives_the_same",
        "case w-1, given its prediction in wrong.json: *",
        _changed(
            'errors = [Error("missing", {"word": word})'
            ' for word in set(answer["words"]) - set(prediction["words"])] or errors'
        ),
    ),
    "loose-errors": Broken(
        "test_errors_survive_a_round_trip",
        "case w-1*what is read back is not equal*",
        _changed("errors = [Loose(one.kind, one.where) for one in errors]"),
    ),
    "never-worse": Broken(
        "test_pairing_and_gate_follow_the_table",
        "case w-1, a new error: the case is xfailed*",
        "    def is_worse(self, profile, candidate, other):\n        return False\n",
    ),
    "leaking": Broken(
        "test_no_answer_reaches_the_system", "case w-2: *holds the name of the answer file"
    ),
    "drawn": Broken(
        "test_the_report_shows_every_case",
        "case w-1: the viewer 'table-grid' draws nothing",
        '    viewer = "table-grid"\n',
    ),
}


def write_repository(folder: Path) -> None:
    """Write the types with their datasets and fixtures."""
    text = CONFTEST
    for name, broken in BROKEN.items():
        text += (
            f"\nclass {class_name(name)}(Sound):\n"
            f'    id = "{name}"\n'
            f'    format = "example.{name}.v1"\n'
            f'    scoring_version = "example.{name}.scores.v1"\n'
            f"{broken.body}\n"
        )
    (folder / "conftest.py").write_text(text + REGISTER, "utf-8")
    for name in ("sound", *BROKEN):
        _write_data(folder, name)


def class_name(name: str) -> str:
    """Return the class of a type of the table."""
    return name.title().replace("-", "")


def _write_data(folder: Path, name: str) -> None:
    dataset = folder / "cases" / name / "v1"
    dataset.mkdir(parents=True)
    cases = [{"id": case, "inputs": {"text": f"text {case}"}} for case in ANSWERS]
    if name == "leaking":
        cases[1]["inputs"] = {"text": "see answers.jsonl"}
    write_lines(dataset / "cases.jsonl", cases)
    answers = [
        {"id": case, "answer": {"words": words}, "canary": CANARY}
        for case, words in ANSWERS.items()
    ]
    write_lines(dataset / "answers.jsonl", answers)
    pin(dataset, benchmark=name, id=f"{name}-v1", visibility="public")
    correct, wrong = {"w-1": ANSWERS["w-1"]}, WRONG
    if name == "bad-correct":
        correct = {"w-1": ["ash"]}
    if name == "mild-wrong":
        wrong = correct
    fixtures = folder / "fixtures" / name
    fixtures.mkdir(parents=True)
    for file, predictions in (("correct.json", correct), ("wrong.json", wrong)):
        value = {case: {"words": words} for case, words in predictions.items()}
        (fixtures / file).write_text(json.dumps(value), "utf-8")
