"""Questions of xdist workers to the broker, over a channel on xdist's own pipe.

No socket, no path, no key: the controller opens the channel and hands it out in
``workerinput``. One JSON text a message, ASCII, read by the strict reader. This
file alone knows of the channel; everything else calls ``predict``.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from typing import Protocol

from pytest_benchbed.edge.asking import NOT_RUN
from pytest_benchbed.edge.rechecks import Rechecking
from pytest_benchbed.edge.rechecks import Rechecks
from pytest_benchbed.evaluate.case import Answer
from pytest_benchbed.model.canonical import ascii_json
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

MAX_TEXT = 1 << 20
"""Longer answers stay on disk and are named by their digest: reports share the pipe."""
_POLL_S = 1.0
_END = object()
_STOP = object()


class Channel(Protocol):
    """What we use of the channel that xdist's gateway makes."""

    TimeoutError: type[Exception]

    def send(self, item: object) -> None:
        """Send one message."""

    def receive(self, timeout: float | None = None) -> Any:
        """Return the next message."""

    def setcallback(self, callback: Callable[[Any], None], endmarker: object) -> None:
        """Call back for each message, and with ``endmarker`` at the end."""


class PeerLostError(Exception):
    """The other end of the channel is gone."""


class Broker(Protocol):
    """What the server asks of the broker."""

    def ask(self, benchmark: str, case: str, attempt: int) -> Future[Answer]:
        """Return the future outcome of one call."""

    def may_start(self, benchmark: str, case: str) -> bool:
        """Say whether a further case may begin."""

    def is_recorded(self, benchmark: str, case: str, attempt: int) -> bool:
        """Say whether a question is answered without a call."""


class Server:
    """The controller's end: one thread takes questions, whoever has an answer sends it."""

    def __init__(
        self,
        broker: Callable[[], Broker | None],
        rechecks: Rechecks,
        calls_path: Callable[[str], Path],
        want: Callable[[dict[str, list[str]]], None],
    ) -> None:
        """``broker`` gives the broker once calls may start; ``calls_path`` by benchmark.

        ``rechecks`` knows the rules of the runs, and counts suspects.

        ``want`` takes the cases that tests of the user ask for.
        """
        self._broker = broker
        self._rechecks = rechecks
        self._calls_path = calls_path
        self._want = want
        self._questions: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def attach(self, channel: Channel) -> None:
        """Serve one worker; its receiver thread only enqueues, else its reports would wait."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._serve, name="benchbed-transport", daemon=True
            )
            self._thread.start()
        put = self._questions.put
        channel.setcallback(lambda text: put((channel, text)), endmarker=_END)

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the serving thread; answers of calls in flight may still be sent."""
        if self._thread is not None:
            self._questions.put(_STOP)
            self._thread.join(timeout_s)

    def _serve(self) -> None:
        while True:
            item = self._questions.get()
            if item is _STOP:
                return
            channel, text = item
            if text is _END:
                continue
            try:
                self._answer(channel, text)
            except BaseException as error:
                # A thread must neither print nor raise into the session.
                _send(channel, ascii_json({"re": _number(text), **_broken(error)}))

    def _answer(self, channel: Channel, text: str) -> None:
        question = read_json(text)
        number = question["n"]
        broker = self._broker()
        if question["op"] == "may_start":
            may = broker is not None and broker.may_start(question["benchmark"], question["case"])
            _send(channel, ascii_json({"re": number, "may": may}))
            return
        if question["op"] == "rechecking":
            rule = self._rechecks.of(question["benchmark"])
            _send(channel, ascii_json({"re": number, "rule": list(rule)}))
            return
        if question["op"] == "may_reask":
            assert broker is not None, "an item has an answer, so there is a broker"
            benchmark, case = question["benchmark"], question["case"]
            is_known = broker.is_recorded(benchmark, case, question["attempt"])
            may = self._rechecks.may_ask(benchmark, case, is_known=is_known)
            _send(channel, ascii_json({"re": number, "may": may}))
            return
        if question["op"] == "want":
            self._want(question["cases"])
            _send(channel, ascii_json({"re": number}))
            return
        if broker is None:
            _send(channel, ascii_json({"re": number, **NOT_RUN}))
            return
        benchmark = question["benchmark"]
        future = broker.ask(benchmark, question["case"], question["attempt"])
        future.add_done_callback(lambda done: self._reply(channel, number, benchmark, done))

    def _reply(self, channel: Channel, number: int, benchmark: str, done: Future[Answer]) -> None:
        try:
            answer = done.result()
        except BaseException as error:
            answer = _broken(error)
        text = ascii_json({"re": number, **answer})
        if len(text) > MAX_TEXT:
            slim = {**answer, "raw": None, "calls": str(self._calls_path(benchmark))}
            text = ascii_json({"re": number, **slim})
        _send(channel, text)


def _send(channel: Channel, text: str) -> None:
    try:
        channel.send(text)
    except (OSError, EOFError):
        # The worker is gone. The outcome is on disk; nobody waits for it.
        return


def _number(text: Any) -> int:
    try:
        return int(read_json(text)["n"])
    except (MalformedJson, KeyError, TypeError, ValueError):
        return 0


def _broken(error: BaseException) -> Answer:
    return {
        "state": "technical",
        "raw": None,
        "error": {
            "kind": "internal",
            "where": "broker",
            "detail": f"{type(error).__name__}: {error}"[:200],
        },
        "usage": {},
        "latency_s": 0.0,
        "queue_s": 0.0,
    }


class Proxy:
    """A worker's end: the broker as an item sees it."""

    def __init__(self, channel: Channel) -> None:
        """``channel``: as handed out in ``workerinput``."""
        self._channel = channel
        self._number = 0
        self._rules: dict[str, Rechecking] = {}

    def predict(self, benchmark: str, case: str, attempt: int) -> Answer:
        """Return the stored outcome of one call.

        Raises:
            PeerLostError: the controller is gone.
        """
        answer = self._ask("predict", benchmark=benchmark, case=case, attempt=attempt)
        path = answer.pop("calls", None)
        if path is not None:
            answer["raw"] = _raw_on_disk(Path(path), answer["sha256"])
        return answer

    def want(self, cases: dict[str, list[str]]) -> None:
        """Say which cases tests of the user will ask for, and wait until it is known.

        Raises:
            PeerLostError: the controller is gone.
        """
        self._ask("want", cases=cases)

    def may_start(self, benchmark: str, case: str) -> bool:
        """Say whether a further case may begin; no if the controller is gone."""
        try:
            return bool(self._ask("may_start", benchmark=benchmark, case=case)["may"])
        except PeerLostError:
            return False

    def rechecking(self, benchmark: str) -> Rechecking:
        """Return by what rule a suspect is judged.

        Raises:
            PeerLostError: the controller is gone.
        """
        if benchmark not in self._rules:
            answer = self._ask("rechecking", benchmark=benchmark)
            self._rules[benchmark] = Rechecking(*answer["rule"])
        return self._rules[benchmark]

    def may_reask(self, benchmark: str, case: str, attempt: int) -> bool:
        """Count a suspect; say whether it is worth another call, or needs none.

        Raises:
            PeerLostError: the controller is gone.
        """
        answer = self._ask("may_reask", benchmark=benchmark, case=case, attempt=attempt)
        return bool(answer["may"])

    def _ask(self, op: str, **words: Any) -> Answer:
        self._number += 1
        number = self._number
        try:
            self._channel.send(ascii_json({"v": 1, "n": number, "op": op, **words}))
            while True:
                try:
                    # A bounded wait in a loop stays interruptible.
                    text = self._channel.receive(timeout=_POLL_S)
                except self._channel.TimeoutError:
                    continue
                answer: Answer = read_json(text)
                # An interrupted wait leaves its answer behind: older numbers are not ours.
                if answer.pop("re") == number:
                    return answer
        except (EOFError, OSError) as error:
            raise PeerLostError(str(error)) from None


def _raw_on_disk(path: Path, line_digest: str) -> str | None:
    needle = line_digest.encode("ascii")
    with path.open("rb") as lines:
        for line in lines:
            if needle in line:
                row = read_json(line)
                if row.get("sha256") == line_digest:
                    return None if row["raw"] is None else str(row["raw"])
    return None
