"""One output stream of an adapter kept in a file: redacted, escaped, capped.

Used by the supervisor process, so standard library only. What an adapter
prints is hostile text: the file holds one printable line per line, so that
neither a terminal nor a log reader takes it for a command.
"""

from __future__ import annotations

import contextlib
import os

from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.model.escape import term

LONGEST_LINE = 64 * 1024
CUT_MARK = b"... the rest was not kept\n"


class CappedLog:
    """Appends to one file; at most ``cap`` bytes are kept in it, over all processes."""

    def __init__(self, path: str, *, cap: int, redactor: Redactor) -> None:
        """Open or create the file; a link at its place is refused (``OSError``)."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        self._fd = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o644)
        self._cap = cap
        self._redactor = redactor
        self._room = max(0, cap - os.fstat(self._fd).st_size)
        self._is_cut = self._room == 0
        self._pending = b""
        self.received = 0
        """Bytes that this process wrote."""
        self.last_line = ""
        """Last line that is not blank, at most 400 characters."""

    @property
    def is_flooded(self) -> bool:
        """Whether this process wrote more than the cap."""
        return self.received > self._cap

    def feed(self, data: bytes) -> None:
        """Take output as it comes. A secret may stand across two pieces."""
        self.received += len(data)
        self._pending += data
        end = len(self._pending) - max(self._redactor.longest - 1, 0)
        newline = self._pending.rfind(b"\n", 0, max(end, 0)) + 1
        if not newline and end > LONGEST_LINE:
            newline = end
        if newline:
            self._release(self._redactor.safe_end(self._pending, newline))

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._fd >= 0:
            self._release(len(self._pending))
            os.close(self._fd)
            self._fd = -1

    def _release(self, end: int) -> None:
        part, self._pending = self._pending[:end], self._pending[end:]
        text = self._redactor.data(part).decode("utf-8", "backslashreplace")
        lines = [term(line, len(line)) for line in text.split("\n")]
        spoken = [line for line in lines if line.strip()]
        if spoken:
            self.last_line = spoken[-1][:400]
        self._write("\n".join(lines).encode("utf-8", "backslashreplace"))

    def _write(self, data: bytes) -> None:
        if self._is_cut:
            return
        if len(data) > self._room:
            data = data[: self._room] + b"\n" + CUT_MARK
            self._is_cut = True
        self._room -= len(data)
        # A full disk must not stop the draining: a blocked adapter would hang.
        with contextlib.suppress(OSError):
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
