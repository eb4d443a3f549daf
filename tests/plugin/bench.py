"""A small benchmark with a scripted system, for tests from the outside.

``Bench`` writes a repository (dataset, type, adapter) into pytester's folder
and runs pytest there. The system's reply to a case is scripted: a list of
errors that its prediction has, or a word for what goes wrong. Every call that
reaches the system is a line in ``calls.log``, so that tests can count them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import tests.plugin.warm  # noqa: F401
from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.cli.gate import GateChoice
from pytest_benchbed.cli.gate import run_gate
from pytest_benchbed.data.pin import pin
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.status import write_record

WITHOUT = tuple(
    word
    for name in (
        "randomly", "sugar", "asyncio", "socket", "pytest_cov", "cacheprovider",
        "hypothesispytest", "benchmark", "timeout", "rerunfailures", "anyio",
    )
    for word in ("-p", f"no:{name}")
)  # fmt: skip
"""Installed neighbours that inner sessions do without, unless a test names one of them.

Most for the time they take in three processes a session; ``tests/neighbours`` has them.
"""

CONFTEST = '''
import pytest
from pytest_benchbed import Benchmark, Error, ProfileScore


class Toy(Benchmark):
    """The prediction lists its own errors, by profile; an answer may allow some of them."""

    id = "toy"
    format = "benchbed.toy.v1"
    label = "Toy"
    scoring_version = "benchbed.toy.scores.v1"
    profiles = ("main", "side")
    headline = ("exact",)

    def score_case(self, case, answer, prediction):
        scores = {}
        for profile in self.profiles:
            allowed = answer.get("allowed", ())
            names = [name for name in prediction[profile] if name not in allowed]
            errors = [
                Error("wrong", {"at": name}, expected=answer["text"], got=name) for name in names
            ]
            scores[profile] = ProfileScore(errors, {"exact": (0 if errors else 1, 1)})
        return scores

    def answer_as_prediction(self, case, answer):
        return {"main": [], "side": []}


@pytest.hookimpl(optionalhook=True)
def pytest_benchbed_benchmarks(registry):
    registry.add(Toy)
'''

ADAPTER = """
import json
import os
import sys
import time

from pytest_benchbed import Adapter, NoAnswer, Retry, Usage

# Beside the code, so that two scripts are one system.
with open({replies!r}, encoding="utf-8") as file:
    REPLIES = json.load(file)
LOG = {log!r}
GO = {go!r}


class Toy(Adapter):
    version = {version!r}
    deterministic = {deterministic!r}
    max_concurrency = {max_concurrency!r}
    paid = {paid!r}

    def __init__(self, variant="default"):
        self.variant = variant

    def supports(self, benchmark):
        return {supports!r}

    def predict(self, case):
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(f"{{case.id}} {{case.attempt}}\\n")
        reply = REPLIES.get(case.id, [])
        if isinstance(reply, dict) and "attempts" in reply:
            reply = reply["attempts"][min(case.attempt, len(reply["attempts"])) - 1]
        time.sleep({delay!r})
        if reply == "slow":
            time.sleep(1.5)
            reply = []
        if reply == "held":
            while not os.path.exists(GO):
                time.sleep(0.01)
            reply = []
        if reply == "decline":
            raise NoAnswer("cannot read it")
        if reply == "raise":
            raise ValueError("boom")
        if reply == "crash":
            os._exit(3)
        if reply == "hang":
            time.sleep(600)
        if reply == "shape":
            return ["not", "an", "object"]
        if reply == "retry":
            count = sum(line.startswith(case.id + " ") for line in open(LOG, encoding="utf-8"))
            if count < 2:
                raise Retry(0.0)
            reply = []
        if isinstance(reply, list):
            reply = {{"main": reply, "side": []}}
        return reply, Usage(cost_usd={cost!r}, **{usage!r})
"""


class Bench:
    """A repository with benchmark ``toy``: cases ``t-001`` to ``t-NNN``."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.log = self.path / "calls.log"
        self.go = self.path / "go"
        """Calls whose reply is ``held`` end once this file is there."""
        self.dataset = self.path / "cases" / "toy" / "v1"

    def make(
        self,
        count: int = 4,
        rows: Mapping[str, Mapping[str, Any]] | None = None,
        contexts: Iterable[str] = (),
    ) -> Bench:
        """Write dataset, type and an adapter that has no error."""
        self.dataset.mkdir(parents=True)
        ids = [f"t-{number:03}" for number in range(1, count + 1)]
        cases, answers = [], []
        for case in ids:
            extra = dict((rows or {}).get(case, {}))
            cases.append({"id": case, "inputs": {"text": f"text of {case}"}, **extra})
            answers.append(
                {"id": case, "answer": {"text": f"SECRET-{case}"}, "canary": "c0ffee" * 5 + "42"}
            )
        write_lines(self.dataset / "cases.jsonl", cases)
        write_lines(self.dataset / "answers.jsonl", answers)
        if contexts:
            lines = [{"id": context, "inputs": {}} for context in contexts]
            write_lines(self.dataset / "contexts.jsonl", lines)
        pin(self.dataset, benchmark="toy", id="toy-v1", visibility="public")
        (self.path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        return self.answers()

    def answers(
        self,
        replies: Mapping[str, Any] | None = None,
        *,
        version: str = "1",
        deterministic: bool = True,
        max_concurrency: int = 1,
        paid: bool | None = False,
        supports: bool = True,
        cost: float | None = 0,
        usage: Mapping[str, Any] | None = None,
        delay: float = 0.0,
    ) -> Bench:
        """Script the system: case id to errors, ``{"main": […], "side": […]}`` or a word."""
        text = ADAPTER.format(
            replies=str(self.path / "replies.json"),
            log=str(self.log),
            go=str(self.go),
            version=version,
            deterministic=deterministic,
            max_concurrency=max_concurrency,
            paid=paid,
            supports=supports,
            cost=cost,
            usage=dict(usage or {}),
            delay=delay,
        )
        (self.path / "replies.json").write_text(json.dumps(replies or {}), encoding="utf-8")
        (self.path / "toy_adapter.py").write_text(text, encoding="utf-8")
        return self

    def run(self, *arguments: str, subprocess: bool = False) -> pytest.RunResult:
        """Run pytest over the benchmark, in this process; xdist's workers have their own."""
        words = ("--bench=toy", "--bench-adapter=toy_adapter:Toy", *arguments)
        return self.pytest(*words, subprocess=subprocess)

    def pytest(self, *arguments: str, subprocess: bool = False) -> pytest.RunResult:
        """Run pytest with these arguments alone."""
        words = [*WITHOUT, *arguments]
        if subprocess:
            return self.pytester.runpytest_subprocess(*words, timeout=120)
        return self.pytester.runpytest_inprocess(*words)

    def record(self, run_id: str, replies: Mapping[str, Any] | None = None, **how: Any) -> Run:
        """Make a saved run of that id with these replies."""
        self.answers(replies, **how)
        result = self.run("--bench-unpaired", f"--bench-run={run_id}")
        assert result.ret in (0, 1), result.stdout.str()
        self.log.unlink(missing_ok=True)
        return self.saved(run_id)

    def saved(self, run_id: str) -> Run:
        """Open a saved run."""
        return Run.open(self.path / "runs" / run_id)

    def edit_rows(self, run_id: str, edit: Callable[[list[dict[str, Any]]], object]) -> None:
        """Make a saved run one that really has the rows that ``edit`` leaves in the list."""
        run = self.saved(run_id)
        rows = list(run.results())
        edit(rows)
        digest = write_results(run.paths.results, map(canonical, rows))
        write_record(run.path, run.record.model_copy(update={"results_sha256": digest}))

    def gates(self, run_id: str) -> dict[str, Any]:
        """Return the verdict of each profile, as ``metrics.json`` has it."""
        profiles = self.saved(run_id).metrics["profiles"]
        return {name: profile["gate"] for name, profile in profiles.items()}

    def gate_code(
        self, run_id: str, *controls: str, echo: Callable[[str], None] = lambda _: None
    ) -> int:
        """Return the exit code of ``benchbed gate RUN``, without a process of its own."""
        return run_gate(
            run_id,
            GateChoice(None, controls, (), None, None),
            runs_dir=self.path / "runs",
            invocation_dir=self.path,
            benchmarks=BenchmarkRegistry(),
            echo=echo,
        )

    def extend(self, text: str) -> None:
        """Add to the root ``conftest.py``."""
        path = self.path / "conftest.py"
        path.write_text(path.read_text("utf-8") + text, "utf-8")

    def runs(self) -> list[str]:
        """Return the ids of all saved runs."""
        folder = self.path / "runs"
        return sorted(path.parent.name for path in folder.glob("*/run.json"))

    def calls(self) -> list[str]:
        """Return the cases that the system was asked, in the order of asking."""
        if not self.log.exists():
            return []
        return [line.split()[0] for line in self.log.read_text("utf-8").splitlines()]


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write JSON lines with LF ends, also on Windows."""
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def last_line(result: pytest.RunResult) -> str:
    """Return the last line of a session's output that is not empty."""
    return next(line for line in reversed(result.outlines) if line.strip())
