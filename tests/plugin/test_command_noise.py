"""``benchbed gate --explain``, ``--aa`` and ``--plan``."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.readings import READINGS
from tests.plugin.bench import Bench
from tests.plugin.programs import benchbed

WRONG = ["row"]


@pytest.fixture
def noisy(bench: Bench) -> Bench:
    """Three runs of one code, in which t-001 wobbles, and a candidate."""
    bench.record("base", deterministic=False)
    bench.record("one", {"t-001": WRONG}, deterministic=False)
    bench.record("two", deterministic=False)
    return bench


def test_each_number_behind_a_verdict_is_explained(noisy: Bench) -> None:
    noisy.answers({"t-002": {"attempts": [WRONG, []]}, "t-003": WRONG}, deterministic=False)
    controls = ["--bench-control=one", "--bench-control=two"]
    noisy.run("--baseline=base", *controls, "--bench-run=own")

    done = benchbed(noisy, "gate", "own", "--explain")

    assert done.returncode == 1
    why = done.stdout[done.stdout.index("why: ") :].splitlines()
    assert why == [
        "why: profile main",
        "  runs of the old code: base, one, two",
        "  rule: confirm (auto, as the system declares nothing of being deterministic)",
        "  compared: 4 of 4; unstable, where runs of the old code differ: D = 1 (t-001)",
        "  flaky cases: F = D (K + 2) / K = 1 · 4 / 2 = 2",
        "  re-asks of a suspect: r = 1, the fewest with F · B(K + 2, r + 2) <= 1/20: "
        "2 · 1/60 = 0.0333",
        "  false alarm: 1 - exp(-F · B(K + 2, r + 2)) = 3.3 %",
        "  allowance: runs of the old code are suspects of each other 0, 1, 0 times, so "
        "lambda = 0.5 and 2 allowed (95 % of a Poisson)",
        "  suspects, worse than every run of the old code: S = 2",
        "    t-002: wobbled, wrong in 1 of 2 attempts; new: wrong at=row",
        "      base: no error",
        "      one: no error",
        "      two: no error",
        "      attempt 2: no error",
        "    t-003: confirmed, wrong in 2 of 2 attempts; new: wrong at=row",
        "      base: no error",
        "      one: no error",
        "      two: no error",
        "      attempt 2: wrong at=row",
        "  rule: 2 cases are worse than in every run of the old code. Of these 1 was right when "
        "asked again, which is noise, and 1 was wrong every time, which fails the gate.",
        "  verdict: failed: 1 regression confirmed (t-003), compared 4 of 4",
        "readings, where the rules leave something open:",
        *(f"  {line}" for line in READINGS),
        "benchbed: gate FAILED: 1 regression confirmed (t-003), compared 4 of 4",
    ]


def test_controls_are_played_against_each_other(noisy: Bench) -> None:
    done = benchbed(noisy, "gate", "--aa", "base", "one", "two")

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "A/A: 2 controls, no change in the code",
        "  strict     red 1 of 2",
        "  allowance  red 0 of 2",
        "  confirm    red 0 of 2 at once; 1 of 2 would ask again (1 case)",
        "  expected false alarm with K=2: strict 9.5 %, confirm 3.3 % (r 1) · with K=3: strict "
        "6.4 %, confirm 1.9 % (r 1)",
    ]
    refused = benchbed(noisy, "gate", "--aa", "base")
    assert refused.returncode == 2
    assert "has no control" in refused.stderr
    assert "pytest --bench=toy --bench-unpaired" in refused.stderr


def test_a_promoted_baseline_knows_its_controls(noisy: Bench) -> None:
    benchbed(noisy, "promote", "base", "--control=one", "--control=two")

    played = benchbed(noisy, "gate", "--aa", "base")
    planned = benchbed(noisy, "gate", "--plan", "toy")

    assert played.stdout.startswith("A/A: 2 controls")
    assert planned.stdout.startswith(
        "plan: baseline base, 4 cases, 2 controls, 1 unstable: 2 flaky cases estimated"
    )


def test_what_fewer_false_alarms_cost(noisy: Bench) -> None:
    benchbed(noisy, "promote", "base", "--control=one", "--control=two")

    done = benchbed(noisy, "gate", "--plan", "toy", "--false-alarm=0.02")
    alone = benchbed(noisy, "gate", "--plan", "one")
    wrong = benchbed(noisy, "gate", "--plan", "toy", "--false-alarm=5")
    unknown = benchbed(noisy, "gate", "--plan", "tov")

    lines = done.stdout.splitlines()
    assert len(lines) == 10
    marked = [line for line in lines if "the fewest within 2 %" in line]
    assert [line.split()[:5] for line in marked] == [["3", "1", "1.9", "%", "12"]]
    assert "12 calls, $0.00 " in marked[0]
    assert "no control, so the noise is unknown" in alone.stdout
    assert "add one, which takes 4 calls, $0.00: pytest" in alone.stdout
    assert wrong.returncode == unknown.returncode == 2
    assert "is no share of the runs" in wrong.stderr
    assert "Did you mean 'toy'?" in unknown.stderr


def test_a_plan_is_for_no_more_flaky_cases_than_there_are(bench: Bench) -> None:
    wrong = {f"t-00{number}": WRONG for number in (1, 2, 3)}
    bench.record("base", deterministic=False)
    bench.record("one", wrong, deterministic=False)
    assert benchbed(bench, "promote", "base", "--control=one").returncode == 0

    lines = benchbed(bench, "gate", "--plan", "toy").stdout.splitlines()

    assert lines[0] == (
        "plan: baseline base, 4 cases, 1 control, 3 unstable: all 4 cases flaky, estimated"
    )


def test_a_plan_without_known_costs_says_so_and_counts_repeats(bench: Bench) -> None:
    bench.answers(paid=None, cost=None)
    for run_id in ("base", "one"):
        bench.run("--bench-unpaired", f"--bench-run={run_id}", "--bench-repeats=2")
    benchbed(bench, "promote", "base", "--control=one")

    lines = benchbed(bench, "gate", "--plan", "toy").stdout.splitlines()

    assert lines[-1] == "  no dollars: the baseline does not know the cost of every call"
    assert lines[2].split()[:6] == ["1", "5", "3.5", "%", "8", "calls"]


def test_a_wanted_share_is_typed_as_one_likes_and_what_is_none_is_refused(noisy: Bench) -> None:
    benchbed(noisy, "promote", "base", "--control=one", "--control=two")
    for typed in ("0.02", "2%", " 2 % ", "2e-2"):
        done = benchbed(noisy, "gate", "--plan", "toy", f"--false-alarm={typed}")
        assert "<- the fewest within 2 %" in done.stdout, typed
    tiny = benchbed(noisy, "gate", "--plan", "toy", "--false-alarm=1e-8")
    assert "  none is within 1e-06 %: make the system steadier" in tiny.stdout

    for typed in (
        "0",
        "1",
        "-1",
        "5",
        "100%",
        "-2%",
        "abc",
        "",
        "%",
        "nan",
        "inf",
        "1/20",
        "1e999",
        "1e-999",
    ):
        done = benchbed(noisy, "gate", "--plan", "toy", f"--false-alarm={typed}")
        assert (done.returncode, done.stderr) == (
            2,
            f"benchbed: --false-alarm={typed} is no share of the runs, such as 0.05 or 5%.\n",
        )


@pytest.mark.parametrize(
    "words", [["--aa", "--plan", "base"], ["--false-alarm=0.1", "base"], ["base", "one"]]
)
def test_questions_that_do_not_go_together_are_refused(noisy: Bench, words: list[str]) -> None:
    assert benchbed(noisy, "gate", *words).returncode == 2


def test_a_control_that_is_partial_or_blocked_is_refused_before_any_call(noisy: Bench) -> None:
    noisy.answers(deterministic=False)
    noisy.run("--bench-unpaired", "--bench-run=part", "-k", "t-001 or t-002 or t-003")
    noisy.answers({"t-004": "raise"}, deterministic=False)
    noisy.run("--bench-unpaired", "--bench-run=broken")
    noisy.answers(deterministic=False)
    noisy.log.unlink()

    part = noisy.run("--baseline=base", "--bench-control=part", "-k", "t-001")
    broken = noisy.run("--baseline=base", "--bench-control=broken", "-k", "t-001")

    assert part.ret == broken.ret == pytest.ExitCode.USAGE_ERROR
    part.stderr.fnmatch_lines(
        ["*control 'part' is partial: 3 of 4 cases (-k*), and a control is a whole run*"]
    )
    broken.stderr.fnmatch_lines(
        ["*control 'broken' is blocked by 1 technical failure (adapter: *), so it says nothing*"]
    )
    assert noisy.calls() == []


def test_the_age_that_is_stale_is_an_ini_key(noisy: Bench) -> None:
    (noisy.path / "pytest.ini").write_text("[pytest]\nbench_stale_days = 0\n", "utf-8")

    result = noisy.run("--baseline=base")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*ini bench_stale_days: '0' is no number of days*"])


def test_each_profile_has_its_p_value_adjusted_for_the_others(noisy: Bench) -> None:
    noisy.answers({f"t-00{n}": {"main": WRONG, "side": []} for n in (2, 3, 4)})
    noisy.run("--baseline=base", "--bench-run=own")

    gates = noisy.gates("own")
    assert [gates[name]["sign_test"]["p"] for name in ("main", "side")] == [0.125, 1.0]
    assert [gates[name]["sign_test"]["holm"] for name in ("main", "side")] == [0.25, 1.0]
    for command in ("gate", "score"):
        shown = benchbed(noisy, command, "own").stdout
        assert "sign test p 0.12 (by case), by Holm over all profiles 0.25" in shown
        assert "  profile side, not deciding: " in shown
