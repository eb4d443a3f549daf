"""xdist workers that crash or differ: nothing is lost and nothing is paid twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.sessions import extend
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

CRASH = """
import os
import signal

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if item.name == "t-003" and hasattr(item.config, "workerinput"):
        # On Windows any number ends a process as TerminateProcess does.
        os.kill(os.getpid(), getattr(signal, "SIGKILL", 9))
    return (yield)
"""

DIFFERENT = """
import os

def pytest_collection_modifyitems(items):
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        items.pop()
"""


@pytest.mark.req("ENV-090")
@pytest.mark.parametrize("words", [[], ["--dist=loadfile"], ["--max-worker-restart=0"]])
def test_a_worker_that_is_killed_leaves_holes_and_no_case_is_asked_twice(
    pytester: pytest.Pytester, words: list[str]
) -> None:
    bench = Bench(pytester).make(8)
    bench.record("base")
    extend(bench, CRASH)
    is_replaced = words != ["--max-worker-restart=0"]

    result = bench.run("-n2", *words, "--baseline=base", "--bench-run=own")
    record = bench.saved("own").record
    again = bench.run("--baseline=base", "--bench-resume=own")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    holes = {hole.case: hole.reason for hole in record.holes}
    assert holes["t-003"] == "its worker crashed"
    assert len(holes) == 1 or not is_replaced
    assert (record.status, record.counts.scored) == ("interrupted", 8 - len(holes))
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: ")
    if "--dist=loadfile" in words:
        result.stdout.fnmatch_lines(["benchbed: --dist=loadfile gets plain load scheduling*"])
    # The outcome of the lost case was on disk before its worker saw it.
    again.assert_outcomes(passed=8)
    assert last_line(again).startswith("benchbed: gate PASSED: ")
    assert sorted(bench.calls()) == [f"t-00{number}" for number in range(1, 9)]


def test_workers_that_collect_different_cases_spend_nothing(bench: Bench) -> None:
    extend(bench, DIFFERENT)

    result = bench.run("-n2")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert bench.calls() == []
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: ")


def test_a_syntax_error_in_another_test_file_spends_nothing(bench: Bench) -> None:
    (bench.path / "test_broken.py").write_text("def (:\n", "utf-8")

    result = bench.run(".")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert bench.calls() == []
    assert bench.runs() == []
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: ")


@pytest.mark.parametrize("words", [["-n2", "--dist=each"], ["--dist=load", "--tx=ssh=host"]])
def test_what_would_pay_twice_is_refused(bench: Bench, words: list[str]) -> None:
    result = bench.pytest(
        "--bench=toy", "--bench-adapter=toy_adapter:Toy", *words, subprocess=False
    )

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{words[-1].partition('=')[0]}*"])
    assert bench.calls() == []


def test_a_dataset_outside_the_root_keeps_its_path_in_node_ids(
    pytester: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory, workers: list[str]
) -> None:
    bench = Bench(pytester).make()
    root = tmp_path_factory.mktemp("wheel")
    (bench.path / "cases").rename(root / "cases")
    extend(
        bench,
        f"""
@pytest.hookimpl(optionalhook=True)
def pytest_benchbed_datasets(registry):
    registry.add({str(Path(root) / "cases")!r})
""",
    )
    bench.answers({"t-002": ["cell"]})

    result = bench.run("-v", *workers)
    lines = [line.strip() for line in result.outlines]
    again = next(line for line in lines if line.startswith("again: pytest "))
    second = bench.pytest(*again.split()[2:])

    result.assert_outcomes(passed=3, failed=1)
    assert "cases/toy/v1/cases.jsonl::t-002" in result.stdout.str()
    second.assert_outcomes(failed=1)
    assert bench.calls().count("t-002") == 2
