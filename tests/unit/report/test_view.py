"""The view: one reading of a run directory that page, summary and terminal share."""

from __future__ import annotations

import json
import shutil

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.report.cases import ABSENT
from pytest_benchbed.report.cases import BUCKETS
from pytest_benchbed.report.requests import Requests
from pytest_benchbed.report.view import RunView
from tests.unit.report.builders import Made
from tests.unit.report.builders import error
from tests.unit.report.builders import load
from tests.unit.report.builders import write_run

X, Y = error("x", cell=[0, 1]), error("y", cell=[2, 0])


@pytest.fixture
def mixed(tmp_path):
    """A run with a case in every bucket."""
    return write_run(
        tmp_path / "runs",
        [
            Made("worse", now=[X, Y], before=[Y]),
            Made("better", before=[X]),
            Made("noisy", now=[X], repeats=[[X]]),
            Made("remaining", now=[Y], before=[Y]),
            Made("technical", state="technical", reason="it died"),
            Made("skipped", state="skipped", reason="does not do it", category=None),
            Made("unchanged"),
            Made("elsewhere", now={"geometric": [X]}, before={"geometric": [X]}),
        ],
        holes={"hole": "worker crashed"},
    )


@pytest.mark.req("ENV-075")
def test_every_case_is_in_the_bucket_of_the_brief_and_a_hole_has_one_too(mixed) -> None:
    view = load(mixed)

    assert {line.id: line.bucket for line in view.lines} == {
        "better": "better",
        "elsewhere": "unchanged",
        "hole": "no result",
        "noisy": "noisy",
        "remaining": "remaining",
        "skipped": "skipped",
        "technical": "technical",
        "unchanged": "unchanged",
        "worse": "worse",
    }
    assert sum(view.counts.values()) == 9
    assert set(view.counts) == set(BUCKETS)


def test_new_gone_and_kept_errors_are_told_apart(mixed) -> None:
    changes = {line.id: line.change for line in load(mixed).lines}

    assert [dict(one) for one in changes["worse"].new] == [X]
    assert [dict(one) for one in changes["worse"].kept] == [Y]
    assert [dict(one) for one in changes["better"].gone] == [X]


def test_only_cases_with_an_error_a_change_or_a_failure_have_details(mixed) -> None:
    with_details = {line.id for line in load(mixed).lines if line.has_details}

    assert with_details == {"worse", "better", "noisy", "remaining", "technical", "elsewhere"}


def test_a_detail_joins_row_answer_and_both_predictions(tmp_path) -> None:
    run = write_run(
        tmp_path / "runs",
        [Made("a"), Made("b", now=[X], answer=1, prediction=2, before_prediction=3), Made("c")],
    )
    view = load(run)

    detail = view.detail(view.lines[1])

    assert detail.row["case"] == "b"
    assert (detail.answer, detail.prediction, detail.before) == (1, 2, 3)


def test_a_prediction_that_is_not_there_is_no_null(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", prediction=None)], paired=False)
    view = load(run)

    detail = view.detail(view.lines[0])

    assert detail.prediction is None
    assert detail.before is ABSENT


def test_categories_come_in_order_and_cases_without_one_last(tmp_path) -> None:
    categories = {"a": None, "b": "z", "c": "m", "d": "z"}
    run = write_run(
        tmp_path / "runs", [Made(case, category=name) for case, name in categories.items()]
    )

    groups = [(group.category, [line.id for line in group.lines])
              for group in load(run).groups("unchanged")]  # fmt: skip

    assert groups == [("m", ["c"]), ("z", ["b", "d"]), ("", ["a"])]


@pytest.mark.req("ENV-051")
def test_a_blocked_run_has_no_measures(mixed) -> None:
    view = load(mixed)

    assert view.status == "blocked"
    assert view.measures == []
    assert all(not profile.summaries for profile in view.profiles)


def test_measures_know_their_change_and_which_way_is_better(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", now=[X]), Made("b")])

    exact, _, offset = load(run).measures

    assert (exact.value, exact.counts, exact.baseline) == ("50.0 %", "1 of 2", "100 %")
    assert (exact.change(), exact.direction) == ("-50.0 points", "worse")
    assert (offset.change(), offset.direction) == ("+0.25", "worse")


def test_without_the_type_no_direction_is_claimed(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", now=[X]), Made("b")])

    view = RunView.load(run)

    assert view.label == "table-separators"
    assert {one.direction for one in view.measures} == {""}


@pytest.mark.parametrize(
    ("made", "options", "status", "sentence"),
    [
        ([Made("a", now=[X]), Made("b", before=[X])], {}, "failed",
         "Compared with baseline base, 1 case got worse and 1 got better."),
        ([Made("a")], {}, "passed", "Compared with baseline base, no stable case got worse."),
        ([Made("a", now=[X], before=[X])], {"targets": ["a"]}, "failed",
         "Compared with baseline base, 1 target still has errors."),
        ([Made("a", now=[X])], {"paired": False}, "baseline required",
         "This run is recorded (1 case with errors). Nothing was compared: "
         "there is no baseline yet."),
        ([Made("a")], {"holes": {"b": "crash"}}, "incomplete",
         "The comparison does not cover every case, so there is no verdict yet."),
        ([Made("a", state="technical")], {}, "blocked",
         "Something broke besides the answers, so this run has no score. "
         "Repair the cause, then ask the failed cases again."),
        ([Made("a", state="skipped")], {}, "unavailable",
         "This run cannot be judged, however good its answers are."),
        ([], {}, "incomplete",
         "The comparison does not cover every case, so there is no verdict yet."),
    ],
)  # fmt: skip
def test_each_verdict_is_one_plain_sentence(tmp_path, made, options, status, sentence) -> None:
    view = load(write_run(tmp_path / "runs", made, **options))

    assert view.status == status
    assert view.sentence == sentence


def test_a_run_in_which_answers_leaked_is_blocked(tmp_path) -> None:
    view = load(write_run(tmp_path / "runs", [Made("a")], status="void"))

    assert view.status == "blocked"


def test_the_run_is_named_as_it_would_be_typed(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a")])

    assert RunView.load(run, base=tmp_path).shown == "runs/after"
    assert RunView.load(run, base=tmp_path / "elsewhere").shown == "after"
    assert RunView.load(run).shown == "after"


def test_an_unfinished_run_reads_as_far_as_it_is_written(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", now=[X])], status="interrupted")
    for name in ("metrics.json", "review-brief.json", "comparison.jsonl", "adapter-request.json"):
        (run / name).unlink()
    saved = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(saved | {"gate": None}))

    view = load(run)

    assert (view.status, view.reason) == ("incomplete", "the run is not finished")
    assert [line.bucket for line in view.lines] == ["remaining"]
    assert view.detail(view.lines[0]).answer is ABSENT
    assert view.requests.case("a") is None


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("results.jsonl", b'{"case":"a"}\n'),
        ("results.jsonl", b'{"case":'),
        ("metrics.json", b'{"profiles":{"logical":{"gate":{"status":"passed"}}}}'),
        ("review-brief.json", b'{"groups":[{}]}'),
        ("review-brief.json", b"[]"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, name: str, damage: bytes) -> None:
    run = write_run(tmp_path / "runs", [Made("a")])
    (run / name).write_bytes(damage)

    with pytest.raises(RunError, match=name):
        load(run)


def test_a_damaged_comparison_is_named_with_its_line(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", now=[X])])
    with (run / "comparison.jsonl").open("ab") as file:
        file.write(b'{"answer":1}\n')
    view = load(run)

    with pytest.raises(RunError, match=r"comparison\.jsonl:2"):
        view.detail(view.lines[0])


def test_details_say_so_when_a_file_has_gone(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", now=[X])])
    view = load(run)
    assert view.details
    shutil.rmtree(run)

    with pytest.raises(RunError, match=r"results\.jsonl"):
        view.detail(view.lines[0])


def test_requests_find_the_cases_and_no_other_list_of_that_name(tmp_path) -> None:
    path = tmp_path / "adapter-request.json"
    request = {"benchmark": 'x "cases": [', "cases": [{"id": "a", "n": [1]}, {"id": "b"}],
               "options": {"cases": [{"id": "c"}]}}  # fmt: skip
    for text in (json.dumps(request), json.dumps(request, indent=2)):
        path.write_text(text)
        requests = Requests(path)

        assert requests.case("a") == {"id": "a", "n": [1]}
        assert requests.case("b") == {"id": "b"}
        assert requests.case("c") is None


@pytest.mark.parametrize(
    "text", ["{}", '{"cases": [{"id": "a"}', '{"cases": [3]}', '{"cases": [{}]}']
)
def test_a_damaged_request_is_named(tmp_path, text: str) -> None:
    path = tmp_path / "adapter-request.json"
    path.write_text(text)

    with pytest.raises(RunError, match=r"adapter-request\.json"):
        Requests(path)
