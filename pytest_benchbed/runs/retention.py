"""Remove old partial runs that nobody named: clicking single cases leaves many.

Everything else stays for ever. A run goes only if all of this holds: it lies
directly below the runs directory and is no link, it is partial and no shard,
its id is a default one, no bench file names it, and no process holds its lock.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from pathlib import PurePath

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.ids import is_default_id
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lock import try_lock
from pytest_benchbed.runs.read import Run

_REMOVING = ".removing-"


def remove_old_partial_runs(runs_dir: Path, keep: int, named: Iterable[str]) -> list[str]:
    """Keep the newest ``keep`` unnamed partial runs, remove older ones, return their ids.

    ``named``: the runs that bench files name, by id or path. Call it after the
    new run is written, while its lock is held. A run that cannot be read or
    removed is left alone: tidying up must not fail a session.
    """
    if not runs_dir.is_dir():
        return []
    _finish_removals(runs_dir)
    spared = {PurePath(name).name for name in named}
    found = sorted(
        ((run.record.started_at, run.id, run.path) for run in _partial_runs(runs_dir, spared)),
        reverse=True,
    )
    return [run_id for _, run_id, path in found[max(keep, 0) :] if _remove(path)]


def _partial_runs(runs_dir: Path, spared: set[str]) -> Iterable[Run]:
    for folder in runs_dir.iterdir():
        if not is_default_id(folder.name) or folder.name in spared or not _is_own(folder):
            continue
        try:
            run = Run.open(folder)
        except RunError:
            continue
        record = run.record
        if record.partial and record.shard is None and record.id == folder.name:
            yield run


def _is_own(folder: Path) -> bool:
    """A folder and a record that are no links: what a link shows lies elsewhere."""
    paths = RunPaths(folder)
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and paths.run.is_file()
        and not paths.run.is_symlink()
    )


def _remove(folder: Path) -> bool:
    try:
        lock = try_lock(folder)
        if lock is None:
            return False
        with lock:
            if os.name == "nt":
                # A folder with an open file cannot be renamed there.
                lock.release()
            doomed = folder.with_name(f"{_REMOVING}{secrets.token_hex(4)}")
            folder.rename(doomed)
            # Renamed first: a removal that is cut short leaves no half run.
            _delete(doomed)
    except OSError:
        return False
    return True


def _finish_removals(runs_dir: Path) -> None:
    """Delete what a removal that was cut short has left."""
    for folder in runs_dir.iterdir():
        if folder.name.startswith(_REMOVING) and folder.is_dir() and not folder.is_symlink():
            _delete(folder)


def _delete(folder: Path) -> None:
    """Delete a tree; links in it are removed, what they show is not touched."""
    for parent, folders, _ in os.walk(folder, followlinks=False):
        for path in (Path(parent), *(Path(parent, name) for name in folders)):
            if not path.is_symlink():
                with suppress(OSError):
                    # An adapter may have left folders without rights.
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
