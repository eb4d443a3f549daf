"""Starting without a supervisor, as on Windows; and details of the supervised start."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchbed.adapters import process
from pytest_benchbed.adapters.direct import DirectProcess
from pytest_benchbed.adapters.process import Order
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.adapters.supervised import SupervisedProcess
from pytest_benchbed.model.errors import TechnicalFailure
from tests.crash.hostile import QUICK
from tests.crash.hostile import case
from tests.crash.hostile import leftovers
from tests.crash.hostile import linux
from tests.crash.hostile import log_text
from tests.crash.hostile import make_host
from tests.crash.hostile import posix
from tests.crash.hostile import wait_for
from tests.crash.hostile import zombies

ENDS_ON_TERM = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print("ready", flush=True)
time.sleep(300)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A run's folder; nothing that was started with it may outlive the test."""
    yield tmp_path
    if sys.platform == "linux":
        assert leftovers(tmp_path) == []
        assert zombies() == []
    wait_for(lambda: not ours())


def ours() -> list[str]:
    """Return the threads of a process that was started without a supervisor."""
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if name.startswith(("benchbed-pump", "benchbed-grace"))]


def order(folder: Path, code: str, **secrets: str) -> Order:
    return Order(
        argv=[sys.executable, "-I", "-c", code],
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
        cwd=folder / "scratch",
        log_dir=folder / "adapter",
        log_name="x",
        limits=QUICK,
        redactor=Redactor(secrets),
    )


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start hosts as on a system without fork."""
    monkeypatch.setattr("pytest_benchbed.adapters.python_host.start", start_direct)


def start_direct(order: Order) -> DirectProcess:
    order.log_dir.mkdir(parents=True, exist_ok=True)
    order.cwd.mkdir(parents=True, exist_ok=True)
    return DirectProcess(order)


@pytest.mark.usefixtures("direct")
def test_without_a_supervisor_a_host_answers_and_closes(folder: Path) -> None:
    host = make_host(folder, "def predict(case):\n    print('hello')\n    return case.id")
    host.start()

    assert host.predict(case(), 60).raw == '"c1"'
    assert host.close() is None
    assert log_text(folder, "slot-0.stdout.log") == "hello\n"


@pytest.mark.usefixtures("direct")
@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("import time; time.sleep(300)", "timeout", ""),
        ("import os; os._exit(3)", "crash", "exit status 3"),
        ("import sys; sys.exit('gave up')", "crash", "stderr ends: gave up"),
        ("while True: print('x' * 1000)", "output_flood", ""),
        ("import subprocess; subprocess.Popen(['sleep', '300']).wait()", "timeout", ""),
    ],
)
def test_without_a_supervisor_a_broken_adapter_is_technical(
    folder: Path, body: str, kind: str, words: str
) -> None:
    host = make_host(folder, f"def predict(case):\n    {body}")
    host.start()

    outcome = host.predict(case(), 1.5 if kind == "timeout" else 60)
    host.kill()

    assert outcome.error is not None
    assert outcome.error["kind"] == kind
    assert words in outcome.error["detail"]


def test_without_a_supervisor_output_is_redacted(folder: Path) -> None:
    started = start_direct(order(folder, "print('key-123456')", KEY="key-123456"))

    ended = started.wait(60)

    assert ended is not None
    assert (ended.cause, ended.code) == ("exit", 0)
    assert log_text(folder, "x.stdout.log") == "[KEY]\n"


@posix
def test_without_a_supervisor_a_term_comes_before_the_kill(folder: Path) -> None:
    started = start_direct(order(folder, ENDS_ON_TERM))
    while not log_text(folder, "x.stdout.log"):
        assert started.wait(0.05) is None

    started.terminate()

    ended = started.wait(60)
    assert ended is not None
    assert (ended.cause, ended.code) == ("terminated", 7)


def test_without_a_supervisor_a_program_that_is_not_there_is_named(folder: Path) -> None:
    missing = replace(order(folder, ""), argv=[str(folder / "none")])

    with pytest.raises(TechnicalFailure, match="none"):
        start_direct(missing)


@linux
def test_a_supervised_term_comes_before_the_kill(folder: Path) -> None:
    started = process.start(order(folder, ENDS_ON_TERM))
    while not log_text(folder, "x.stdout.log"):
        assert started.wait(0.05) is None

    started.terminate()

    ended = started.wait(60)
    assert ended is not None
    assert (ended.cause, ended.code) == ("terminated", 7)
    assert started.kill() == ended


@linux
def test_the_end_of_the_control_pipe_ends_the_adapter(folder: Path) -> None:
    started = process.start(order(folder, "import time; time.sleep(300)"))
    assert isinstance(started, SupervisedProcess)

    os.dup2(os.open(os.devnull, os.O_WRONLY), started._control)

    ended = started.wait(60)
    assert ended is not None
    assert ended.cause == "killed"


@linux
def test_the_adapter_does_not_outlive_its_supervisor(folder: Path) -> None:
    started = process.start(order(folder, "import time; time.sleep(300)"))
    assert isinstance(started, SupervisedProcess)

    started._supervisor.kill()

    assert leftovers(folder, wait_s=60) == []
    ended = started.wait(60)
    assert ended is not None
    assert ended.cause == "lost"


@linux
def test_limits_of_the_system_hold_in_the_child(folder: Path) -> None:
    code = """
import json, resource as r
print(json.dumps([r.getrlimit(k) for k in (r.RLIMIT_NOFILE, r.RLIMIT_CORE, r.RLIMIT_CPU)]))
"""
    limits = replace(QUICK, open_files=99, cpu_s=30)

    process.start(replace(order(folder, code), limits=limits)).wait(60)

    seen = json.loads(log_text(folder, "x.stdout.log"))
    assert seen == [[99, 99], [0, 0], [30, 30]]


@linux
def test_waiting_in_two_threads_gives_both_the_end(folder: Path) -> None:
    started = process.start(order(folder, "import time; time.sleep(0.3)"))
    ends = []
    threads = [threading.Thread(target=lambda: ends.append(started.wait(60))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(ends) == 2
    assert ends[0] == ends[1] is not None


@linux
def test_a_log_that_cannot_be_written_is_a_failed_start(folder: Path) -> None:
    (folder / "adapter" / "x.stderr.log").mkdir(parents=True)

    with pytest.raises(TechnicalFailure, match="start"):
        process.start(order(folder, "pass"))
