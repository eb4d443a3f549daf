"""Decide whether a prediction has the shape its type can score.

The text was read strictly before; here the value meets the type's model. What
does not fit is a technical failure of the case, never a wrong answer
(ENV-044, ENV-050). Numbers follow JSON: ``1`` is a float too, ``true`` is no
number, ``"1"`` is no number.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.declaration import type_name
from pytest_benchbed.benchmarks.function import FunctionBenchmark
from pytest_benchbed.model.errors import TechnicalFailure

if TYPE_CHECKING:
    from pydantic import BaseModel

MAX_TEXT = 1_000_000
"""Code points of one string."""
MAX_ITEMS = 100_000
"""Elements of one list or object."""


def validate_prediction(benchmark: Benchmark, prediction: Any) -> None:
    """Refuse a prediction that the type cannot score.

    With a ``prediction_model`` it must fit that, strictly: no conversion, and
    no key that is not declared, whatever the model says about extra keys.
    Without one it must be a JSON object; for a type made of a plain function
    any value but null.

    Raises:
        TechnicalFailure: kind ``shape``, naming the first field that does not
            fit (its value is not quoted); kind ``validator_raised``, of the
            scorer, if the model's own code broke.
    """
    if prediction is None:
        raise TechnicalFailure("shape", "the prediction is null")
    _check_sizes(prediction)
    model = benchmark.prediction_model
    if model is None:
        if not isinstance(prediction, dict) and not isinstance(benchmark, FunctionBenchmark):
            raise TechnicalFailure(
                "shape",
                f"the prediction is a {type(prediction).__name__}, not an object "
                f"({benchmark.id} declares no prediction_model)",
            )
        return
    try:
        fault = misfit(model, prediction)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # pytest.skip() must not skip the case
        raise TechnicalFailure(
            "validator_raised",
            f"{model.__name__} raised {type(error).__name__}",
            where=type_name(type(benchmark)),
            whose="scorer",
        ) from error
    if fault is not None:
        raise TechnicalFailure("shape", fault)


def misfit(model: type[BaseModel], value: Any) -> str | None:
    """Return where and why ``value`` does not fit a model of a type, None if it does.

    Whatever a validator of the model raises besides ``ValueError`` and
    ``AssertionError`` comes through.
    """
    from pydantic import ValidationError

    from pytest_benchbed.model.base import explain

    try:
        # Through JSON text: only there does pydantic's strict mode take an array for a tuple.
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        return "NaN or infinity is no JSON"
    try:
        model.model_validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        return explain(error)
    return None


def _check_sizes(prediction: Any) -> None:
    stack = [prediction]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if len(item) > MAX_TEXT:
                raise TechnicalFailure("shape", f"a text is longer than {MAX_TEXT:,} characters")
        elif isinstance(item, (dict, list)):
            if len(item) > MAX_ITEMS:
                raise TechnicalFailure("shape", f"a list has more than {MAX_ITEMS:,} elements")
            if isinstance(item, dict):
                stack.extend(item)
                stack.extend(item.values())
            else:
                stack.extend(item)
