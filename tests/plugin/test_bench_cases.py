"""``@pytest.mark.bench_cases("NAME")``: a user's own test functions over the cases."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_benchbed.edge.session import SESSION
from tests.plugin.bench import WITHOUT
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import posix_only
from tests.plugin.programs import write_executable

TESTS = """
import pytest

@pytest.mark.bench_cases("toy")
def test_kept(bench_case):
    assert bench_case.inputs == {"text": f"text of {bench_case.id}"}
    assert bench_case.prediction["side"] == []
    assert bench_case.metrics["side"] == {"exact": [1, 1]}
    errors = [error["where"]["at"] for error in bench_case.errors["main"]]
    assert errors == bench_case.prediction["main"]

@pytest.mark.bench_cases("toy")
@pytest.mark.parametrize("limit", [0])
def test_few_errors(bench_case, limit):
    assert len(bench_case.errors["main"]) <= limit
"""


def write_tests(bench: Bench, text: str = TESTS) -> None:
    bench.pytester.mkdir("tests").joinpath("test_own.py").write_text(text, "utf-8")


def test_tests_and_cases_share_the_calls_and_the_gate_sees_the_cases_alone(
    bench: Bench, workers: list[str]
) -> None:
    bench.record("base", {"t-002": ["cell"]})
    write_tests(bench)

    result = bench.run("tests", "--baseline=base", "--bench-run=own", "-rA", *workers)

    result.assert_outcomes(passed=4 + 3 + 3, failed=1, xfailed=1)
    assert "FAILED tests/test_own.py::test_few_errors[t-002-0]" in result.stdout.str()
    assert "PASSED tests/test_own.py::test_kept[t-001]" in result.stdout.str()
    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]
    assert last_line(result).startswith("benchbed: gate PASSED: ")
    record = bench.saved("own").record
    assert (record.counts.selected, record.counts.scored, record.holes) == (4, 4, [])


def test_a_single_test_asks_for_its_case_alone(bench: Bench, workers: list[str]) -> None:
    """No case is an item then; what was paid is on record all the same."""
    bench.record("base")
    write_tests(bench)

    result = bench.run(
        "tests/test_own.py::test_kept[t-003]", "--baseline=base", "--bench-run=own", *workers
    )

    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    assert bench.calls() == ["t-003"]
    run = bench.saved("own")
    assert (run.record.counts.selected, run.rows()) == (0, {})
    assert list(run.predictions()) == ["t-003"]
    result.stdout.no_fnmatch_line("benchbed: gate*")


@posix_only
def test_an_executable_is_asked_once_for_tests_and_cases(bench: Bench, workers: list[str]) -> None:
    counted = bench.path / "batches"
    write_executable(
        bench, f"open({str(counted)!r}, 'a').write(repr(sorted(predictions)) + chr(10))"
    )
    write_tests(bench)

    result = bench.pytest(
        "--bench=toy",
        "--bench-adapter=./system",
        "tests",
        "-k",
        "t-001 or (test_kept and t-002)",
        *workers,
    )

    result.assert_outcomes(passed=1 + 2 + 1, deselected=0 if workers else 8)
    assert counted.read_text("utf-8").splitlines() == ["['t-001', 't-002']"]


def test_only_the_selected_cases_are_parameters_and_collecting_starts_nothing(
    bench: Bench,
) -> None:
    write_tests(bench)

    result = bench.run("tests", "--bench-select=case=t-002", "--co", "-q")

    assert result.outlines[:3] == [
        "tests/test_own.py::test_kept[t-002]",
        "tests/test_own.py::test_few_errors[t-002-0]",
        "cases/toy/v1/cases.jsonl::t-002",
    ]
    assert bench.calls() == []
    assert not (bench.path / "runs").exists()


def test_without_the_benchmark_the_tests_are_skipped_and_nothing_is_spent(bench: Bench) -> None:
    write_tests(bench)

    result = bench.pytest("-rs", "--strict-markers")

    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["*benchmark 'toy' is not run in this session: add --bench=toy"])
    assert bench.calls() == []
    assert not (bench.path / "runs").exists()


def test_a_technical_failure_is_an_error_of_the_fixture(bench: Bench, workers: list[str]) -> None:
    bench.answers({"t-001": "raise", "t-002": "shape", "t-003": "decline"})
    write_tests(
        bench,
        """
import pytest

@pytest.mark.bench_cases("toy")
def test_own(bench_case):
    assert (bench_case.prediction is None) == (bench_case.id == "t-003")
    assert bool(bench_case.errors["main"]) == (bench_case.id == "t-003")
""",
    )

    result = bench.run("tests/test_own.py", "-k", "test_own", *workers)

    result.assert_outcomes(passed=2, errors=2, deselected=0 if workers else 4)
    result.stdout.fnmatch_lines(
        [
            "benchbed: no score for t-001: *boom*",
            "  the case alone: pytest --bench=toy --bench-select=case=t-001 *",
            "benchbed: no score for t-002: *",
        ]
    )
    assert "user_tests.py" not in result.stdout.str()
    assert last_line(result) == "benchbed: gate INCOMPLETE: toy: no case was selected (-k test_own)"


def test_cases_that_the_adapter_does_not_support_skip_the_test(bench: Bench) -> None:
    bench.answers(supports=False)
    write_tests(bench)

    result = bench.run("tests", "-k", "test_kept")

    result.assert_outcomes(skipped=4, deselected=8)


@pytest.mark.parametrize("more", [[], ["--continue-on-collection-errors"]])
def test_an_unknown_benchmark_is_a_usage_error(bench: Bench, more: list[str]) -> None:
    write_tests(bench, TESTS.replace('"toy"', '"toi"'))

    result = bench.run("tests", *more)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_own.py::test_kept: unknown benchmark 'toi'*'toy'?*"])
    assert bench.calls() == []


def test_an_unknown_benchmark_is_an_error_of_the_session_with_workers(bench: Bench) -> None:
    write_tests(bench, TESTS.replace('"toy"', '"toi"'))

    result = bench.run("tests", "-n2")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*test_own.py::test_kept: unknown benchmark 'toi'*'toy'?*"])


@pytest.mark.parametrize(
    ("test", "text"),
    [
        ("@pytest.mark.bench_cases\ndef test_own(bench_case): pass", "*takes one benchmark*"),
        ('@pytest.mark.bench_cases("toy")\ndef test_own(): pass', "*must use the fixture*"),
        ("def test_own(bench_case): pass", "*needs the mark @pytest.mark.bench_cases*"),
    ],
)
def test_mark_and_fixture_go_together(bench: Bench, test: str, text: str) -> None:
    write_tests(bench, f"import pytest\n\n{test}\n")

    result = bench.run("tests")

    assert result.ret in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED)
    result.stdout.fnmatch_lines([text])


def test_setup_only_shows_the_case_and_asks_nobody(bench: Bench) -> None:
    write_tests(bench)

    result = bench.run("tests", "--setup-only")

    result.stdout.fnmatch_lines(["*SETUP    F bench_case*toy/t-001*"])
    assert result.ret == pytest.ExitCode.OK
    assert bench.calls() == []


class Interrupted:
    """Stands for the broker of a session in which Ctrl-C comes while a test waits."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        item.config.stash[SESSION].asker = self

    def predict(self, benchmark: str, case: str, attempt: int) -> None:
        raise KeyboardInterrupt


class LooksIntoFixtures:
    """Stands for plugins that look for a fixture of theirs in each item they report."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Function) -> Generator[None, Any, Any]:
        item.funcargs.get("theirs")
        return (yield)


def test_ctrl_c_while_a_test_waits_ends_the_session_in_order(bench: Bench) -> None:
    """pytest makes no report of an interrupted setup, and its tmp_path asks for one."""
    write_tests(bench, TESTS.replace("def test_kept(", "def test_kept(tmp_path, "))
    words = ["--bench=toy", "--bench-adapter=toy_adapter:Toy", "tests/test_own.py"]

    result = bench.pytester.inline_run(
        *WITHOUT,
        *words,
        "-k",
        "kept",
        plugins=[Interrupted(), LooksIntoFixtures()],
        no_reraise_ctrlc=True,
    )

    assert result.ret == pytest.ExitCode.INTERRUPTED
