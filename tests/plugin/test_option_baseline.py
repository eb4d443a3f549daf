"""``--baseline`` and ``--bench-control``: what is compared, and what is refused."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


@pytest.mark.req("ENV-054")
@pytest.mark.parametrize("spelling", ["--baseline=base", "--baseline=runs/base"])
def test_a_run_is_named_by_id_or_path(bench: Bench, spelling: str) -> None:
    bench.record("base", {"t-001": ["cell"]})
    bench.answers()

    result = bench.run(spelling)

    result.assert_outcomes(passed=4)
    assert last_line(result).startswith("benchbed: gate PASSED: ")
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.req("ENV-054")
def test_a_missing_baseline_is_refused_before_anything_is_spent(bench: Bench) -> None:
    bench.record("base")

    result = bench.run("--baseline=runs/bass")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown run*bass*Did you mean 'base'*"])
    assert bench.calls() == []
    assert bench.runs() == ["base"]


@pytest.mark.req("ENV-081")
def test_a_baseline_of_another_revision_is_refused_with_both_values(bench: Bench) -> None:
    run = bench.record("base")
    record = json.loads(run.paths.run.read_text("utf-8"))
    record["dataset"]["version"] = "0"
    run.paths.run.write_text(json.dumps(record), "utf-8")

    result = bench.run("--baseline=base")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(['*dataset version*"0"*"1"*'])
    assert bench.calls() == []


@pytest.mark.req("ENV-055", "ENV-056", "ENV-057")
def test_a_regression_on_an_unstable_case_is_reported_and_does_not_fail(
    bench: Bench, workers: list[str]
) -> None:
    bench.record("base")
    bench.record("again", {"t-002": ["cell"]})
    bench.answers({"t-002": ["row"]})

    result = bench.run("--baseline=base", "--bench-control=again", *workers)

    result.assert_outcomes(passed=3, xfailed=1)
    assert last_line(result).startswith("benchbed: gate PASSED: ")
    result.stdout.fnmatch_lines(["*unstable 1*"])


@pytest.mark.req("ENV-055")
def test_a_control_without_a_baseline_is_refused(bench: Bench) -> None:
    bench.record("again")

    result = bench.run("--bench-control=again")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--bench-control*--baseline=RUN*"])


def test_a_control_of_another_system_is_refused_by_the_field(bench: Bench) -> None:
    bench.record("base")
    bench.record("other", version="2")
    bench.answers()

    result = bench.run("--baseline=base", "--bench-control=other")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(['*control \'other\'*version*"2"*"1"*'])
    assert bench.calls() == []


def test_a_copied_run_is_no_control(bench: Bench) -> None:
    run = bench.record("base")
    shutil.copytree(run.path, run.path.with_name("copy"))

    result = bench.run("--baseline=base", "--bench-control=copy")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*run 'base' is named twice, as baseline and as control*"])


def test_unpaired_and_a_baseline_contradict_each_other(bench: Bench) -> None:
    bench.record("base")

    result = bench.run("--baseline=base", "--bench-unpaired")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--bench-unpaired*--baseline*"])


def test_an_empty_baseline_is_refused(bench: Bench) -> None:
    """A CI job types --baseline=$UNSET; it must not run unpaired."""
    result = bench.run("--baseline=")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert bench.calls() == []


def test_a_baseline_edited_by_the_adapter_during_the_run_blocks_and_excuses_nothing(
    bench: Bench,
) -> None:
    run = bench.record("base")
    bench.answers({"t-002": ["cell"]})
    adapter = bench.path / "toy_adapter.py"
    known = '"errors":{"main":[{"kind":"wrong","where":{"at":"cell"}}]'
    edit = (
        "    def predict(self, case):\n"
        f"        text = open({str(run.paths.results)!r}, encoding='utf-8').read()\n"
        f'        text = text.replace(\'"errors":{{"main":[]\', {known!r})\n'
        f"        open({str(run.paths.results)!r}, 'w', encoding='utf-8').write(text)\n"
    )
    text = adapter.read_text("utf-8")
    adapter.write_text(text.replace("    def predict(self, case):\n", edit), "utf-8")

    result = bench.run("--baseline=base")

    assert '"at":"cell"' in run.paths.results.read_text("utf-8"), "the adapter did edit it"
    # The next run would be compared with what stands there now.
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    assert "tampered_run" in last_line(result)
    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
