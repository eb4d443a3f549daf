"""Which benchmarks, and which dataset of each, a command line means.

An unknown name is refused with the nearest one that is known.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.data.registry import RegisteredDataset
from pytest_benchbed.edge import activation
from pytest_benchbed.edge.activation import CASES
from pytest_benchbed.edge.commands import path_text
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.registration import bench_paths
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.runs.bench_files import load_bench_file

LIST = "pytest --bench-list"


def benchmarks_and_datasets(
    config: pytest.Config, registries: Registries
) -> list[tuple[Benchmark, RegisteredDataset]]:
    """Return the types that were asked for with the dataset of each, in the order of asking.

    Raises:
        UsageProblem: an unknown or ambiguous name.
        DatasetError: a manifest cannot be read.
    """
    wanted: dict[str, RegisteredDataset | None] = {}
    for name in config.getoption("bench") or ():
        for resolved in _resolve_name(name, registries):
            wanted[resolved] = None
    for folder in activation.named_datasets(config):
        registered = registries.datasets.at(folder)
        if registered is not None and wanted.get(registered.benchmark) is None:
            wanted[registered.benchmark] = registered
    choices = _dataset_choices(config, registries)
    pairs = []
    for benchmark_id, named in wanted.items():
        bench, _ = bench_file_of(registries, benchmark_id)
        text = choices.get(benchmark_id) or choices.get("") or (None if named else bench.dataset)
        registered = _dataset(config, registries, benchmark_id, text, named)
        pairs.append((registries.benchmarks.get(benchmark_id), registered))
    return pairs


def _resolve_name(name: str, registries: Registries) -> list[str]:
    known = registries.benchmarks.names()
    if name == "all":
        with_data = [item for item in known if registries.datasets.for_benchmark(item)]
        if not with_data:
            raise UsageProblem(f"no benchmark has a dataset.\nList them with: {LIST}")
        return with_data
    if name in known:
        return [name]
    family: list[str] = registries.benchmarks.family(name)
    if family:
        return family
    raise UsageProblem(unknown_name("benchmark", name, [*known, "all"], LIST))


def _dataset_choices(config: pytest.Config, registries: Registries) -> dict[str, str]:
    """Return the values of ``--bench-dataset`` by benchmark; "" holds for any."""
    choices: dict[str, str] = {}
    for text in config.getoption("bench_dataset") or ():
        head, equals, tail = text.partition("=")
        if equals and head in registries.benchmarks.names():
            choices[head] = tail
        elif equals and not (config.invocation_params.dir / text).exists():
            raise UsageProblem(unknown_name("benchmark", head, registries.benchmarks.names(), LIST))
        else:
            choices[""] = text
    return choices


def _unpinned(config: pytest.Config, benchmark: str) -> str:
    """Return a folder with cases of a benchmark that was never pinned, as it is typed here."""
    for parent in bench_paths(config):
        for cases in sorted((parent / benchmark).glob(f"*/{CASES}")):
            if not (cases.parent / "manifest.json").exists():
                return path_text(cases.parent, config)
    return ""


def _dataset(
    config: pytest.Config,
    registries: Registries,
    benchmark: str,
    text: str | None,
    named: RegisteredDataset | None,
) -> RegisteredDataset:
    available = registries.datasets.for_benchmark(benchmark)
    if text is not None:
        found = registries.datasets.find(text)
        if found is None and Path(text).is_dir():
            found = registries.datasets.add_found(Path(text))
        if found is None:
            raise UsageProblem(unknown_name("dataset", text, [item.id for item in available], LIST))
        if found.benchmark != benchmark:
            raise UsageProblem(
                f"dataset {found.id!r} is of benchmark {found.benchmark!r}, not {benchmark!r}.\n"
                f"List them with: {LIST}"
            )
        return found
    if named is not None:
        return named
    if len(available) == 1:
        return available[0]
    if not available and registries.datasets.problems:
        raise registries.datasets.problems[0]
    if not available and (folder := _unpinned(config, benchmark)):
        raise UsageProblem(
            f"benchmark {benchmark!r} has no dataset yet: {folder} has no manifest.json.\n"
            f"Make it with: benchbed pin {folder}"
        )
    if not available:
        raise UsageProblem(
            f"benchmark {benchmark!r} has no dataset. Put one below cases/{benchmark}/, or name "
            f"one with --bench-dataset=PATH."
        )
    ids = ", ".join(item.id for item in available)
    raise UsageProblem(
        f"benchmark {benchmark!r} has several datasets: {ids}.\n"
        f"Choose one with --bench-dataset={available[0].id}"
    )


def bench_file_of(registries: Registries, benchmark: str) -> tuple[BenchFile, Path | None]:
    """Return the bench file of a benchmark and its path; without one what an empty file says."""
    path = registries.bench_files.get(benchmark)
    return (load_bench_file(path), path) if path else (BenchFile(), None)
