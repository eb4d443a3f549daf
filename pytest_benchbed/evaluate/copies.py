"""Where a saved run lies: its directory, and the snapshot beside the bench file.

Both are one run. Whatever is made again is made of the copy with the replies, and
written to both, so that a session and a clone see the same.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.runs.lock import RunLock
from pytest_benchbed.runs.lock import lock_run
from pytest_benchbed.runs.lock import try_lock_folder
from pytest_benchbed.runs.promoted import copies_of
from pytest_benchbed.runs.promoted import same_run
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.snapshot import kept_snapshot
from pytest_benchbed.runs.snapshot import place_snapshot
from pytest_benchbed.runs.snapshot import restore_snapshot


def is_snapshot(run: Run) -> bool:
    """Say whether this copy is the small one: it has no request, and no report is made of it."""
    return not run.paths.request.exists()


def fullest(run: Run, folder: Path | None, runs_dir: Path) -> Run:
    """Return the copy of a run that has its replies: its directory before its snapshot.

    ``folder``: with the bench file.
    """
    copies = copies_of(run.id, folder, runs_dir)
    having = [path for path in copies if (path / run.paths.calls.name).exists()]
    whole = [path for path in having if (path / run.paths.request.name).exists()]
    best = [*whole, *having]
    return Run.open(best[0]) if best and run.path in copies else run


class Held(ExitStack):
    """The runs that one command works on, each locked as long as this is entered."""

    def __init__(self) -> None:
        """Nothing is locked yet."""
        super().__init__()
        self._folders: set[Path] = set()

    def take(self, run: Run) -> Run:
        """Lock a run, once, and return it as it is now.

        Raises:
            RunRefused: another process works on it.
        """
        folder = run.path.resolve()
        if folder in self._folders:
            return run
        self.enter_context(_lock(run))
        self._folders.add(folder)
        return Run.open(run.path, calls=run.calls_path)


def _lock(run: Run) -> RunLock:
    # A snapshot, which lies in version control, gets no file for its lock.
    if not is_snapshot(run):
        return lock_run(run.path)
    try:
        lock = try_lock_folder(run.path)
    except OSError as error:
        raise RunError(f"{run.path}: cannot be locked: {error.strerror}.") from error
    if lock is None:
        raise RunRefused(f"{run.path}: another process works on this run. Wait for its end.")
    return lock


def renew_snapshot(run: Run, folder: Path | None, *, is_changed: bool) -> bool:
    """Write the snapshot of a run again, if this very run has one; say whether that changed it.

    A run that was not changed renews only a snapshot that cannot be compared with: a
    process was killed before it wrote it, or somebody edited it.

    Raises:
        RunError: it cannot be written.
    """
    if folder is not None:
        restore_snapshot(folder, run.id)
    kept = kept_snapshot(folder, run.id)
    old = None if kept is None else same_run(run, kept)
    if kept is None or old is None or kept.resolve() == run.path.resolve():
        return False
    now = Run.open(run.path)
    if not is_changed and _is_sound(old) and _revision(old) == _revision(now):
        return False
    return place_snapshot(now, kept)


def _is_sound(run: Run) -> bool:
    try:
        run.facts()
    except RunError:
        return False
    return True


def _revision(run: Run) -> tuple[str, str]:
    return run.record.benchmark.scoring_version, run.record.dataset.identity
