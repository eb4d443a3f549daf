"""The toy benchmark with a hostile system, and what a session with it must come to."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.data.pin import pin
from pytest_benchbed.runs.read import Run
from tests.crash.hostile import leftovers
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.bench import write_lines
from tests.plugin.programs import write_executable

CANARY = "c0ffee" * 5 + "42"
CASES = ("t-001", "t-002", "t-003")
VICTIM = "t-002"
"""The case at which a Python adapter misbehaves."""

PYTHON = """
import ctypes, gc, os, pathlib, signal, subprocess, sys, threading, time
import pytest_benchbed
from pytest_benchbed import Adapter, Usage

ROOT = pathlib.Path({root!r})
RUN = ROOT / "runs" / "own"
GOOD = {{"main": [], "side": []}}


def outlive():
    # Two forks and a session of its own: neither a process group nor a parent holds it.
    if os.fork() == 0:
        os.setsid()
        subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(300)"])
        os._exit(0)
    os.wait()


{before}


class Hostile(Adapter):
    version = "1"
    deterministic = True
    paid = False
{declared}

    def predict(self, case):
        if case.id == {victim!r}:
{how}
        return GOOD

{methods}
"""

LIMITS = {"start_s": 120, "call_s": 60, "grace_s": 5, "linger_s": 0.3}
"""Graces that a busy machine keeps; what is to be cut by them sets its own."""


class Repository(Bench):
    """A toy benchmark of three cases; the run of a session is ``own``."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        """Write type, dataset and an adapter without a fault."""
        super().__init__(pytester)
        self.make(len(CASES))
        self.adapter = "hostile_adapter:Hostile"

    def python(
        self, how: str, *, before: str = "", declared: str = "", methods: str = ""
    ) -> Repository:
        """Write a Python adapter that does ``how`` when it is asked for the victim."""
        text = PYTHON.format(
            root=str(self.path),
            victim=VICTIM,
            how=indented(how or "pass", 12),
            before=textwrap.dedent(before),
            declared=indented(declared, 4),
            methods=indented(methods, 4),
        )
        (self.path / "hostile_adapter.py").write_text(text, encoding="utf-8")
        return self

    def add_file(self, name: str) -> Repository:
        """Give the victim an input file."""
        shutil.rmtree(self.dataset)
        self.dataset.mkdir(parents=True)
        (self.dataset / name).write_text("as it was", encoding="utf-8")
        rows: list[dict[str, Any]] = [{"id": case, "inputs": {}} for case in CASES]
        rows[CASES.index(VICTIM)]["files"] = [name]
        write_lines(self.dataset / "cases.jsonl", rows)
        answers = [{"id": case, "answer": {"text": case}, "canary": CANARY} for case in CASES]
        write_lines(self.dataset / "answers.jsonl", answers)
        pin(self.dataset, benchmark="toy", id="toy-v1", visibility="public")
        return self

    def sweep(self) -> None:
        """Wait until nothing of a killed session runs, and remove its folders."""
        assert leftovers(self.path, wait_s=60) == []
        for folder in (self.path / "temporary").iterdir():
            shutil.rmtree(folder)

    def tricks(self, hows: Mapping[str, str], at_once: int = 1) -> Repository:
        """Write an adapter that has one case for each trick, with good cases around them.

        A good case between two of them shows that the next is asked as ever.
        """
        self.make_again(2 * len(hows) + 1)
        self.python("pass")
        methods = "".join(
            f"def trick_{number}(self, case):\n{indented(how, 4)}\n    return GOOD\n"
            for number, how in enumerate(hows.values(), start=1)
        )
        methods += "def predict(self, case):\n"
        methods += "    number = int(case.id[2:])\n"
        methods += (
            "    return GOOD if number % 2 else getattr(self, f'trick_{number // 2}')(case)\n"
        )
        return self.python("pass", declared=f"max_concurrency = {at_once}", methods=methods)

    def make_again(self, count: int) -> None:
        """Make the dataset with another number of cases."""
        shutil.rmtree(self.dataset)
        self.make(count)

    def assert_tricks_are_technical(
        self, result: pytest.RunResult, names: list[str]
    ) -> dict[str, str]:
        """Say that every trick is technical, every good case scored; return the reasons."""
        printed = result.stdout.str()
        assert result.ret == pytest.ExitCode.TESTS_FAILED, printed
        assert last_line(result).startswith("benchbed: gate BLOCKED: "), printed
        rows = self.own.rows()
        tricks = {f"t-{2 * number:03}": name for number, name in enumerate(names, start=1)}
        states = {case: row["state"] for case, row in rows.items()}
        expected = {case: "technical" if case in tricks else "scored" for case in rows}
        assert states == expected, printed
        assert result.parseoutcomes() == {"passed": len(names) + 1, "errors": len(names)}
        record = self.own.record
        assert record.gate is not None
        assert (record.status, record.gate.status) == ("completed", "blocked")
        assert {entry.case for entry in record.technical} == set(tricks)
        # No score at all, not even a zero.
        assert all((rows[case]["errors"], rows[case]["quality"]) == ({}, None) for case in tricks)
        return {name: rows[case]["reason"] for case, name in tricks.items()}

    def executable(self, how: str) -> Repository:
        """Write an executable that does ``how`` before it writes its result."""
        write_executable(self, textwrap.dedent(how).strip())
        self.adapter = "./system"
        return self

    def limits(self, **limits: float) -> Repository:
        """Set limits of the adapter, and what else its bench file says of it."""
        return self.bench_file(limits=limits)

    def bench_file(self, **adapter: Any) -> Repository:
        """Write the bench file: the adapter ``mine`` with these fields."""
        limits = {**LIMITS, **adapter.pop("limits", {})}
        value = {
            "schema": "benchbed.bench.v1",
            "adapter": "mine",
            "adapters": {"mine": {"entry": self.adapter, "limits": limits, **adapter}},
        }
        path = self.path / "cases" / "toy" / "bench.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return self

    def session(self, *arguments: str) -> pytest.RunResult:
        """Run the benchmark as run ``own``."""
        if not (self.path / "cases" / "toy" / "bench.json").exists():
            self.bench_file()
        if not any(word.startswith("--bench-r") for word in arguments):
            arguments = ("--bench-run=own", *arguments)
        return self.pytest("--bench=toy", *arguments)

    @property
    def own(self) -> Run:
        """The run of the session."""
        return self.saved("own")

    def log_text(self, name: str = "slot-0.stderr.log") -> str:
        """Return a log of the adapter."""
        return (self.own.paths.adapter / name).read_text("utf-8")


def indented(code: str, spaces: int) -> str:
    """Return lines of code at a depth."""
    return textwrap.indent(textwrap.dedent(code).strip("\n"), " " * spaces)


def assert_technical(
    repository: Repository,
    result: pytest.RunResult,
    *,
    cases: tuple[str, ...],
    kind: str,
    words: str = "",
    whose: str = "adapter",
    status: str = "completed",
) -> None:
    """Say that ``cases`` are technical with this cause and nothing else is: never green.

    ``cases`` empty: all are scored, and the run itself has the failure.
    """
    printed = result.stdout.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED, printed
    assert last_line(result).startswith("benchbed: gate BLOCKED: "), printed
    outcomes = result.parseoutcomes()
    assert outcomes.get("errors", 0) == len(cases), printed
    assert outcomes.get("passed", 0) == len(CASES) - len(cases), printed
    assert "skipped" not in outcomes
    assert "failed" not in outcomes
    record = repository.own.record
    assert record.status == status
    assert record.gate is not None
    assert record.gate.status == "blocked"
    rows = repository.own.rows()
    assert {case for case, row in rows.items() if row["state"] == "technical"} == set(cases)
    assert {row["state"] for row in rows.values()} <= {"technical", "scored"}
    for case in cases:
        # No score at all, not even a zero.
        assert (rows[case]["errors"], rows[case]["quality"]) == ({}, None)
        assert f"{whose}: {kind}" in rows[case]["reason"]
        assert case in printed
    wanted = {(case, whose, kind) for case in cases} or {(None, whose, kind)}
    found = {(entry.case, entry.whose, entry.kind) for entry in record.technical}
    assert wanted <= found, found
    details = [entry.detail for entry in record.technical if entry.kind == kind]
    assert any(words in detail for detail in details), details


def folder_bytes(folder: Path) -> dict[Path, bytes]:
    """Return the bytes of every regular file below ``folder``."""
    return {
        path: path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
