"""How a session is run changes neither calls nor verdict: xdist, strictness, absent plugins."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.plugin.bench import Bench

STRICT = ["-W", "error", "--strict-markers", "--strict-config", "-o", "xfail_strict=true"]

WITHOUT_OPTIONAL = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pytest_html", "pytest_benchmark", "pytest_metadata"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """A known error in the base run; now there is one more."""
    bench.record("base", {"t-001": ["cell"]})
    return bench.answers({"t-001": ["cell"], "t-002": ["row"]})


def check(bench: Bench, result: pytest.RunResult) -> None:
    """Compare calls, results and verdict with those of any other session."""
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]
    run = bench.saved("own")
    assert sorted(run.rows()) == ["t-001", "t-002", "t-003", "t-004"]
    gate = run.record.gate
    assert gate is not None
    assert gate.status == "failed"
    assert gate.reason == "1 regression on a stable case (t-002), compared 4 of 4"


@pytest.mark.parametrize(
    "words",
    [
        ["-p", "no:xdist"],
        ["-p", "no:html", "-p", "no:benchmark"],
        ["--runxfail"],
        STRICT,
        ["-n0"],
        ["-n1"],
        ["-n2", "--runxfail", *STRICT],
        ["-n2", "--dist=worksteal"],
        ["-n2", "--dist=loadscope"],
        ["-n2", "--dist=loadgroup"],
    ],
    ids=" ".join,
)
def test_the_same_outcomes_calls_and_verdict(bench: Bench, words: list[str]) -> None:
    result = bench.run("--baseline=base", "--bench-run=own", *words)

    result.assert_outcomes(passed=2, xfailed=1, failed=1)
    check(bench, result)


def test_without_a_terminal_reporter(bench: Bench) -> None:
    result = bench.run("--baseline=base", "--bench-run=own", "-p", "no:terminal")

    check(bench, result)
    assert "benchbed" not in result.stdout.str()


def test_where_html_and_benchmark_are_not_installed(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    workers: list[str],
) -> None:
    folder = tmp_path_factory.mktemp("absent")
    Path(folder, "sitecustomize.py").write_text(WITHOUT_OPTIONAL, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugins = ["-p", "pytest_benchbed.plugin", "-p", "xdist.plugin"]

    result = bench.run(*plugins, "--baseline=base", "--bench-run=own", *workers, subprocess=True)

    result.assert_outcomes(passed=2, xfailed=1, failed=1)
    shown = [line for line in result.outlines if line.startswith(("plugins: ", "benchmark: "))]
    assert not [line for line in shown if "html" in line or "benchmark" in line]
    check(bench, result)
