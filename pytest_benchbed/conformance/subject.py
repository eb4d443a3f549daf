"""One type under test: its dataset, fixtures and predictions, and how it scores them.

A prediction that the type's validator refuses, and one over which its scorer
breaks, are results here and not exceptions: one rule is about the second, and
all others leave such a case to it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from typing import NoReturn

import pytest

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.declaration import type_name
from pytest_benchbed.benchmarks.score import quality
from pytest_benchbed.benchmarks.score import score
from pytest_benchbed.benchmarks.score import validate_prediction
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.conformance.nested import Nested
from pytest_benchbed.conformance.nested import run_with_predictions
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.registry import RegisteredDataset
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.registration import load
from pytest_benchbed.edge.session import SESSION
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

CORRECT = "correct.json"
WRONG = "wrong.json"
SAMPLE = 16
"""Cases that rules over changed predictions look at."""
SHOWN = 5
"""Findings written out in a failure."""


@dataclass(frozen=True)
class Result:
    """What the type says to one prediction: exactly one of the three is set."""

    scores: Mapping[str, ProfileScore] | None = None
    refused: TechnicalFailure | None = None
    """The validator's word: not of a shape that can be scored."""
    broken: TechnicalFailure | None = None
    """The type's own code broke."""
    quality: float | None = None

    def errors(self, profile: str) -> int:
        """Return how many errors a scored prediction has in a profile."""
        assert self.scores is not None
        return len(self.scores[profile].errors)


class Subject:
    """A registered type, and everything that is checked with it."""

    def __init__(self, config: pytest.Config, registries: Registries, name: str) -> None:
        """Look the type up; nothing of its dataset is read yet."""
        self.config = config
        self.id = name
        self.benchmark: Benchmark = registries.benchmarks.get(name)
        self.plugin = registries.benchmarks.plugin_of(name)
        self._datasets = registries.datasets.for_benchmark(name)
        self._fixtures = registries.datasets.fixtures(name)
        self.unmade: dict[str, str] = {}
        """Cases whose answer could not be made a prediction, and the exception's name."""
        self._cases: dict[str, tuple[Case, Any]] = {}
        self._results: dict[tuple[str, bytes], Result] = {}
        self._stack = ExitStack()
        config.add_cleanup(self._stack.close)

    def __repr__(self) -> str:
        return f"<{self.id}>"

    def broken(self, rule: str, findings: Sequence[str], remedy: str) -> NoReturn:
        """Fail the test: rule, type and plugin, the first findings, what to do."""
        more = [f"  … and {len(findings) - SHOWN} more"] if len(findings) > SHOWN else []
        plugin = f", plugin {self.plugin}" if self.plugin else ""
        lines = [
            f"rule broken: {rule}",
            f"  by benchmark {self.id!r}: {type_name(type(self.benchmark))}{plugin}",
            *(f"  {finding}" for finding in findings[:SHOWN]),
            *more,
            f"  what to do: {remedy}",
        ]
        pytest.fail("\n".join(lines), pytrace=False)

    @cached_property
    def registered(self) -> RegisteredDataset:
        """The dataset that is checked: the first public one, else the first."""
        for entry in self._datasets:
            if Dataset.open(entry.root).visibility == "public":
                return entry
        if self._datasets:
            return self._datasets[0]
        self.broken(
            "a type has a dataset",
            [f"no dataset of benchmark {self.id!r} is registered"],
            f"put one below cases/{self.id}/, or register its folder in pytest_benchbed_datasets",
        )

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset that is checked."""
        try:
            return Dataset.open(self.registered.root)
        except BenchbedError as error:
            self.broken("the dataset can be read", [str(error)], "benchbed validate PATH")

    @cached_property
    def answers(self) -> Answers:
        """Its answers."""
        return Answers.open(self.dataset.root)

    @cached_property
    def own(self) -> dict[str, Any]:
        """For each case the prediction that repeats its answer, where the type can make one."""
        found = {}
        for case in self.dataset.cases():
            try:
                answer = self.answers.answer(case.id)
                value = self.benchmark.answer_as_prediction(case, answer)
                found[case.id] = json.loads(json.dumps(value, allow_nan=False))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                # The rule of answers as predictions says what it was.
                self.unmade[case.id] = type(error).__name__
        return found

    @cached_property
    def sample(self) -> dict[str, Any]:
        """Of a large dataset every so many cases, the first included: for rules over changes.

        What must hold for every case by itself is asked of all of :attr:`own`.
        """
        step = math.ceil(len(self.own) / SAMPLE) or 1
        return dict(list(self.own.items())[::step])

    def neighbours(self) -> list[tuple[str, str]]:
        """Return each case of the sample with the next one, whose prediction it is given."""
        cases = list(self.sample)
        return list(zip(cases, cases[1:] + cases[:1], strict=True))

    @cached_property
    def folder(self) -> Path:
        """A temporary folder of this session, for the run that several rules look at."""
        return Path(self._stack.enter_context(TemporaryDirectory(prefix="benchbed-")))

    @cached_property
    def fixture_run(self) -> Nested:
        """A run over the whole dataset: right answers, and ``wrong.json`` where it has one."""
        return run_with_predictions(self, self.folder, {**self.own, **self.wrong})

    def fixture(self, name: str) -> dict[str, Any]:
        """Return the predictions of ``correct.json`` or ``wrong.json``; fails the test if unfit."""
        rule = f"a type has fixtures/{self.id}/{name}"
        remedy = (
            f"write {{case id: prediction}} to fixtures/{self.id}/{name} and register the folder: "
            "registry.add_fixtures(FOLDER) in pytest_benchbed_datasets"
        )
        path = None if self._fixtures is None else self._fixtures / name
        if path is None or not path.is_file():
            where = "no folder of fixtures has this type" if path is None else f"{path} is missing"
            self.broken(rule, [where], remedy)
        try:
            value = read_json(path.read_bytes())
        except (MalformedJson, OSError) as error:
            self.broken(rule, [f"{path}: {error}"], remedy)
        if not isinstance(value, dict) or not value:
            self.broken(rule, [f"{path} holds no object with a prediction"], remedy)
        foreign = [case for case in value if case not in self.dataset]
        if foreign:
            findings = [f"{path}: {self.registered.id} has no case {case!a}" for case in foreign]
            self.broken(rule, findings, remedy)
        return value

    @cached_property
    def wrong(self) -> dict[str, Any]:
        """``wrong.json``, or nothing where another rule says that it is unfit."""
        path = None if self._fixtures is None else self._fixtures / WRONG
        try:
            value = read_json(path.read_bytes()) if path is not None else {}
        except (MalformedJson, OSError):
            return {}
        known = value.items() if isinstance(value, dict) else ()
        return {case: prediction for case, prediction in known if case in self.dataset}

    def result(self, case_id: str, prediction: Any, *, is_fresh: bool = False) -> Result:
        """Return what the type says; remembered by the prediction's canonical text."""
        key = (case_id, canonical(prediction))
        if is_fresh or key not in self._results:
            self._results[key] = self._result(case_id, prediction)
        return self._results[key]

    def _result(self, case_id: str, prediction: Any) -> Result:
        benchmark = self.benchmark
        try:
            validate_prediction(benchmark, prediction)
            scores = score(benchmark, *self._asked(case_id), prediction)
            return Result(scores=scores, quality=quality(benchmark, scores))
        except TechnicalFailure as failure:
            if failure.whose == "adapter":
                return Result(refused=failure)
            return Result(broken=failure)

    def _asked(self, case_id: str) -> tuple[Case, Any]:
        """Return case and answer; kept, since reading them strictly costs more than scoring."""
        if case_id not in self._cases:
            answer = self.answers.answer(case_id)
            self._cases[case_id] = (self.dataset.case(case_id), answer)
        return self._cases[case_id]

    def predictions(self) -> Iterator[tuple[str, str, Any]]:
        """Yield what the rules over scores look at: what it is, case id, prediction."""
        for case, prediction in self.sample.items():
            yield "its own answer", case, prediction
        for case, prediction in self.wrong.items():
            yield f"its prediction in {WRONG}", case, prediction
        for case, other in self.neighbours():
            if other != case:
                yield f"the answer of {other}", case, self.own[other]


def row_of(result: Result) -> dict[str, Any]:
    """Return errors and metrics as they stand in ``results.jsonl``."""
    assert result.scores is not None
    return {
        "errors": {
            profile: [error.to_json() for error in one.errors]
            for profile, one in result.scores.items()
        },
        "metrics": {profile: one.metrics_json() for profile, one in result.scores.items()},
        "quality": result.quality,
    }


def told(result: Result, profile: str) -> str:
    """Say in a few words what a prediction got."""
    if result.refused is not None:
        return f"refused ({term(result.refused.detail, 80)})"
    if result.broken is not None:
        return f"the scorer broke ({result.broken.kind})"
    return count(result.errors(profile), "error")


_SUBJECTS = pytest.StashKey[dict[str, Subject]]()
_REGISTRIES = pytest.StashKey[Registries]()


def subjects_of(config: pytest.Config, names: Sequence[str]) -> list[Subject]:
    """Return the types of these ids, all registered ones for none, sorted by id.

    Raises:
        pytest.Collector.CollectError: a registration that cannot be used, or an unknown id.
    """
    known = config.stash.setdefault(_SUBJECTS, {})
    try:
        if SESSION in config.stash:
            registries = config.stash[SESSION].registries
        elif _REGISTRIES in config.stash:
            registries = config.stash[_REGISTRIES]
        else:
            registries = config.stash[_REGISTRIES] = load(config)
        for name in names or registries.benchmarks.names():
            if name not in known:
                known[name] = Subject(config, registries, name)
    except BenchbedError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    return [known[name] for name in sorted(names or registries.benchmarks.names())]
