"""The pipe ends of an adapter's process, out of reach of what the adapter does."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any

from pytest_benchbed.adapters.frames import MAX_FRAME
from pytest_benchbed.adapters.frames import read_frame
from pytest_benchbed.adapters.frames import reader_of
from pytest_benchbed.adapters.frames import write_all


class Channel:
    """The two pipe ends, under numbers the adapter's code will not meet by chance."""

    def __init__(self, requests: int, replies: int) -> None:
        self.requests = requests
        self.replies = replies
        self._sending = threading.Lock()
        self._read = reader_of(requests)
        self.limit = MAX_FRAME

    @classmethod
    def adopt(cls, requests: int, replies: int) -> Channel:
        """Take over the inherited ends; programs the adapter starts do not get them."""
        if sys.platform == "win32":
            import msvcrt

            flags = os.O_BINARY | os.O_NOINHERIT
            return cls(
                msvcrt.open_osfhandle(requests, flags | os.O_RDONLY),
                msvcrt.open_osfhandle(replies, flags | os.O_WRONLY),
            )
        import fcntl

        moved = []
        for fd in (requests, replies):
            least = 200 + int.from_bytes(os.urandom(2), "big") % 700
            try:
                moved.append(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, least))
            except OSError:
                # A low limit of open files: then any free number.
                moved.append(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3))
            os.close(fd)
        return cls(*moved)

    def receive(self) -> dict[str, Any] | None:
        """Return the next question; None when pytest has closed the pipe."""
        return read_frame(self._read, self.limit)

    def send(self, frame: bytes) -> None:
        """Send one reply."""
        with self._sending:
            write_all(self.replies, frame)

    def close(self) -> None:
        """Close both ends, so that pytest sees the end at once."""
        for fd in (self.requests, self.replies):
            with contextlib.suppress(OSError):
                os.close(fd)
