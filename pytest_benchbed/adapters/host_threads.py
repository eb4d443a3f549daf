"""Answers questions in threads: whoever reads one answers it, and the next thread reads on.

So that no thread hands a question to another, which takes longer than reading it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def serve_in_threads(
    receive: Callable[[], dict[str, Any] | None],
    answer: Callable[[dict[str, Any]], bool],
    most: int,
) -> None:
    """Answer until ``receive`` gives None, or ``answer`` says that was the last question.

    ``most``: questions that are answered at once; more wait in the pipe, in their order.

    Raises:
        BaseException: what ``receive`` or ``answer`` raised, in the thread that calls this.
    """
    _Crew(receive, answer, most).serve()


class _Crew:
    def __init__(
        self,
        receive: Callable[[], dict[str, Any] | None],
        answer: Callable[[dict[str, Any]], bool],
        most: int,
    ) -> None:
        self._receive = receive
        self._answer = answer
        self._rest = most
        """Threads that may still be started."""
        self._reading = threading.Lock()
        self._waiting = 0
        self._started = 0
        self._counting = threading.Lock()
        self._is_over = threading.Event()
        self._error: BaseException | None = None

    def serve(self) -> None:
        self._start()
        self._is_over.wait()
        if self._error is not None:
            raise self._error

    def _start(self) -> None:
        # Those that still work must not keep the process when it is over.
        thread = threading.Thread(target=self._work, name="benchbed-call", daemon=True)
        # Before it runs: the next question may be there, and it counts who is left to start.
        self._waiting += 1
        self._rest -= 1
        try:
            thread.start()
        except RuntimeError:
            # There are no more to be had: those that are there go on.
            self._waiting -= 1
            self._rest = 0
            if not self._started:
                raise
            return
        self._started += 1

    def _work(self) -> None:
        try:
            while self._step():
                pass
        except BaseException as error:
            self._error = error
            self._is_over.set()

    def _step(self) -> bool:
        with self._reading:
            question = None if self._is_over.is_set() else self._receive()
        with self._counting:
            self._waiting -= 1
            if question is not None and not self._waiting and self._rest:
                self._start()
        if question is None or self._answer(question):
            self._is_over.set()
            return False
        with self._counting:
            self._waiting += 1
        return True
