"""Feed an answer back as a prediction: a case that fails this can never be won."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.prediction import misfit
from pytest_benchbed.benchmarks.prediction import validate_prediction
from pytest_benchbed.benchmarks.score import score
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import UsageProblem


def check_settings(benchmark: Benchmark, answers: Iterable[Any], bench_path: Path | None) -> None:
    """Refuse settings of a bench file that fit no answer of the dataset.

    Raises:
        UsageProblem: naming the file, the setting, and the nearest right one.
    """
    fault = benchmark.settings_fault(answers)
    if fault is not None:
        raise UsageProblem(f"{bench_path or f'benchmark {benchmark.id}'}: {fault}")


def answer_fault(benchmark: Benchmark, case: Case, answer: Any) -> str | None:
    """Say what is wrong with a case or its answer; None if the answer scores without an error.

    Checked in this order: the inputs and the answer against the type's models,
    the answer as a prediction against the prediction model, and its score in
    every profile. The sentence names fields, error kinds and places, and
    quotes no value.
    """
    for what, model, value in (
        ("inputs", benchmark.inputs_model, dict(case.inputs)),
        ("answer", benchmark.answer_model, answer),
    ):
        if model is not None:
            try:
                fault = misfit(model, value)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # sys.exit() must not end the check as passed
                fault = f"{model.__name__} raised {type(error).__name__}"
            if fault is not None:
                return f"{what}: {fault}"
    try:
        prediction = benchmark.answer_as_prediction(case, answer)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"answer_as_prediction of {benchmark.id} raised {type(error).__name__}"
    try:
        validate_prediction(benchmark, prediction)
        scores = score(benchmark, case, answer, prediction)
    except TechnicalFailure as failure:
        return f"the answer as a prediction: {failure.kind}: {failure.detail}"
    for profile, item in scores.items():
        if item.errors:
            first = item.errors[0]
            more = f" and {len(item.errors) - 1} more" if len(item.errors) > 1 else ""
            return f"the answer scores an error in profile {profile!r}: {first!r}{more}"
    return None
