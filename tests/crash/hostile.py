"""Adapters written into a folder, and a look at what they left running."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.python_host import PythonHost
from pytest_benchbed.adapters.spec import AdapterSpec

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and a child subreaper")
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX processes")

QUICK = Limits(
    start_s=120, call_s=60, grace_s=30, linger_s=0.3, output_bytes=200_000, frame_bytes=100_000
)
"""Small outputs, and times that a busy machine keeps; what is to be cut sets its own."""
HASTY = replace(QUICK, grace_s=0.3)
"""For what does not end by itself."""

GRANDCHILD = """
import os, subprocess, sys
def outlive():
    # Two forks and a session of its own: neither a process group nor a parent holds it.
    if os.fork() == 0:
        os.setsid()
        subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(300)"])
        os._exit(0)
    os.wait()
"""


def case(name: str = "c1", **inputs: Any) -> dict[str, Any]:
    """Return an input-only case as a host gets it."""
    return {
        "id": name, "benchmark": "toy", "inputs": inputs, "files": {}, "context": None,
        "attempt": 1,
    }  # fmt: skip


def make_host(folder: Path, code: str, attribute: str = "predict", **settings: Any) -> PythonHost:
    """Return a host, not started, for the code of one module in ``folder``."""
    (folder / "code").mkdir(exist_ok=True)
    path = folder / "code" / "mine.py"
    path.write_text(GRANDCHILD + textwrap.dedent(code))
    limits = settings.pop("limits", QUICK)
    jobs = settings.pop("jobs", None)
    grants = {"env": (), "network": "none", "reads": (), "allow": (), **settings}
    spec = AdapterSpec(
        name="mine",
        kind="class",
        entry=f"mine:{attribute}",
        path=path,
        folder=path.parent,
        module="mine",
        attribute=attribute,
        limits=limits,
        **grants,
    )
    return PythonHost(spec, log_dir=folder / "adapter", scratch=folder / "scratch", jobs=jobs)


def log_text(folder: Path, name: str = "slot-0.stderr.log") -> str:
    """Return a log of the adapter."""
    return (folder / "adapter" / name).read_text(encoding="utf-8")


def leftovers(folder: Path, wait_s: float = 0.0) -> list[str]:
    """Return the processes that have ``folder`` in their environment or arguments.

    Every process of an adapter has, because its scratch is its HOME. Waits up
    to ``wait_s`` for the list to become empty.
    """
    until = time.monotonic() + wait_s
    while True:
        found = _marked(os.fsencode(folder))
        if not found or time.monotonic() >= until:
            return found
        time.sleep(0.05)


def wait_for(is_there: Callable[[], object], wait_s: float = 60.0) -> None:
    """Wait until something is so; fail if it does not come."""
    until = time.monotonic() + wait_s
    while not is_there():
        assert time.monotonic() < until, f"it did not happen within {wait_s:g} s"
        time.sleep(0.01)


def _marked(mark: bytes) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            arguments = (process / "cmdline").read_bytes()
            if mark in arguments or mark in (process / "environ").read_bytes():
                found.append(f"{process.name}: {arguments!r}")
        except OSError:
            continue
    return found


def zombies() -> list[int]:
    """Return the children of this process that ended and were not waited for."""
    return [entry.pid for entry in _table() if entry.parent == os.getpid() and entry.is_zombie]


def _table() -> list[Any]:
    from pytest_benchbed.adapters.process_table import read_table

    return read_table()
