"""Two benchmarks in one session: a run set, its verdicts and what is left of a refused one."""

from __future__ import annotations

import json
import shutil

import pytest

from pytest_benchbed.data.pin import pin
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.inside import promote
from tests.plugin.inside import runs
from tests.plugin.programs import benchbed

SECOND = """
class Second(Toy):
    id = "second"
    format = "benchbed.second.v1"
    label = "Second"
    scoring_version = "benchbed.second.scores.v1"


"""


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """Two benchmarks with cases of the same ids."""
    conftest = bench.path / "conftest.py"
    text = conftest.read_text("utf-8").replace(
        "    registry.add(Toy)\n", "    registry.add(Toy)\n    registry.add(Second)\n"
    )
    head, hook, tail = text.partition("@pytest.hookimpl")
    conftest.write_text(head + SECOND + hook + tail, "utf-8")
    data = bench.path / "cases" / "second" / "v1"
    shutil.copytree(bench.dataset, data)
    (data / "manifest.json").unlink()
    pin(data, benchmark="second", id="second-v1", visibility="public")
    return bench


@pytest.mark.req("ENV-038")
def test_two_benchmarks_make_a_set_of_two_runs(bench: Bench, workers: list[str]) -> None:
    result = bench.run("--bench=second", "--bench-run=both", "--bench-unpaired", *workers)

    result.assert_outcomes(passed=8)
    root = bench.path / "runs" / "both"
    assert json.loads((root / "run-set.json").read_text("utf-8")) == {
        "schema": "benchbed.run-set.v1",
        "id": "both",
        "benchmarks": ["toy", "second"],
    }
    for name in ("toy", "second"):
        run = bench.saved(f"both/{name}")
        assert (run.record.id, run.record.benchmark.id) == (f"both/{name}", name)
        assert (run.record.status, run.record.counts.scored) == ("completed", 4)
    assert len(bench.calls()) == 8


@pytest.mark.req("ENV-101")
def test_the_runs_of_a_set_are_promoted_one_by_one(bench: Bench) -> None:
    """Each benchmark has a bench file, and its snapshot nests by the id of the set."""
    bench.run("--bench=second", "--bench-run=both", "--bench-unpaired")

    refused = promote(bench, "both")
    for name in ("toy", "second"):
        assert promote(bench, f"both/{name}", snapshot=True)[0] == 0
    shutil.rmtree(bench.path / "runs" / "both")
    result = bench.pytest("--bench=all", "--bench-run=next")

    assert refused[0] == 2
    assert "is a run set, not a run" in refused[1]
    assert (bench.path / "cases" / "second" / "baseline" / "both" / "second").is_dir()
    result.assert_outcomes(passed=8)
    for name in ("toy", "second"):
        baseline = bench.saved(f"next/{name}").record.baseline
        assert baseline is not None
        assert baseline.id == f"both/{name}"
    assert "snapshot" in runs(bench)


def test_several_gates_say_how_often_some_gate_is_red_without_a_change(bench: Bench) -> None:
    words = ["--bench=second", "--bench-unpaired"]
    bench.run(*words, "--bench-run=base")
    bench.answers({"t-001": ["row"]})
    bench.run(*words, "--bench-run=control")
    for name in ("toy", "second"):
        done = benchbed(bench, "promote", f"base/{name}", f"--control=control/{name}")
        assert done.returncode == 0, done.stdout + done.stderr

    result = bench.run("--bench=second", "--bench-run=own")

    # Each 1 - exp(-3 B(3, 4)) = 4.9 %, at K = 1, D = 1 and r = 2.
    result.stdout.fnmatch_lines(
        ["benchbed: 2 gates, each with its noise: some gate is red without a change*9.5 %*"]
    )


def test_one_of_which_no_case_was_collected_has_a_verdict_too(bench: Bench) -> None:
    words = ["--bench=second", ".", "--ignore=cases/second", "--bench-run=both"]

    result = bench.run(*words, "--bench-unpaired")

    result.assert_outcomes(passed=4)
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: second: no case was collected")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]


def test_a_dataset_whose_path_ends_like_anothers_is_not_taken_for_it(bench: Bench) -> None:
    (bench.path / "lib" / "cases").mkdir(parents=True)
    (bench.path / "cases" / "second").rename(bench.path / "lib" / "cases" / "toy")

    result = bench.run("--bench=second", "--bench-run=both", "-o", "bench_paths=cases lib/cases")

    result.assert_outcomes(passed=8)
    assert bench.saved("both/toy").record.counts.scored == 4
    assert bench.saved("both/second").record.counts.scored == 4


@pytest.mark.req("ENV-090")
def test_an_existing_set_is_refused(bench: Bench) -> None:
    (bench.path / "runs" / "both").mkdir(parents=True)

    result = bench.run("--bench=second", "--bench-run=both")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*run set 'both' exists*nothing is overwritten*"])


def test_a_refused_adapter_leaves_no_set(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOY_KEY", raising=False)
    code = (bench.path / "toy_adapter.py").read_text("utf-8")
    code = code.replace("    version =", '    env = ("TOY_KEY",)\n    version =', 1)
    (bench.path / "toy_adapter.py").write_text(code, "utf-8")

    result = bench.run("--bench=second", "--bench-run=both")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not (bench.path / "runs" / "both").exists()


def test_the_exit_code_of_a_set_is_that_of_its_worst_run(bench: Bench) -> None:
    bench.run("--bench=second", "--bench-run=both", "--bench-unpaired")
    first = benchbed(bench, "gate", "both")
    record = bench.path / "runs" / "both" / "second" / "run.json"
    value = json.loads(record.read_text("utf-8"))
    value["technical"] = [{"case": None, "whose": "adapter", "kind": "crash", "detail": "x"}]
    record.write_text(json.dumps(value), "utf-8")
    second = benchbed(bench, "gate", "both")

    assert first.returncode == 5
    assert first.stdout.count("benchbed: gate BASELINE REQUIRED: ") == 2
    assert second.returncode == 3
    assert "benchbed: gate BLOCKED: " in second.stdout


@pytest.mark.req("ENV-090")
def test_one_run_of_a_set_goes_on(bench: Bench) -> None:
    bench.answers({"t-002": "raise"})
    bench.run("--bench=second", "--bench-run=both", "--bench-unpaired")
    bench.log.unlink()
    (bench.path / "replies.json").write_text("{}", "utf-8")

    result = bench.run("--bench-resume=both/toy")

    result.assert_outcomes(passed=4)
    assert bench.calls() == ["t-002"]
    assert bench.saved("both/toy").record.counts.technical == 0
    assert bench.saved("both/second").record.counts.technical == 1
