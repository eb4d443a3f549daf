"""Cases beside the plugins that a repository already has: the same calls, results and verdict.

One repository with habits of its own: one session for each plugin alone, and all
of them in two groups with xdist workers. Where ``--bench`` stands changes with the
workers, so that both places meet every plugin.
"""

from __future__ import annotations

import html
import os
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from importlib.util import find_spec

import pytest

from tests.neighbours.repository import UNIT_TESTS
from tests.neighbours.repository import make
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


@dataclass(frozen=True)
class Neighbour:
    """A plugin as it is switched on, and what it would do to cases if nothing were done."""

    module: str
    words: tuple[str, ...]
    ini: str = ""
    delay: float = 0.0


NEIGHBOURS = {
    "randomly": Neighbour("pytest_randomly", ("-p", "randomly")),
    # Each call takes longer than a test may.
    "timeout": Neighbour("pytest_timeout", ("-p", "timeout"), ini="timeout = 3", delay=3.2),
    "rerunfailures": Neighbour("pytest_rerunfailures", ("-p", "rerunfailures", "--reruns=2")),
    "socket": Neighbour("pytest_socket", ("-p", "socket", "--disable-socket")),
    "asyncio": Neighbour("pytest_asyncio", ("-p", "asyncio"), ini="asyncio_mode = auto"),
    "cov": Neighbour("pytest_cov", ("-p", "pytest_cov", "--cov=tests")),
    "html": Neighbour("pytest_html", ("--html=out.html", "--self-contained-html")),
    "sugar": Neighbour("pytest_sugar", ("-p", "sugar", "--force-sugar")),
}


@pytest.fixture
def bench(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A repository with a benchmark of four cases, measured by nobody but its own pytest-cov."""
    for name in [name for name in os.environ if name.startswith("COVERAGE")]:
        monkeypatch.delenv(name)
    return Bench(pytester).make()


@pytest.mark.parametrize("names", NEIGHBOURS)
def test_alone_it_changes_nothing(bench: Bench, names: str) -> None:
    session_beside(bench, names, [])


@pytest.mark.parametrize(
    "names", ["randomly timeout asyncio html", "rerunfailures socket cov sugar"]
)
def test_beside_workers_they_change_nothing(bench: Bench, names: str) -> None:
    session_beside(bench, names, ["-n2"])


def session_beside(bench: Bench, names: str, workers: list[str]) -> None:
    """Run the repository with these plugins and check that all is as without them."""
    neighbours = [NEIGHBOURS[name] for name in names.split()]
    for neighbour in neighbours:
        if find_spec(neighbour.module) is None:
            pytest.skip(f"{neighbour.module} is not installed (it is in the extra 'test')")
    asked = ["--bench=toy", "--baseline=base"]
    ini = "\n".join(neighbour.ini for neighbour in neighbours)
    make(bench, addopts=" ".join(asked) if workers else "", ini=ini)
    if delay := max(neighbour.delay for neighbour in neighbours):
        replies = {"t-001": ["cell"], "t-002": ["row"]}
        bench.answers(replies, max_concurrency=4, delay=delay)
    words = [word for neighbour in neighbours for word in neighbour.words]
    words += workers or [*asked, "."]

    result = bench.pytest(*words, "--bench-run=own", "--junitxml=out.xml", subprocess=True)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]
    run = bench.saved("own")
    assert sorted(run.rows()) == ["t-001", "t-002", "t-003", "t-004"]
    assert run.record.gate is not None
    assert run.record.gate.reason == "1 regression on a stable case (t-002), compared 4 of 4"
    assert outcomes(bench) == {"": 4 + UNIT_TESTS - 2, "failure": 1, "skipped": 1}
    assert last_line(result).startswith("benchbed: gate FAILED: 1 regression")
    if "html" in names:
        assert rows_of_page(bench) == {"Passed": 2 + UNIT_TESTS, "Failed": 1, "XFailed": 1}
    if "cov" in names:
        assert "TOTAL" in result.stdout.str()


def outcomes(bench: Bench) -> dict[str, int]:
    """Count the elements of the JUnit file: whatever a plugin paints on the terminal."""
    counts: dict[str, int] = {}
    for element in ElementTree.parse(bench.path / "out.xml").iter("testcase"):
        kind = next((child.tag for child in element if child.tag != "properties"), "")
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def rows_of_page(bench: Bench) -> dict[str, int]:
    """Count the rows of pytest-html's page by outcome."""
    text = html.unescape((bench.path / "out.html").read_text("utf-8"))
    counts: dict[str, int] = {}
    for outcome in re.findall(r'"result": "(\w+)"', text):
        counts[outcome] = counts.get(outcome, 0) + 1
    return counts


def test_unit_tests_are_rerun_and_cases_are_not(bench: Bench) -> None:
    pytest.importorskip("pytest_rerunfailures", reason="pytest-rerunfailures is not installed")
    bench.answers({"t-002": ["row"], "t-003": "raise"})
    bench.pytester.makepyfile(
        """
        import pathlib

        def test_flaky():
            tried = pathlib.Path(__file__).with_name("tried")
            is_second = tried.exists()
            tried.touch()
            assert is_second
        """
    )

    result = bench.run(".", "-p", "rerunfailures", "--reruns=2", "--bench-run=own")

    result.assert_outcomes(passed=3, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*1 failed, 3 passed*1 error*1 rerun*"])
    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]
    assert len(bench.saved("own").rows()) == 4


@pytest.mark.parametrize("words", [["--force-reruns=2"], ["--reruns=1", "--reruns-mode=append"]])
def test_reruns_that_go_past_the_mark_are_refused(bench: Bench, words: list[str]) -> None:
    pytest.importorskip("pytest_rerunfailures", reason="pytest-rerunfailures is not installed")

    result = bench.run("-p", "rerunfailures", *words)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{words[-1].partition('=')[0]}*"])
    assert bench.calls() == []
