"""The small process between pytest and an adapter; it leaves no process behind.

Started as ``python -I -S supervisor.py CONTROL STATUS`` with two pipe ends. It
reads one line of JSON (the order) from CONTROL, starts the adapter in a session
of its own, keeps its output in files, and writes lines of JSON to STATUS:
``{"started": pid}`` or ``{"failed": …, "errno": n}``, and at the end
``{"exit": code, "cause": …, "left": n, "last": text}``.

It kills all descendants (as their *subreaper* on Linux it inherits those whose
parent died, so double forks do not escape) when the adapter ends, when it is
told to (``kill``, ``term``), when the output is flooded, and when pytest dies,
which closes CONTROL. Killing only the child, or its process group, leaves
grandchildren that have a session of their own.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from typing import Any

if TYPE_CHECKING:
    from pytest_benchbed.adapters.logs import CappedLog

# POSIX alone: process.py starts it nowhere else, and type checkers for Windows stop here.
assert sys.platform != "win32"

BLOCK = 64 * 1024
SWEEP_S = 10.0
IDLE_S = 1.0
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Supervisor:
    """Runs one order to its end."""

    def __init__(self, order: dict[str, Any], control: int, status: int) -> None:
        self.order = order
        self.control = control
        self.status = status
        self.parent = os.getppid()
        self.selector = selectors.DefaultSelector()
        self.logs: dict[int, CappedLog] = {}
        self.child = 0
        self.code: int | None = None
        self.cause = ""
        self.kill_at: float | None = None
        self.linger_until: float | None = None
        self.errors: CappedLog | None = None

    def run(self) -> None:
        """Start, watch, sweep, report."""
        try:
            self._start()
        except (OSError, subprocess.SubprocessError) as error:
            number = error.errno if isinstance(error, OSError) else None
            self._say({"failed": str(error), "errno": number})
            return
        self._say({"started": self.child})
        try:
            while not self._is_over():
                self._step()
        finally:
            self._finish()

    def _start(self) -> None:
        from pytest_benchbed.adapters.logs import CappedLog
        from pytest_benchbed.adapters.redaction import Redactor

        order = self.order
        redactor = Redactor(order["secrets"])
        outputs = []
        for name in ("stdout", "stderr"):
            log = CappedLog(order[name], cap=order["cap"], redactor=redactor)
            reading, writing = os.pipe()
            os.set_blocking(reading, False)
            self.selector.register(reading, selectors.EVENT_READ, self._pump)
            self.logs[reading] = log
            outputs.append(writing)
            self.errors = log
        self._watch_signals()
        os.set_blocking(self.control, False)
        self.selector.register(self.control, selectors.EVENT_READ, self._obey)
        child = subprocess.Popen(
            order["argv"],
            env=order["env"],
            cwd=order["cwd"],
            stdin=subprocess.DEVNULL,
            stdout=outputs[0],
            stderr=outputs[1],
            pass_fds=order["fds"],
            start_new_session=True,
            preexec_fn=_before_exec(order["rlimits"], os.getpid()),
        )
        # From here on only waitpid(-1) reaps; Popen must not try at its end.
        child.returncode = 0
        self.child = child.pid
        for fd in [*outputs, *order["fds"]]:
            os.close(fd)

    def _watch_signals(self) -> None:
        """Wake the selector when a child ends or somebody wants us to end."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self._end("killed"))
        self.selector.register(reading, selectors.EVENT_READ, self._drain_wakeups)
        if sys.platform == "linux":
            _prctl(PR_SET_CHILD_SUBREAPER, 1)

    def _step(self) -> None:
        now = time.monotonic()
        deadlines = [self.kill_at, self.linger_until, now + IDLE_S]
        soonest = min(deadline for deadline in deadlines if deadline is not None)
        for key, _ in self.selector.select(max(0.0, soonest - now)):
            key.data(key.fd)
        has_children = self._reap()
        now = time.monotonic()
        if self.code is not None and self.linger_until is None:
            self.linger_until = now + self.order["linger_s"]
        # The write end of CONTROL may live on in a process that pytest forked.
        if os.getppid() != self.parent:
            self._end("killed")
        elif self.kill_at is not None and now >= self.kill_at:
            self._end("terminated")
        elif self.linger_until is not None and (not has_children or now >= self.linger_until):
            self._end("exit" if self.kill_at is None else "terminated")

    def _is_over(self) -> bool:
        return bool(self.cause)

    def _end(self, cause: str) -> None:
        self.cause = self.cause or cause

    def _obey(self, fd: int) -> None:
        """Follow a command of the parent; the end of the pipe is its death."""
        with contextlib.suppress(BlockingIOError):
            words = os.read(fd, BLOCK)
            if not words or b"kill" in words:
                self._end("killed")
            elif b"term" in words and self.kill_at is None:
                self.kill_at = time.monotonic() + self.order["grace_s"]
                with contextlib.suppress(OSError):
                    os.killpg(self.child, signal.SIGTERM)

    def _drain_wakeups(self, fd: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(fd, BLOCK)

    def _pump(self, fd: int) -> bool:
        """Move output to its log; False when there is none at the moment."""
        try:
            data = os.read(fd, BLOCK)
        except BlockingIOError:
            return False
        if not data:
            self.selector.unregister(fd)
            os.close(fd)
            self.logs.pop(fd).close()
            return False
        log = self.logs[fd]
        log.feed(data)
        if log.is_flooded:
            self._end("output_flood")
        return True

    def _reap(self) -> bool:
        """Collect children that ended; say whether there are others."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.child:
                self.code = os.waitstatus_to_exitcode(status)

    def _finish(self) -> None:
        left = self._sweep()
        for fd in list(self.logs):
            # A survivor (only without /proc) could go on writing for ever.
            for _ in range(2 * self.order["cap"] // BLOCK + 2):
                if not self._pump(fd):
                    break
        for log in self.logs.values():
            log.close()
        self._say(
            {
                "exit": self.code,
                "cause": self.cause or "lost",
                "left": left if self.cause == "exit" else 0,
                "last": self.errors.last_line if self.errors else "",
            }
        )

    def _sweep(self) -> int:
        """Kill all descendants and reap them; return how many were alive before."""
        from pytest_benchbed.adapters.process_table import descendants
        from pytest_benchbed.adapters.process_table import read_table

        first: int | None = None
        deadline = time.monotonic() + SWEEP_S
        while True:
            if self.code is None:
                with contextlib.suppress(OSError):
                    os.killpg(self.child, signal.SIGKILL)
            alive = [e for e in descendants(read_table(), os.getpid()) if not e.is_zombie]
            first = len(alive) if first is None else first
            for entry in alive:
                with contextlib.suppress(OSError):
                    os.kill(entry.pid, signal.SIGKILL)
            if not self._reap() or time.monotonic() > deadline:
                return first
            time.sleep(0.002)

    def _say(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            os.write(self.status, json.dumps(message).encode("ascii") + b"\n")


def _before_exec(rlimits: dict[str, int], supervisor: int) -> Callable[[], None]:
    """Return what the child does before it becomes the adapter."""
    import resource

    prctl = _load_prctl() if sys.platform == "linux" else None

    def prepare() -> None:
        if prctl:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != supervisor:
                os._exit(97)
        for name, value in rlimits.items():
            kind = getattr(resource, f"RLIMIT_{name}", None)
            if kind is not None:
                _, hard = resource.getrlimit(kind)
                top = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.setrlimit(kind, (top, top))

    return prepare


def _load_prctl() -> Callable[..., int]:
    import ctypes

    prctl: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    return prctl


def _prctl(option: int, value: int) -> None:
    _load_prctl()(option, value, 0, 0, 0)


def read_order(control: int) -> dict[str, Any]:
    """Read the first line of the control pipe (``EOFError`` if pytest died before)."""
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(control, BLOCK)
        if not part:
            raise EOFError
        line += part
    order: dict[str, Any] = json.loads(line)
    return order


def main() -> None:
    """Run as a process of its own."""
    control, status = int(sys.argv[1]), int(sys.argv[2])
    # -S leaves site-packages out; appended, so nothing there hides the standard library.
    # No pathlib here: its import is a tenth of the start of a host.
    sys.path.append(__file__.rsplit(os.sep, 3)[0])
    with contextlib.suppress(EOFError):
        Supervisor(read_order(control), control, status).run()


if __name__ == "__main__":
    main()
