"""What is printed: the last line in every mode, durations, the compact summary."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


@pytest.mark.parametrize("quiet", [["-q"], ["-qq", "--no-summary"]])
def test_the_verdict_is_the_last_line(bench: Bench, quiet: list[str]) -> None:
    bench.answers({"t-002": ["cell"]})

    result = bench.run(*quiet)

    assert last_line(result).startswith("benchbed: gate BASELINE REQUIRED: ")


def test_durations_tell_waiting_from_scoring_also_with_a_failure(bench: Bench) -> None:
    bench.answers({"t-002": ["cell"]}, delay=0.05)

    result = bench.run("--durations=0", "-vv", "--bench-jobs=1")

    shown = [line.split() for line in result.outlines if "s setup " in line or "s call " in line]
    steps = {(words[1], words[2].rpartition("::")[2]) for words in shown}
    assert {(step, "t-002") for step in ("setup", "call")} <= steps
    assert {("setup", "t-001"), ("call", "t-004")} <= steps


def test_one_failing_case_names_the_command_that_runs_it_again(bench: Bench) -> None:
    bench.answers({"t-002": ["cell"]})
    first = bench.run()
    lines = [line.strip() for line in first.outlines]
    again = next(line for line in lines if line.startswith("again: pytest "))

    second = bench.pytest(*again.split()[2:])

    second.assert_outcomes(failed=1)
    assert bench.calls()[-1] == "t-002"
