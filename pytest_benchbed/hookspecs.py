"""The hooks of this plugin: what a plugin or a root ``conftest.py`` may implement.

Registration hooks are called once, when every plugin is configured. They get a
registry and return nothing; all implementations are called. A registration
names code by text (``module:name``), so that nothing is imported for a name
that is not used.

Mark implementations in a ``conftest.py`` with
``@pytest.hookimpl(optionalhook=True)``: then the repository's tests also run
where this plugin is not installed.

Observers are called in the controlling process only (never in an xdist
worker), after what they report is on record. What they return is ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Any

import pytest

if TYPE_CHECKING:
    from pytest_benchbed.adapters.registry import AdapterRegistry
    from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
    from pytest_benchbed.calls.executors import ExecutorRegistry
    from pytest_benchbed.data.registry import DatasetRegistry
    from pytest_benchbed.runs.read import Run


@pytest.hookspec
def pytest_benchbed_benchmarks(registry: BenchmarkRegistry) -> None:
    """Register benchmark types.

    ``registry.add(cls)`` or ``registry.add("module:Class")`` takes a
    :class:`pytest_benchbed.Benchmark`; ``registry.add_scorer(id,
    "module:function")`` makes a type of a plain function
    ``f(prediction, expected)`` that returns true or false, checks by name, or
    a number from 0 to 1.
    """


@pytest.hookspec
def pytest_benchbed_datasets(registry: DatasetRegistry) -> None:
    """Register datasets.

    ``registry.add(directory, benchmark=None, loader=None)`` takes a dataset's
    folder, or a folder of them (``<benchmark>/<dataset>/manifest.json``). A
    folder below the ini ``bench_paths`` needs no hook.
    ``registry.add_fixtures(directory)`` names the folder of the prediction
    fixtures (``<benchmark>/correct.json`` and ``wrong.json``).
    """


@pytest.hookspec
def pytest_benchbed_adapters(registry: AdapterRegistry) -> None:
    """Register adapters: ``registry.add(name, "module:Class" | path of an executable)``.

    The module is never imported by pytest, only in the adapter's own process.
    """


@pytest.hookspec
def pytest_benchbed_executors(registry: ExecutorRegistry) -> None:
    """Register executors: ``registry.add(name, factory)``; an executor says where calls run."""


@pytest.hookspec
def pytest_benchbed_case_scored(config: pytest.Config, result: dict[str, Any]) -> None:
    """See one recorded result: the case's row of ``results.jsonl`` with its ``benchmark``.

    Called once for each result, in the order of arrival.
    """


@pytest.hookspec
def pytest_benchbed_run_finished(config: pytest.Config, run: Run) -> None:
    """See a run after all its files are written."""
