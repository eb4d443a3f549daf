"""``calls.jsonl``: what was asked and what came back, before anything else uses it.

One line a record, canonical JSON with a SHA-256 of its own, appended by one
``os.write``; an outcome is on the disk (``fdatasync``) before anybody sees it.
So a killed process loses no acknowledged answer and tears at most the last
line. There is one writer, the broker, and one reader (``recorded.py``).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.line import seal
from pytest_benchbed.calls.places import Place
from pytest_benchbed.calls.places import Places
from pytest_benchbed.calls.places import line_digest
from pytest_benchbed.calls.recorded import CallsRecord
from pytest_benchbed.calls.recorded import parsed
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.model.errors import TechnicalFailure

Head = tuple[str | None, int, str | None]
"""Of a record: its case, its attempt and, if it is an outcome, its state."""


@dataclass(frozen=True, slots=True)
class Written:
    """A record in the file that may not be on the disk yet."""

    line: Line
    """With its ``sha256``."""
    data: bytes
    offset: int
    """Bytes before it in the file."""


# Where the system has no fdatasync (macOS, Windows) fsync does more and no less.
_sync = getattr(os, "fdatasync", os.fsync)
_BINARY = getattr(os, "O_BINARY", 0)


class CallsFile:
    """The open ``calls.jsonl`` of a run: the only writer. Thread-safe."""

    def __init__(self, path: Path, descriptor: int, size: int) -> None:
        """Use :meth:`create` or :meth:`resume`."""
        self.path = path
        self._descriptor = descriptor
        self._size = size
        self._lock = threading.Lock()
        self._syncing = threading.Lock()
        self._durable = 0
        self._lost = 0
        """Bytes up to here may not be on the disk, whatever a later sync says."""
        self._is_closed = False
        self._is_torn = False
        self._written = hashlib.sha256()
        self._places = Places()

    @classmethod
    def create(cls, path: Path) -> CallsFile:
        """Begin the file of a new run.

        Raises:
            RunRefused: it exists already.
        """
        try:
            flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND | _BINARY
            descriptor = os.open(path, flags, 0o644)
        except FileExistsError:
            raise RunRefused(
                f"{path} exists: the run was begun before.\nGo on with --bench-resume="
                f"{path.parent.name}, or choose another --bench-run."
            ) from None
        _sync_directory(path.parent)
        return cls(path, descriptor, 0)

    @classmethod
    def resume(cls, path: Path, record: CallsRecord) -> CallsFile:
        """Go on with the file that ``record`` was read from; a torn last line is cut off.

        What the record holds is served by :meth:`outcome` too, but for technical
        failures: they are asked again.
        """
        flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | _BINARY
        descriptor = os.open(path, flags, 0o644)
        if os.fstat(descriptor).st_size > record.size:
            os.ftruncate(descriptor, record.size)
            _sync(descriptor)
        calls = cls(path, descriptor, record.size)
        calls._written = _content(path, record.size)
        calls._places = record.settled
        return calls

    def state(self, case: str, attempt: int) -> str | None:
        """Return the state of the outcome that :meth:`outcome` would give, without reading it."""
        place = self._places.get(case, attempt)
        return None if place is None else place.state

    def outcome(self, case: str, attempt: int) -> Line | None:
        """Return the outcome of a call as it stands in the file; None if there is none.

        Raises:
            TechnicalFailure: kind ``tampered_record``; it is not what was written.
        """
        place = self._places.get(case, attempt)
        if place is None:
            return None
        with self._lock:
            if self._is_closed:
                return None
            os.lseek(self._descriptor, place.offset, os.SEEK_SET)
            data = os.read(self._descriptor, place.length)
        if line_digest(data) != place.digest:
            raise tampered(self.path, "its outcome")
        return parsed(data)

    def is_unchanged(self) -> bool:
        """Say whether the file holds exactly what was written."""
        try:
            size = self.path.stat().st_size
            is_as_long = size == self._size or (self._is_torn and size > self._size)
            return is_as_long and _content(self.path, self._size).digest() == self._written.digest()
        except OSError:
            return False

    def append(self, row: Mapping[str, Any], *, durable: bool) -> Line:
        """Write one record; return it with its ``sha256``.

        ``durable``: it is on the disk when this returns.

        Raises:
            TechnicalFailure: kind ``storage``; the file is as it was before.
        """
        written = self.write(row)
        if durable:
            self.keep([written])
        else:
            self._enter(written)
        return written.line

    def write(self, row: Mapping[str, Any]) -> Written:
        """Write one record, which nobody may see before :meth:`keep` has it on the disk.

        What is written outlives the process, though not the machine.

        Raises:
            TechnicalFailure: kind ``storage``; the file is as it was before.
        """
        line, data = seal(row)
        return Written(line, data, self._put(data))

    def keep(self, written: Sequence[Written]) -> None:
        """Return when records are on the disk; one wait serves all of them.

        Raises:
            TechnicalFailure: kind ``storage``; none of them may be relied on.
        """
        if written:
            self._make_durable(max(one.offset + len(one.data) for one in written))
        for one in written:
            self._enter(one)

    def append_all(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write many records by one ``os.write``; all are on the disk when this returns.

        Raises:
            TechnicalFailure: kind ``storage``; the file is as it was before.
        """
        self.append_sealed((_head(row), seal(row)[1]) for row in rows)

    def append_sealed(self, lines: Iterable[tuple[Head, bytes]]) -> None:
        """Write records that have their lines already (raises as :meth:`append_all`)."""
        heads = list(lines)
        if not heads:
            return
        data = b"".join([part for _, part in heads])
        offset = self._put(data)
        self._make_durable(offset + len(data))
        for head, part in heads:
            self._place(head, part, offset)
            offset += len(part)

    def _put(self, data: bytes) -> int:
        """Write at the end of the file; return where it begins."""
        with self._lock:
            if self._is_closed:
                raise _unstored(self.path, "the record is closed")
            offset = self._size
            self._write(data)
            self._size += len(data)
            self._written.update(data)
            return offset

    def _enter(self, written: Written) -> None:
        self._place(_head(written.line), written.data, written.offset)

    def _place(self, head: Head, data: bytes, offset: int) -> None:
        """Remember where an outcome stands."""
        case, attempt, state = head
        if case is not None and state is not None:
            self._places.put(case, attempt, Place(offset, len(data), state, line_digest(data)))

    def _make_durable(self, end: int) -> None:
        """Return when the first ``end`` bytes are on the disk.

        A sync takes as long for many records as for one: it serves all that were
        written before it began.
        """
        with self._syncing:
            if self._lost < end <= self._durable:
                return
            size = self._size
            try:
                if end <= self._lost:
                    raise OSError("an earlier write was not stored")
                _sync(self._descriptor)
            except OSError as error:
                # All that is written by now: what was written meanwhile may be gone as well.
                with self._lock:
                    self._lost = self._size
                raise _unstored(self.path, str(error)) from None
            self._durable = size

    def _write(self, data: bytes) -> None:
        """Write all of ``data`` or nothing: a full disk shortens an append without an error."""
        cause = "short write, the disk is full"
        try:
            written = os.write(self._descriptor, data)
            if written == len(data):
                return
        except OSError as error:
            cause = error.strerror or str(error)
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            # The torn line stays the last one, which reading allows; nothing may follow it.
            self._is_closed = self._is_torn = True
        raise _unstored(self.path, cause)

    def close(self) -> None:
        """Close the file; later records are refused."""
        with self._lock:
            self._is_closed = True
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1


def _head(row: Mapping[str, Any]) -> Head:
    return row["case"], row["attempt"], row.get("state")


def _unstored(path: Path, cause: str) -> TechnicalFailure:
    return TechnicalFailure("storage", cause, where=path.name, whose="system")


def tampered(path: Path, what: str) -> TechnicalFailure:
    """Return the failure of a record that somebody else has changed."""
    return TechnicalFailure(
        "tampered_record", f"{what} was changed after it was written", where=path.name
    )


def _content(path: Path, size: int) -> Any:
    """Return the running SHA-256 of the first ``size`` bytes of a file."""
    sha = hashlib.sha256()
    with path.open("rb") as stream:
        while size > 0 and (block := stream.read(min(size, 1 << 20))):
            sha.update(block)
            size -= len(block)
    return sha


def _sync_directory(folder: Path) -> None:
    """Make a new name durable, where folders can be opened (not on Windows)."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    # Some network file systems refuse it; the file itself is synced with each record.
    with contextlib.suppress(OSError):
        os.fsync(descriptor)
    os.close(descriptor)
