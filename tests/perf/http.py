"""How many calls a second the adapter ``http`` makes of a server that takes 50 ms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

from tests.perf.cost import Session
from tests.perf.cost import pytest_session
from tests.perf.cost import rounds
from tests.perf.workspace import BENCHMARK
from tests.perf.workspace import Workspace

ROOT = Path(__file__).parents[2]
JOBS = 16
DELAY_S = 0.05


class Rates(NamedTuple):
    """Calls a second as the server counts them, the best of several rounds."""

    ours: float
    bare: float
    """Of as many threads that do nothing but ask with the same library, side by side."""


def rates(space: Workspace) -> Rates:
    """Measure both, in turns."""
    found = [
        (_served(partial(_session, space, number)), _served(partial(_ask, space.count)))
        for number in range(rounds())
    ]
    return Rates(*(max(column) for column in zip(*found, strict=True)))


def _served(work: Callable[[int], object]) -> float:
    """Return the calls a second that a server of its own counts while ``work(port)`` goes on."""
    command = [sys.executable, "-m", "tests.perf.http_server", str(DELAY_S)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        work(int(server.stdout.readline()))
        told, _ = server.communicate()
    return float(json.loads(told)["per_s"])


def _session(space: Workspace, number: int, port: int) -> None:
    options = {"url": f"http://127.0.0.1:{port}/ask", "result": "/answer", "key": "text"}
    words = [f"--bench-adapter-option={name}={value}" for name, value in options.items()]
    words += ["-p", "benchbed", f"--bench={BENCHMARK}", "--bench-adapter=http"]
    words += [f"--bench-jobs={JOBS}", f"--bench-run=http-{number}-{os.getpid()}"]
    pytest_session(Session(words, space.path))


def _ask(count: int, port: int) -> None:
    def work() -> None:
        connection = HTTPConnection("127.0.0.1", port)
        for _ in range(count // JOBS):
            connection.request("POST", "/ask", b'{"text": "a short text"}')
            assert json.loads(connection.getresponse().read())
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(JOBS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    made = Workspace(Path(sys.argv[1]), int(sys.argv[2]))
    made.write()
    found = rates(made)
    ideal = JOBS / DELAY_S
    print(f"{found.ours:.0f} calls a second, {found.ours / ideal:.0%} of {ideal:g}; ", end="")
    print(f"{found.bare:.0f} of a bare client")
