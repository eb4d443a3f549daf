"""The loop of the child process, run in a thread of this one over two pipes."""

from __future__ import annotations

import gc
import os
import sys
import textwrap
import threading
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters import host
from pytest_benchbed.adapters.channel import Channel
from pytest_benchbed.adapters.frames import pack
from pytest_benchbed.adapters.frames import read_frame
from pytest_benchbed.adapters.frames import reader_of
from pytest_benchbed.adapters.frames import write_all

CODE = """
import asyncio
from pytest_benchbed import Adapter, NoAnswer, Retry, Usage

class Sync(Adapter):
    name = "sync"
    def __init__(self, size=1):
        self.size = size
    def version(self):
        return f"size {self.size}"
    def supports(self, benchmark):
        return benchmark == "toy"
    async def prepare(self, context):
        await asyncio.sleep(0)
        return {context.id}, Usage(cost_usd=1)
    def predict(self, case):
        what = case.inputs.get("what")
        if what == "decline":
            raise NoAnswer("no table")
        if what == "retry":
            raise Retry(2, "busy")
        if what == "bad retry":
            raise Retry("soon")
        if what == "raise":
            raise ValueError("bad header")
        if what == "skip":
            from unittest import SkipTest
            raise SkipTest("not me")
        if what == "base":
            raise type("Outside", (BaseException,), {})("of Exception")
        if what == "big":
            return "x" * 5000
        if what == "exit":
            raise SystemExit(0)
        if what == "awaitable":
            return asyncio.sleep(0, "waited")
        return {"id": case.id, "model": self.model, "files": [str(f) for f in case.files.values()]}

class Async(Adapter):
    max_concurrency = 2
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.gate = asyncio.Event()
    async def predict(self, case):
        if case.id == "waits":
            await self.gate.wait()
        elif case.id == "opens":
            self.gate.set()
        elif case.id == "exits":
            raise KeyboardInterrupt
        elif case.id == "raises":
            raise asyncio.CancelledError("inner")
        return case.id

def function(case):
    return case.id

def drive(adapter, case):
    return [adapter.predict(case), "driven"]
"""


class Child:
    """A host in a thread, and our ends of its pipes."""

    def __init__(self, folder: Path, attribute: str, module: str) -> None:
        self.entry = {
            "path": str(folder / f"{module}.py"),
            "module": module,
            "attribute": attribute,
            "pythonpath": [str(folder)],
        }
        requests, self.write = os.pipe()
        self.read, replies = os.pipe()
        self._read_ahead = reader_of(self.read)
        self.channel = Channel(requests, replies)
        self.ended: BaseException | None = None
        self.number = 0
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            host.Host(self.channel).serve()
        except BaseException as error:
            self.ended = error
        finally:
            self.channel.close()

    def send(self, op: str, **body: Any) -> int:
        self.number += 1
        write_all(self.write, pack({"v": 1, "id": self.number, "op": op, **body}))
        return self.number

    def receive(self) -> dict[str, Any] | None:
        return read_frame(self._read_ahead)

    def ask(self, op: str, **body: Any) -> dict[str, Any]:
        number = self.send(op, **body)
        reply = self.receive()
        assert reply is not None
        assert (reply.pop("v"), reply.pop("id")) == (1, number)
        return reply

    def hello(self, model: str | None = None, **options: Any) -> dict[str, Any]:
        return self.ask(
            "hello",
            entry=self.entry,
            frame_bytes=4096,
            model=model,
            options=options,
            jobs=None,
        )

    def predict(self, what: str = "", drive: str | None = None) -> dict[str, Any]:
        return self.ask("predict", case=case("c1", what), drive=drive)


def case(name: str, what: str = "") -> dict[str, Any]:
    return {
        "id": name, "benchmark": "toy", "inputs": {"what": what}, "files": {"a.png": "/f/a.png"},
        "context": None, "attempt": 1,
    }  # fmt: skip


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Child]]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    module = f"adapter_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(textwrap.dedent(CODE))
    made: list[Child] = []

    def make(attribute: str) -> Child:
        made.append(Child(tmp_path, attribute, module))
        return made[-1]

    yield make
    is_raised = False
    while made:
        one = made.pop()
        os.close(one.write)
        one.thread.join(5)
        assert not one.thread.is_alive()
        os.close(one.read)
        is_raised = is_raised or one.ended is not None
        del one
    sys.modules.pop(module, None)
    if is_raised:
        # What a task raised is logged when it is collected: here, and not while another test
        # parses (Python 3.11 then takes the formatting of the log for a broken syntax tree).
        gc.collect()


def test_describe_imports_only_and_leaves_out_a_version_that_is_a_method(child) -> None:
    one = child("Sync")

    row = one.ask("describe", entry=one.entry, frame_bytes=4096)["result"]

    assert (row["name"], row["version"], row["shared"]) == ("sync", "", False)


def test_hello_builds_the_adapter_from_its_options_and_asks_its_version(child) -> None:
    one = child("Sync")

    assert one.hello(model="m", size=3)["result"]["version"] == "size 3"
    assert one.predict()["result"] == {"id": "c1", "model": "m", "files": ["/f/a.png"]}


def test_a_constructor_that_fails_is_answered_and_the_host_goes_on(child) -> None:
    one = child("Sync")

    error = one.hello(siez=3)["error"]

    assert error["kind"] == "constructor"
    assert "siez" in error["message"]
    assert "result" in one.hello()


def test_a_name_that_is_not_there_is_answered_with_the_nearest(child) -> None:
    error = child("Sinc").hello()["error"]

    assert error["kind"] == "entry"
    assert "'Sync'" in error["message"]


def test_a_module_of_another_file_is_refused(child) -> None:
    one = child("Sync")
    one.entry.update(module="json", attribute="loads")

    assert "rename the file" in one.hello()["error"]["message"]


@pytest.mark.parametrize(
    ("what", "reply"),
    [
        ("decline", {"no_answer": {"reason": "no table"}}),
        ("retry", {"retry": {"after_s": 2.0, "reason": "busy"}}),
        ("awaitable", {"usage": None, "result": "waited"}),
    ],
)
def test_what_predict_says_is_sent(child, what: str, reply: dict[str, Any]) -> None:
    one = child("Sync")
    one.hello()

    assert one.predict(what) == reply


@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [
        ("raise", "exception", "ValueError: bad header"),
        ("skip", "exception", "SkipTest: not me"),
        ("base", "exception", "Outside: of Exception"),
        ("bad retry", "bad_retry", "soon"),
        ("big", "too_large", "longer than 4096"),
    ],
)
def test_what_goes_wrong_in_a_call_is_sent_and_the_next_call_works(
    child, what: str, kind: str, words: str
) -> None:
    one = child("Sync")
    one.hello()

    error = one.predict(what)["error"]

    assert error["kind"] == kind
    assert words in error["message"]
    assert "result" in one.predict()


def test_supports_prepare_and_close_are_asked(child) -> None:
    one = child("Sync")
    one.hello()

    assert one.ask("supports", benchmark="toy")["result"] is True
    assert one.ask("supports", benchmark="other") == {"unsupported": True}
    assert one.ask("prepare", case=case("k1")) == {"usage": {"cost_usd": 1}, "result": ["k1"]}
    assert one.ask("close") == {"usage": None, "result": None}
    one.thread.join(5)
    assert not one.thread.is_alive()


def test_a_system_exit_ends_the_host_without_a_reply(child) -> None:
    one = child("Sync")
    one.hello()

    one.send("predict", case=case("c1", "exit"), drive=None)

    assert one.receive() is None
    assert isinstance(one.ended, SystemExit)


def test_a_function_needs_nothing_else(child) -> None:
    one = child("function")

    assert one.hello()["result"]["name"] == "function"
    assert one.predict()["result"] == "c1"
    assert one.ask("supports", benchmark="toy")["result"] is True
    assert one.ask("prepare", case=case("k1"))["result"] == []


def test_a_benchmark_drives_the_adapter_in_its_process(child) -> None:
    one = child("function")
    one.hello()
    module = one.entry["module"]

    assert one.predict(drive=f"{module}:drive")["result"] == ["c1", "driven"]
    assert one.predict(drive=f"{module}:nothing")["error"]["kind"] == "drive"


def test_an_async_adapter_answers_in_any_order(child) -> None:
    one = child("Async")
    assert one.hello()["result"]["shared"] is True

    first = one.send("predict", case=case("waits"), drive=None)
    second = one.send("predict", case=case("opens"), drive=None)

    replies = [one.receive(), one.receive()]
    assert {reply["id"]: reply["result"] for reply in replies if reply} == {
        first: "waits",
        second: "opens",
    }
    assert [reply["id"] for reply in replies if reply] == [second, first]


def test_an_async_adapter_goes_on_after_an_exception_and_closes(child) -> None:
    one = child("Async")
    one.hello()

    one.send("predict", case=case("raises"), drive=None)
    reply = one.receive()

    assert reply is not None
    assert reply["error"]["type"] == "CancelledError"
    assert one.ask("close")["result"] is None
    one.thread.join(5)
    assert not one.thread.is_alive()


def test_an_interrupt_in_an_async_adapter_ends_the_host_without_a_reply(child) -> None:
    one = child("Async")
    one.hello()

    one.send("predict", case=case("waits"), drive=None)
    one.send("predict", case=case("exits"), drive=None)

    assert one.receive() is None
    one.thread.join(5)
    assert isinstance(one.ended, KeyboardInterrupt)


@pytest.mark.skipif(os.name == "nt", reason="Windows hands over handles, not numbers")
def test_the_pipe_ends_get_numbers_that_are_not_inherited() -> None:
    requests, write = os.pipe()
    read, replies = os.pipe()
    numbers = (requests, replies)

    channel = Channel.adopt(*numbers)

    assert channel.requests >= 200
    assert channel.replies >= 200
    assert not os.get_inheritable(channel.requests)
    assert not os.get_inheritable(channel.replies)
    for fd in numbers:
        with pytest.raises(OSError, match="descriptor"):
            os.fstat(fd)
    channel.close()
    os.close(write)
    os.close(read)
