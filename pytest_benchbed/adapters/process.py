"""Start one adapter process so that nothing of it is ever left running.

On POSIX systems a small supervisor process stands between pytest and the
adapter (:mod:`.supervised`, :mod:`.supervisor`); elsewhere :mod:`.direct` does
what is possible. Both keep standard output and error in capped, redacted files
and give the same :class:`Exit`.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from typing import Protocol

from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term

Cause = Literal["exit", "killed", "terminated", "output_flood", "lost"]


@dataclass(frozen=True, slots=True)
class Order:
    """What to start, and how."""

    argv: Sequence[str]
    """Argument list; there is no shell. It holds no secret and no answer."""
    env: Mapping[str, str]
    cwd: Path
    log_dir: Path
    log_name: str
    """The output goes to ``<log_name>.stdout.log`` and ``<log_name>.stderr.log``."""
    limits: Limits
    redactor: Redactor
    fds: Sequence[int] = ()
    """Inherited besides standard input (empty), output and error."""

    @property
    def stdout(self) -> Path:
        """File of the standard output."""
        return self.log_dir / f"{self.log_name}.stdout.log"

    @property
    def stderr(self) -> Path:
        """File of the standard error."""
        return self.log_dir / f"{self.log_name}.stderr.log"

    @property
    def log(self) -> str:
        """The error log as it is named in messages: folder and file."""
        return f"{self.log_dir.name}/{self.stderr.name}"


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended; by then all its descendants are gone."""

    cause: Cause
    code: int | None
    """Exit status, minus the number of the signal, or None if it could not be learnt."""
    left: int = 0
    """Descendants that were still running after an end of its own, and were killed."""
    last_line: str = ""
    """Last line of standard error, redacted and escaped."""

    def describe(self) -> str:
        """Return it in words: ``exit status 3; stderr ends: ValueError: …``."""
        if self.cause == "output_flood":
            return "it wrote more output than is kept, and was killed"
        if self.code is None:
            text = "ended in an unknown way"
        elif self.code < 0:
            text = f"killed by {signal_name(-self.code)}"
        else:
            text = f"exit status {self.code}"
        return f"{text}; stderr ends: {self.last_line}" if self.last_line else text


class Process(Protocol):
    """A running adapter with everything it started."""

    pid: int

    def wait(self, timeout_s: float | None) -> Exit | None:
        """Wait for its end; None if it still runs after ``timeout_s``. Any thread may call."""

    def terminate(self) -> None:
        """Send SIGTERM, and kill after the grace of the limits; returns at once."""

    def kill(self) -> Exit:
        """Kill it and all its descendants now; returns when they are gone."""


def start(order: Order) -> Process:
    """Start an adapter.

    Raises:
        TechnicalFailure: ``not_executable`` (no permission, no such interpreter,
            no program), or ``start`` if the system refuses.
    """
    order.log_dir.mkdir(parents=True, exist_ok=True)
    order.cwd.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        from pytest_benchbed.adapters.direct import DirectProcess

        return DirectProcess(order)
    else:
        from pytest_benchbed.adapters.supervised import SupervisedProcess

        return SupervisedProcess(order)


def inherited_number(fd: int) -> int:
    """Return what the child calls ``fd``: its number, on Windows its handle."""
    if sys.platform == "win32":
        import msvcrt

        return msvcrt.get_osfhandle(fd)
    return fd


def signal_name(number: int) -> str:
    """Return ``SIGSEGV`` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def start_failure(program: str, error: OSError) -> TechnicalFailure:
    """Return why a program could not be started, with what to do."""
    import errno

    name = term(Path(program).name, 60)
    where = term(program)
    if error.errno == errno.EACCES:
        detail = f"{name} is not executable; run chmod +x on it"
        if program.endswith(".py"):
            detail += f" (a Python adapter is named {name}:NAME)"
    elif error.errno == errno.ENOEXEC:
        detail = f"{name} is no program: its first line must be #! and an interpreter"
    elif error.errno == errno.ENOENT and Path(program).exists():
        detail = f"the interpreter in the first line of {name} does not exist"
    else:
        return TechnicalFailure("start", str(error.strerror or error), where=where)
    return TechnicalFailure("not_executable", detail, where=where)
