"""pytest's own ways to choose items: ids, last failures, stepwise; only what runs is paid."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

CACHE = ["-p", "cacheprovider", "-p", "stepwise", "--baseline=base", "--bench-jobs=1"]
FILE = "cases/toy/v1/cases.jsonl"


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """The four cases, an ini file that fixes the root, and a base run without an error."""
    bench.pytester.makeini("[pytest]\nbench_adapter = toy_adapter:Toy\n")
    bench.record("base")
    return bench


@pytest.mark.parametrize("typed", [[], ["--bench=toy"]], ids=["bare", "bench"])
@pytest.mark.parametrize("form", ["absolute", "from a subfolder"])
def test_one_case_by_its_id(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, form: str, typed: list[str]
) -> None:
    text = str(bench.path / FILE) if form == "absolute" else f"../{FILE}"
    if form != "absolute":
        monkeypatch.chdir(bench.pytester.mkdir("tests"))

    result = bench.pytest(f"{text}::t-002", *typed, "--baseline=base", "--bench-run=own", "-v")

    result.assert_outcomes(passed=1)
    assert f"{FILE}::t-002 PASSED" in result.stdout.str()
    assert bench.calls() == ["t-002"]
    assert bench.saved("own").record.partial == ["node ids"]
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: ")
    assert result.ret == pytest.ExitCode.OK


def test_last_failed_runs_exactly_the_regressions(bench: Bench, workers: list[str]) -> None:
    bench.record("known", {"t-001": ["cell"]})
    bench.answers({"t-001": ["cell"], "t-002": ["row"], "t-004": ["cell"]})
    words = [*CACHE, "--baseline=known", *workers]
    bench.run(*words).assert_outcomes(passed=1, xfailed=1, failed=2)
    bench.log.unlink()

    again = bench.run(*words, "--lf", "--bench-run=own")

    again.assert_outcomes(failed=2)
    assert sorted(bench.calls()) == ["t-002", "t-004"]
    assert bench.saved("own").record.partial == ["--last-failed"]
    assert again.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(again).startswith("benchbed: gate INCOMPLETE: 2 cases not selected")
    assert "2 regressions so far (t-002, t-004)" in last_line(again)


def test_failed_first_runs_all_and_the_failed_before(bench: Bench) -> None:
    bench.answers({"t-003": ["cell"]})
    bench.run(*CACHE)
    bench.log.unlink()

    again = bench.run(*CACHE, "--ff", "--bench-run=own")

    again.assert_outcomes(passed=3, failed=1)
    assert bench.calls() == ["t-003", "t-001", "t-002", "t-004"]
    assert bench.saved("own").record.partial == []


def test_stepwise_stops_and_goes_on_where_it_stopped(bench: Bench) -> None:
    bench.answers({"t-002": ["cell"]})
    first = bench.run(*CACHE, "--sw", "--bench-run=first")
    asked = bench.calls()
    bench.log.unlink()
    bench.answers()

    second = bench.run(*CACHE, "--sw", "--bench-run=second")

    first.assert_outcomes(passed=1, failed=1)
    assert first.ret == pytest.ExitCode.INTERRUPTED
    assert asked[:2] == ["t-001", "t-002"]
    assert len(asked) <= 3
    assert [hole.case for hole in bench.saved("first").record.holes] == ["t-003", "t-004"]
    second.assert_outcomes(passed=3, deselected=1)
    assert bench.calls() == ["t-002", "t-003", "t-004"]
    assert bench.saved("second").record.partial == ["--stepwise"]
    assert last_line(second).startswith("benchbed: gate INCOMPLETE: ")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([f"--deselect={FILE}::t-003"], "--deselect"),
        (["-k", "not t-003"], "-k not t-003"),
        (["-m", "benchbed(name='toy')", "-k", "not t-003"], "-k not t-003"),
    ],
)
def test_what_is_deselected_is_not_asked_and_leaves_the_exit_status_alone(
    bench: Bench, words: list[str], reason: str
) -> None:
    result = bench.run(*words, "--baseline=base", "--bench-run=own")

    result.assert_outcomes(passed=3, deselected=1)
    assert result.ret == pytest.ExitCode.OK
    assert bench.calls() == ["t-001", "t-002", "t-004"]
    assert bench.saved("own").record.partial[0] == reason
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: ")


def test_a_marker_that_no_case_has_leaves_none(bench: Bench) -> None:
    result = bench.run("-m", "benchbed(name='other')")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert bench.calls() == []
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: toy: no case was selected (-m ")


def test_maxfail_stops_the_calls(pytester: pytest.Pytester) -> None:
    wrong = {f"t-{number:03}": ["cell"] for number in range(1, 11)}
    bench = Bench(pytester).make(10).answers(wrong)

    result = bench.run("--maxfail=2", "--bench-jobs=1", "--bench-run=own")

    result.assert_outcomes(failed=2)
    assert len(bench.calls()) in (2, 3)
    assert bench.saved("own").record.counts.holes == 8


def test_quiet_collection_prints_ids_and_nothing_else(bench: Bench, workers: list[str]) -> None:
    """Editors and scripts read these lines."""
    result = bench.run("--collect-only", "-q", "--baseline=base", *workers)

    shown = result.outlines[: result.outlines.index("")]
    assert shown == [f"{FILE}::t-00{number}" for number in range(1, 5)]
    assert bench.calls() == []
