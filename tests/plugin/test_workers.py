"""xdist workers that crash or differ, and sessions that stop early: nothing is paid twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import posix_only
from tests.plugin.programs import write_executable

CRASH = """
import os

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if item.name == "t-003" and "PYTEST_XDIST_WORKER" in os.environ:
        os._exit(7)
    return (yield)
"""

DIFFERENT = """
import os

def pytest_collection_modifyitems(items):
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        items.pop()
"""

WAIT = """
@pytest.fixture(autouse=True)
def scratch(tmp_path):
    return tmp_path
"""


def extend(bench: Bench, text: str) -> None:
    """Add to the root ``conftest.py``."""
    path = bench.path / "conftest.py"
    path.write_text(path.read_text("utf-8") + text, "utf-8")


@pytest.mark.parametrize("dist", [[], ["--dist=loadfile"]])
def test_a_worker_that_dies_leaves_one_hole_and_no_case_is_asked_twice(
    pytester: pytest.Pytester, dist: list[str]
) -> None:
    bench = Bench(pytester).make(8)
    extend(bench, CRASH)

    result = bench.run("-n2", *dist, "--bench-run=own")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sorted(bench.calls()) == [f"t-00{number}" for number in range(1, 9)]
    record = bench.saved("own").record
    assert [(hole.case, hole.reason) for hole in record.holes] == [("t-003", "its worker crashed")]
    assert (record.status, record.counts.scored) == ("interrupted", 7)
    assert last_line(result).startswith("benchbed: gate ")
    if dist:
        result.stdout.fnmatch_lines(["benchbed: --dist=loadfile gets plain load scheduling*"])


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


@posix_only
@pytest.mark.req("ENV-090")
def test_after_ctrl_c_the_run_is_interrupted_and_goes_on(bench: Bench) -> None:
    extend(bench, WAIT)
    bench.answers({"t-003": "hang"})
    words = ["--bench=toy", "--bench-adapter=toy_adapter:Toy", "--bench-run=own"]
    process = _start(bench, *words, "--bench-jobs=1")
    try:
        _wait_for(lambda: "t-003" in bench.calls())
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=100)
    finally:
        process.kill()
    (bench.path / "replies.json").write_text("{}", "utf-8")
    status = bench.saved("own").record.status

    again = bench.run("--bench-resume=own", "--bench-jobs=1")

    lines = [line for line in out.splitlines() if line.strip()]
    assert process.returncode == 2, out
    assert lines[-1].startswith("benchbed: gate "), out
    assert status == "interrupted"
    again.assert_outcomes(passed=4)
    assert bench.saved("own").record.status == "completed"
    assert bench.calls().count("t-001") == 1


@posix_only
def test_ctrl_c_during_a_batch_leaves_an_unknown_spend_and_the_command_to_go_on(
    bench: Bench,
) -> None:
    started = bench.path / "started"
    write_executable(bench, f"open({str(started)!r}, 'w').close(); __import__('time').sleep(600)")
    process = _start(bench, "--bench=toy", "--bench-adapter=./system", "--bench-run=own")
    try:
        _wait_for(started.exists)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=100)
    finally:
        process.kill()

    lines = [line for line in out.splitlines() if line.strip()]
    assert process.returncode == 2, out
    assert lines[-1].startswith("benchbed: gate "), out
    assert "--bench-resume=own" in out
    record = bench.saved("own").record
    assert (record.status, record.spend.spent_usd) == ("interrupted", None)


@pytest.mark.parametrize(
    ("words", "plugin"),
    [
        (["-n2", "--dist=each"], "xdist"),
        (["--force-reruns=1"], "rerunfailures"),
        (["--dist=load", "--tx=ssh=host"], "xdist"),
    ],
)
def test_what_would_pay_twice_is_refused(
    bench: Bench, request: pytest.FixtureRequest, words: list[str], plugin: str
) -> None:
    if not request.config.pluginmanager.hasplugin(plugin):
        pytest.skip(f"{plugin} is not installed")

    result = bench.pytest(
        "--bench=toy", "--bench-adapter=toy_adapter:Toy", *words, subprocess=False
    )

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{words[-1].partition('=')[0]}*"])
    assert bench.calls() == []


def _start(bench: Bench, *words: str) -> subprocess.Popen[str]:
    """Start pytest in a process group of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    return subprocess.Popen(
        [*command, *words],
        cwd=bench.path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _wait_for(is_there) -> None:
    for _ in range(1200):
        if is_there():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within a minute")


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
