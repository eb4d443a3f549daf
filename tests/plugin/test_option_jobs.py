"""``--bench-jobs`` and ``-x``: a stopped session pays for little that it does not record."""

from __future__ import annotations

import json
import threading
import time

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


@pytest.mark.parametrize(
    ("words", "ahead"),
    [
        ([], 4),
        (["-x"], 2),
        (["--maxfail=3"], 2),
        (["-p", "cacheprovider", "-p", "stepwise", "--sw"], 2),
    ],
)
def test_a_session_that_may_stop_at_a_failure_looks_less_far_ahead(
    pytester: pytest.Pytester, words: list[str], ahead: int
) -> None:
    """Its answers may be paid in vain; any other session uses them all."""
    bench = Bench(pytester).make(12).answers({"t-001": "held"}, max_concurrency=2)
    seen: list[int] = []

    def watch() -> None:
        until = time.monotonic() + 60
        while len(bench.calls()) < 1 + ahead and time.monotonic() < until:
            time.sleep(0.01)
        # Time for one too many.
        time.sleep(0.3)
        seen.append(len(bench.calls()))
        bench.go.touch()

    watcher = threading.Thread(target=watch)
    watcher.start()
    result = bench.run("--bench-jobs=2", "--bench-run=own", *words)
    watcher.join()

    assert result.ret == 0
    assert seen == [1 + ahead]


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


ADAPTER = "the adapter takes no more, see its max_concurrency"


@pytest.mark.parametrize(
    ("most", "words", "said", "slots"),
    [
        (1, [], f"1: {ADAPTER}", 1),
        (1, ["--bench-jobs=4"], f"1, not 4: {ADAPTER} (1 unless it says otherwise)", 1),
        (2, [], f"2: {ADAPTER}", 2),
        (2, ["--bench-jobs=4"], f"2, not 4: {ADAPTER}", 2),
        (4, ["--bench-jobs=4"], "4: see --bench-jobs", 4),
        (8, [], "4: see --bench-jobs", 4),
    ],
)
def test_as_the_calls_begin_it_is_said_how_many_at_once_and_who_limits_them(
    bench: Bench, most: int, words: list[str], said: str, slots: int
) -> None:
    bench.answers(max_concurrency=most)

    result = bench.run("--bench-run=own", *words)

    lines = [line for line in result.outlines if "calls at once" in line]
    assert lines == [f"benchbed: toy · calls at once {said}"], "once, and nowhere else"
    assert result.outlines.index(lines[0]) < result.outlines.index("collected 4 items")
    record = bench.saved("own").record
    assert record.executor.slots == slots
    allowed = f" of {record.executor.jobs} allowed" if slots < record.executor.jobs else ""
    page = bench.saved("own").paths.report.read_text("utf-8")
    calls = "1 call" if slots == 1 else f"{slots} calls"
    assert f"<dd>local, {calls} at once{allowed}</dd>" in page


def test_a_rate_limits_the_calls_too_and_quiet_or_dry_sessions_say_nothing(bench: Bench) -> None:
    (bench.dataset.parent / "bench.json").write_text(json.dumps({"rate": "6000/min"}), "utf-8")
    bench.answers(max_concurrency=2)

    loud, quiet = bench.run("--bench-unpaired"), bench.run("--bench-unpaired", "-q")
    dry = bench.run("--bench-unpaired", "--collect-only")

    loud.stdout.fnmatch_lines(
        [
            f"benchbed: toy · calls at once 2: {ADAPTER} · no more than 6000/min begun: "
            "rate in the bench file"
        ]
    )
    for result in (quiet, dry):
        assert "calls at once" not in result.stdout.str()


def test_with_workers_the_line_is_the_controllers(bench: Bench) -> None:
    bench.answers(max_concurrency=8)

    result = bench.run("--bench-run=own", "-n2")

    lines = [line for line in result.outlines if "calls at once" in line]
    assert lines == ["benchbed: toy · calls at once 4: see --bench-jobs"]
