"""Make a benchmark type of one function: ``f(prediction, expected)``.

For a user's own data: no class, no version file. The type is scored, paired
and gated like any other.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.base import Scored
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name

Scorer = Callable[[Any, Any], bool | float | dict[str, bool]]
DECLARABLE = tuple(sorted(set(Benchmark.__annotations__) - {"id"}))
"""Declarations of a type that ``add_scorer`` takes as keywords."""


class FunctionBenchmark(Benchmark):
    """The base of types made of one function; a prediction may be any JSON value but null."""


def check_declared(benchmark_id: str, declared: Mapping[str, Any]) -> None:
    """Refuse a keyword of ``add_scorer`` that is no declaration of a type.

    Raises:
        UsageProblem: naming the nearest declaration.
    """
    for name in declared:
        if name not in DECLARABLE:
            raise UsageProblem(
                f"cannot register scorer {term(benchmark_id, 80)!r}: "
                f"{unknown_name('declaration', name, DECLARABLE, '')}\n"
                f"Pass declarations of a type, such as at_least={{'score': 0.8}}."
            )


def type_of_function(
    benchmark_id: str, entry: str, function: object, declared: Mapping[str, Any]
) -> type[Benchmark]:
    """Return the type that scores with ``function(prediction, expected)``.

    ``label``, ``format`` and ``scoring_version`` follow from the id unless
    they are declared; who changes the function declares the next version.

    Raises:
        UsageProblem: ``function`` is no function of two arguments.
    """
    if not callable(function) or inspect.isclass(function):
        raise UsageProblem(
            f"cannot register scorer {entry!r}: it is no function.\n"
            f"Name a function f(prediction, expected); a class is registered with registry.add."
        )
    try:
        inspect.signature(function, follow_wrapped=False).bind("prediction", "expected")
    except TypeError as error:
        raise UsageProblem(
            f"cannot register scorer {entry!r}: it cannot be called as f(prediction, expected): "
            f"{term(error, 80)}.\nDefine it like that."
        ) from None
    if inspect.iscoroutinefunction(function):
        raise UsageProblem(
            f"cannot register scorer {entry!r}: it is async.\n"
            f"Scoring waits for nothing: define it without async."
        )

    @functools.wraps(function, assigned=())
    def score_case(self: Benchmark, case: Case, answer: Any, prediction: Any) -> Scored:
        scored: Scored = function(prediction, answer)
        return scored

    module, _, name = entry.partition(":")
    return type(
        name,
        (FunctionBenchmark,),
        {
            "__module__": module,
            "__doc__": inspect.getdoc(function),
            "label": benchmark_id,
            "format": f"scorer.{benchmark_id}.v1",
            "scoring_version": f"scorer.{benchmark_id}.scores.v1",
            **declared,
            "id": benchmark_id,
            "score_case": score_case,
        },
    )
