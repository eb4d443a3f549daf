"""``benchbed pin PATH``: write the manifest of one dataset and say what changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_benchbed.data.pin import pin
from pytest_benchbed.model.errors import DatasetError


def run_pin(
    path: Path,
    *,
    bump: bool,
    benchmark: str | None,
    dataset_id: str | None,
    visibility: str | None,
    echo: Callable[[str], None],
) -> int:
    """Create or refresh the manifest; return 0, or 1 if faults of the dataset forbid it.

    Args:
        path: the dataset folder.
        bump: raise the version.
        benchmark: benchmark id; None: as before, or the name of the folder around.
        dataset_id: None: as before, or made of both folder names.
        visibility: ``public`` or ``private``; None: as before, or private.
        echo: prints a line.

    Raises:
        UsageProblem: an argument, or a default that the folder gives, is not valid.
    """
    try:
        report = pin(path, bump=bump, benchmark=benchmark, id=dataset_id, visibility=visibility)
    except DatasetError as error:
        echo(str(error))
        echo(f"not pinned: nothing was written to {path}")
        return 1
    for line in report.lines():
        echo(line)
    return 0
