"""The child process of a Python adapter: ``python -I -m pytest_benchbed.adapters.host``.

It reads questions from one pipe and writes replies to another (:mod:`.frames`);
the adapter's standard input is empty and what it prints goes to log files. An
adapter whose ``predict`` is ``async def``, or that is ``thread_safe``, is asked
several cases at once.

``SystemExit``, ``KeyboardInterrupt`` and ``os._exit`` of adapter code end this
process, nothing else: pytest sees a dead host. Imports are few on purpose: the
start of a host is paid for every slot, with ``fresh_process`` for every case.
"""

from __future__ import annotations

import contextlib
import faulthandler
import inspect
import os
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters import loading
from pytest_benchbed.adapters import returned
from pytest_benchbed.adapters.channel import Channel
from pytest_benchbed.adapters.frames import VERSION
from pytest_benchbed.adapters.frames import FrameError
from pytest_benchbed.adapters.frames import pack_text
from pytest_benchbed.adapters.host_threads import serve_in_threads
from pytest_benchbed.adapters.info import places
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import Retry
from pytest_benchbed.model.errors import TechnicalFailure


class Host:
    """Answers questions about one adapter: in order, or at once if it allows that."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._cls: type[Any] | None = None
        self._problem: loading.LoadError | None = None
        self._adapter: Any = None
        self._drives: dict[str, Any] = {}
        self._runner: Any = None
        self._loop: Any = None
        """Where threads have something awaited."""
        self._starting = threading.Lock()
        self._is_ending = False
        self._is_thread_safe = False
        self._places = 1
        """Questions answered at once, where that may be several."""

    def serve(self) -> None:
        """Answer until ``close`` or the end of the pipe."""
        try:
            self._serve()
        finally:
            if self._runner is not None:
                self._runner.close()

    def _serve(self) -> None:
        while (frame := self.channel.receive()) is not None:
            if frame["op"] in ("describe", "hello"):
                self._load(frame)
            if frame["op"] == "hello" and loading.is_async(self._cls):
                import asyncio

                asyncio.run(self._serve_async(frame))
                return
            self._answer(frame)
            if frame["op"] == "close":
                return
            if frame["op"] == "hello" and self._is_thread_safe:
                serve_in_threads(self.channel.receive, self._answer_in_thread, self._places)
                return

    def _load(self, frame: Mapping[str, Any]) -> None:
        if self._cls is not None or self._problem is not None:
            # Described before: a module is imported once.
            return
        self.channel.limit = frame["frame_bytes"]
        try:
            self._cls = loading.load(frame["entry"])
        except loading.LoadError as problem:
            self._problem = problem

    def _answer(self, frame: Mapping[str, Any]) -> None:
        """Answer one question. No event loop runs around a sync adapter: it may have its own."""
        try:
            value = self._ask(frame)
            if inspect.isawaitable(value):
                value = self._await(value)
            reply = self._reply(frame, value)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            # Not only Exception: what pytest.skip raises is none, and must end here too.
            reply = self._excuse(frame, error)
        self.channel.send(reply)

    def _answer_in_thread(self, frame: Mapping[str, Any]) -> bool:
        """Answer one of several questions in flight; say whether it was the last."""
        try:
            self._answer(frame)
            return bool(frame["op"] == "close")
        except (SystemExit, KeyboardInterrupt) as error:
            # In a thread neither ends the process; the other calls end with it, as anywhere.
            traceback.print_exception(error)
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            code = error.code if isinstance(error, SystemExit) else 1
            os._exit(code & 0xFF if isinstance(code, int) else int(code is not None))

    async def _answer_async(self, frame: Mapping[str, Any]) -> None:
        """Answer one of several questions in flight."""
        try:
            value = self._ask(frame)
            if inspect.isawaitable(value):
                value = await value
            reply = self._reply(frame, value)
        except (SystemExit, KeyboardInterrupt):
            # Now, not at the end: the loop first waits for tasks that ignore being cancelled.
            self._is_ending = True
            self.channel.close()
            raise
        except BaseException as error:
            reply = self._excuse(frame, error)
        if not self._is_ending:
            self.channel.send(reply)

    async def _serve_async(self, hello: Mapping[str, Any]) -> None:
        import asyncio

        # The constructor runs inside the loop: clients made there belong to it.
        await self._answer_async(hello)
        loop = asyncio.get_running_loop()
        questions: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        free = asyncio.Semaphore(self._places)

        def read() -> None:
            # The loop is closed when the adapter ended the process meanwhile.
            with contextlib.suppress(RuntimeError, OSError, FrameError):
                while (frame := self.channel.receive()) is not None:
                    loop.call_soon_threadsafe(questions.put_nowait, frame)
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(questions.put_nowait, None)

        threading.Thread(target=read, name="benchbed-questions", daemon=True).start()
        tasks: set[asyncio.Task[None]] = set()
        while (frame := await questions.get()) is not None:
            if frame["op"] == "close":
                await self._answer_async(frame)
                return
            await free.acquire()
            task = asyncio.create_task(self._answer_async(frame))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            task.add_done_callback(lambda _: free.release())

    def _ask(self, frame: Mapping[str, Any]) -> Any:
        """Put the question to the adapter; what it returns may be awaitable."""
        op = frame["op"]
        if op in ("describe", "hello"):
            if self._problem:
                raise self._problem
            if op == "describe":
                return loading.describe(self._cls)
            assert self._cls is not None
            self._adapter = loading.build(
                self._cls, frame["options"], frame["model"], frame.get("folders", ())
            )
            return loading.version_of(self._adapter)
        if op == "supports":
            return getattr(self._adapter, "supports", _yes)(frame["benchmark"])
        if op == "prepare":
            return getattr(self._adapter, "prepare", _nothing)(_case(frame["case"]))
        if op == "close":
            return getattr(self._adapter, "close", _nothing)()
        case = _case(frame["case"])
        drive = frame["drive"]
        if drive is None:
            return self._adapter.predict(case)
        if drive not in self._drives:
            self._drives[drive] = loading.import_drive(drive)
        return self._drives[drive](self._adapter, case)

    def _reply(self, frame: Mapping[str, Any], value: Any) -> bytes:
        """Make the reply frame of what the adapter returned."""
        op = frame["op"]
        if op == "hello":
            row = loading.describe(self._adapter)
            content = returned.result_text({**row, "version": loading.check_version(value)})
            # Known to be well declared by now.
            self._places = places(row["max_concurrency"], frame["jobs"])
            self._is_thread_safe = getattr(self._adapter, "thread_safe", False)
        elif op == "supports":
            content = returned.supports_text(value)
        elif op == "prepare":
            content = returned.categories_text(value)
        elif op == "predict":
            content = returned.prediction_text(value)
        else:
            content = returned.result_text(value if op == "describe" else None)
        return self._packed(frame, content)

    def _excuse(self, frame: Mapping[str, Any], error: BaseException) -> bytes:
        """Make the reply frame of an exception."""
        try:
            if isinstance(error, NoAnswer):
                return self._packed(frame, returned.no_answer_text(error))
            if isinstance(error, Retry):
                return self._packed(frame, returned.retry_text(error))
        except Exception as problem:
            error = problem
        if isinstance(error, loading.LoadError | returned.ReplyProblem):
            # Our own words need no type in front of them.
            kind, text, cause = error.kind, str(error), error.__cause__
        elif isinstance(error, TechnicalFailure):
            kind, text, cause = returned.failure_kind(error), error.detail, error.__cause__
        else:
            kind, text, cause = "exception", loading.words(error), error
        if cause is not None:
            traceback.print_exception(cause)
        return self._packed(frame, returned.error_text(kind, type(error).__name__, text))

    def _packed(self, frame: Mapping[str, Any], content: str) -> bytes:
        try:
            return pack_text(f'{{"v":{VERSION},"id":{frame["id"]},{content}}}', self.channel.limit)
        except FrameError as error:
            raise returned.ReplyProblem("too_large", str(error)) from None

    def _await(self, value: Any) -> Any:
        """Wait for a value in the one loop of this process; several threads wait at once."""
        import asyncio

        if not self._is_thread_safe:
            if self._runner is None:
                self._runner = asyncio.Runner()
            return self._runner.run(_awaited(value))
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="benchbed-loop", daemon=True
                ).start()
        found, error = asyncio.run_coroutine_threadsafe(_tried(value), self._loop).result()
        if error is not None:
            raise error
        return found


async def _awaited(value: Any) -> Any:
    return await value


async def _tried(value: Any) -> tuple[Any, BaseException | None]:
    """Return what was awaited, or what it raised: an exit would end the loop, and no more."""
    try:
        return await value, None
    except BaseException as error:
        return None, error


def _yes(_: str) -> bool:
    return True


def _nothing(*_: Any) -> None:
    return None


def _case(row: Mapping[str, Any]) -> Case:
    return Case(
        id=row["id"],
        benchmark=row["benchmark"],
        inputs=row["inputs"],
        files={name: Path(path) for name, path in row["files"].items()},
        context=row.get("context"),
        attempt=row.get("attempt", 1),
    )


def main() -> None:
    """Serve one adapter; the two pipe ends stand in ``argv``."""
    channel = Channel.adopt(int(sys.argv[1]), int(sys.argv[2]))
    sys.argv[1:] = []
    faulthandler.enable()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")
    try:
        Host(channel).serve()
    finally:
        # Threads of the adapter may keep the process; pytest must see the end now.
        channel.close()


if __name__ == "__main__":
    main()
