"""Which paths pytest collects when benchmarks are asked for: one pure function.

``--bench`` on the command line without a path runs the benchmark alone;
everywhere else the datasets are added to what is collected anyway, unless a
path that is there already leads to them (pytest 8.4 drops the outer one of two
overlapping paths without a word).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def edit_arguments(
    arguments: Sequence[str],
    datasets: Sequence[Path],
    *,
    are_given: bool,
    bench_is_typed: bool,
    base: Path,
) -> list[str]:
    """Return the arguments that pytest is to collect.

    Args:
        arguments: paths as pytest has them, from the command line or by default.
        datasets: folder of each selected dataset, or for one outside the root
            folder the folder that its node ids start from.
        are_given: whether ``arguments`` stand on the command line.
        bench_is_typed: whether ``--bench`` does (and is not from ``addopts``).
        base: the invocation directory.
    """
    wanted = list(dict.fromkeys(datasets))
    if any("::" in argument for argument in arguments):
        return list(arguments)
    if bench_is_typed and not are_given:
        return [str(path) for path in wanted]
    present = [(base / argument).resolve() for argument in arguments]
    missing = [
        path for path in wanted if not any(path.is_relative_to(argument) for argument in present)
    ]
    return [*arguments, *(str(path) for path in missing)]
