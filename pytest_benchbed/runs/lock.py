"""The lock of a run: held by the process that works on it, gone when that process dies.

A lock of the operating system, not a file with a process id: the latter stays
after ``kill -9`` and is believed by nobody. POSIX has ``flock``, Windows locks
one byte of the file.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.runs.atomic import sweep_temporary
from pytest_benchbed.runs.layout import RunPaths

_OPEN = (
    os.O_RDWR
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
_BUSY = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class RunLock:
    """A held lock; released by :meth:`release`, a ``with`` block, or the end of the process."""

    def __init__(self, descriptor: int) -> None:
        """``descriptor``: of the open lock file, already locked."""
        self._descriptor = descriptor

    def release(self) -> None:
        """Let the run go; a second call does nothing. The file stays: removing it would race."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def lock_run(root: Path) -> RunLock:
    """Take the run for this process, and clear away what a killed writer left half written.

    Every process that writes into a run holds its lock, from creation or from
    ``--bench-resume`` on.

    Raises:
        RunError: another process works on the run, or the file system has no locks.
    """
    try:
        lock = try_lock(root)
    except OSError as error:
        remedy = "Keep runs on a file system with locks, see --bench-runs-dir."
        if error.errno in _READ_ONLY:
            remedy = "The run cannot be written there: give the rights, or work on a copy of it."
        raise RunError(
            f"{RunPaths(root).lock}: cannot be locked: {error.strerror}. {remedy}"
        ) from error
    if lock is None:
        raise RunRefused(f"{root}: another process works on this run. Wait for its end, or end it.")
    try:
        sweep_temporary(root)
    except BaseException:
        lock.release()
        raise
    return lock


def try_lock(root: Path) -> RunLock | None:
    """Return the lock, or None if another holder has it.

    Raises:
        OSError: the file cannot be opened or locked for another reason.
    """
    return _locked(os.open(RunPaths(root).lock, _OPEN, 0o666))


def _locked(descriptor: int) -> RunLock | None:
    try:
        _take(descriptor)
    except OSError as error:
        os.close(descriptor)
        if error.errno in _BUSY:
            return None
        raise
    return RunLock(descriptor)


def try_lock_folder(folder: Path) -> RunLock | None:
    """Return a lock on a folder that gets no file for it, or None if another holder has it.

    POSIX locks the folder itself. Windows cannot open one: a file in the
    system's temporary folder, named by the folder's path, stands for it.

    Raises:
        OSError: the folder cannot be opened or locked for another reason.
    """
    if os.name == "nt":
        name = hashlib.sha256(os.path.normcase(folder.resolve()).encode("utf-8")).hexdigest()[:32]
        descriptor = os.open(Path(tempfile.gettempdir(), f"benchbed-{name}.lock"), _OPEN, 0o666)
    else:
        descriptor = os.open(
            folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
        )
    return _locked(descriptor)
