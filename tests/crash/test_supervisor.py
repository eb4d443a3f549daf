"""The supervisor process by its own protocol: one order in, lines of JSON out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters import supervisor
from tests.crash.hostile import GRANDCHILD
from tests.crash.hostile import leftovers
from tests.crash.hostile import linux
from tests.crash.hostile import wait_for

pytestmark = linux


class Supervisor:
    """One supervisor; started as a module of the package, so that coverage can follow it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        control, self.control = os.pipe()
        self.status, status = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, supervisor.__file__, str(control), str(status)],
            pass_fds=(control, status),
            start_new_session=True,
        )
        os.close(control)
        os.close(status)
        self.lines = os.fdopen(self.status, encoding="ascii")

    def order(self, code: str = "", **changes: Any) -> None:
        order = {
            "argv": [sys.executable, "-I", "-c", GRANDCHILD + code],
            "env": {"HOME": str(self.folder), "PATH": "/usr/bin:/bin"},
            "cwd": str(self.folder),
            "stdout": str(self.folder / "out.log"),
            "stderr": str(self.folder / "err.log"),
            "cap": 10_000,
            "grace_s": 0.3,
            "linger_s": 0.3,
            "rlimits": {"CORE": 0, "NO_SUCH_LIMIT": 1},
            "secrets": {"KEY": "key-123456"},
            "fds": [],
        }
        self.say(json.dumps({**order, **changes}))

    def say(self, words: str) -> None:
        os.write(self.control, words.encode() + b"\n")

    def hear(self) -> dict[str, Any] | None:
        line = self.lines.readline()
        return json.loads(line) if line else None

    def end(self) -> None:
        os.close(self.control)
        self.process.wait(60)
        self.lines.close()


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Supervisor]:
    started = Supervisor(tmp_path)
    yield started
    started.end()
    assert leftovers(tmp_path) == []


def test_it_tells_the_start_and_the_end(one: Supervisor) -> None:
    one.order("print('out key-123456'); sys.exit('err key-123456')")

    started, ended = one.hear(), one.hear()

    assert started is not None
    assert started["started"] > 0
    assert ended == {"exit": 1, "cause": "exit", "left": 0, "last": "err [KEY]"}
    assert one.hear() is None
    assert (one.folder / "out.log").read_text() == "out [KEY]\n"


def test_it_tells_why_nothing_was_started(one: Supervisor) -> None:
    one.order(argv=["/no/such/program"])

    message = one.hear()

    assert message is not None
    assert message["errno"] == 2
    assert one.hear() is None


@pytest.mark.parametrize(
    ("command", "code", "ended"),
    [
        ("kill", "time.sleep(300)", ("killed", -signal.SIGKILL)),
        ("term", "time.sleep(300)", ("terminated", -signal.SIGTERM)),
        (
            "term",
            "time.sleep(300)  # deaf",
            ("terminated", -signal.SIGKILL),
        ),
    ],
)
def test_it_ends_the_adapter_when_told_to(
    one: Supervisor, command: str, code: str, ended: tuple[str, int]
) -> None:
    deaf = "signal.signal(15, signal.SIG_IGN); " if "deaf" in code else ""
    one.order(f"import signal, time; {deaf}outlive(); open('ready', 'w').close(); {code}")
    one.hear()
    wait_for((one.folder / "ready").exists)

    one.say(command)

    message = one.hear()
    assert message is not None
    assert (message["cause"], message["exit"], message["left"]) == (*ended, 0)
    assert leftovers(one.folder) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_itself_kills_the_adapter_first(one: Supervisor, number: int) -> None:
    one.order("import time; time.sleep(300)")
    one.hear()

    one.process.send_signal(number)

    message = one.hear()
    assert message is not None
    assert message["cause"] == "killed"


def test_it_counts_what_the_adapter_left_running(one: Supervisor) -> None:
    one.order("outlive()\noutlive()")
    one.hear()

    message = one.hear()

    assert message is not None
    assert (message["cause"], message["left"]) == ("exit", 2)


def test_it_waits_a_moment_for_children_that_end_by_themselves(one: Supervisor) -> None:
    one.order("subprocess.Popen(['sleep', '0.1'])", linger_s=60)
    one.hear()

    message = one.hear()

    assert message is not None
    assert (message["cause"], message["left"]) == ("exit", 0)


def test_it_cuts_a_flood_and_keeps_the_cap(one: Supervisor) -> None:
    one.order("while True: print('x' * 100)")
    one.hear()

    message = one.hear()

    assert message is not None
    assert message["cause"] == "output_flood"
    assert 10_000 <= (one.folder / "out.log").stat().st_size < 10_200


def test_it_kills_the_adapter_when_its_parent_closes_the_pipe(one: Supervisor) -> None:
    one.order("import time; outlive(); time.sleep(300)")
    one.hear()

    os.dup2(os.open(os.devnull, os.O_WRONLY), one.control)

    message = one.hear()
    assert message is not None
    assert message["cause"] == "killed"


def test_a_parent_that_dies_before_its_order_ends_it(one: Supervisor) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), one.control)

    assert one.hear() is None
    assert one.process.wait(60) == 0
