"""``benchbed score`` on promoted runs: their snapshots follow, on a clone too."""

from __future__ import annotations

import shutil

import pytest

from tests.plugin.bench import Bench
from tests.plugin.inside import gate
from tests.plugin.inside import promote
from tests.plugin.programs import benchbed
from tests.plugin.test_score import contents


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """A repository with a benchmark of four cases."""
    return Bench(pytester).make()


def raise_version(bench: Bench, number: int) -> None:
    bench.extend(f'\nToy.scoring_version = "benchbed.toy.scores.v{number}"\n')


@pytest.mark.req("ENV-011", "ENV-066")
def test_a_promoted_run_follows_a_new_formula_in_its_snapshot_and_on_a_clone(bench: Bench) -> None:
    bench.record("old")
    bench.run("--baseline=old", "--bench-run=base")
    promote(bench, "base", snapshot=True)
    raise_version(bench, 2)

    refused = bench.run("--bench-run=change")
    here = benchbed(bench, "score", "base")
    after = bench.run("--bench-run=change")
    shutil.rmtree(bench.path / "runs")
    raise_version(bench, 3)
    cloned = benchbed(bench, "score", "base")
    again = benchbed(bench, "score", "base")
    later = bench.run("--bench-run=later")
    alone = gate(bench, "base")

    assert "Score it again, which asks nothing: benchbed score base" in refused.stderr.str()
    assert here.returncode == 0, here.stdout
    assert after.ret == 0
    assert cloned.returncode == 5, cloned.stdout
    assert "written: cases/toy/baseline/base" in cloned.stdout
    assert cloned.stdout.endswith("not at hand, so its verdict stays as it was (passed)\n")
    assert "no file was written" in again.stdout
    assert later.ret == 0
    assert alone[0] == 5
    assert alone[1].endswith("not at hand, so its verdict stays as it was (passed)")
    # Controls alone are compared with the baseline on record.
    named = benchbed(bench, "gate", "base", "--control=later")
    assert named.returncode == 2
    assert "a run it was compared with is not at hand: unknown run 'old'" in named.stdout
    assert benchbed(bench, "gate", "base", "--baseline=later").returncode == 0
    kept = sorted(path.name for path in (bench.dataset.parent / "baseline/base").iterdir())
    assert kept == ["calls.jsonl", "results.jsonl", "run.json"]


def test_the_snapshot_of_another_run_of_that_name_stays(bench: Bench) -> None:
    bench.record("base")
    promote(bench, "base", snapshot=True)
    shutil.rmtree(bench.path / "runs" / "base")
    bench.record("base", {"t-002": ["row"]})
    bench.record("change", {"t-002": ["row"]})
    before = contents(bench.dataset.parent / "baseline")
    raise_version(bench, 2)

    done = benchbed(bench, "score", "change", "--baseline=base")

    assert done.returncode == 0, done.stdout
    assert "with it, run base" in done.stdout
    assert contents(bench.dataset.parent / "baseline") == before


def test_what_a_run_is_compared_with_says_nothing_to_diff(bench: Bench) -> None:
    bench.record("base")

    done = benchbed(bench, "score", "--diff", "base", "--baseline=base")

    assert done.returncode == 2
    assert "--diff compares a run with itself" in done.stderr
