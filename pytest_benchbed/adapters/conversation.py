"""Questions to one host and its replies: numbers, deadlines, latency, violations.

One daemon thread reads the replies; any thread may ask. Latency is measured
here, from the last byte written to the last byte read. Whatever breaks the
protocol ends the conversation: the host is killed and every open question gets
a technical failure.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from pytest_benchbed.adapters.frames import REPLIES
from pytest_benchbed.adapters.frames import VERSION
from pytest_benchbed.adapters.frames import FrameError
from pytest_benchbed.adapters.frames import pack
from pytest_benchbed.adapters.frames import read_frame
from pytest_benchbed.adapters.frames import reader_of
from pytest_benchbed.model.errors import TechnicalFailure

PIPE_BLOCK = 32 * 1024
CAN_POLL = hasattr(select, "poll")
"""False on Windows: there a timer kills a host that does not read."""


class _Question:
    """One question in flight."""

    __slots__ = ("done", "failure", "received_at", "reply", "sent_at")

    def __init__(self) -> None:
        # A lock, since waking an event takes several: whoever takes the question out of the
        # open ones releases it, once.
        self.done = threading.Lock()
        self.done.acquire()
        self.sent_at = 0.0
        self.received_at = 0.0
        self.reply: dict[str, Any] | None = None
        self.failure: TechnicalFailure | None = None


class Conversation:
    """The parent's side of the two pipes.

    ``explain`` is called when the replies end: it waits for the process and
    says why. ``stop`` kills the process. Both may be called from the thread.
    """

    def __init__(
        self,
        requests: int,
        replies: int,
        *,
        name: str,
        limit: int,
        explain: Callable[[], TechnicalFailure],
        stop: Callable[[], object],
    ) -> None:
        """Take over the pipe ends and start the thread ``benchbed-<name>``."""
        self._requests = requests
        self._replies = replies
        self._limit = limit
        self._explain = explain
        self._stop = stop
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._open: dict[int, _Question] = {}
        self._next = 0
        self._closing: int | None = None
        self._is_written_out = False
        self.is_over = False
        """Whether nothing can be asked any more."""
        self.failure: TechnicalFailure | None = None
        """Why the conversation ended; None while it goes on or after an orderly close."""
        if CAN_POLL and sys.platform != "win32":
            # So that a host that does not read cannot block us past the deadline.
            os.set_blocking(requests, False)
        self._thread = threading.Thread(target=self._read, name=f"benchbed-{name}", daemon=True)
        self._thread.start()

    def ask(
        self, op: str, body: Mapping[str, Any], timeout_s: float
    ) -> tuple[dict[str, Any], float]:
        """Ask and wait; return the reply and the latency in seconds.

        Raises:
            TechnicalFailure: ``timeout`` (the host is killed), ``too_large`` or
                ``bad_request`` (not sent), or why the conversation ended.
        """
        deadline = time.monotonic() + timeout_s
        question = _Question()
        with self._lock:
            number = self._next
            self._next += 1
        try:
            frame = pack({"v": VERSION, "id": number, "op": op, **body}, self._limit)
        except FrameError as error:
            raise TechnicalFailure("too_large", f"the case cannot be sent: {error}") from None
        except ValueError as error:
            raise TechnicalFailure("bad_request", f"the case cannot be sent: {error}") from None
        with self._lock:
            if self.is_over:
                raise _copy(self.failure or _closed())
            self._open[number] = question
            if op == "close":
                self._closing = number
        if self._write(frame, question, deadline):
            question.done.acquire(timeout=max(0.0, deadline - time.monotonic()))
        with self._lock:
            self._open.pop(number, None)
            is_late = question.reply is None and question.failure is None
        if is_late:
            self._give_up(op, timeout_s)
        if question.failure:
            raise _copy(question.failure)
        assert question.reply is not None
        return question.reply, max(0.0, question.received_at - question.sent_at)

    def end(self, failure: TechnicalFailure | None) -> None:
        """End the conversation: open questions and all later ones get ``failure``."""
        with self._lock:
            self.is_over = True
            if self.failure is None:
                self.failure = failure
            waiting = list(self._open.values())
            self._open.clear()
            for question in waiting:
                question.failure = self.failure or _closed()
        for question in waiting:
            question.done.release()

    def hang_up(self) -> None:
        """Close the pipe of questions; the host sees the end of its input."""
        with self._writing:
            if not self._is_written_out:
                self._is_written_out = True
                os.close(self._requests)

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread, which follows the end of the process."""
        self._thread.join(timeout_s)

    def _give_up(self, op: str, timeout_s: float) -> None:
        self.end(TechnicalFailure("host_lost", "its process was killed because another call hung"))
        self._stop()
        raise TechnicalFailure(
            "timeout", f"no reply to {op} in {timeout_s:g} s; its process tree was killed"
        )

    def _write(self, frame: bytes, question: _Question, deadline: float) -> bool:
        """Write one frame; False if that failed or took longer than the deadline."""
        view = memoryview(frame)
        remaining = max(0.0, deadline - time.monotonic())
        if not self._writing.acquire(timeout=remaining):
            return False
        killer = None if CAN_POLL else _started_timer(remaining, self._stop)
        try:
            while view:
                if self._is_written_out:
                    return True
                # The reply may be there before write() returns: stamp before the last piece.
                question.sent_at = time.monotonic()
                try:
                    view = view[os.write(self._requests, view[:PIPE_BLOCK]) :]
                except BlockingIOError:
                    if not _wait_writable(self._requests, deadline):
                        return False
        except OSError:
            # The host is gone; the thread finds out why and wakes us.
            return True
        finally:
            if killer:
                killer.cancel()
            self._writing.release()
        return True

    def _read(self) -> None:
        """Body of the thread. An exception here would fail a test of the user."""
        failure: TechnicalFailure | None
        try:
            read = reader_of(self._replies)
            while True:
                frame = read_frame(read, self._limit)
                if frame is None:
                    break
                self._deliver(frame, time.monotonic())
            is_orderly = self._closing is not None and self._closing not in self._open
            failure = None if is_orderly else self._explain()
        except FrameError as error:
            failure = self._violated(str(error))
        except BaseException as error:
            failure = self._violated(f"{type(error).__name__}: {error}")
        try:
            self.end(failure)
        finally:
            os.close(self._replies)

    def _violated(self, detail: str) -> TechnicalFailure:
        failure = TechnicalFailure("protocol", detail)
        self.end(failure)
        self._stop()
        return failure

    def _deliver(self, frame: dict[str, Any], received_at: float) -> None:
        number = frame.pop("id", None)
        if frame.pop("v", None) != VERSION or type(number) is not int:
            raise FrameError("a message has no number, or another version")
        kinds = REPLIES & frame.keys()
        extra = frame.keys() - kinds - ({"usage"} if "result" in kinds else set())
        if len(kinds) != 1 or extra:
            raise FrameError("a message is not exactly one kind of reply")
        with self._lock:
            question = self._open.pop(number, None)
            if question is not None:
                question.reply = frame
                question.received_at = received_at
        if question is None:
            if self._closing is not None:
                raise FrameError("it went on sending after close")
            raise FrameError("a reply to a question that is not open")
        question.done.release()


def _started_timer(seconds: float, stop: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, stop)
    timer.name = "benchbed-writing"
    timer.daemon = True
    timer.start()
    return timer


def _wait_writable(fd: int, deadline: float) -> bool:
    if sys.platform == "win32":
        raise OSError("there nothing is written without blocking")
    else:
        poll = select.poll()
        poll.register(fd, select.POLLOUT)
        remaining = deadline - time.monotonic()
        return remaining > 0 and bool(poll.poll(int(remaining * 1000) + 1))


def _copy(failure: TechnicalFailure) -> TechnicalFailure:
    """Return an equal exception: one object must not be raised in two threads."""
    return TechnicalFailure(failure.kind, failure.detail, where=failure.where, whose=failure.whose)


def _closed() -> TechnicalFailure:
    return TechnicalFailure("host_lost", "its process was closed")
