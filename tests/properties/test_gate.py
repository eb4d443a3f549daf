"""What holds for every set of runs: order, controls, repairs, equality."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.pair import error_set
from pytest_benchbed.compare.pair import errors_json
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.error import error_key
from pytest_benchbed.model.gate import GateResult
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

CASES = [f"c{n}" for n in range(6)]
ERRORS = st.sets(st.sampled_from("abc"), max_size=2).map(lambda some: "".join(sorted(some)))
STATES = st.one_of(ERRORS, st.sampled_from(["!declined", "!skipped", "!technical", "!hole"]))
SCORED = st.fixed_dictionaries(dict.fromkeys(CASES, ERRORS))
ANY = st.fixed_dictionaries(dict.fromkeys(CASES, STATES))
TARGETS = st.sets(st.sampled_from(CASES), max_size=2)
QUICK = settings(max_examples=60, deadline=None)


def suspects(result: GateResult) -> set[str]:
    return {one.case for one in result.suspects}


def shuffled(run: RunFacts, seed: int) -> RunFacts:
    """The same run with cases, errors and holes in another order."""
    order = random.Random(seed)
    cases = list(run.rows)
    order.shuffle(cases)
    rows: dict[str, Any] = {}
    for case in cases:
        turned = dict(run.rows[case])
        turned["errors"] = {
            profile: order.sample(errors, len(errors))
            for profile, errors in turned["errors"].items()
        }
        rows[case] = turned
    holes = order.sample(run.record.holes, len(run.record.holes))
    return RunFacts(run.record.model_copy(update={"holes": holes}), rows)


@QUICK
@given(ANY, ANY, SCORED, SCORED, TARGETS, st.integers())
def test_order_changes_nothing(candidate, baseline, one, two, targets, seed):
    runs = [
        run_of(candidate),
        run_of(baseline, "base"),
        run_of(one, "control-1"),
        run_of(two, "control-2"),
    ]
    turned = [shuffled(run, seed) for run in runs]

    straight = gate(*runs, targets=sorted(targets))
    other = gate(turned[0], turned[1], turned[3], turned[2], targets=sorted(targets, reverse=True))

    assert canonical(straight.to_json()) == canonical(other.to_json())


@QUICK
@given(ANY, ANY, SCORED)
def test_the_same_input_gives_the_same_bytes(candidate, baseline, control):
    again = [gate(candidate, baseline, control).to_json() for _ in range(2)]
    assert canonical(again[0]) == canonical(again[1])


@QUICK
@given(SCORED, SCORED, SCORED)
def test_an_identical_control_adds_no_suspects(candidate, baseline, control):
    before = gate(candidate, baseline, control)
    after = gate(candidate, baseline, control, control)
    of_baseline = gate(candidate, baseline, control, baseline)

    assert suspects(after) <= suspects(before)
    assert suspects(of_baseline) <= suspects(before)


@pytest.mark.req("ENV-056")
@QUICK
@given(SCORED, SCORED, SCORED, SCORED)
def test_another_control_never_shrinks_the_unstable_set(candidate, baseline, one, two):
    before = gate(candidate, baseline, one)
    after = gate(candidate, baseline, one, two)

    assert set(before.unstable) <= set(after.unstable)


@QUICK
@given(ANY, SCORED, SCORED, TARGETS, st.sampled_from(CASES))
def test_removing_an_error_never_turns_passed_into_failed(
    candidate, baseline, control, targets, case
):
    wanted = sorted(targets)
    # An error that no case of the comparison touches keeps the type able to fail.
    extra = {"other": "z"}
    old = [{**baseline, **extra}, {**control, **extra}]
    before = gate({**candidate, **extra}, *old, targets=wanted)
    fewer = candidate[case] if candidate[case].startswith("!") else candidate[case][1:]
    after = gate({**candidate, case: fewer, **extra}, *old, targets=wanted)

    assert not (before.status == "passed" and after.status != "passed")
    assert suspects(after) <= suspects(before)


@QUICK
@given(SCORED)
def test_equal_runs_have_no_suspects(cases):
    result = gate(cases, cases, cases)
    assert (result.status, result.suspects, result.D) == ("passed", [], 0)


@QUICK
@given(SCORED, SCORED, SCORED)
def test_a_suspect_has_an_error_that_no_run_of_the_old_code_has(candidate, baseline, control):
    for one in gate(candidate, baseline, control).suspects:
        old = set(baseline[one.case]) | set(control[one.case])
        new = {error["kind"] for error in one.errors}
        assert new == set(candidate[one.case]) - old
        assert new


@QUICK
@given(ANY, st.one_of(st.none(), ANY), st.integers(0, 3))
def test_every_case_has_one_class(candidate, baseline, not_selected):
    run = run_of(candidate, not_selected=not_selected)
    coverage = gate(run, baseline).coverage
    compared = coverage.compared
    technical = sum(one["state"] == "technical" for one in run.rows.values())
    others = [
        coverage.holes, coverage.not_in_baseline, coverage.skipped, coverage.support_lost,
        coverage.new, coverage.unverifiable,
    ]  # fmt: skip
    listed = compared + technical + sum(len(one) for one in others)

    scored = sum(one["state"] == "scored" for one in run.rows.values())
    assert listed == (len(CASES) if baseline is not None else len(CASES) - scored)
    assert coverage.of == len(CASES) + not_selected - len(coverage.skipped) - len(coverage.new)


PLACES = st.dictionaries(
    st.text(max_size=3),
    st.one_of(
        st.integers(-5, 5),
        st.text(max_size=3),
        st.lists(st.one_of(st.integers(-5, 5), st.text(max_size=2)), max_size=3),
    ),
    max_size=3,
)
FOUND = st.builds(lambda kind, where: {"kind": kind, "where": where}, st.text(max_size=2), PLACES)


@QUICK
@given(st.lists(FOUND, max_size=6))
def test_identities_are_equal_exactly_when_their_canonical_json_is(errors):
    keys = {error_key(error) for error in errors}

    assert len(error_set(errors)) == len(keys)
    assert {error_key(error) for error in errors_json(error_set(errors))} == keys


def test_the_builder_gives_rows_of_equal_key() -> None:
    assert row("x", "a")["keys"] == row("x", "b")["keys"]
