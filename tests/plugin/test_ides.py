"""What editors expect of items and reports, by replicas of how they read them.

VS Code's adapter takes ids and first call reports and tells a failure from an
error by the name of the exception; PyCharm's makes ids of node ids and jumps to
the line that the start of an item names.
"""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest

from tests.plugin.bench import WITHOUT
from tests.plugin.bench import Bench

STATUSES = {0: "success", 1: "failed", 2: "interrupted", 3: "internal", 4: "usage", 5: "no tests"}


class VsCode:
    """Builds the tree from the items, and takes the first word about each of them."""

    def __init__(self) -> None:
        self.tree: dict[str, tuple[str, int | None]] = {}
        self.outcomes: dict[str, str] = {}
        self.exceptions: dict[str, str] = {}
        self.status = ""
        self.threads: set[str] = set()

    def pytest_exception_interact(self, node: Any, call: Any, report: Any) -> None:
        if isinstance(node, pytest.Item):
            self.exceptions[node.name] = call.excinfo.typename
            is_assertion = call.excinfo.typename == "AssertionError"
            self.outcomes.setdefault(node.nodeid, "failure" if is_assertion else "error")

    def pytest_report_teststatus(self, report: Any) -> None:
        if report.when == "call":
            words = {"passed": "success", "failed": "failure", "skipped": "skipped"}
            self.outcomes.setdefault(report.nodeid, words[report.outcome])

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        self.status = STATUSES[int(exitstatus)]
        self.threads = {thread.name for thread in threading.enumerate()}
        for item in session.items:
            if hasattr(item, "callspec"):
                assert item.originalname
                assert ".py" in item.nodeid
            assert isinstance(item.parent, pytest.File)
            path, line, _ = item.location
            name = item.nodeid.rpartition("::")[2]
            self.tree[f"{item.config.rootpath / path}::{name}"] = (item.nodeid, line)


class PyCharm:
    """Names an item by its node id, and remembers where a click on it leads."""

    def __init__(self) -> None:
        self.places: dict[str, tuple[str, int, str]] = {}

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        path, line, domain = location
        name = nodeid.replace("::", "/").replace(".", "_").replace("/", ".")
        bracket = name.find("[")
        if bracket > 0:
            name = f"{name[:bracket]}({name[bracket + 1 : -1]})"
        self.places[name] = (path, (line or 0) + 1, domain.split(".")[-1])


def session(bench: Bench, plugin: object, *words: str) -> pytest.ExitCode:
    arguments = [*WITHOUT, "--bench-adapter=toy_adapter:Toy", *words]
    return bench.pytester.inline_run(*arguments, plugins=[plugin]).ret


def test_vs_code_discovers_ids_that_run_and_nothing_else_happens(bench: Bench) -> None:
    bench.pytester.makeini("[pytest]\naddopts = --bench=toy\n")
    before = {thread.name for thread in threading.enumerate()}
    found, ran = VsCode(), VsCode()

    session(bench, found, "--collect-only", "--rootdir", str(bench.path))

    assert found.status == "success"
    # pytest-rerunfailures starts a server of its own wherever xdist is installed.
    assert not [name for name in found.threads - before if "run_server" not in name]
    assert [node for node, _ in found.tree.values()] == [
        f"cases/toy/v1/cases.jsonl::t-00{number}" for number in range(1, 5)
    ]
    assert [line for _, line in found.tree.values()] == [0, 1, 2, 3]
    assert not (bench.path / "runs").exists()
    assert bench.calls() == []

    chosen = list(found.tree)[1:3]
    session(bench, ran, "--rootdir", str(bench.path), *chosen)

    assert ran.outcomes == {f"cases/toy/v1/cases.jsonl::t-00{n}": "success" for n in (2, 3)}
    assert bench.calls() == ["t-002", "t-003"]


def test_vs_code_tells_a_regression_from_a_technical_failure(bench: Bench) -> None:
    bench.record("base", {"t-001": ["cell"]})
    bench.answers({"t-001": ["cell"], "t-002": ["row"], "t-003": "raise"})
    ran = VsCode()

    session(bench, ran, "--bench=toy", "--baseline=base")

    assert {node.rpartition("::")[2]: outcome for node, outcome in ran.outcomes.items()} == {
        "t-001": "skipped",
        "t-002": "failure",
        "t-003": "error",
        "t-004": "success",
    }
    # By this name alone it tells a failure from an error; a subclass has another.
    assert ran.exceptions["t-002"] == "AssertionError"
    assert ran.exceptions["t-003"] != "AssertionError"
    assert ran.status == "failed"


def test_pycharm_names_each_case_once_and_leads_to_its_line(bench: Bench) -> None:
    ran = PyCharm()

    session(bench, ran, "--bench=toy")

    lines = (bench.dataset / "cases.jsonl").read_text("utf-8").splitlines()
    assert sorted(ran.places) == [
        f"cases.toy.v1.cases_jsonl.t-00{number}" for number in range(1, 5)
    ]
    for name, (path, line, rerun) in ran.places.items():
        assert path.replace("\\", "/") == "cases/toy/v1/cases.jsonl"
        assert re.search(rf'"id": "{rerun}"', lines[line - 1])
        assert name.endswith(f".{rerun}")
