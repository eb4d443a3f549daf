from __future__ import annotations

import queue
import threading
import time
from typing import Any

import pytest

from pytest_benchbed.adapters.host_threads import serve_in_threads

LONG_S = 30.0


class Pipe:
    """Questions by number; None is the end."""

    def __init__(self, *numbers: int) -> None:
        self.questions: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for number in numbers:
            self.questions.put({"id": number})

    def receive(self) -> Any:
        found = self.questions.get(timeout=LONG_S)
        if isinstance(found, BaseException):
            raise found
        return found


def test_so_many_questions_are_answered_at_once() -> None:
    pipe = Pipe(*range(12))
    meet = threading.Barrier(3, timeout=LONG_S)
    answered: list[int] = []
    threads: set[int] = set()

    def answer(question: dict[str, Any]) -> bool:
        meet.wait()
        threads.add(threading.get_ident())
        answered.append(question["id"])
        if len(answered) == 12:
            pipe.questions.put(None)
        return False

    serve_in_threads(pipe.receive, answer, 3)

    assert sorted(answered) == list(range(12))
    assert len(threads) == 3


@pytest.mark.parametrize("most", [1, 2])
def test_questions_that_are_there_first_are_not_answered_by_more_threads(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """A thread reads, and starts the next one, before the start of its own has returned."""
    start = threading.Thread.start

    def slow(thread: threading.Thread) -> None:
        start(thread)
        time.sleep(0.05)

    monkeypatch.setattr(threading.Thread, "start", slow)
    pipe = Pipe(*range(8))
    pipe.questions.put(None)
    counting, now, at_once = threading.Lock(), [0], [0]

    def answer(question: dict[str, Any]) -> bool:
        with counting:
            now[0] += 1
            at_once[0] = max(at_once[0], now[0])
        time.sleep(0.02)
        with counting:
            now[0] -= 1
        return False

    serve_in_threads(pipe.receive, answer, most)

    assert at_once == [most]


def test_the_last_question_ends_it_while_others_still_work() -> None:
    pipe = Pipe(1, 2)
    is_working, may_end = threading.Event(), threading.Event()

    def answer(question: dict[str, Any]) -> bool:
        if question["id"] == 1:
            is_working.set()
            may_end.wait(LONG_S)
            return False
        assert is_working.wait(LONG_S)
        return True

    serve_in_threads(pipe.receive, answer, 2)

    assert not may_end.is_set()
    may_end.set()


def test_a_broken_pipe_is_raised_where_it_was_called() -> None:
    pipe = Pipe(1)
    pipe.questions.put(EOFError("torn"))

    with pytest.raises(EOFError, match="torn"):
        serve_in_threads(pipe.receive, lambda question: False, 2)


def test_where_no_more_threads_are_to_be_had_those_there_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = threading.Thread.start
    started: list[threading.Thread] = []

    def scarce(thread: threading.Thread) -> None:
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    pipe = Pipe(*range(6))
    pipe.questions.put(None)
    answered: list[int] = []
    monkeypatch.setattr(threading.Thread, "start", scarce)

    def answer(question: dict[str, Any]) -> bool:
        answered.append(question["id"])
        threading.Event().wait(0.01)
        return False

    serve_in_threads(pipe.receive, answer, 4)
    for thread in started:
        thread.join(LONG_S)

    assert sorted(answered) == list(range(6))
    assert len(started) == 2


def test_without_a_single_thread_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none)

    with pytest.raises(RuntimeError, match="can't start"):
        serve_in_threads(Pipe().receive, lambda question: False, 2)
