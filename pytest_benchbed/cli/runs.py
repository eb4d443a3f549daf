"""``benchbed runs``: the saved runs as a table."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path

from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.runs.bench_files import load_bench_file
from pytest_benchbed.runs.list import RunRow
from pytest_benchbed.runs.list import list_runs

HEADINGS = ("run", "date", "commit", "model", "quality", "cost", "verdict", "", "note")


def run_runs(
    runs_dir: Path, echo: Callable[[str], None], bench_files: Mapping[str, Path] | None = None
) -> int:
    """Print the runs below ``runs_dir`` and beside bench files, newest first; return 0.

    ``bench_files``: benchmark to path; they say which runs are promoted.
    """
    promoted: dict[str, BenchFile] = {}
    for benchmark, path in (bench_files or {}).items():
        try:
            promoted[benchmark] = load_bench_file(path)
        except UsageProblem as error:
            # The list is of use all the same.
            echo(f"benchbed: {term(error, 300)}")
    rows = list_runs(runs_dir, promoted, [path.parent for path in (bench_files or {}).values()])
    if not rows:
        echo(f"no run in {runs_dir}. Make one with: pytest --bench=NAME")
        return 0
    table = [HEADINGS, *(_cells(row) for row in rows)]
    if not any(row.note for row in rows):
        table = [line[:-1] for line in table]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    for line in table:
        echo(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
    return 0


def _cells(row: RunRow) -> tuple[str, ...]:
    marks = [*row.roles, *(["partial"] if row.is_partial else [])]
    marks += ["snapshot"] if row.is_snapshot else []
    if row.problem is not None:
        marks.append(row.problem)
    return (
        term(row.id, 120),
        row.date.replace("T", " ").removesuffix("Z")[:16] or "-",
        term(row.commit or "-", 20),
        term(row.model or "-", 40),
        "-" if row.quality is None else f"{row.quality:.4f}",
        "not known" if row.cost_usd is None else f"${row.cost_usd:.4f}",
        row.verdict,
        term(", ".join(marks), 160),
        term(row.note or "", 60),
    )
