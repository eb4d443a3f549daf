"""``--bench-jobs`` and ``-x``: a stopped session pays for little that it does not record."""

from __future__ import annotations

import json

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


def test_after_x_no_more_is_paid_than_calls_at_once(
    pytester: pytest.Pytester, workers: list[str]
) -> None:
    jobs = 3
    bench = Bench(pytester).make(30).answers({"t-004": ["cell"]}, max_concurrency=jobs, delay=0.05)

    result = bench.run("-x", f"--bench-jobs={jobs}", "--bench-run=own", *workers)

    assert result.ret == (2 if workers else 1)
    recorded = {row["case"] for row in bench.saved("own").results()}
    asked = bench.calls()
    assert len(asked) == len(set(asked)) < 30
    assert recorded <= set(asked)
    assert len(set(asked) - recorded) <= jobs
    record = bench.saved("own").record
    assert record.status == "interrupted"
    assert record.counts.holes == 30 - len(recorded)
    assert last_line(result).startswith("benchbed: gate ")


@pytest.mark.parametrize("text", ["0", "-1"])
def test_a_number_of_jobs_out_of_range_is_refused(bench: Bench, text: str) -> None:
    result = bench.run(f"--bench-jobs={text}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--bench-jobs*from 1*"])


def test_the_number_of_jobs_comes_from_the_bench_file_before_the_ini(bench: Bench) -> None:
    bench.pytester.makeini("[pytest]\nbench_jobs = 7\n")
    first = bench.run("--bench-run=by-ini")
    (bench.dataset.parent / "bench.json").write_text(json.dumps({"jobs": 2}), "utf-8")
    second = bench.run("--bench-run=by-file")

    assert (first.ret, second.ret) == (0, 0)
    assert bench.saved("by-ini").record.executor.jobs == 7
    assert bench.saved("by-file").record.executor.jobs == 2


@pytest.mark.parametrize(("most", "is_said"), [(2, True), (8, False)])
def test_more_calls_at_once_than_the_adapter_takes_are_said(
    bench: Bench, most: int, is_said: bool
) -> None:
    bench.answers(max_concurrency=most)

    result = bench.run("--bench-jobs=4", "--bench-run=own")

    assert ("calls at once 2, not 4" in result.stdout.str()) is is_said
    assert bench.saved("own").record.executor.slots == min(most, 4)
