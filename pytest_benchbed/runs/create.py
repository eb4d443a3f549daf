"""Make the directory of a new run. ``mkdir`` is the lock: of two runs with one id one wins."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.runs.atomic import sync_folder
from pytest_benchbed.runs.atomic import write_atomic
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.ids import check_run_id
from pytest_benchbed.runs.layout import RUN_SET_FILE
from pytest_benchbed.runs.layout import RUN_SET_SCHEMA
from pytest_benchbed.runs.layout import RunPaths

MIN_FREE_BYTES = 64 * 1024 * 1024


def free_bytes(folder: Path) -> int:
    """Return the bytes that may still be written in ``folder``."""
    return shutil.disk_usage(folder).free


def create_run(
    runs_dir: Path,
    run_id: str,
    *,
    estimate_bytes: int = 0,
    free: Callable[[Path], int] = free_bytes,
) -> Path:
    """Create an empty run directory that can be written to, and return it.

    ``run_id`` is an id or ``SET/BENCHMARK`` of a run set that
    :func:`create_run_set` made. A runs directory that did not exist gets a
    ``.gitignore`` with ``*``. Before anything is paid a probe file is written,
    synced and removed, and there must be room for twice ``estimate_bytes``,
    at least for 64 MiB.

    Raises:
        UsageProblem: the id is not valid.
        RunError: the run exists (nothing is touched), or its folder cannot be
            written to (it is removed again).
    """
    for name in run_id.split("/", 1):
        check_run_id(name)
    make_runs_dir(runs_dir)
    paths = RunPaths(runs_dir / run_id)
    _make_folder(paths.root, run_id)
    try:
        _check_room(paths.root, estimate_bytes, free)
        _probe(paths.root)
        for folder in (paths.adapter, paths.report_assets, paths.raw):
            folder.mkdir()
        sync_folder(paths.root.parent)
    except OSError as error:
        _remove(paths)
        raise RunError(
            f"{paths.root}: cannot be written to: {error.strerror}. "
            "Name another folder with --bench-runs-dir."
        ) from error
    except BaseException:
        _remove(paths)
        raise
    return paths.root


def create_run_set(runs_dir: Path, set_id: str, benchmarks: Sequence[str]) -> Path:
    """Create the folder of a run set with its ``run-set.json``, and return it.

    Raises:
        UsageProblem: the id is not valid.
        RunError: a run or set of this id exists, or the folder cannot be written to.
    """
    check_run_id(set_id)
    make_runs_dir(runs_dir)
    root = runs_dir / set_id
    _make_folder(root, set_id)
    write_json(
        root / RUN_SET_FILE,
        {"schema": RUN_SET_SCHEMA, "id": set_id, "benchmarks": list(benchmarks)},
    )
    return root


def check_runs_dir(runs_dir: Path) -> None:
    """Look whether the runs directory could be made or written to; nothing is created.

    Raises:
        RunError: it plainly could not.
    """
    nearest = next(path for path in (runs_dir, *runs_dir.parents) if os.path.lexists(path))
    cause = ""
    if not nearest.is_dir():
        cause = f"{nearest} is no folder"
    elif not os.access(nearest, os.W_OK | os.X_OK):
        cause = f"{nearest} cannot be written to"
    if cause:
        raise RunError(
            f"{runs_dir}: no run can be kept there: {cause}. "
            "Name another folder with --bench-runs-dir."
        )


def make_runs_dir(runs_dir: Path) -> None:
    """Create the runs directory if it is missing; a new one is ignored by git.

    Raises:
        RunError: it cannot be created, or something else has its name.
    """
    try:
        runs_dir.parent.mkdir(parents=True, exist_ok=True)
        try:
            runs_dir.mkdir()
        except FileExistsError:
            if not runs_dir.is_dir():
                raise
            return
    except OSError as error:
        raise RunError(
            f"{runs_dir}: the runs directory cannot be created: {error.strerror}. "
            "Name another folder with --bench-runs-dir."
        ) from error
    write_atomic(runs_dir / ".gitignore", b"*\n")


def _make_folder(root: Path, run_id: str) -> None:
    try:
        root.mkdir()
    except FileExistsError:
        raise RunRefused(
            f"run {run_id!r} exists: {root}. Nothing was changed.\n"
            f"Choose another id with --bench-run, or go on with it: --bench-resume={run_id}"
        ) from None
    except OSError as error:
        raise RunError(
            f"{root}: cannot be created: {error.strerror}. "
            "Name another folder with --bench-runs-dir."
        ) from error


def _check_room(root: Path, estimate_bytes: int, free: Callable[[Path], int]) -> None:
    needed = max(MIN_FREE_BYTES, 2 * estimate_bytes)
    left = free(root)
    if left < needed:
        raise RunError(
            f"{root}: {left // 2**20} MiB are free, a run needs {-(-needed // 2**20)}. "
            "Make room, or name another folder with --bench-runs-dir."
        )


def _probe(root: Path) -> None:
    """Write, sync and remove a file: a full or read-only disk shows before the first dollar."""
    path = root / f".probe.{secrets.token_hex(4)}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        written = os.write(descriptor, b"benchbed\n" * 512)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
        path.unlink()
    if written < 512 * len(b"benchbed\n"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _remove(paths: RunPaths) -> None:
    """Give the id free again; only what this module made is removed."""
    for folder in (paths.adapter, paths.report_assets, paths.raw, paths.root):
        with suppress(OSError):
            folder.rmdir()
