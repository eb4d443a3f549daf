"""Files that are whole or old, never torn: temporary file, fsync, rename, fsync of the folder.

A crash at any moment leaves either the old content or the new. A full disk
leaves the old content too, and no temporary file. Measured with ``kill -9``:
no lost and no torn file; rewriting in place tore half of them.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any
from typing import Self

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError

_CHUNK_BYTES = 1 << 20
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}\.tmp")
_CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def write_atomic(path: Path, data: bytes) -> None:
    """Put ``data`` into ``path``, replacing what was there as one step.

    Raises:
        RunError: the file cannot be written; the old one is unchanged.
    """
    with AtomicFile(path) as file:
        file.write(data)


def write_json(path: Path, value: Any) -> None:
    """Write one document: canonical key order and numbers, indented, one line end.

    Indented because people read these files and review them in version control.

    Raises:
        RunError: the file cannot be written; the old one is unchanged.
        ValueError: ``value`` is no JSON.
    """
    plain = json.loads(canonical(value))
    write_atomic(path, (json.dumps(plain, ensure_ascii=False, indent=2) + "\n").encode("utf-8"))


def write_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines (given without line ends) as they come, and return how many.

    At most one chunk is in memory. If ``lines`` itself raises, the old file is
    unchanged and the exception goes on.

    Raises:
        RunError: the file cannot be written; the old one is unchanged.
    """
    count = 0
    with AtomicFile(path) as file:
        for line in lines:
            file.write(line)
            file.write(b"\n")
            count += 1
    return count


class AtomicFile:
    """A file that appears under its name only when its ``with`` block ends well."""

    def __init__(self, path: Path) -> None:
        """Nothing is opened before the ``with`` block."""
        self.path = path
        self._temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        self._descriptor = -1
        self._parts: list[bytes] = []
        self._size = 0

    def __enter__(self) -> Self:
        try:
            self._descriptor = os.open(self._temporary, _CREATE, 0o666)
        except OSError as error:
            raise _cannot_write(self.path, error) from error
        return self

    def write(self, data: bytes) -> None:
        """Append ``data``; it reaches the disk in chunks.

        Raises:
            RunError: the disk is full or the folder is gone.
        """
        self._parts.append(data)
        self._size += len(data)
        if self._size >= _CHUNK_BYTES:
            self._flush()

    def _flush(self) -> None:
        data = memoryview(b"".join(self._parts))
        self._parts.clear()
        self._size = 0
        try:
            # A full disk shows as a short write first and as an error at the next.
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise _cannot_write(self.path, error) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        placed = False
        try:
            try:
                if kind is None:
                    self._flush()
                    os.fsync(self._descriptor)
            finally:
                os.close(self._descriptor)
            if kind is None:
                self._temporary.replace(self.path)
                placed = True
        except OSError as problem:
            raise _cannot_write(self.path, problem) from problem
        finally:
            if not placed:
                with suppress(OSError):
                    self._temporary.unlink()
        if placed:
            sync_folder(self.path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable. Windows has no such call and needs none.

    Raises:
        RunError: the disk refuses; the names may be lost by a power cut.
    """
    if os.name == "nt":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        # Some network file systems have no fsync for folders.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise RunError(
                f"{folder}: new names may not be on the disk yet: {error.strerror}. Check the disk."
            ) from error


def sweep_temporary(folder: Path) -> int:
    """Remove temporary files that a killed writer left in ``folder``; return how many.

    Only for a holder of the run's lock: another writer's file would go too.
    """
    removed = 0
    with os.scandir(folder) as entries:
        left = [entry.path for entry in entries if _TEMPORARY.fullmatch(entry.name)]
    for path in left:
        with suppress(OSError):
            Path(path).unlink()
            removed += 1
    return removed


def _cannot_write(path: Path, error: OSError) -> RunError:
    cause = os.strerror(error.errno) if error.errno else str(error)
    advice = (
        "Make room on the disk, then repeat the command; a session goes on with --bench-resume."
        if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", -1))
        else "Check the folder and its rights."
    )
    return RunError(f"{path}: cannot be written: {cause}. What was there is unchanged. {advice}")
