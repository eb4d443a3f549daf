"""``--bench-reuse``: answers of an earlier run, where the same system would be asked the same."""

from __future__ import annotations

import json

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import write_lines
from tests.plugin.programs import benchbed
from tests.plugin.programs import posix_only
from tests.plugin.programs import write_executable


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """A repository with a benchmark of four cases."""
    return Bench(pytester).make()


def cached(bench: Bench, run_id: str) -> list[str]:
    rows = bench.saved(run_id).rows()
    return [case for case, row in rows.items() if row["x"]["usage"].get("cached")]


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["n0", "n2"])
def test_equal_questions_to_the_same_system_are_not_asked_again(
    bench: Bench, workers: list[str]
) -> None:
    bench.record("base", {"t-002": ["row"]}, cost=0.5, paid=True)

    def edit(row: dict[str, object]) -> dict[str, object]:
        is_changed = row["id"] == "t-003"
        return {**row, "inputs": {"text": "another"}} if is_changed else row

    path = bench.dataset / "cases.jsonl"
    write_lines(path, [edit(json.loads(line)) for line in path.read_text("utf-8").splitlines()])
    benchbed(bench, "pin", str(bench.dataset), "--bump")

    words = ["-q", "--bench-unpaired", "--bench-run=again", "--bench-reuse=base"]
    result = bench.run(*words, *workers)

    assert result.ret == 0
    assert bench.calls() == ["t-003"]
    result.stdout.fnmatch_lines(
        ["*3 of 4 outcomes reused from base*", "*spend $0.50 · cached 3 of 4 (from base)"]
    )
    assert cached(bench, "again") == ["t-001", "t-002", "t-004"]
    run = bench.saved("again")
    assert run.rows()["t-002"]["errors"]["main"] != []
    # One call was made and paid; nobody waited for the others.
    assert float(run.record.spend.spent_usd or 0) == 0.5
    assert run.metrics["latency_s"]["n"] == 1
    assert run.metrics["cost_usd"] == {"sum": 0.5, "n": 1}
    entry = next(entry for entry in run.record.history if entry.what == "reused")
    assert (entry.from_, entry.to) == ("base", 3)


def test_another_version_is_asked_and_the_line_says_why(bench: Bench) -> None:
    bench.record("base")
    bench.answers({}, version="22")

    result = bench.run("--bench-unpaired", "--bench-run=again", "--bench-reuse=base")

    assert len(bench.calls()) == 4
    result.stdout.fnmatch_lines(
        ['*0 of 4 outcomes reused from base: another system: version is "22", was "1"*']
    )
    assert bench.saved("again").record.history == []


def test_only_first_attempts_that_were_answered_are_taken(bench: Bench) -> None:
    bench.record("base", {"t-002": "raise", "t-003": "decline"})
    bench.run("--bench-unpaired", "--bench-run=again", "--bench-reuse=base", "--bench-repeats=2")

    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]
    assert cached(bench, "again") == ["t-001", "t-003", "t-004"]


def test_such_a_run_is_refused_as_a_control(bench: Bench) -> None:
    bench.record("base")
    bench.run("--bench-unpaired", "--bench-run=again", "--bench-reuse=base")
    bench.log.unlink(missing_ok=True)

    result = bench.run("--baseline=base", "--bench-control=again")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*took outcomes over from run*"])
    assert bench.calls() == []


@posix_only
def test_what_cannot_be_reused_is_refused_before_a_call(bench: Bench) -> None:
    bench.record("base", version="")
    write_executable(bench)
    cases = {
        "not identified": ["--bench-reuse=base", "--bench-adapter=toy_adapter:Toy"],
        "says its version only": ["--bench-reuse=base", "--bench-adapter=./system"],
        "unknown run": ["--bench-reuse=baes", "--bench-adapter=toy_adapter:Toy"],
        "goes on has": ["--bench-reuse=base", "--bench-resume=base"],
    }
    for text, words in cases.items():
        result = bench.pytest("--bench=toy", "--bench-unpaired", *words)

        assert result.ret == pytest.ExitCode.USAGE_ERROR, text
        assert text in result.stderr.str() + result.stdout.str()
    assert bench.calls() == []
    assert bench.runs() == ["base"]
