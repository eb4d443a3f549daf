"""Start an adapter without a supervisor: where there is no fork (Windows).

Output is kept by two threads of ours. Descendants die with the process as far
as the system can name them (``taskkill /T``, on POSIX the process group).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO
from typing import Any

from pytest_benchbed.adapters.logs import CappedLog
from pytest_benchbed.adapters.process import Exit
from pytest_benchbed.adapters.process import Order
from pytest_benchbed.adapters.process import inherited_number
from pytest_benchbed.adapters.process import start_failure

BLOCK = 64 * 1024
PUMP_WAIT_S = 2.0
TASKKILL = str(Path(os.environ.get("SYSTEMROOT", "")) / "System32" / "taskkill.exe")


class DirectProcess:
    """An adapter process started by ourselves; see :class:`.process.Process`."""

    def __init__(self, order: Order) -> None:
        """Start it (``TechnicalFailure`` as :func:`.process.start` says)."""
        self._grace_s = order.limits.grace_s
        self._cause = "exit"
        self._exit: Exit | None = None
        self._ending = threading.RLock()
        self._grace: threading.Timer | None = None
        try:
            self._popen = subprocess.Popen(
                list(order.argv),
                env=dict(order.env),
                cwd=order.cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **_inheritance(order.fds),
            )
        except OSError as error:
            raise start_failure(order.argv[0], error) from None
        self.pid = self._popen.pid
        self._logs = []
        self._pumps = []
        for stream, path in (
            (self._popen.stdout, order.stdout),
            (self._popen.stderr, order.stderr),
        ):
            assert stream is not None
            log = CappedLog(str(path), cap=order.limits.output_bytes, redactor=order.redactor)
            pump = threading.Thread(
                target=self._pump, args=(stream, log), name=f"benchbed-pump-{path.name}"
            )
            pump.daemon = True
            pump.start()
            self._logs.append(log)
            self._pumps.append(pump)

    def wait(self, timeout_s: float | None) -> Exit | None:
        """Wait for the end; None if it still runs after ``timeout_s``."""
        try:
            code = self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        with self._ending:
            if self._exit is None:
                if self._grace is not None:
                    # Later its process id may be another program's.
                    self._grace.cancel()
                self._kill_tree()
                for pump in self._pumps:
                    # A survivor may hold the pipe; its thread is a daemon and is left.
                    pump.join(PUMP_WAIT_S)
                self._exit = Exit(
                    cause=self._cause,  # type: ignore[arg-type]
                    code=code,
                    last_line=self._logs[1].last_line,
                )
        return self._exit

    def terminate(self) -> None:
        """Ask it to end; a timer kills it after the grace."""
        self._cause = "terminated"
        with contextlib.suppress(OSError):
            self._popen.terminate()
        timer = self._grace = threading.Timer(self._grace_s, self._kill_tree)
        timer.name = "benchbed-grace"
        timer.daemon = True
        timer.start()

    def kill(self) -> Exit:
        """Kill it and what the system knows of its descendants."""
        if self._exit is None and self._cause == "exit":
            self._cause = "killed"
        self._kill_tree()
        ended = self.wait(None)
        assert ended is not None
        return ended

    def _pump(self, stream: IO[bytes], log: CappedLog) -> None:
        try:
            while data := os.read(stream.fileno(), BLOCK):
                log.feed(data)
                if log.is_flooded and self._cause == "exit":
                    self._cause = "output_flood"
                    self._kill_tree()
        except BaseException:
            # An exception in a thread of ours would fail a test of the user.
            self._kill_tree()
        finally:
            with contextlib.suppress(OSError):
                log.close()
                stream.close()

    def _kill_tree(self) -> None:
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                subprocess.run(
                    [TASKKILL, "/F", "/T", "/PID", str(self.pid)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    check=False,
                )
            else:
                os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._popen.kill()


def _inheritance(fds: Any) -> dict[str, Any]:
    """Return the arguments of ``Popen`` that hand over exactly ``fds``."""
    if sys.platform == "win32":
        handles = [inherited_number(fd) for fd in fds]
        for handle in handles:
            os.set_handle_inheritable(handle, True)
        startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles})
        return {
            "close_fds": True,
            "startupinfo": startup,
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP,
        }
    return {"pass_fds": tuple(fds), "start_new_session": True}
