"""How many calls a second the adapter ``http`` makes of a server that takes 50 ms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.perf.cost import Session
from tests.perf.cost import pytest_session
from tests.perf.cost import rounds
from tests.perf.workspace import BENCHMARK
from tests.perf.workspace import Workspace

ROOT = Path(__file__).parents[2]
JOBS = 16
DELAY_S = 0.05


def calls_per_second(space: Workspace) -> float:
    """Return the best of several sessions, as the server counts them."""
    return max(_measured(space, number) for number in range(rounds()))


def _measured(space: Workspace, number: int) -> float:
    command = [sys.executable, "-m", "tests.perf.http_server", str(DELAY_S)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        options = {"url": f"http://127.0.0.1:{port}/ask", "result": "/answer", "key": "text"}
        words = [f"--bench-adapter-option={name}={value}" for name, value in options.items()]
        words += ["-p", "benchbed", f"--bench={BENCHMARK}", "--bench-adapter=http"]
        words += [f"--bench-jobs={JOBS}", f"--bench-run=http-{number}-{os.getpid()}"]
        pytest_session(Session(words, space.path))
        told, _ = server.communicate()
    counted = json.loads(told)
    assert counted["calls"] == space.count, counted
    return float(counted["per_s"])


if __name__ == "__main__":
    made = Workspace(Path(sys.argv[1]), int(sys.argv[2]))
    made.write()
    rate = calls_per_second(made)
    print(f"{rate:.0f} calls a second, {rate * DELAY_S / JOBS:.0%} of {JOBS / DELAY_S:g}")
