"""``--bench-target``, ``--bench-gate``, ``--bench-rule`` and ``--bench-require-gate``."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import benchbed


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


def test_a_rule_that_is_not_built_is_refused_by_its_name(bench: Bench) -> None:
    result = bench.run("--bench-rule=band")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*rule 'band'*not built*", "Take strict, confirm or allowance*"])


@pytest.mark.parametrize(("is_declared", "rule"), [(True, "strict"), (False, "confirm")])
def test_auto_takes_strict_of_a_deterministic_system_alone(
    bench: Bench, is_declared: bool, rule: str
) -> None:
    bench.record("base", deterministic=is_declared)

    result = bench.run("--baseline=base", "--bench-run=next")

    result.stdout.fnmatch_lines([f"*rule {rule} (auto)*"])
    gate = bench.saved("next").record.gate
    assert (gate.rule, gate.rule_source) == (rule, "auto")


def test_a_rule_that_was_typed_decides_the_saved_run_too(bench: Bench) -> None:
    bench.record("base", deterministic=False)
    bench.answers({"t-002": {"attempts": [["row"], []]}}, deterministic=False)

    assert bench.run("--baseline=base", "--bench-run=next", "--bench-rule=strict").ret == 1
    assert bench.gate_code("next") == 1
    scored = benchbed(bench, "score", "next")
    assert (scored.returncode, "nothing changed" in scored.stdout) == (1, True)
    # As confirm it is open: nothing was asked again.
    offline = benchbed(bench, "gate", "next", "--rule=confirm")
    assert offline.returncode == 4
    [again] = [line for line in offline.stdout.splitlines() if line.startswith("  ask again: ")]
    assert again.startswith("  ask again: pytest --bench=toy ")
    assert " --bench-rule=confirm" in again
    assert "strict" not in again
    # A run without a comparison is compared as was typed.
    bench.run("--bench-unpaired", "--bench-run=night")
    night = benchbed(bench, "gate", "night", "--baseline=base")
    [again] = [line for line in night.stdout.splitlines() if line.startswith("  ask again: ")]
    assert " --baseline=base" in again
    assert "unpaired" not in again
    assert benchbed(bench, "score", "next", "--rule=confirm").returncode == 4


@pytest.mark.req("ENV-061", "ENV-065")
def test_baseline_required_leaves_the_exit_status_unless_a_pass_is_required(bench: Bench) -> None:
    plain = bench.run()
    required = bench.run("--bench-require-gate")

    assert plain.ret == pytest.ExitCode.OK
    assert required.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(required).startswith("benchbed: gate BASELINE REQUIRED: ")
