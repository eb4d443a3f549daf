"""Whole pytest sessions in processes of their own, to be killed, stopped and gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.crash.hostile import leftovers
from tests.plugin.bench import WITHOUT
from tests.plugin.bench import Bench

ADAPTER = "--bench-adapter=toy_adapter:Toy"
VOLATILE = frozenset({"x"})
"""Fields of a row that no two runs share: times, and what hangs on them."""


class Session:
    """One ``pytest --bench=toy`` in a process group of its own."""

    def __init__(
        self, bench: Bench, *words: str, adapter: str = ADAPTER, code: str | None = None
    ) -> None:
        """``code``: a program that starts pytest itself, instead of ``python -m pytest``."""
        self.bench = bench
        temporary = bench.path / "tmp"
        temporary.mkdir(exist_ok=True)
        # Without the outer session, and without a measurement: it writes a file of its own at
        # the end of a process, which a full disk and a second Ctrl-C are not to meet.
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("PYTEST", "COVERAGE"))
        }
        # An adapter's scratch is below TMPDIR and is its HOME: so leftovers() finds it.
        environment = {**kept, "TMPDIR": str(temporary)}
        start = ["-m", "pytest"] if code is None else ["-c", code]
        self.process = subprocess.Popen(
            [
                sys.executable, *start, *WITHOUT, "--bench=toy", adapter, *words,
            ],
            cwd=bench.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )  # fmt: skip
        self.out = ""

    def wait_for(self, is_there: Callable[[], object]) -> None:
        """Wait until something is so; fail with the output if the session ends before."""
        until = time.monotonic() + 60
        while not is_there():
            if self.process.poll() is not None:
                raise AssertionError(f"the session ended before:\n{self.end().out}")
            if time.monotonic() > until:
                raise AssertionError("it did not happen within a minute")
            time.sleep(0.01)

    def wait_for_calls(self, count: int) -> None:
        """Wait until so many calls have reached the system."""
        self.wait_for(lambda: len(self.bench.calls()) >= count)

    def signal(self, number: int) -> None:
        """Send a signal to the controlling process alone."""
        os.kill(self.process.pid, number)

    def kill(self) -> Session:
        """Kill the controlling process at once and wait until nothing of it is left."""
        self.process.kill()
        return self.end()

    def end(self, wait_s: float = 100) -> Session:
        """Wait for the end; the output is in ``out``."""
        try:
            out, _ = self.process.communicate(timeout=wait_s)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            out, _ = self.process.communicate()
            raise AssertionError(f"the session did not end:\n{out}") from None
        self.out += out
        return self

    def adapters(self) -> dict[str, int]:
        """Return the process ids of the only adapter: ``supervisor`` and ``host``."""
        from pytest_benchbed.adapters.process_table import read_table

        children = {entry.parent: entry.pid for entry in read_table()}
        supervisor = children[self.process.pid]
        return {"supervisor": supervisor, "host": children[supervisor]}

    @property
    def code(self) -> int:
        """Its exit status."""
        return self.process.returncode

    @property
    def last_line(self) -> str:
        """Its last line that is not empty."""
        return next(line for line in reversed(self.out.splitlines()) if line.strip())

    def left(self, wait_s: float = 5.0) -> list[str]:
        """Return the processes of its adapters that still run after ``wait_s``."""
        return leftovers(self.bench.path, wait_s)


def start(bench: Bench, *words: str, **how: Any) -> Session:
    """Start a session that makes the run ``own``."""
    return Session(bench, "--bench-run=own", *words, **how)


def outcomes(bench: Bench, run_id: str = "own") -> list[str]:
    """Return the cases whose outcome is on disk, torn last line left out, in file order."""
    path = bench.path / "runs" / run_id / "calls.jsonl"
    if not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    return [line["case"] for line in lines if line["kind"] == "outcome" and line["case"]]


def open_intents(bench: Bench, run_id: str = "own") -> Counter[str]:
    """Return the cases that were asked and have no outcome on disk."""
    path = bench.path / "runs" / run_id / "calls.jsonl"
    open_ = Counter[str]()
    for line in path.read_bytes().split(b"\n")[:-1]:
        row = json.loads(line)
        open_[row["case"]] += 1 if row["kind"] == "intent" else -1
    return +open_


def stable_rows(bench: Bench, run_id: str = "own") -> list[dict[str, Any]]:
    """Return the rows of a run without what no two runs share."""
    path = bench.path / "runs" / run_id / "results.jsonl"
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [{key: value for key, value in row.items() if key not in VOLATILE} for row in rows]


def extend(bench: Bench, text: str) -> None:
    """Add to the root ``conftest.py``."""
    path: Path = bench.path / "conftest.py"
    path.write_text(path.read_text("utf-8") + text, "utf-8")
