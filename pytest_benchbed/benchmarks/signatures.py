"""How the methods of a benchmark type are called, and what they say they return."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any
from typing import get_type_hints

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.model.escape import term

_METHODS = {
    "score_case": ("case", "answer", "prediction"),
    "summarise": ("profile", "rows"),
    "quality": ("scores",),
    "is_worse": ("profile", "candidate", "other"),
    "unit": ("case",),
    "answer_as_prediction": ("case", "answer"),
}
_SHORT_FORM_TEXTS = {"float": float, "bool": bool, "dict[str, bool]": dict[str, bool]}


def returned(function: Callable[..., Any]) -> Any:
    """Return the annotation of what ``function`` returns, None if it cannot be told."""
    plain = inspect.unwrap(function)
    try:
        return get_type_hints(plain).get("return")
    except Exception:  # a name that only type checkers import
        text = getattr(plain, "__annotations__", {}).get("return")
        return _SHORT_FORM_TEXTS.get(text) if isinstance(text, str) else text


def methods_fault(instance: Benchmark) -> str | None:
    """Say which method cannot be called the way it will be; None if all can."""
    for name, parameters in _METHODS.items():
        method = getattr(instance, name)
        call = f"{name}(self, {', '.join(parameters)})"
        if inspect.iscoroutinefunction(method):
            return f"{name} is async.\nScoring waits for nothing: define {call} without async."
        try:
            inspect.signature(method, follow_wrapped=False).bind(*parameters)
        except TypeError as error:
            return f"{name} cannot be called as {call}: {term(error, 80)}.\nDefine it like that."
    return None
