"""``--bench-target``, ``--bench-gate``, ``--bench-rule`` and ``--bench-require-gate``."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


@pytest.mark.req("ENV-058")
def test_a_known_error_on_a_target_fails(bench: Bench, workers: list[str]) -> None:
    bench.record("base", {"t-001": ["cell"]})

    bench.answers({"t-001": ["cell"]})
    result = bench.run("--baseline=base", "--bench-target=t-001", *workers)

    result.assert_outcomes(passed=3, failed=1)
    assert last_line(result).startswith("benchbed: gate FAILED: ")
    assert "t-001" in last_line(result)


@pytest.mark.req("ENV-058")
def test_an_unknown_target_is_refused_with_the_nearest(bench: Bench) -> None:
    result = bench.run("--bench-target=t-01")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown target*t-01*t-001*"])
    assert bench.calls() == []


@pytest.mark.req("ENV-009", "ENV-064")
def test_another_profile_can_decide_and_both_verdicts_are_saved(bench: Bench) -> None:
    bench.record("base")
    bench.answers({"t-002": {"main": [], "side": ["edge"]}})

    first = bench.run("--baseline=base", "--bench-run=by-main")
    second = bench.run("--baseline=base", "--bench-gate=side", "--bench-run=by-side")

    assert last_line(first).startswith("benchbed: gate PASSED: ")
    assert last_line(second).startswith("benchbed: gate FAILED: ")
    profiles = bench.saved("by-main").metrics["profiles"]
    assert profiles["main"]["gate"]["status"] == "passed"
    assert profiles["side"]["gate"]["status"] == "failed"
    assert [profiles[name]["gate"]["decides"] for name in ("main", "side")] == [True, False]


@pytest.mark.req("ENV-064")
def test_an_unknown_profile_is_refused_with_the_nearest(bench: Bench) -> None:
    result = bench.run("--bench-gate=sied")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown profile*sied*side*"])


@pytest.mark.parametrize("rule", ["confirm", "allowance", "band"])
def test_a_rule_that_is_not_built_is_refused_by_its_name(bench: Bench, rule: str) -> None:
    result = bench.run(f"--bench-rule={rule}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*rule '{rule}'*not built*"])


def test_auto_takes_strict_and_says_so(bench: Bench) -> None:
    bench.record("base")

    result = bench.run("--baseline=base", "--bench-run=next")

    result.stdout.fnmatch_lines(["benchbed: rule auto takes strict*", "*rule strict (auto)*"])
    assert bench.saved("next").record.gate.rule == "strict"


@pytest.mark.req("ENV-061", "ENV-065")
def test_baseline_required_leaves_the_exit_status_unless_a_pass_is_required(bench: Bench) -> None:
    plain = bench.run()
    required = bench.run("--bench-require-gate")

    assert plain.ret == pytest.ExitCode.OK
    assert required.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(required).startswith("benchbed: gate BASELINE REQUIRED: ")
