"""The printed block: every fact beside every verdict."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.lines import last_line
from pytest_benchbed.compare.lines import verdict_lines
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import run_of

TEN = {f"c{n}": "" for n in range(10)}
COMMAND = "pytest --bench=table-separators --bench-run=base-control"


def block(candidate, *old, command=COMMAND, **options):
    run = candidate if not isinstance(candidate, dict) else run_of(candidate)
    result = gate(run, *old, **options)
    return verdict_lines(result, record=run.record, profile=PROFILE, control_command=command)


def test_a_whole_block():
    cases = {f"c{n}": "" for n in range(98)}
    noisy = {**cases, "c1": "a", "c2": "a", "c3": "a"}
    controls = [
        run_of(noisy, "control-1", started_at="2026-03-07T11:00:00Z"),
        run_of(cases, "control-2", started_at="2026-03-08T11:00:00Z"),
    ]
    candidate = {**cases, "c4": "b", "c5": "b", "c6": "a", "s1": "!skipped"}
    baseline = run_of({**cases, "c6": "ab", "s1": "!skipped", "r1": ""}, "base")
    controls[0].rows["c6"] = controls[1].rows["c6"] = baseline.rows["c6"]

    lines = block(
        run_of(candidate, retired=["r1"]), baseline, *controls, targets=["c9"], rule="strict"
    )

    assert lines == [
        "bench table-separators · gate logical · rule strict · FAILED",
        "  compared 98 of 98 · unstable 3 (3.1 %) · retired 1 · skipped 1 · new 0 · unverifiable 0",
        "  suspects 2 · targets 1 of 1 clean",
        "  noise: 2 controls (3 d, 2 d old) · flaky cases est. 6 · r 0 · false alarm est. 26 %",
        "  system: acme-extract 2.3.1 · identified by version",
        "  smallest change seen: 1 case broken every time; spread-out: 1 of 95 judged cases; "
        "nothing can be seen in the 5 unstable, retired or skipped cases",
        "  against the baseline alone: worse 2, better 1, mixed 0 · sign test p 0.5 (by case)",
    ]


VERDICTS = {
    "passed": (TEN, TEN),
    "failed": ({**TEN, "c0": "a"}, TEN),
    "incomplete": ({**TEN, "c0": "!hole"}, TEN),
    "blocked": ({**TEN, "c0": "!technical"}, TEN),
    "unavailable": (dict.fromkeys(TEN, "!skipped"), dict.fromkeys(TEN, "!skipped")),
    "baseline required": (TEN,),
}


@pytest.mark.parametrize("status", VERDICTS)
def test_every_verdict_has_coverage_noise_system_and_smallest_change(status):
    lines = block(*VERDICTS[status])
    assert lines[0].endswith(f"· {status.upper()}")
    for start in ("compared", "suspects", "noise", "system:", "smallest change"):
        assert any(line.startswith(f"  {start}") for line in lines), start
    assert ("worse " in str(lines)) == (status != "baseline required")


def test_no_control_means_noise_unknown_and_how_to_add_one():
    assert f"  noise unknown: no control run · add one: {COMMAND}" in block(TEN, TEN)
    assert "  noise unknown: no control run" in block(TEN, command="")


def test_no_unstable_case_shows_the_limit_beside_the_estimate():
    lines = block(TEN, TEN, TEN)
    assert (
        "  noise: 1 control (2 d old) · flaky cases est. 0 · r 0 · false alarm est. 0 % "
        "(95 % limit 53 %)"
    ) in lines


def test_an_estimate_that_is_no_whole_number_has_one_digit():
    controls = [run_of(TEN, f"control-{n}", started_at=f"2026-03-0{n}T00:00:00Z") for n in (1, 2)]
    noisy = run_of({**TEN, "c0": "a"}, "control-3", started_at="2026-03-03T00:00:00Z")
    assert any("flaky cases est. 1.7" in line for line in block(TEN, TEN, *controls, noisy))


def test_a_control_made_after_the_run_is_not_called_old():
    later = run_of(TEN, "control-1", started_at="2026-03-11T13:00:00Z")
    assert any("1 control (1 d later) ·" in line for line in block(TEN, TEN, later))


def test_what_is_missing_has_a_line_of_its_own():
    candidate = run_of({"a": "!hole", "b": "!skipped", "c": "", "d": ""}, not_selected=1)
    lines = block(candidate, {"b": "", "c": "", "e": ""})
    assert "  holes 1 · not selected 1 · not in baseline 1 · support lost 1" in lines
    assert "  removed 1" in block({"a": ""}, {"a": "", "b": ""})


def test_declined_cases_are_counted_with_the_known_ones():
    lines = block({"a": "!declined", "b": "!declined"}, {"a": "!declined", "b": ""})
    assert "  no answer 2 (1 known)" in lines


def test_nothing_judged_sees_nothing():
    other = block(TEN, {"d0": ""})
    assert any(line.startswith("  smallest change seen: not visible;") for line in other)
    # Nothing was compared: no number of a comparison is printed.
    assert block(TEN)[-1] == "  smallest change seen: none, as nothing was compared"


def test_allowance_always_says_what_it_cannot_see():
    [told] = [line for line in block(TEN, TEN, TEN, rule="allowance") if "rule" in line][1:]
    assert told.endswith("One broken case cannot be seen by this rule.")


@pytest.mark.parametrize(
    ("adapter", "text"),
    [
        ({"watch_sha256": "e" * 64}, "identified by version, watch"),
        ({"version": "", "watch_sha256": "e" * 64}, "identified by watch"),
        ({"version": "c" * 64, "watch_sha256": "e" * 64}, "identified by watch"),
        ({"version": ""}, "identified"),
    ],
)
def test_the_system_says_by_what_it_is_identified(adapter, text):
    lines = block(run_of(TEN, adapter=adapter), TEN)
    assert any(line.startswith("  system: ") and line.endswith(f"· {text}") for line in lines)


def test_a_system_that_is_not_identified_is_named_by_its_runs():
    lines = block(TEN, run_of(TEN, "base", adapter={"identified": False}))
    assert any("· system not identified (run base)" in line for line in lines)


def test_a_profile_that_does_not_decide_is_no_gate():
    run = run_of(TEN)
    result = gate(run, TEN, profile="geometric").model_copy(update={"decides": False})
    lines = verdict_lines(result, record=run.record, profile="geometric", control_command=COMMAND)
    assert lines[0] == "bench table-separators · profile geometric · rule strict · PASSED"


def test_the_last_line_has_the_word_and_the_reason():
    assert last_line(gate({**TEN, "c7": "a"}, TEN)) == (
        "benchbed: gate FAILED: 1 regression on a stable case (c7), compared 10 of 10"
    )
    assert last_line(gate(TEN)).startswith("benchbed: gate BASELINE REQUIRED: ")


def test_a_hostile_name_stays_on_its_line():
    lines = block(run_of(TEN, adapter={"name": "evil\n::error::x", "version": "\x1b[31m1"}), TEN)
    assert all("\n" not in line and "\x1b" not in line for line in lines)


def test_a_count_of_retired_cases_without_their_ids_is_shown_too():
    run = run_of(TEN, counts={"scope": 10, "selected": 10, "retired": 4})
    assert any("retired 4" in line for line in block(run, TEN))


def test_where_cases_have_groups_it_is_groups_that_are_counted():
    grouped = run_of({**TEN, "c0": "a"}, counts={"groups": 4})
    text = "\n".join(block(grouped, TEN, TEN, rule="allowance"))

    assert "  suspects 1 · allowed in 1 group · targets none\n" in text
    assert "spread-out: 4 of 10 judged groups (80 % of the time)" in text
    assert "such cases in up to 1 group are no surprise" in text
