"""Benchmarks without code: the bench file names a generic type and its settings."""

from __future__ import annotations

from pathlib import Path

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs.bench_files import load_bench_file


def type_of_file(name: str, path: Path, is_registered: bool) -> Benchmark | None:
    """Return the type that a bench file describes, None if it describes none.

    Args:
        name: id of the benchmark, the name of the file's folder.
        path: the bench file.
        is_registered: whether a plugin has registered a type of this id.

    Raises:
        UsageProblem: naming the file, the key and what to write.
    """
    try:
        bench = load_bench_file(path)
    except UsageProblem:
        if is_registered:
            return None  # told when the file's settings are asked for
        raise
    if bench.type is None:
        if bench.scoring is not None:
            raise UsageProblem(
                f"{path}: field scoring: there is no type that it configures.\n"
                'Set type, such as "type": "fields", or drop scoring.'
            )
        return None
    if is_registered:
        raise UsageProblem(
            f"{path}: field type: benchmark {name!r} has a type of its own, which a plugin or "
            f"conftest.py registers.\nDrop type and scoring, or rename the folder."
        )
    # Types with an error rate load a library; most sessions need none.
    from pytest_benchbed.benchmarks.generic.make import make_type

    try:
        return make_type(name, bench.type, bench.scoring or {})
    except UsageProblem as problem:
        raise UsageProblem(f"{path}: {problem}") from None
