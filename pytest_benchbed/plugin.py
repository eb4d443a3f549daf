"""The entry point that pytest loads in every session of the environment.

It must cost nothing where no benchmark is asked for: options, hook
specifications, one fixture and five short hooks, and everything else behind the question
whether there is anything to do.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_benchbed import hookspecs
from pytest_benchbed.edge import activation
from pytest_benchbed.edge import hook_check
from pytest_benchbed.edge import options
from pytest_benchbed.model.bulk import few_collections

if TYPE_CHECKING:
    from pytest_benchbed.adapters.registry import AdapterRegistry
    from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
    from pytest_benchbed.edge.user_tests import BenchCase


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options."""
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make our hooks known."""
    hook_check.watch(pluginmanager, hookspecs)
    pluginmanager.add_hookspecs(hookspecs)


def pytest_benchbed_benchmarks(registry: BenchmarkRegistry) -> None:
    """Register the types of this package."""
    registry.add("pytest_benchbed.benchmarks.table_separators:TableSeparators")


def pytest_benchbed_adapters(registry: AdapterRegistry) -> None:
    """Register the adapters of this package."""
    registry.add("reference", "pytest_benchbed.adapters.reference:Reference")
    registry.add("pdfplumber", "pytest_benchbed.adapters.pdfplumber_adapter:PdfPlumber")
    registry.add("http", "pytest_benchbed.adapters.http_adapter:Http")
    registry.add("predictions", "pytest_benchbed.adapters.predictions:Predictions")
    registry.add("command", "pytest_benchbed.adapters.command_adapter:Command")
    registry.add("openai", "pytest_benchbed.adapters.openai_adapter:OpenAI")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Answer ``--bench-list``, and refuse ``-f`` before it starts to wait for changes."""
    if config.getoption("bench_list"):
        from pytest_benchbed.edge.listing import list_everything

        return list_everything(config)
    if config.getoption("bench") and config.getoption("looponfail", False):
        raise pytest.UsageError(
            "--looponfail reruns for ever and every run spends: leave out -f with --bench."
        )
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """Refuse paths inside a run, outermost: pytest loads the ``conftest.py`` beside them next."""
    activation.refuse_run_folders(early_config)
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prepare the benchmarks, if any is asked for; ``trylast``: every plugin has registered."""
    config.addinivalue_line(
        "markers", "benchbed(name): a benchmark case (set by the plugin; for -m and plugins)"
    )
    config.addinivalue_line(
        "markers", "bench_cases(name): run the test for each selected case (fixture bench_case)"
    )
    if activation.is_wanted(config):
        with few_collections():
            from pytest_benchbed.edge.session import configure

            configure(config)
    elif stray := options.stray_option(config):
        raise pytest.UsageError(f"{stray} needs a benchmark: name it with --bench=NAME.")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Expand a user's test that is marked ``bench_cases("NAME")``."""
    mark = metafunc.definition.get_closest_marker("bench_cases")
    if mark is not None:
        from pytest_benchbed.edge.user_tests import parametrize

        parametrize(metafunc, mark)


@pytest.fixture
def bench_case(request: pytest.FixtureRequest) -> BenchCase | None:
    """One case: id, inputs, prediction, errors, metrics (mark bench_cases)."""
    from pytest_benchbed.edge.user_tests import ask

    return ask(request)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Never collect run directories: an adapter may have written a ``conftest.py`` there."""
    return True if activation.is_run_folder(collection_path, config) else None
