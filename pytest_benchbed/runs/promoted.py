"""Find a promoted run: its snapshot beside the bench file first, then the runs directory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.layout import RUN_FILE
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.snapshot import kept_snapshot


def find_promoted(
    run_id: str, bench_folder: Path | None, runs_dir: Path, invocation_dir: Path
) -> Run:
    """Open the run that a bench file names.

    Its snapshot goes first: that is what a fresh clone has, so both decide
    alike. Replies that a snapshot leaves out are read from the runs directory
    where the same run lies there.

    Raises:
        UsageProblem: it is in neither place.
        RunError: it is there but cannot be read, or is another run.
    """
    kept = kept_snapshot(bench_folder, run_id)
    if kept is None:
        return find_run(run_id, runs_dir, invocation_dir)
    run = Run.open(kept)
    if run.id != run_id:
        raise RunError(
            f"{kept}: holds the run {run.id[:80]!a}, not {run_id!r}. Restore the folder from "
            "version control."
        )
    if not run.paths.calls.exists() and (full := same_run(run, runs_dir / run_id)):
        return Run.open(kept, calls=full.paths.calls)
    return run


def copies_of(run_id: str, bench_folder: Path | None, runs_dir: Path) -> list[Path]:
    """Return every folder that holds this run: its snapshot, and the one in the runs directory.

    Only folders whose ``run.json`` has that id and, where there are two, that
    hold one draw.
    """
    kept = kept_snapshot(bench_folder, run_id)
    folders = [kept] if kept else []
    if (runs_dir / run_id / RUN_FILE).is_file():
        folders.append(runs_dir / run_id)
    found: list[Run] = []
    for folder in folders:
        with suppress(RunError):
            run = Run.open(folder)
            if run.id == run_id and all(is_one_draw(run, other) for other in found):
                found.append(run)
    return [run.path for run in found]


def same_run(run: Run, folder: Path) -> Run | None:
    """Open ``folder`` if it holds the same draw as ``run``, else return None."""
    if not (folder / RUN_FILE).is_file():
        return None
    try:
        other = Run.open(folder)
    except RunError:
        return None
    return other if is_one_draw(run, other) else None


def is_one_draw(one: Run, two: Run) -> bool:
    """Say whether two folders hold one run; it may have been scored again in one of them."""
    return (one.id, one.record.started_at) == (two.id, two.record.started_at)
