"""Benchmark cases as tests: the public names, loaded on first use.

The plugin module of this package is imported in every pytest session of the
environment, so importing the package itself must cost nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING
from typing import Any

if TYPE_CHECKING:
    from pytest_benchbed.adapters.base import Adapter
    from pytest_benchbed.benchmarks.base import Benchmark
    from pytest_benchbed.data.dataset import Dataset
    from pytest_benchbed.model.case import Case
    from pytest_benchbed.model.error import Error
    from pytest_benchbed.model.error import ProfileScore
    from pytest_benchbed.model.errors import NoAnswer
    from pytest_benchbed.model.errors import Retry
    from pytest_benchbed.model.usage import Usage
    from pytest_benchbed.runs.read import Run

__all__ = [
    "Adapter",
    "Benchmark",
    "Case",
    "Dataset",
    "Error",
    "NoAnswer",
    "ProfileScore",
    "Retry",
    "Run",
    "Usage",
]

_HOMES = {
    "Adapter": "adapters.base",
    "Benchmark": "benchmarks.base",
    "Case": "model.case",
    "Dataset": "data.dataset",
    "Error": "model.error",
    "NoAnswer": "model.errors",
    "ProfileScore": "model.error",
    "Retry": "model.errors",
    "Run": "runs.read",
    "Usage": "model.usage",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home module (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version

        return version("pytest-benchbed")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
