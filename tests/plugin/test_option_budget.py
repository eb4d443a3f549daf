"""``--bench-budget``: free systems, spend above the limit, and costs nobody knows."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


@pytest.mark.req("ENV-053")
def test_a_budget_of_zero_works_with_a_free_system(bench: Bench) -> None:
    bench.answers(paid=False, cost=None)

    result = bench.run("--bench-budget=0", "--bench-run=own")

    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.OK
    spend = bench.saved("own").record.spend
    assert (spend.budget_usd, spend.spent_usd) == (0, 0)


@pytest.mark.req("ENV-053")
def test_spend_above_the_budget_blocks(bench: Bench) -> None:
    bench.answers(paid=True, cost=0.4)

    result = bench.run("--bench-budget=1", "--bench-jobs=1", "--bench-run=own")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    assert "budget" in last_line(result)
    assert len(bench.calls()) < 4


@pytest.mark.req("ENV-049", "ENV-051")
@pytest.mark.parametrize(("paid", "budget"), [(True, []), (None, ["--bench-budget=1"])])
def test_a_cost_that_nobody_knows_blocks(
    bench: Bench, paid: bool | None, budget: list[str]
) -> None:
    bench.answers(paid=paid, cost=None)

    result = bench.run(*budget, "--bench-run=own")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    assert bench.saved("own").record.spend.spent_usd is None


def test_a_cost_not_reported_is_shown_as_such_and_does_not_block(bench: Bench) -> None:
    bench.answers(paid=None, cost=None)

    result = bench.run("--bench-run=own")

    assert result.ret == pytest.ExitCode.OK
    assert bench.saved("own").record.spend.spent_usd is None
    assert "$0.00" not in result.stdout.str()


@pytest.mark.parametrize("text", ["much", "-1", "nan"])
def test_a_budget_that_is_no_amount_is_refused(bench: Bench, text: str) -> None:
    result = bench.run(f"--bench-budget={text}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--bench-budget*"])
    assert bench.runs() == []


@pytest.mark.req("ENV-053")
@pytest.mark.parametrize("jobs", [1, 4, 8])
def test_a_budget_pays_for_exactly_so_many_calls_however_many_run_at_once(
    pytester: pytest.Pytester, jobs: int
) -> None:
    bench = Bench(pytester).make(20)
    bench.answers(paid=True, cost=0.25, max_concurrency=8, delay=0.02)

    result = bench.run("--bench-budget=2.5", f"--bench-jobs={jobs}", "--bench-run=own")
    first = len(bench.calls())
    more = bench.run("--bench-resume=own", "--bench-budget=4", f"--bench-jobs={jobs}")

    # While no price is known calls run one at a time; then each reserves the highest seen.
    assert first == 10
    assert "budget_exhausted" in last_line(result)
    assert len(bench.calls()) == len(set(bench.calls())) == 16
    spend = bench.saved("own").record.spend
    assert (spend.budget_usd, spend.spent_usd) == (4, 4)
    assert last_line(more).startswith("benchbed: gate BLOCKED: ")
