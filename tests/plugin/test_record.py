"""``benchbed record``: baseline and controls in one command, promoted."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.plugin.bench import Bench
from tests.plugin.programs import benchbed

ADAPTER = "--bench-adapter=toy_adapter:Toy"


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """A repository with a benchmark of two cases."""
    return Bench(pytester).make(count=2)


def promoted(bench: Bench) -> dict[str, object]:
    path = bench.path / "cases" / "toy" / "bench.json"
    entry = json.loads(path.read_text("utf-8"))["adapters"]["toy_adapter:Toy"]
    return {name: entry[name] for name in ("baseline", "controls")}


@pytest.mark.req("ENV-101")
def test_baseline_and_controls_are_whole_runs_and_promoted(
    bench: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    done = benchbed(bench, "record", "toy", "--controls=1", "--run=first", "--", "-q", ADAPTER)
    # Of the processes on this terminal, which the command does not read.
    printed = capfd.readouterr().out
    again = benchbed(bench, "record", "toy", "--controls=1", "--run=first", "--", "-q", ADAPTER)

    assert (done.returncode, again.returncode) == (0, 0), done.stdout + done.stderr
    assert promoted(bench) == {"baseline": "first", "controls": ["first-control-1"]}
    assert sorted(bench.calls()) == ["t-001", "t-001", "t-002", "t-002"]
    assert "run 2 of 2: control 1 first-control-1 is there" in again.stdout
    assert "already promoted" in again.stdout
    assert "benchbed: recorded first\n" in printed
    assert "benchbed: recorded first-control-1\n" in printed
    for word in ("BASELINE REQUIRED", "promote", "no control run", "next:"):
        assert word not in printed
    assert bench.pytest("--bench=toy").ret == 0
    assert (bench.path / "cases/toy/baseline/first-control-1/results.jsonl").exists()


def test_a_technical_failure_stops_it_and_the_line_goes_on(bench: Bench) -> None:
    bench.answers({"t-002": "raise"})
    broken = benchbed(bench, "record", "toy", "--controls=0", "--run=first", "--", "-q", ADAPTER)
    # The same system, whose trouble lay outside: only the failed case is asked again.
    (bench.path / "replies.json").write_text("{}", "utf-8")
    bench.log.unlink()
    repaired = benchbed(bench, "record", "toy", "--controls=0", "--run=first", "--", "-q", ADAPTER)

    assert broken.returncode == 1
    assert "run first has technical failures: 1" in broken.stdout
    assert f"benchbed record toy --controls=0 --run=first -- -q {ADAPTER}" in broken.stdout
    assert not (bench.path / "cases" / "toy" / "bench.json").exists() or repaired.returncode == 0
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
    assert bench.calls() == ["t-002"]
    assert promoted(bench) == {"baseline": "first", "controls": []}


def test_after_a_spent_budget_one_is_proposed_that_is_enough(bench: Bench) -> None:
    bench.answers(cost=0.25)
    words = ["record", "toy", "--controls=0", "--run=first", "--", "-q", ADAPTER]

    spent = benchbed(bench, *words, "--bench-budget", "0.3")
    told = spent.stdout.rpartition("then go on with: ")[2].strip()
    done = benchbed(bench, *shlex.split(told)[1:])

    assert spent.returncode == 1
    assert "a run may need $0.83, then go on with: " in spent.stdout
    assert told == (
        f"benchbed record toy --controls=0 --run=first -- -q {ADAPTER} --bench-budget=0.83"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(bench.calls()) == ["t-001", "t-002"]


def test_what_cannot_be_recorded_is_said(bench: Bench) -> None:
    cases = {
        ("record", "tyo"): (2, "toy"),
        ("record", "toy", "--controls=99"): (2, "from 0 to 20"),
        ("record", "toy", "--run=a b"): (2, "a-b"),
        ("record", "toy", "--controls=0", "--run=p", "--", "-q", ADAPTER, "-k", "t-001"): (
            1,
            "are of all cases: record without that",
        ),
        ("record", "toy", "--controls=0", "--run=q", "--", "--bench-adapter=nowhere:Toy"): (
            1,
            "was not begun (pytest ended with 4)",
        ),
    }
    for words, (code, text) in cases.items():
        done = benchbed(bench, *words)

        assert done.returncode == code, words
        assert text in done.stdout + done.stderr
    assert not (bench.path / "cases" / "toy" / "bench.json").exists()
