"""Questions and replies of one host: numbers, deadlines, violations; the host is a thread here."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_benchbed.adapters import conversation
from pytest_benchbed.adapters.conversation import Conversation
from pytest_benchbed.adapters.conversation import NoReply
from pytest_benchbed.adapters.conversation import _Question
from pytest_benchbed.adapters.frames import pack
from pytest_benchbed.adapters.frames import read_frame
from pytest_benchbed.adapters.frames import reader_of
from pytest_benchbed.adapters.frames import write_all
from pytest_benchbed.model.errors import TechnicalFailure


class Peer:
    """The other side of a conversation: answers each question with what ``answer`` makes."""

    def __init__(self, answer: Callable[[dict[str, Any]], bytes | None], limit: int) -> None:
        self.requests, write = os.pipe()
        read, self.replies = os.pipe()
        self.stopped = threading.Event()
        self.asked = threading.Event()
        self.questions: list[dict[str, Any]] = []
        self.answer = answer
        self.talk = Conversation(
            write,
            read,
            name="host-test",
            limit=limit,
            explain=lambda: TechnicalFailure("crash", "gone"),
            stop=self.stop,
        )
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        read = reader_of(self.requests)
        while True:
            frame = read_frame(read)
            if frame is None:
                break
            self.questions.append(frame)
            self.asked.set()
            data = self.answer(frame)
            if data is None:
                break
            write_all(self.replies, data)
        self.stop()

    def stop(self) -> None:
        if not self.stopped.is_set():
            self.stopped.set()
            os.close(self.replies)


def result(frame: dict[str, Any], value: Any = 1) -> bytes:
    return pack({"v": 1, "id": frame["id"], "usage": None, "result": value})


def silent(frame: dict[str, Any]) -> bytes:
    return b""


@pytest.fixture
def peer() -> Iterator[Callable[..., Peer]]:
    made: list[Peer] = []

    def make(answer: Callable[[dict[str, Any]], bytes | None], limit: int = 10_000) -> Peer:
        made.append(Peer(answer, limit))
        return made[-1]

    yield make
    for one in made:
        one.talk.hang_up()
        one.thread.join(60)
        one.talk.join(60)
        os.close(one.requests)


def failure(one: Peer, op: str = "predict", timeout_s: float = 60, **body: Any) -> TechnicalFailure:
    with pytest.raises(TechnicalFailure) as caught:
        one.talk.ask(op, body, timeout_s)
    return caught.value


def test_a_question_gets_its_reply_and_a_latency(peer) -> None:
    one = peer(result)

    reply = one.talk.ask("predict", {"case": {}}, 60)

    assert reply.frame == {"usage": None, "result": 1}
    assert (reply.latency_s >= 0, reply.queue_s) == (True, 0)
    assert one.questions == [{"v": 1, "id": 0, "op": "predict", "case": {}}]


def test_replies_may_come_in_any_order(peer) -> None:
    waiting: list[dict[str, Any]] = []

    def both_at_once(frame: dict[str, Any]) -> bytes:
        waiting.append(frame)
        if len(waiting) < 2:
            return b""
        return b"".join(result(one, one["case"]) for one in reversed(waiting))

    one = peer(both_at_once)
    got: dict[str, Any] = {}

    def ask(name: str) -> None:
        got[name] = one.talk.ask("predict", {"case": name}, 60)[0]["result"]

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert got == {"a": "a", "b": "b"}


def test_no_reply_in_time_stops_the_host_and_ends_the_conversation(peer) -> None:
    one = peer(silent)

    assert failure(one, timeout_s=0.05).kind == "timeout"
    assert one.stopped.is_set()
    assert one.talk.is_over
    assert failure(one).kind == "host_lost"


def test_another_call_in_flight_is_told_that_the_host_was_lost(peer) -> None:
    one = peer(silent)
    one.talk.turns.capacity = 2
    kinds: list[str] = []
    other = threading.Thread(target=lambda: kinds.append(failure(one, timeout_s=60).kind))
    other.start()
    one.asked.wait(60)

    assert failure(one, timeout_s=0.05).kind == "timeout"
    other.join(60)
    assert kinds == ["host_lost"]


class Slow:
    """Answers when it is told to, in the order of the questions."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.has = threading.Semaphore(0)

    def __call__(self, frame: dict[str, Any]) -> bytes:
        self.frames.append(frame)
        self.has.release()
        return b""

    def answer(self, one: Peer) -> None:
        write_all(one.replies, result(self.frames.pop(0)))


def asked(one: Peer, slow: Slow, timeouts: list[float]) -> tuple[list[threading.Thread], list[Any]]:
    """Ask so many questions in this order; return their threads, and where replies come."""
    found: list[Any] = [None] * len(timeouts)

    def ask(number: int) -> None:
        try:
            found[number] = one.talk.ask("predict", {}, timeouts[number])
        except TechnicalFailure as error:
            found[number] = error.kind

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(timeouts))]
    for thread in threads:
        thread.start()
        assert slow.has.acquire(timeout=60)
    return threads, found


def test_a_question_beyond_the_places_waits_and_its_time_begins_with_its_place(peer) -> None:
    slow = Slow()
    one = peer(slow)
    one.talk.turns.capacity = 2
    threads, found = asked(one, slow, [60, 60, 60])
    (*_, last) = one.talk._open.values()
    assert last.started_at is None

    slow.answer(one)
    threads[0].join(60)
    assert last.started_at >= last.sent_at
    for _ in range(2):
        slow.answer(one)
    for thread in threads:
        thread.join(60)

    first, second, third = found
    assert first.queue_s == second.queue_s == 0
    assert third.queue_s == last.started_at - last.sent_at > 0
    assert third.latency_s == last.received_at - last.started_at
    assert one.talk.turns.answering == 0


def test_a_question_is_late_once_it_has_its_place_and_not_before(peer) -> None:
    slow = Slow()
    one = peer(slow)
    threads, found = asked(one, slow, [60, 0.05])
    threads[1].join(0.2)
    assert threads[1].is_alive()

    slow.answer(one)
    for thread in threads:
        thread.join(60)

    assert found[0].latency_s >= 0
    assert found[1] == "timeout"


def test_the_times_of_a_question_without_a_reply_are_told_apart(peer) -> None:
    slow = Slow()
    one = peer(slow)
    caught: list[NoReply] = []

    def ask() -> None:
        with pytest.raises(NoReply, match="no reply to predict") as error:
            one.talk.ask("predict", {}, 0.05)
        caught.append(error.value)

    first, _ = asked(one, slow, [60])
    second = threading.Thread(target=ask)
    second.start()
    assert slow.has.acquire(timeout=60)
    (*_, last) = one.talk._open.values()
    slow.answer(one)
    for thread in (*first, second):
        thread.join(60)

    assert caught[0].queue_s == last.started_at - last.sent_at > 0
    assert caught[0].latency_s >= 0.05


def test_a_question_that_is_not_sent_yet_cannot_be_answered(peer) -> None:
    """A host that guesses the number of the next question."""
    one = peer(silent)
    one.talk._open[7] = _Question()

    write_all(one.replies, result({"id": 7}))

    assert one.stopped.wait(60)
    one.talk.join(60)
    assert "a reply to a question that was not sent yet" in str(one.talk.failure)


def test_close_takes_no_place_and_is_late_in_its_own_time(peer) -> None:
    slow = Slow()
    one = peer(slow)
    threads, found = asked(one, slow, [60])

    assert failure(one, "close", timeout_s=0.05).kind == "timeout"
    threads[0].join(60)
    assert found == ["host_lost"]


def test_a_large_question_in_the_pipe_makes_nobody_late_and_ends_with_the_host() -> None:
    """It does not fit, and nobody reads it as long as the first one is answered."""
    requests, write = os.pipe()
    read, replies = os.pipe()
    talk = Conversation(
        write, read, name="t", limit=10**7, explain=lambda: TechnicalFailure("crash"), stop=bool
    )
    kinds: dict[str, str] = {}

    def ask(name: str, text: str, timeout_s: float) -> None:
        with pytest.raises(TechnicalFailure) as caught:
            talk.ask("predict", {"name": name, "text": text}, timeout_s)
        kinds[name] = caught.value.kind

    threads = []
    for name, text, timeout_s in (("a", "", 60.0), ("b", "x" * 300_000, 0.05), ("c", "", 0.05)):
        threads.append(threading.Thread(target=ask, args=(name, text, timeout_s)))
        threads[-1].start()
        while len(talk._open) < len(threads) or (name == "b" and not talk.turns.waiting):
            threads[-1].join(0.001)
    threads[2].join(0.2)
    assert kinds == {}

    talk.end(TechnicalFailure("crash", "gone"))
    for thread in threads:
        thread.join(60)
    talk.hang_up()
    os.close(replies)
    talk.join(60)
    os.close(requests)

    assert kinds == {"a": "crash", "b": "not_made", "c": "not_made"}


def test_a_question_without_a_place_was_not_made_when_the_host_ends(peer) -> None:
    slow = Slow()
    one = peer(slow)
    one.talk.turns.capacity = 2
    threads, found = asked(one, slow, [60, 60, 60, 60])
    slow.answer(one)
    threads[0].join(60)
    one.talk.end(TechnicalFailure("crash", "gone"))
    for thread in threads:
        thread.join(60)

    assert found[1:] == ["crash", "crash", "not_made"]


def test_a_host_with_more_places_than_it_said_is_no_violation(peer) -> None:
    slow = Slow()
    one = peer(slow)
    threads, found = asked(one, slow, [60, 60])
    slow.frames.reverse()
    for _ in range(2):
        slow.answer(one)
    for thread in threads:
        thread.join(60)

    assert found[1].queue_s == 0
    assert found[0].latency_s >= found[1].latency_s >= 0
    assert one.talk.turns.answering == 0


@pytest.mark.parametrize("can_poll", [True, False])
def test_a_host_that_does_not_read_cannot_block_us_past_the_deadline(
    monkeypatch: pytest.MonkeyPatch, can_poll: bool
) -> None:
    monkeypatch.setattr(conversation, "CAN_POLL", can_poll)
    requests, write = os.pipe()
    read, replies = os.pipe()
    open_ends = [requests, replies]

    def killed() -> None:
        while open_ends:
            os.close(open_ends.pop())

    talk = Conversation(
        write, read, name="t", limit=10**7, explain=lambda: TechnicalFailure("crash"), stop=killed
    )

    with pytest.raises(TechnicalFailure, match=r"timeout|crash"):
        talk.ask("predict", {"case": "x" * 10**6}, 0.1)

    assert open_ends == []
    assert talk.is_over
    talk.hang_up()
    talk.join(60)


def test_a_case_that_no_message_can_hold_is_technical_and_the_host_goes_on(peer) -> None:
    one = peer(result)

    assert failure(one, case="\udcff").kind == "bad_request"
    assert one.talk.ask("predict", {}, 60)[0]["result"] == 1


def test_the_end_of_the_pipe_is_explained_by_the_process(peer) -> None:
    one = peer(lambda frame: None)

    assert failure(one).kind == "crash"
    assert failure(one).kind == "crash"
    one.talk.join(60)
    assert not [t for t in threading.enumerate() if t.name == "benchbed-host-test" and t.is_alive()]


@pytest.mark.parametrize(
    "make",
    [
        lambda frame: b"Traceback (most recent call last)",
        lambda frame: b"\x7f\xff\xff\xff",
        lambda frame: b"\0\0\0\0",
        lambda frame: result({"id": 99}),
        lambda frame: result({"id": False}),  # equal to the open number 0
        lambda frame: result({"id": "0"}),
        lambda frame: result(frame) * 2,
        lambda frame: pack({"v": 2, "id": frame["id"], "result": 1}),
        lambda frame: pack({"v": 1, "id": frame["id"]}),
        lambda frame: pack({"v": 1, "id": frame["id"], "result": 1, "unsupported": True}),
        lambda frame: pack({"v": 1, "id": frame["id"], "result": 1, "score": 1}),
        lambda frame: pack({"v": 1, "id": frame["id"], "no_answer": {}, "usage": None}),
        lambda frame: pack({"v": 1, "id": frame["id"], "result": "x" * 20_000}),
    ],
)  # fmt: skip
def test_whatever_breaks_the_protocol_stops_the_host(peer, make) -> None:
    one = peer(make)

    # Before a second reply the first one is a good one; the conversation is over all the same.
    with contextlib.suppress(TechnicalFailure):
        one.talk.ask("predict", {}, 60)
    assert one.stopped.wait(60)
    one.talk.join(60)
    assert failure(one).kind == "protocol"


def test_a_reply_nobody_asked_for_stops_the_host(peer) -> None:
    one = peer(result)

    write_all(one.replies, result({"id": 5}))

    assert one.stopped.wait(60)
    one.talk.join(60)
    assert failure(one).kind == "protocol"


def test_the_end_after_close_is_orderly(peer) -> None:
    one = peer(lambda frame: result(frame) if frame["op"] == "close" else None)

    one.talk.ask("close", {}, 60)
    one.stop()
    one.talk.join(60)

    assert one.talk.failure is None
    assert failure(one).kind == "host_lost"


def test_bytes_after_close_break_the_protocol(peer) -> None:
    one = peer(result)

    one.talk.ask("close", {}, 60)
    write_all(one.replies, result({"id": 5}))
    one.talk.join(60)

    assert one.talk.failure is not None
    assert "after close" in one.talk.failure.detail


def test_a_case_too_large_to_send_is_technical_and_the_host_goes_on(peer) -> None:
    one = peer(result)

    assert failure(one, case="x" * 20_000).kind == "too_large"
    assert one.talk.ask("predict", {}, 60)[0]["result"] == 1


def test_ending_it_wakes_who_waits(peer) -> None:
    one = peer(silent)
    kinds: list[str] = []
    other = threading.Thread(target=lambda: kinds.append(failure(one, timeout_s=60).kind))
    other.start()
    one.asked.wait(60)

    one.talk.end(TechnicalFailure("host_lost", "stopped"))
    other.join(60)

    assert kinds == ["host_lost"]
