"""Latency and cost beside the verdict: the same lines wherever a verdict is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_benchbed.model.canonical import digest
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.read import Run
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import benchbed

TIMES = "\N{MULTIPLICATION SIGN}"


def beside(text: str) -> list[str]:
    """Return the lines of latency and cost, warnings included."""
    starts = ("  latency ", "  cost ", "  warning: latency", "  warning: cost")
    return [line for line in text.splitlines() if line.startswith(starts) and " p95 · " not in line]


def set_prices(bench: Bench, **prices: tuple[float, float]) -> dict[str, Any]:
    """Write the price table of the bench file: dollars per million tokens, in and out."""
    table = {name: {"in": before, "out": after} for name, (before, after) in prices.items()}
    (bench.dataset.parent / "bench.json").write_text(json.dumps({"prices": table}), "utf-8")
    return table


def test_session_summary_page_gate_and_score_say_the_same(bench: Bench) -> None:
    bench.record("base", cost=0.001)
    bench.answers({"t-002": ["cell"]}, cost=0.004)

    result = bench.run("--baseline=base", "--bench-run=own")

    lines = beside(result.stdout.str())
    assert lines[1:] == [
        f"  cost {TIMES}4.00: $0.004, the baseline $0.001 (median of 4 cases measured in both)",
        f"  warning: cost rose to {TIMES}4.00: $0.004, was $0.001 (median)",
    ]
    assert lines[0].startswith(f"  latency {TIMES}")
    assert lines[0].endswith("(median of 4 cases measured in both)")
    saved = bench.saved("own")
    deltas = saved.metrics["deltas"]
    assert deltas["cost_usd"] == {
        "n": 4, "value": 0.004, "baseline": 0.001, "ratio": 4, "warns": True, "why_not": None,
        "usage": None, "price": None,
    }  # fmt: skip
    assert deltas["latency_s"]["n"] == 4
    summary = saved.paths.summary.read_text("utf-8")
    assert f"- Cost: {TIMES}4.00: `$0.004`, the baseline `$0.001` (median of 4 cases" in summary
    assert f"- Latency: {TIMES}" in summary
    assert f"- Warning: cost rose to {TIMES}4.00: `$0.004`, was `$0.001` (median)" in summary
    page = saved.paths.report.read_text("utf-8")
    assert f"<dt>Cost</dt><dd>{TIMES}4.00: $0.004, the baseline $0.001" in page
    assert f"cost rose to {TIMES}4.00" in page
    again: list[str] = []
    assert bench.gate_code("own", echo=again.append) == 1
    assert beside("\n".join(again)) == lines
    assert beside(benchbed(bench, "score", "own").stdout) == lines
    assert bench.saved("own").metrics["deltas"] == deltas


def test_without_costs_no_amount_is_shown_and_without_a_baseline_nothing(bench: Bench) -> None:
    bench.answers(cost=None, paid=None)
    first = bench.run("--bench-unpaired", "--bench-run=base")
    second = bench.run("--baseline=base", "--bench-run=own")

    assert beside(first.stdout.str()) == []
    assert bench.saved("base").metrics["deltas"] is None
    (line,) = beside(second.stdout.str())
    assert line.startswith(f"  latency {TIMES}")
    assert bench.saved("own").metrics["deltas"]["cost_usd"] is None
    assert "$" not in bench.saved("own").paths.summary.read_text("utf-8").split("## What to do")[0]


def test_a_run_holds_its_price_table_and_another_table_sets_usage_and_prices_apart(
    bench: Bench,
) -> None:
    old = set_prices(bench, m=(1, 4))
    tokens = {"model": "m", "input_tokens": 1000, "output_tokens": 500}
    bench.record("base", cost=None, paid=True, usage=tokens)
    new = set_prices(bench, m=(2, 8))
    more = {"model": "m", "input_tokens": 1500, "output_tokens": 750}
    bench.answers(cost=None, paid=True, usage=more)

    result = bench.run("--baseline=base", "--bench-run=own")

    spends = {name: bench.saved(name).record.to_json()["spend"] for name in ("base", "own")}
    assert spends["base"]["prices"] == old
    assert spends["base"]["prices_sha256"] == digest(old)
    assert spends["own"]["prices"] == new
    # 1000 tokens in and 500 out at 1 and 4 millionths; half as many more at 2 and 8; four cases.
    assert (spends["base"]["spent_usd"], spends["own"]["spent_usd"]) == (0.012, 0.036)
    line = (
        f"  cost not compared: price table {digest(new)[:12]}, the baseline has price table "
        f"{digest(old)[:12]} · usage {TIMES}1.50 at the baseline's prices (4 cases) · prices "
        f"{TIMES}2.00 for the same tokens (4 cases)"
    )
    assert beside(result.stdout.str())[1:] == [line]
    again: list[str] = []
    bench.gate_code("own", echo=again.append)
    assert line in again


def test_an_older_record_without_a_price_table_opens_and_is_not_compared(bench: Bench) -> None:
    bench.record("base", cost=0.001)
    assert bench.saved("base").record.spend.prices == {}
    assert bench.saved("base").record.spend.prices_sha256 is None
    path = bench.saved("base").paths.run
    old = json.loads(path.read_text("utf-8"))
    del old["spend"]["prices"]
    del old["spend"]["prices_sha256"]
    write_json(path, old)
    bench.answers(cost=0.001)

    result = bench.run("--baseline=base", "--bench-run=own")

    assert result.ret == 0
    assert beside(result.stdout.str())[1:] == [
        "  cost not compared: an older version made the baseline, and its price table is not on "
        "record"
    ]
    assert "prices" not in Run.open(path.parent).record.to_json()["spend"]


def test_another_number_of_calls_at_once_is_never_compared(bench: Bench) -> None:
    bench.record("base", cost=0.001, max_concurrency=4)

    result = bench.run("--baseline=base", "--bench-run=own", "--bench-jobs=2")

    assert bench.saved("base").record.executor.slots == 4
    assert beside(result.stdout.str()) == [
        "  latency not compared: 2 calls at once, the baseline 4",
        "  cost not compared: 2 calls at once, the baseline 4",
    ]
    deltas = bench.saved("own").metrics["deltas"]
    assert {deltas[name]["ratio"] for name in deltas} == {None}


def test_a_resumed_run_keeps_its_prices_and_notes_another_number_of_calls(bench: Bench) -> None:
    set_prices(bench, m=(1, 4))
    tokens = {"model": "m", "input_tokens": 1000, "output_tokens": 500}
    bench.answers({"t-002": "crash"}, cost=None, paid=True, usage=tokens, max_concurrency=2)
    bench.run("--bench-unpaired", "--bench-run=own", "--bench-jobs=2")
    set_prices(bench, m=(10, 40))
    bench.answers(cost=None, paid=True, usage=tokens, max_concurrency=2)

    resumed = bench.run("--bench-resume=own", "--bench-unpaired", "--bench-jobs=1")

    resumed.stdout.fnmatch_lines(
        ["benchbed: run own goes on with the prices it began with, not those of the bench file"]
    )
    record = bench.saved("own").record
    assert {row["x"]["cost_usd"] for row in bench.saved("own").results()} == {0.003}
    assert record.to_json()["spend"]["prices"] == {"m": {"in": 1, "out": 4}}
    assert [(one.what, one.from_, one.to) for one in record.history][-1] == ("calls at once", 2, 1)
    assert (record.executor.jobs, record.executor.slots) == (1, 1)
    # What did not change between two tries is no reason not to compare.
    bench.record("other", {"t-001": "raise"})
    bench.answers()
    bench.run("--bench-resume=other", "--bench-unpaired", "--bench-jobs=7")
    assert [one.what for one in bench.saved("other").record.history] == ["resumed"]
    bench.answers(cost=None, paid=True, usage=tokens, max_concurrency=2)
    later = bench.run("--baseline=own", "--bench-run=next", "--bench-jobs=1")
    assert beside(later.stdout.str())[0] == (
        "  latency not compared: run own went on with another number of calls at once"
    )


def limited(bench: Bench, **thresholds: float) -> None:
    """Set limits in the bench file."""
    text = json.dumps({"thresholds": thresholds})
    (bench.dataset.parent / "bench.json").write_text(text, "utf-8")


@pytest.mark.parametrize(("name", "limit"), [("latency", 0.5), ("cost", 0), ("quality", 0.05)])
def test_a_limit_that_is_none_is_refused(bench: Bench, name: str, limit: float) -> None:
    limited(bench, **{name: limit})

    result = bench.run("--bench-unpaired")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*thresholds: {name}: {limit:g} (the bench file) is no limit*"])
    assert bench.calls() == []


def test_a_limit_gates_in_the_session_and_from_saved_files(bench: Bench) -> None:
    bench.record("base", cost=0.01)
    limited(bench, cost=1.2)
    bench.answers(cost=0.02)

    failed = bench.run("--baseline=base", "--bench-run=dear")
    bench.answers(cost=0.012)
    passed = bench.run("--baseline=base", "--bench-run=same")
    bench.answers(cost=None, paid=None)
    unknown = bench.run("--baseline=base", "--bench-run=silent")

    failed.assert_outcomes(passed=4)
    assert (failed.ret, passed.ret, unknown.ret) == (1, 0, 1)
    assert last_line(failed) == (
        f"benchbed: gate FAILED: cost {TIMES}2.00 of the baseline's median, the limit is {TIMES}1.2"
    )
    assert last_line(unknown).startswith(
        "benchbed: gate INCOMPLETE: cost has a limit, and cannot be compared: this run has none"
    )
    assert [bench.gate_code(run) for run in ("dear", "same", "silent")] == [1, 0, 4]
    assert bench.saved("dear").record.thresholds == {"cost": 1.2}
    # Nothing is left to do of a complete run, and its verdict stays.
    bench.answers(cost=0.02)
    again = bench.run("--baseline=base", "--bench-resume=dear")
    assert (again.ret, last_line(again)) == (1, last_line(failed))


def test_a_mean_that_falls_below_its_limit_fails_the_gate(bench: Bench) -> None:
    bench.record("base", {"t-001": ["row"]})
    bench.record("control", {"t-002": ["row"]})
    limited(bench, quality=-0.2)
    bench.answers({"t-001": ["row"], "t-002": ["row"]})

    # Both are unstable: no regression, and a quarter less all the same.
    result = bench.run("--baseline=base", "--bench-control=control", "--bench-run=own")

    assert last_line(result) == (
        "benchbed: gate FAILED: quality -0.2500 on 4 cases, the limit is -0.2"
    )
    assert bench.gate_code("own", "control") == 1
