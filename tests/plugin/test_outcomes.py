"""The outcome of an item: what is passed, failed, xfailed, an error or skipped."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


def test_without_a_baseline_errors_fail_and_the_gate_asks_for_one(
    bench: Bench, workers: list[str]
) -> None:
    bench.answers({"t-002": ["cell"]})

    result = bench.run(*workers)

    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BASELINE REQUIRED: ")
    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]


@pytest.mark.req("ENV-059", "ENV-060")
def test_a_known_error_is_xfailed_and_a_new_one_fails(bench: Bench, workers: list[str]) -> None:
    bench.record("base", {"t-001": ["cell"]})
    bench.answers({"t-001": ["cell"], "t-002": ["row"]})

    result = bench.run("--baseline=runs/base", *workers)

    result.assert_outcomes(passed=2, xfailed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate FAILED: 1 regression")
    assert "t-002" in last_line(result)


@pytest.mark.req("ENV-051")
@pytest.mark.parametrize("reply", ["raise", "crash", "shape", "crash -n2"])
def test_a_technical_failure_is_an_error_and_the_others_are_kept(bench: Bench, reply: str) -> None:
    bench.record("base")
    bench.answers({"t-003": reply.split()[0]})

    result = bench.run("--baseline=runs/base", *reply.split()[1:])

    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(
        ["benchbed: no score for t-003: *", "  again: pytest --bench=toy *case=t-003*"]
    )
    result.stdout.no_fnmatch_line("*item.py*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")


def test_declined_is_scored_as_an_error_and_listed(bench: Bench, workers: list[str]) -> None:
    bench.record("base")
    bench.answers({"t-004": "decline"})

    result = bench.run("--baseline=runs/base", *workers)

    result.assert_outcomes(passed=3, failed=1)
    assert last_line(result).startswith("benchbed: gate FAILED: ")


def test_unsupported_cases_are_skipped_and_leave_the_exit_status_alone(
    bench: Bench, workers: list[str]
) -> None:
    bench.answers(supports=False)

    result = bench.run(*workers)

    result.assert_outcomes(skipped=4)
    assert bench.calls() == []
    assert last_line(result).startswith("benchbed: gate UNAVAILABLE: not supported")
    assert result.ret == pytest.ExitCode.OK


def test_unpaired_records_errors_as_xfailed(bench: Bench, workers: list[str]) -> None:
    bench.answers({"t-002": ["cell"]})

    result = bench.run("--bench-unpaired", *workers)

    result.assert_outcomes(passed=3, xfailed=1)
    assert result.ret == pytest.ExitCode.OK
