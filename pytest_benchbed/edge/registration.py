"""One path to everything that is registered, for pytest and for ``benchbed`` alike."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed import hookspecs
from pytest_benchbed.adapters.registry import AdapterRegistry
from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.calls.executors import ExecutorRegistry
from pytest_benchbed.data.registry import DatasetRegistry
from pytest_benchbed.edge.activation import MANIFEST
from pytest_benchbed.edge.file_types import type_of_file
from pytest_benchbed.edge.hook_check import PREFIX
from pytest_benchbed.edge.hook_check import check_prefixes
from pytest_benchbed.edge.hook_check import known_as
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.runs.bench_files import find_bench_files

HOOKS = tuple(name for name in vars(hookspecs) if name.startswith(PREFIX))


@dataclass(frozen=True)
class Registries:
    """What plugins, the root ``conftest.py`` and the bench paths have registered."""

    benchmarks: BenchmarkRegistry
    datasets: DatasetRegistry
    adapters: AdapterRegistry
    executors: ExecutorRegistry
    bench_files: dict[str, Path]
    """Benchmark id to its bench file below the bench paths."""


def load(config: pytest.Config, named: Sequence[Path] = ()) -> Registries:
    """Call the registration hooks once and look through the bench paths.

    ``named`` are dataset folders of the command line; they register themselves.
    Reads names and manifests only, no rows.
    """
    check_prefixes(config.pluginmanager, HOOKS)
    registries = Registries(
        BenchmarkRegistry(),
        DatasetRegistry(),
        AdapterRegistry(),
        ExecutorRegistry(),
        find_bench_files(bench_paths(config)),
    )
    _fill(config, "pytest_benchbed_benchmarks", registries.benchmarks)
    for name, file in registries.bench_files.items():
        registries.benchmarks.add_from_file(name, partial(type_of_file, name, file))
    _fill(config, "pytest_benchbed_datasets", registries.datasets)
    _fill(config, "pytest_benchbed_adapters", registries.adapters)
    _fill(config, "pytest_benchbed_executors", registries.executors)
    for folder in bench_paths(config):
        for benchmark in sorted(path for path in folder.iterdir() if path.is_dir()):
            for manifest in sorted(benchmark.glob(f"*/{MANIFEST}")):
                try:
                    registries.datasets.add_found(manifest.parent)
                except DatasetError as error:
                    # It must not stop another benchmark; its own names it.
                    registries.datasets.problems.append(error)
    for folder in named:
        registries.datasets.add_found(folder)
    return registries


def _fill(config: pytest.Config, hook: str, registry: Any) -> None:
    """Call a registration hook plugin by plugin, so that a fault has a name.

    Raises:
        BenchbedError: what a registry refuses, with the plugin in a last line;
            anything else that an implementation raises, ``SystemExit`` included.
    """
    manager = config.pluginmanager
    plugins = [impl.plugin for impl in getattr(config.hook, hook).get_hookimpls()]
    # The order of a call of all: the last registered first.
    for plugin in reversed(dict.fromkeys(plugins)):
        who = plugin_name(config, plugin)
        others = [other for other in plugins if other is not plugin]
        if isinstance(registry, BenchmarkRegistry):
            registry.plugin = who
        try:
            manager.subset_hook_caller(hook, others)(registry=registry)
        except BenchbedError as error:
            raise type(error)(f"{error}\nRegistered by plugin {who}, hook {hook}.") from error
        except (KeyboardInterrupt, pytest.UsageError):
            raise
        except BaseException as error:
            raise UsageProblem(
                f"plugin {who}: {hook} raised {type(error).__name__}: {term(error, 160)}"
                f"{_line_of(error)}.\n"
                "Correct it, or leave the plugin out with -p no:NAME."
            ) from error


def plugin_name(config: pytest.Config, plugin: object) -> str:
    """Return how a user knows a plugin: its name, and the distribution that brings it."""
    name = repr(known_as(config.pluginmanager, plugin))
    for other, distribution in config.pluginmanager.list_plugin_distinfo():
        if other is plugin:
            return f"{name} ({distribution.project_name} {distribution.version})"
    return name


def _line_of(error: BaseException) -> str:
    """Return where the plugin's own code raised: the last line that is no other package's."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "site-packages" not in frame.filename and "pytest_benchbed/edge" not in frame.filename
    ]
    return f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def bench_paths(config: pytest.Config) -> list[Path]:
    """Return the folders of ini ``bench_paths`` that exist, relative to the ini file's folder."""
    base = config.inipath.parent if config.inipath else config.rootpath
    folders = dict.fromkeys((base / name).resolve() for name in config.getini("bench_paths"))
    return [folder for folder in folders if folder.is_dir()]


def bench_home(config: pytest.Config) -> Path:
    """Return the folder below which a new bench file goes: the first bench path."""
    base = config.inipath.parent if config.inipath else config.rootpath
    names = config.getini("bench_paths") or ["cases"]
    return next(iter(bench_paths(config)), (base / names[0]).resolve())
