"""What is registered, as text: ``--bench-list`` and ``benchbed list``."""

from __future__ import annotations

import pytest

from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.registration import load
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term


def list_everything(config: pytest.Config) -> int:
    """Print benchmarks with their datasets, and adapters; return 0.

    Raises:
        pytest.UsageError: a registration that cannot be used.
    """
    try:
        lines = listing_lines(load(config))
    except BenchbedError as error:
        raise pytest.UsageError(str(error)) from None
    for line in lines:
        print(line)
    return 0


def listing_lines(registries: Registries) -> list[str]:
    """Return the lines of the listing; sorted, so that it can be compared."""
    lines = ["benchmarks"]
    for name in registries.benchmarks.names():
        try:
            benchmark = registries.benchmarks.get(name)
        except UsageProblem as problem:
            lines += [
                f"  {name}: cannot be used",
                *(f"    {line}" for line in f"{problem}".split("\n")),
            ]
            continue
        words = [word for word in (benchmark.tier, benchmark.board, benchmark.family) if word]
        kind = f" ({', '.join(words)})" if words else ""
        lines.append(f"  {name}{kind}: {term(benchmark.label)}")
        lines.append(f"    profiles: {', '.join(benchmark.profiles)}")
        if name in registries.bench_files:
            lines.append(f"    bench file: {registries.bench_files[name]}")
        datasets = registries.datasets.for_benchmark(name)
        for entry in datasets:
            lines.append(f"    dataset {entry.id} {term(entry.version, 40)}: {entry.root}")
        if not datasets:
            lines.append(f"    no dataset: put one below cases/{name}/")
    lines.append("adapters")
    for name in sorted(registries.adapters.names()):
        lines.append(f"  {name}: {term(registries.adapters.get(name))}")
    return lines
