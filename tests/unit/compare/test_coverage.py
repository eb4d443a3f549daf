"""Every case of the scope has one class, and nothing missing makes the numbers look whole."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.coverage import cover
from pytest_benchbed.compare.coverage import difference
from pytest_benchbed.compare.coverage import grown_cases
from pytest_benchbed.model.errors import RunError
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import record
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

GROWN = {"at": "2026-03-09T12:00:00Z", "what": "grown", "from": "1", "to": {"added": ["n"]}}


def covered(candidate, baseline=None, *controls, **changes):
    base = None if baseline is None else run_of(baseline, "base", **changes)
    repeats = [run_of(cases, f"control-{n}") for n, cases in enumerate(controls, start=1)]
    return cover(run_of(candidate), base, repeats, PROFILE)


def test_cases_are_paired_by_id_whatever_their_order():
    found = covered({"b": "", "a": ""}, {"a": "", "b": ""})
    assert (found.compared, found.of) == (["a", "b"], 2)


def test_a_case_skipped_in_both_is_out_of_the_count():
    found = covered({"x": "!skipped", "y": ""}, {"x": "!skipped", "y": ""})
    assert (found.skipped, found.compared, found.of) == (["x"], ["y"], 1)


def test_support_that_was_lost_stays_in_the_count():
    found = covered({"x": "!skipped", "y": ""}, {"x": "", "y": ""})
    assert (found.support_lost, found.of) == (["x"], 2)


def test_a_case_scored_for_the_first_time_is_new_not_missing():
    found = covered({"x": "a", "y": ""}, {"x": "!skipped", "y": ""})
    assert (found.new, found.not_in_baseline, found.of) == (["x"], [], 1)


@pytest.mark.parametrize("theirs", ["!missing", "!technical", "!hole"])
def test_a_case_without_a_result_in_the_baseline_stays_in_the_count(theirs):
    found = covered({"x": "", "y": ""}, {"x": theirs, "y": ""})
    assert (found.not_in_baseline, found.compared, found.of) == (["x"], ["y"], 2)


def test_a_case_added_by_a_revision_is_new_by_the_history_of_the_baseline():
    found = covered({"n": "a", "y": ""}, {"y": ""}, history=[GROWN])
    assert (found.new, found.compared, found.of) == (["n"], ["y"], 1)


def test_a_history_of_something_else_adds_no_case():
    other = {**GROWN, "what": "rescored"}
    wordless = {**GROWN, "to": "2"}
    assert grown_cases(record(history=[GROWN])) == {"n"}
    assert grown_cases(record(history=[other, wordless])) == frozenset()


def of_grown(cases, baseline, *controls, **changes):
    """A candidate that a revision was added to since it was made, its scope counted or not."""
    base = run_of(baseline, "base", history=changes.pop("theirs", []))
    repeats = [run_of(one, f"control-{n}") for n, one in enumerate(controls, start=1)]
    candidate = run_of(cases, history=[GROWN], **changes)
    return cover(candidate, base, repeats, PROFILE)


@pytest.mark.req("ENV-068")
@pytest.mark.parametrize("counted", [0, 1])
@pytest.mark.parametrize(
    ("baseline", "theirs"),
    [({"y": ""}, [GROWN]), ({"y": ""}, []), ({"n": "", "y": ""}, [])],
    ids=["grown too", "old", "has it"],
)
def test_a_case_added_to_the_candidate_is_new_and_nobody_left_it_out(counted, baseline, theirs):
    found = of_grown({"y": "a"}, baseline, {"y": ""}, theirs=theirs, not_selected=counted)

    assert (found.new, found.not_selected, found.removed, found.lost) == (["n"], 0, [], 0)
    assert (found.compared, found.of) == (["y"], 1)


def test_a_case_added_to_the_candidate_that_it_has_is_like_any_other():
    found = of_grown({"n": "a", "y": ""}, {"n": "", "y": ""})
    assert (found.new, found.compared, found.of) == ([], ["n", "y"], 2)


def test_an_added_case_without_a_result_is_a_hole():
    found = of_grown({"n": "!hole", "y": ""}, {"y": ""}, theirs=[GROWN])
    assert (found.new, found.holes, found.of) == ([], ["n"], 2)


@pytest.mark.req("ENV-082")
def test_an_added_case_that_was_retired_since_is_not_new():
    found = of_grown({"y": ""}, {"y": ""}, retired=["n"])
    assert (found.new, found.not_selected, found.of) == ([], 0, 1)


def test_what_else_was_not_selected_still_counts_beside_an_added_case():
    found = of_grown({"y": ""}, {"w": "", "y": ""}, not_selected=2)
    assert (found.new, found.not_selected, found.of) == (["n"], 1, 2)


def test_new_cases_are_in_order_however_they_became_new():
    found = of_grown({"a": "", "z": ""}, {"a": "!skipped", "z": "!skipped"})
    assert found.new == ["a", "n", "z"]


@pytest.mark.req("ENV-058", "ENV-068")
def test_the_verdict_over_a_grown_candidate_passes_unless_the_added_case_is_a_target():
    """As V41 and V42, for a candidate that was re-keyed itself."""
    plain = {f"c{n}": "" for n in range(10)}
    candidate = run_of(plain, history=[GROWN])
    base = run_of(plain, "base", history=[GROWN])

    free, target = gate(candidate, base), gate(candidate, base, targets=["n"])

    assert (free.status, free.coverage.new) == ("passed", ["n"])
    assert (free.coverage.compared, free.coverage.of) == (10, 10)
    assert target.status == "incomplete"
    assert "1 target without a result (n)" in target.reason


def test_an_added_case_that_the_system_skips_is_skipped():
    found = covered({"n": "!skipped", "y": ""}, {"y": ""}, history=[GROWN])
    assert (found.skipped, found.new) == (["n"], [])


def test_a_case_not_selected_stays_in_the_count_and_is_not_called_removed():
    found = cover(
        run_of({"x": ""}, not_selected=2), run_of({"x": "", "y": ""}, "base"), [], PROFILE
    )
    assert (found.not_selected, found.compared, found.of, found.removed) == (2, ["x"], 3, [])


def test_a_case_of_the_baseline_that_the_dataset_lost_is_removed():
    assert covered({"x": ""}, {"x": "", "y": ""}).removed == ["y"]


@pytest.mark.req("ENV-082")
def test_a_retired_case_is_not_removed_and_has_a_count_of_its_own():
    run = run_of({"x": ""}, retired=["y"])
    found = cover(run, run_of({"x": "", "y": ""}, "base"), [], PROFILE)

    assert (found.removed, found.of) == ([], 1)
    assert found.to_model(run.record).retired == ["y"]


def test_a_narrower_scope_than_the_baselines_removes_nothing():
    run = run_of({"x": ""}, scope={"tag": ["ruled"]})
    assert cover(run, run_of({"x": "", "y": ""}, "base"), [], PROFILE).removed == []


def test_a_hole_is_no_removed_case():
    found = covered({"x": "!hole", "y": ""}, {"x": "", "y": ""})
    assert (found.holes, found.removed, found.of) == (["x"], [], 2)


def test_a_selected_case_with_neither_row_nor_hole_is_counted():
    run = run_of({"x": ""}, counts={"scope": 2, "selected": 2})
    assert cover(run, run_of({"x": ""}, "base"), [], PROFILE).lost == 1


def test_a_scope_smaller_than_the_results_is_a_damaged_record():
    with pytest.raises(RunError, match=r"run 'candidate': counts.scope is 0 .* 1 cases"):
        cover(run_of({"x": ""}, counts={"scope": 0}), None, [], PROFILE)


@pytest.mark.parametrize("part", ["answer", "inputs"])
def test_a_case_of_another_key_is_unverifiable_and_says_which_part(part):
    other = row("x", "", **{part: "another"})
    found = covered({"x": "a", "y": ""}, {"x": other, "y": ""})

    assert [(one.case, one.differs) for one in found.unverifiable] == [("x", part)]
    assert (found.compared, found.of) == (["y"], 2)


def test_a_control_of_another_key_makes_the_case_unverifiable_too():
    found = covered({"x": ""}, {"x": ""}, {"x": row("x", "", answer="another")})
    assert found.unverifiable[0].differs == "answer (control control-1)"


def test_keys_that_are_absent_are_never_equal():
    bare = {**row("x"), "keys": {}}
    assert difference(bare, bare, PROFILE) == "scoring version or judge"
    assert covered({"x": bare}, {"x": bare}).compared == []


@pytest.mark.parametrize("where", range(3))
def test_a_case_without_a_score_in_the_profile_is_found_in_every_run(where):
    runs = [{"x": ""}, {"x": ""}, {"x": ""}]
    bare = row("x")
    runs[where] = {"x": {**bare, "errors": {"geometric": []}}}
    assert covered(*runs).unscored == ["x"]


def test_a_control_without_a_scored_result_is_named_with_its_cases():
    found = covered({"x": "", "y": ""}, {"x": "", "y": ""}, {"x": "!skipped"})
    assert found.uncontrolled == {"control-1": ["x", "y"]}


def test_a_control_need_not_have_what_the_candidate_skipped():
    found = covered({"x": "!skipped", "y": ""}, {"x": "!skipped", "y": ""}, {"y": ""})
    assert found.uncontrolled == {}


def test_declined_cases_are_counted_with_those_that_the_baseline_declined_too():
    found = covered(
        {"x": "!declined", "y": "!declined", "z": "a"}, {"x": "!declined", "y": "", "z": ""}
    )
    assert (found.no_answer, found.no_answer_known) == (["x", "y"], 1)


def test_without_a_baseline_the_scope_less_the_skipped_had_to_be_compared():
    found = covered({"x": "!skipped", "y": "", "z": "!declined"})
    assert (found.compared, found.of, found.no_answer) == ([], 2, ["z"])


@pytest.mark.req("ENV-082")
def test_the_verdict_counts_retired_cases():
    assert gate(run_of({"x": ""}, retired=["y", "b"]), {"x": ""}).coverage.retired == ["b", "y"]
