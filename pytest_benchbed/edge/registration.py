"""One path to everything that is registered, for pytest and for ``benchbed`` alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchbed.adapters.registry import AdapterRegistry
from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.calls.executors import ExecutorRegistry
from pytest_benchbed.data.registry import DatasetRegistry
from pytest_benchbed.edge.activation import MANIFEST
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.runs.bench_files import find_bench_files


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
    registries = Registries(
        BenchmarkRegistry(),
        DatasetRegistry(),
        AdapterRegistry(),
        ExecutorRegistry(),
        find_bench_files(bench_paths(config)),
    )
    config.hook.pytest_benchbed_benchmarks(registry=registries.benchmarks)
    config.hook.pytest_benchbed_datasets(registry=registries.datasets)
    config.hook.pytest_benchbed_adapters(registry=registries.adapters)
    config.hook.pytest_benchbed_executors(registry=registries.executors)
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


def bench_paths(config: pytest.Config) -> list[Path]:
    """Return the folders of ini ``bench_paths`` that exist, relative to the ini file's folder."""
    base = config.inipath.parent if config.inipath else config.rootpath
    folders = dict.fromkeys((base / name).resolve() for name in config.getini("bench_paths"))
    return [folder for folder in folders if folder.is_dir()]
