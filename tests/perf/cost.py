"""What a child process and everything it started cost: CPU time and peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROUNDS = "BENCHBED_PERF_ROUNDS"
"""The variable that says how often each figure is measured: processes in between inherit it."""
_LIGHT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def rounds() -> int:
    """Return how often each figure is measured; the least counts."""
    return int(os.environ.get(ROUNDS, "3"))


class Cost(NamedTuple):
    """CPU seconds of the process tree, and the peak of its largest process."""

    cpu_s: float
    peak_mib: float


class Session(NamedTuple):
    """A pytest session to be measured."""

    arguments: Sequence[str]
    folder: Path
    statuses: Sequence[int] = (0,)


def pytest_session(session: Session) -> Cost:
    """Run pytest without the plugins that happen to be installed; both sides pay the same."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *session.arguments]
    return child(words, session.folder, session.statuses)


def child(words: Sequence[str], folder: Path, statuses: Sequence[int] = (0,)) -> Cost:
    """Run a command to its end.

    ``wait4`` counts the descendants that were waited for, which is all of them:
    our supervisor leaves no process behind.
    """
    environment: Mapping[str, str] = {**os.environ, **_LIGHT}
    log = folder / "output.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    if code not in statuses:
        tail = log.read_text("utf-8", "replace")[-2_000:]
        raise RuntimeError(f"{' '.join(words)} ended with {code}, not {statuses}:\n{tail}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


def alternately(*runs: Callable[[], Cost]) -> list[Cost]:
    """Run each in turn, in rounds, and return the least cost of each: noise only adds."""
    measured = [[run() for run in runs] for _ in range(rounds())]
    return [
        Cost(min(cost.cpu_s for cost in costs), min(cost.peak_mib for cost in costs))
        for costs in zip(*measured, strict=True)
    ]
