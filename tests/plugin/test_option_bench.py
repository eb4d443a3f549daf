"""``--bench``: names, and what it does to the paths that pytest collects."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

UNIT = "def test_unit():\n    assert True\n"


def test_an_unknown_benchmark_is_refused_with_the_nearest(bench: Bench) -> None:
    result = bench.pytest("--bench=toi")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown benchmark 'toi'*Did you mean 'toy'?*", "*--bench-list*"])


@pytest.mark.parametrize(
    ("typed", "unit", "cases"),
    [
        (["--bench=toy"], 0, 4),
        (["--bench", "toy"], 0, 4),
        (["--bench=toy", "tests"], 1, 4),
        (["--bench=toy", "."], 1, 4),
        (["--bench=toy", "tests/test_unit.py::test_unit"], 1, 0),
        (["cases/toy/v1/cases.jsonl"], 0, 4),
        (["cases/toy/v1"], 0, 4),
        (["cases/toy"], 0, 4),
        (["cases/toy/v1/cases.jsonl::t-002"], 0, 1),
        (["tests"], 1, 0),
        ([], 1, 0),
        # Workers are given the arguments as they were typed, and collect them again.
        (["-n2", "--bench=toy"], 0, 4),
        (["-n2", "--bench=toy", "."], 1, 4),
        (["-n2", "cases/toy/v1/cases.jsonl::t-002"], 0, 1),
        (["-n2"], 1, 0),
    ],
)
def test_which_items_a_command_line_runs(
    bench: Bench, typed: list[str], unit: int, cases: int
) -> None:
    bench.pytester.mkdir("tests").joinpath("test_unit.py").write_text(UNIT, "utf-8")

    result = bench.pytest("--bench-adapter=toy_adapter:Toy", *typed)

    result.assert_outcomes(passed=unit + cases)
    assert len(bench.calls()) == cases


@pytest.mark.parametrize("typed", [[], ["tests"], ["."]])
def test_from_addopts_the_unit_tests_stay(bench: Bench, typed: list[str]) -> None:
    bench.pytester.mkdir("tests").joinpath("test_unit.py").write_text(UNIT, "utf-8")
    bench.pytester.makeini("[pytest]\naddopts = --bench=toy --bench-adapter=toy_adapter:Toy\n")

    result = bench.pytest(*typed)

    result.assert_outcomes(passed=5)


def test_one_unit_test_by_its_id_has_no_verdict(bench: Bench) -> None:
    """An IDE runs one test; that the ini names a benchmark must not turn it red."""
    bench.pytester.mkdir("tests").joinpath("test_unit.py").write_text(UNIT, "utf-8")
    bench.pytester.makeini("[pytest]\naddopts = --bench=toy --bench-adapter=toy_adapter:Toy\n")

    result = bench.pytest("tests/test_unit.py::test_unit")

    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("benchbed: gate*")


def test_node_ids_are_the_path_of_the_case_file(bench: Bench) -> None:
    result = bench.run("--collect-only", "-q")

    result.stdout.fnmatch_lines(["cases/toy/v1/cases.jsonl::t-001"])
    assert bench.calls() == []
    assert bench.runs() == []


def test_no_case_left_is_incomplete_and_says_why(bench: Bench) -> None:
    result = bench.run("-k", "nothing_has_this_name")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: toy: no case was selected (-k")


def test_a_dataset_that_the_walk_skips_is_never_green(bench: Bench) -> None:
    bench.pytester.mkdir("tests").joinpath("test_unit.py").write_text(UNIT, "utf-8")

    result = bench.run(".", "--ignore=cases")

    assert last_line(result).startswith("benchbed: gate INCOMPLETE: toy: no case was collected")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.req("ENV-088")
def test_the_list_names_everything_and_makes_no_item(bench: Bench) -> None:
    result = bench.pytest("--bench-list")

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["benchmarks", "*toy: Toy", "*dataset toy-v1 1: *", "adapters"])
    result.stdout.fnmatch_lines(["*reference: *"])


@pytest.mark.req("ENV-002", "ENV-106")
def test_without_registrations_there_is_no_dataset(bench: Bench) -> None:
    result = bench.pytest("--bench-list", "-p", "no:benchbed-cases", "-o", "bench_paths=")

    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*dataset *")
    result.stdout.fnmatch_lines(["*no dataset: put one below cases/toy/"])


@pytest.mark.parametrize("typed", ["--baseline=runs/base", "--bench-unpaired"])
def test_an_option_of_ours_without_a_benchmark_is_refused(bench: Bench, typed: str) -> None:
    result = bench.pytest(typed)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*needs a benchmark: name it with --bench=NAME*"])


def test_that_no_adapter_is_configured_is_said_at_the_end_too(bench: Bench) -> None:
    """Under -q there is no header, and the reference adapter does not do the user's benchmark."""
    result = bench.pytest("--bench=toy", "-q")

    result.assert_outcomes(skipped=4)
    result.stdout.fnmatch_lines(["*no adapter is configured: the reference adapter answered*"])


def test_cases_that_were_never_pinned_are_named_with_the_command(bench: Bench) -> None:
    (bench.dataset / "manifest.json").unlink()

    result = bench.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["Make it with: benchbed pin cases/toy/v1"])
