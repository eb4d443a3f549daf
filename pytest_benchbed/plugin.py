"""The entry point that pytest loads in every session of the environment.

It must cost nothing where no benchmark is asked for: options, hook
specifications and four short hooks, and everything else behind the question
whether there is anything to do.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_benchbed import hookspecs
from pytest_benchbed.edge import activation
from pytest_benchbed.edge import options

if TYPE_CHECKING:
    from pytest_benchbed.adapters.registry import AdapterRegistry
    from pytest_benchbed.benchmarks.registry import BenchmarkRegistry


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options."""
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make our hooks known."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_benchbed_benchmarks(registry: BenchmarkRegistry) -> None:
    """Register the types of this package."""
    registry.add("pytest_benchbed.benchmarks.table_separators:TableSeparators")


def pytest_benchbed_adapters(registry: AdapterRegistry) -> None:
    """Register the adapters of this package."""
    registry.add("reference", "pytest_benchbed.adapters.reference:Reference")
    registry.add("pdfplumber", "pytest_benchbed.adapters.pdfplumber_adapter:PdfPlumber")


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


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prepare the benchmarks, if any is asked for; ``trylast``: every plugin has registered."""
    config.addinivalue_line(
        "markers", "benchbed(name): a benchmark case (set by the plugin; for -m and plugins)"
    )
    if activation.is_wanted(config):
        from pytest_benchbed.edge.session import configure

        configure(config)
    elif stray := options.stray_option(config):
        raise pytest.UsageError(f"{stray} needs a benchmark: name it with --bench=NAME.")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Never collect run directories: an adapter may have written a ``conftest.py`` there."""
    return True if activation.is_run_folder(collection_path, config) else None
