"""The parent's side of the supervisor: start it, ask it to kill, learn the end."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.process import Exit
from pytest_benchbed.adapters.process import Order
from pytest_benchbed.adapters.process import start_failure
from pytest_benchbed.adapters.process_table import kill_marked
from pytest_benchbed.model.errors import TechnicalFailure

# POSIX alone: process.py starts it nowhere else, and type checkers for Windows stop here.
assert sys.platform != "win32"

SUPERVISOR = Path(__file__).with_name("supervisor.py")
KILL_WAIT_S = 15.0


class SupervisedProcess:
    """An adapter process below its supervisor; see :class:`.process.Process`."""

    def __init__(self, order: Order) -> None:
        """Start it (``TechnicalFailure`` as :func:`.process.start` says)."""
        control_read, self._control = os.pipe()
        self._status, status_write = os.pipe()
        os.set_blocking(self._status, False)
        self._lines = b""
        self._exit: Exit | None = None
        self._is_closed = False
        self._reading = threading.RLock()
        self._writing = threading.Lock()
        self.pid = 0
        self._mark = f"HOME={order.env.get('HOME', '')}"
        try:
            # No PR_SET_PDEATHSIG here: it fires when the *thread* that started the
            # supervisor ends. The end of the control pipe tells it that we died.
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SUPERVISOR), str(control_read), str(status_write)],
                env={"LANG": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(control_read, status_write, *order.fds),
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._control)
            os.close(self._status)
            raise start_failure(sys.executable, error) from None
        finally:
            os.close(control_read)
            os.close(status_write)
        self._begin(order)

    def wait(self, timeout_s: float | None) -> Exit | None:
        """Wait for the end; None if it still runs after ``timeout_s`` (None: for ever)."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        if not self._reading.acquire(timeout=-1 if timeout_s is None else max(timeout_s, 0)):
            return self._exit
        try:
            while self._exit is None:
                message = self._next_message(deadline)
                if message is None:
                    return None
                if "exit" in message or not message:
                    self._conclude(message)
            return self._exit
        finally:
            self._reading.release()

    def terminate(self) -> None:
        """Send SIGTERM to the adapter; the supervisor kills it after the grace."""
        self._command(b"term\n")

    def kill(self) -> Exit:
        """Kill the adapter and all descendants; returns when they are gone."""
        self._command(b"kill\n")
        ended = self.wait(KILL_WAIT_S)
        if ended is None:
            # Stopped or starved: then its own death kills the adapter (PDEATHSIG).
            self._supervisor.kill()
            with self._reading:
                if self._exit is None:
                    self._conclude({})
        ended = self._exit
        assert ended is not None
        return ended

    def _begin(self, order: Order) -> None:
        message = {
            "argv": list(order.argv),
            "env": dict(order.env),
            "cwd": str(order.cwd),
            "stdout": str(order.stdout.absolute()),
            "stderr": str(order.stderr.absolute()),
            "cap": order.limits.output_bytes,
            "grace_s": order.limits.grace_s,
            "linger_s": order.limits.linger_s,
            "rlimits": order.limits.rlimits(),
            "secrets": order.redactor.values,
            "fds": list(order.fds),
        }
        self._command(json.dumps(message).encode("ascii") + b"\n")
        with self._reading:
            answer = self._next_message(time.monotonic() + order.limits.start_s)
            if answer and "started" in answer:
                self.pid = answer["started"]
                return
            self._supervisor.kill()
            self._conclude({})
        if answer and answer.get("errno"):
            error = OSError(answer["errno"], os.strerror(answer["errno"]))
            raise start_failure(order.argv[0], error)
        detail = (answer or {}).get("failed") or "its supervisor process did not start"
        raise TechnicalFailure("start", str(detail), where=order.log)

    def _next_message(self, deadline: float | None) -> dict[str, Any] | None:
        """Return the next line of the supervisor; ``{}`` if it died, None at the deadline."""
        while b"\n" not in self._lines:
            poll = select.poll()
            poll.register(self._status, select.POLLIN)
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            # Rounded up: a wait of 0.4 ms must not become a busy loop of 0 ms waits.
            if not poll.poll(None if remaining is None else int(remaining * 1000) + 1):
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                continue
            with contextlib.suppress(BlockingIOError):
                data = os.read(self._status, 65536)
                if not data:
                    return {}
                self._lines += data
        line, _, self._lines = self._lines.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def _conclude(self, message: dict[str, Any]) -> None:
        """Keep how it ended, reap the supervisor and give the pipes back."""
        if not message and self.pid:
            # The supervisor died first; what has its session or scratch still dies.
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
            kill_marked(self.pid, self._mark)
        with self._writing:
            self._is_closed = True
            os.close(self._control)
        os.close(self._status)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._supervisor.wait(KILL_WAIT_S)
        self._exit = Exit(
            cause=message.get("cause", "lost"),
            code=message.get("exit"),
            left=message.get("left", 0),
            last_line=message.get("last", ""),
        )

    def _command(self, words: bytes) -> None:
        with self._writing, contextlib.suppress(OSError):
            view = memoryview(words)
            while view and not self._is_closed:
                view = view[os.write(self._control, view) :]
