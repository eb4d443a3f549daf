"""A deadline for a whole call: each step of it may be quick and all of them too slow."""

from __future__ import annotations

import contextlib
import socket
import threading
import time


class Watched:
    """A call that is under way."""

    def __init__(self, due: float) -> None:
        """``due``: when it is too late, by ``time.monotonic()``."""
        self.due = due
        self.is_late = False
        """It was ended: what its thread reads next is an error, or the end."""
        self._sock: socket.socket | None = None

    def connect(
        self, address: tuple[str, int], timeout_s: float, source: tuple[str, int] | None = None
    ) -> socket.socket:
        """Connect as ``socket.create_connection`` does, all addresses of a name by the deadline.

        Whatever is set up on the socket next has the rest of the time for each step.

        Raises:
            OSError: of the last address; ``TimeoutError`` if there was no time for it.
        """
        failed: OSError = TimeoutError()
        for *_, place in socket.getaddrinfo(*address, type=socket.SOCK_STREAM):
            rest = self.due - time.monotonic()
            if rest <= 0:
                break
            try:
                sock = socket.create_connection((str(place[0]), int(place[1])), rest, source)
            except OSError as error:
                failed = error
            else:
                self.hold(sock)
                return sock
        raise failed

    def hold(self, sock: socket.socket) -> None:
        """Say which socket it is on: a connection forgets that before the end of its body."""
        self._sock = sock
        if self.is_late:
            self.give_up()

    def give_up(self) -> None:
        """End it as late: the thread that waits for the response gets an error."""
        self.is_late = True
        self.shut()

    def shut(self) -> None:
        """End it."""
        if self._sock is not None:
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)


class Deadlines:
    """Gives up calls that take too long, all from one thread; thread-safe."""

    def __init__(self, timeout_s: float) -> None:
        """``timeout_s``: of every call."""
        self._timeout_s = timeout_s
        self._changed = threading.Condition()
        self._open: dict[Watched, None] = {}
        """In the order of their deadlines."""
        self._thread: threading.Thread | None = None
        self._is_idle = False
        self._is_closed = False

    def begin(self) -> Watched:
        """Watch a call from now on; :meth:`end` must follow."""
        with self._changed:
            call = Watched(time.monotonic() + self._timeout_s)
            self._open[call] = None
            if self._thread is None:
                thread = threading.Thread(
                    target=self._watch, name="benchbed-deadlines", daemon=True
                )
                thread.start()
                self._thread = thread
            elif self._is_idle:
                # Otherwise it wakes for an earlier call, in time for this one.
                self._changed.notify()
        return call

    def end(self, call: Watched) -> None:
        """The call is over."""
        with self._changed:
            self._open.pop(call, None)

    def close(self) -> None:
        """End every call that is under way, and the thread."""
        with self._changed:
            calls = list(self._open)
            self._open.clear()
            self._is_closed = True
            self._changed.notify()
        for call in calls:
            call.shut()

    def _watch(self) -> None:
        with self._changed:
            while not self._is_closed:
                first = next(iter(self._open), None)
                rest = None if first is None else first.due - time.monotonic()
                if first is None or rest is None or rest > 0:
                    self._is_idle = first is None
                    self._changed.wait(rest)
                    continue
                del self._open[first]
                first.give_up()
