"""Questions to one host and its replies: numbers, deadlines, latency, violations.

One daemon thread reads the replies; any thread may ask. The host answers as many
questions at once as it said; what is asked beyond waits in the pipe, and its time
has not begun. Latency is measured here, from the last byte written, or the reply
that made room for the question, to the last byte read. Whatever breaks the
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
from typing import NamedTuple

from pytest_benchbed.adapters.frames import REPLIES
from pytest_benchbed.adapters.frames import VERSION
from pytest_benchbed.adapters.frames import FrameError
from pytest_benchbed.adapters.frames import pack
from pytest_benchbed.adapters.frames import read_frame
from pytest_benchbed.adapters.frames import reader_of
from pytest_benchbed.adapters.turns import Turn
from pytest_benchbed.adapters.turns import Turns
from pytest_benchbed.model.errors import TechnicalFailure

PIPE_BLOCK = 32 * 1024
NOT_MADE = "not_made"
"""Kind of a question that the host had no place for before it ended: nobody was asked."""
_SLICE_S = 0.5
"""How soon a thread that waits to write sees that the conversation is over."""
CAN_POLL = hasattr(select, "poll")
"""False on Windows: there a timer kills a host that does not read."""


class _Question(Turn):
    """One question in flight."""

    __slots__ = ("done", "failure", "received_at", "reply", "sent_at")

    def __init__(self) -> None:
        super().__init__()
        # A lock, since waking an event takes several: whoever takes the question out of the
        # open ones releases it, once.
        self.done = threading.Lock()
        self.done.acquire()
        self.sent_at = 0.0
        self.received_at = 0.0
        self.reply: dict[str, Any] | None = None
        self.failure: TechnicalFailure | None = None


class Reply(NamedTuple):
    """What came back of a question."""

    frame: dict[str, Any]
    latency_s: float
    """From when the host had the question and a place for it to the reply's last byte."""
    queue_s: float
    """How long it waited in the pipe."""


class NoReply(TechnicalFailure):
    """A question that was sent, and has no reply."""

    def __init__(self, failure: TechnicalFailure, latency_s: float, queue_s: float) -> None:
        """Say why, and the times of :class:`Reply` up to now."""
        super().__init__(failure.kind, failure.detail, where=failure.where, whose=failure.whose)
        self.latency_s = latency_s
        self.queue_s = queue_s


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
        self.turns = Turns()
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

    def ask(self, op: str, body: Mapping[str, Any], timeout_s: float) -> Reply:
        """Ask and wait, at most ``timeout_s`` from when the host has a place for it.

        Raises:
            TechnicalFailure: ``timeout`` (the host is killed), ``too_large`` or
                ``bad_request`` (not sent), ``not_made`` (the host ended before it had
                a place for it), or why the conversation ended.
        """
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
        if self._write(frame, question, timeout_s, takes_place=op != "close"):
            self._wait(question, timeout_s)
        with self._lock:
            self._open.pop(number, None)
            is_late = question.reply is None and question.failure is None
        if is_late:
            self._give_up()
            detail = f"no reply to {op} in {timeout_s:g} s; its process tree was killed"
            question.failure = TechnicalFailure("timeout", detail)
        ended_at = question.received_at or time.monotonic()
        sent_at = question.sent_at or ended_at
        begun_at = max(sent_at, question.started_at or ended_at)
        times = max(0.0, ended_at - begun_at), begun_at - sent_at
        if question.failure:
            raise NoReply(question.failure, *times)
        assert question.reply is not None
        return Reply(question.reply, *times)

    def end(self, failure: TechnicalFailure | None) -> None:
        """End the conversation: open questions and all later ones get ``failure``.

        The process should be gone: until then it may take up a question that waits.
        """
        with self._lock:
            self.is_over = True
            self.failure = self.failure or failure
            waiting = list(self._open.values())
            self._open.clear()
            for question in waiting:
                is_made = question.started_at is not None
                question.failure = (self.failure or _closed()) if is_made else _not_made()
        for question in waiting:
            question.done.release()

    def blame(self, failure: TechnicalFailure) -> None:
        """Say why the process is about to be ended, before it is; the first reason counts."""
        with self._lock:
            self.is_over = True
            self.failure = self.failure or failure

    def hang_up(self) -> None:
        """Close the pipe of questions; the host sees the end of its input."""
        with self._writing:
            if not self._is_written_out:
                self._is_written_out = True
                os.close(self._requests)

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread, which follows the end of the process."""
        self._thread.join(timeout_s)

    def _give_up(self) -> None:
        lost = TechnicalFailure("host_lost", "its process was killed because another call hung")
        self.blame(lost)
        self._stop()
        self.end(lost)

    def _wait(self, question: _Question, timeout_s: float) -> None:
        """Wait for the reply, or until it is too late for it."""
        rest = timeout_s
        while rest > 0 and not question.done.acquire(timeout=rest):
            # When it is over the end is near, and says why.
            over = self.is_over
            rest = _SLICE_S if over else self._until(question, timeout_s) - time.monotonic()

    def _until(self, question: _Question, timeout_s: float) -> float:
        """Return when a question is too late; its time does not run while it waits."""
        started_at = question.started_at
        return (time.monotonic() if started_at is None else started_at) + timeout_s

    def _write(
        self, frame: bytes, question: _Question, timeout_s: float, *, takes_place: bool
    ) -> bool:
        """Write one frame; False if that failed or took too long."""
        view = memoryview(frame)
        if not self._may_write(timeout_s):
            return self.is_over
        with self._lock:
            if not self.is_over:
                self.turns.take(question, time.monotonic(), takes_place=takes_place)
        killer = None if CAN_POLL else _started_timer(timeout_s, self._stop)
        try:
            while view:
                if self._is_written_out or self.is_over:
                    return True
                # The reply may be there before write() returns: stamp before the last piece.
                question.sent_at = time.monotonic()
                try:
                    view = view[os.write(self._requests, view[:PIPE_BLOCK]) :]
                except BlockingIOError:
                    rest = self._until(question, timeout_s) - time.monotonic()
                    if rest <= 0:
                        return False
                    _wait_writable(self._requests, min(rest, _SLICE_S))
        except OSError:
            # The host is gone; the thread finds out why and wakes us.
            return True
        finally:
            if killer:
                killer.cancel()
            self._writing.release()
        return True

    def _may_write(self, timeout_s: float) -> bool:
        """Wait until nobody else writes; the time of one that waits for a place is not ours."""
        rest = timeout_s
        while not self._writing.acquire(timeout=max(0.0, min(rest, _SLICE_S))):
            if not self.turns.waiting:
                rest -= _SLICE_S
            if rest <= 0 or self.is_over:
                return False
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
        self.blame(failure)
        self._stop()
        self.end(failure)
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
            question = self._open.get(number)
            if question is not None and not self.turns.is_known(question):
                raise FrameError("a reply to a question that was not sent yet")
            self._open.pop(number, None)
            if question is not None:
                question.reply = frame
                question.received_at = received_at
                self.turns.leave(question, received_at, sent_at=question.sent_at)
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


def _wait_writable(fd: int, seconds: float) -> None:
    if sys.platform == "win32":
        raise OSError("there nothing is written without blocking")
    else:
        poll = select.poll()
        poll.register(fd, select.POLLOUT)
        poll.poll(int(seconds * 1000) + 1)


def _copy(failure: TechnicalFailure) -> TechnicalFailure:
    """Return an equal exception: one object must not be raised in two threads."""
    return TechnicalFailure(failure.kind, failure.detail, where=failure.where, whose=failure.whose)


def _not_made() -> TechnicalFailure:
    return TechnicalFailure(NOT_MADE, "its process ended before it had a place for it")


def _closed() -> TechnicalFailure:
    return TechnicalFailure("host_lost", "its process was closed")
