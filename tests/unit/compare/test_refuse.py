"""Runs that cannot be compared are refused with both values and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.compare.refuse import check_profile
from pytest_benchbed.compare.refuse import check_targets
from pytest_benchbed.model.errors import UsageProblem
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import planned
from tests.unit.compare.builders import run_of
from tests.unit.compare.builders import saved

CASES = {f"c{n:02}": "" for n in range(12)}


def base(run="base", cases=CASES, **changes):
    return saved(run_of(cases, run, **changes))


def control(run="control-1", cases=CASES, **changes):
    return base(run, cases, **changes)


def refusal(baseline, *controls, candidate=None, **options):
    with pytest.raises(UsageProblem) as caught:
        check_comparable(candidate or planned(run_of(CASES)), baseline, controls, **options)
    text = str(caught.value)
    assert 2 <= len(text.splitlines()) <= 3, text
    return text


def test_a_baseline_and_controls_of_the_same_system_are_comparable():
    check_comparable(planned(run_of(CASES)), base(), [control(), control("control-2")])
    check_comparable(planned(run_of(CASES)), None)
    check_comparable(planned(run_of(CASES)), None, unpaired=True)


@pytest.mark.req("ENV-055")
def test_a_control_without_a_baseline_is_refused():
    assert "no baseline is named" in refusal(None, control())
    with pytest.raises(UsageProblem, match="no baseline is named"):
        gate(CASES, None, run_of(CASES, "control-1"))


def test_unpaired_beside_a_baseline_is_refused():
    assert "--baseline names 'base'" in refusal(base(), unpaired=True)


@pytest.mark.req("ENV-054")
def test_the_run_itself_is_no_baseline_by_id_or_by_path():
    by_id = refusal(replace(base("candidate"), path="/elsewhere/candidate"))
    by_path = refusal(replace(base(), path="/runs/candidate"))
    assert "baseline 'candidate' is the run 'candidate' itself" in by_id
    assert "baseline 'base' is the run 'candidate' itself" in by_path
    assert "control 'candidate' is the run" in refusal(base(), control("candidate"))


def test_a_copy_of_the_judged_run_is_no_baseline():
    done = run_of(CASES)
    again = Planned.of_run(done, "/runs/candidate", "1" * 64)
    copy = replace(base(started_at=done.record.started_at), results_sha256="1" * 64)

    assert "copy of the run 'candidate'" in refusal(copy, candidate=again)
    check_comparable(again, replace(copy, results_sha256="2" * 64))
    check_comparable(again, replace(base(), results_sha256="1" * 64))


def test_one_run_named_twice_is_refused():
    assert "run 'base' is named twice, as baseline and as control" in refusal(base(), base())
    same_path = replace(control(), path="/runs/base")
    assert "run 'control-1' is named twice" in refusal(base(), same_path)
    same_id = replace(base(), path="/elsewhere/base", results_sha256="3" * 64)
    assert "run 'base' is named twice" in refusal(base(), same_id)
    assert "as control and as control" in refusal(base(), control(), control())


def test_one_draw_copied_is_refused_as_a_control():
    copy = replace(
        control(started_at=base().record.started_at), results_sha256=base().results_sha256
    )
    assert "control 'control-1' is a copy of baseline 'base'" in refusal(base(), copy)
    check_comparable(planned(run_of(CASES)), base(), [replace(copy, results_sha256="3" * 64)])
    same_results = replace(control(), results_sha256=base().results_sha256)
    check_comparable(planned(run_of(CASES)), base(), [same_results])


@pytest.mark.parametrize("status", ["running", "interrupted", "void"])
def test_a_run_that_is_not_completed_is_refused(status):
    text = refusal(base(status=status))
    assert f"baseline 'base' is not completed: its status is '{status}'" in text
    assert "--bench-resume=base" in text


@pytest.mark.req("ENV-081")
@pytest.mark.parametrize(
    ("changes", "what", "values"),
    [
        ({"benchmark": {"id": "text"}}, "benchmark", ('"text"', '"table-separators"')),
        ({"dataset": {"id": "other"}}, "dataset", ('"other"', '"synthetic-v1"')),
        ({"dataset": {"version": "2"}}, "dataset version", ('"2"', '"1"')),
        (
            {"dataset": {"digests": {"inputs": "8" * 64, "answers": "2" * 64}}},
            "digest of the inputs",
            ("888", "111"),
        ),
        (
            {"dataset": {"digests": {"inputs": "1" * 64, "answers": "8" * 64}}},
            "digest of the answers",
            ("888", "222"),
        ),
        ({"dataset": {"identity": "8" * 64}}, "dataset identity", ("888", "ddd")),
        (
            {"benchmark": {"scoring_version": "example.scores.v2"}},
            "scoring version",
            ("v2", "v1"),
        ),
        ({"judge": {"model": "large"}}, "judge", ('"large"', "null")),
    ],
)
@pytest.mark.parametrize("role", ["baseline", "control"])
def test_a_run_of_another_revision_is_refused_with_both_values(role, changes, what, values):
    changed = base(**changes) if role == "baseline" else control(**changes)
    text = refusal(changed) if role == "baseline" else refusal(base(), changed)
    assert f"{role} " in text
    assert f"has another {what}: " in text
    for value in values:
        assert value in text


def test_the_remedy_names_the_run_that_is_to_be_scored_again():
    formula = base(benchmark={"scoring_version": "example.scores.v2"})
    revision = base(dataset={"version": "2"})
    done = run_of(CASES)
    saved = Planned.of_run(done, "/runs/candidate", "1" * 64)

    assert refusal(formula).endswith("benchbed score base")
    assert "benchbed score base --dataset=synthetic-v1\n" in refusal(revision)
    with pytest.raises(UsageProblem, match=r"the older one again.* benchbed score RUN --dataset="):
        check_comparable(saved, revision)
    assert "benchbed score" not in refusal(base(dataset={"id": "other"}))
    assert '"888888888888…"' in refusal(base(dataset={"identity": "8" * 64}))


@pytest.mark.req("ENV-055")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"adapter": {"name": "other"}}, 'name "other" against "acme-extract"'),
        ({"adapter": {"version": "2.4"}}, 'version "2.4" against "2.3.1"'),
        ({"adapter": {"model": "large"}}, 'model "large" against null'),
        ({"adapter": {"options": {"dpi": 300}}}, 'options {"dpi": 300} against {}'),
        ({"adapter": {"settings": ["seed=1"]}}, 'settings ["seed=1"] against []'),
        ({"adapter": {"code_sha256": "d" * 64}}, 'code "ddd'),
        ({"adapter": {"watch_sha256": "d" * 64}}, 'watch "ddd'),
        ({"executor": {"name": "dask"}}, 'executor "dask" against "local"'),
        ({"isolation": {"level": "landlock"}}, 'isolation level "landlock" against "process"'),
        ({"isolation": {"network": "all"}}, 'network "all" against "none"'),
        ({}, 'identity "999'),
    ],
)
def test_a_control_of_another_system_is_refused_by_the_field(changes, field):
    changes = {**changes, "adapter": {**changes.get("adapter", {}), "identity": "9" * 64}}
    text = refusal(base(), control(**changes))
    assert "control 'control-1' is of another system than baseline 'base': " + field in text


def test_the_source_commit_is_no_part_of_the_system():
    other = {"source": {"commit": "abc", "branch": None, "dirty": True}}
    check_comparable(planned(run_of(CASES)), base(), [control(adapter=other)])


def test_the_candidate_may_be_another_system_than_the_baseline():
    candidate = planned(run_of(CASES, adapter={"version": "3", "identity": "9" * 64}))
    check_comparable(candidate, base(), [control()])


def test_a_control_that_took_outcomes_over_is_refused():
    entry = {"at": "2026-03-08T13:00:00Z", "what": "reused", "from": "older", "to": 12}
    assert 'took outcomes over from run "older"' in refusal(base(), control(history=[entry]))


def test_a_control_that_does_not_cover_a_case_is_refused_with_the_first_ids():
    partial = control(cases={"c11": "", "c10": "!technical"})
    text = refusal(base(), partial)
    assert "no scored result for 11 of the cases" in text
    assert "c00, c01, c02, c03, c04, c05, c06, c07, c08, c09, …" in text
    with pytest.raises(UsageProblem, match="control 'control-1' has no scored result for 11"):
        gate(CASES, CASES, partial.facts)


def test_a_control_need_not_cover_what_is_not_compared():
    only = planned(run_of({"c11": "", "c12": ""}))
    check_comparable(only, base(), [control(cases={"c11": ""})])


@pytest.mark.req("ENV-064")
def test_an_unknown_profile_is_refused_with_the_nearest():
    check_profile("logical", ["logical", "geometric"])
    with pytest.raises(UsageProblem, match=r"unknown profile 'logcal'. Did you mean 'logical'"):
        check_profile("logcal", ["logical", "geometric"])


@pytest.mark.req("ENV-058")
def test_an_unknown_target_is_refused_with_the_nearest():
    check_targets(["c01"], CASES, {})
    with pytest.raises(UsageProblem, match=r"unknown target 'c1'. Did you mean 'c1[01]'"):
        check_targets(["c1"], CASES, {})


def test_a_retired_target_is_refused_with_its_reason():
    with pytest.raises(UsageProblem, match="target 'c99' is retired: \"no such table\""):
        check_targets(["c99"], CASES, {"c99": "no such table"})
