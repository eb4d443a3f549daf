"""Outages and retries seen from outside: what is asked, what is recorded, what is said."""

from __future__ import annotations

import json

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import posix_only
from tests.plugin.programs import write_executable


def calls_of(bench: Bench, case: str, kind: str, run_id: str = "own") -> list[dict[str, object]]:
    """Return the recorded lines of a case."""
    rows = map(json.loads, bench.saved(run_id).paths.calls.read_text("utf-8").splitlines())
    return [row for row in rows if row["case"] == case and row["kind"] == kind]


@pytest.mark.req("ENV-051")
def test_ten_crashes_in_a_row_stop_the_run_which_goes_on_when_the_outage_is_over(
    pytester: pytest.Pytester,
) -> None:
    bench = Bench(pytester).make(24)
    bench.answers({f"t-{number:03}": "crash" for number in range(3, 25)})

    result = bench.run("--bench-run=own", "--bench-jobs=1")
    asked = bench.calls()
    (bench.path / "replies.json").write_text("{}", "utf-8")
    again = bench.run("--bench-resume=own", "--bench-jobs=1")

    assert asked == [f"t-{number:03}" for number in range(1, 13)]
    result.assert_outcomes(passed=2, errors=22)
    result.stdout.fnmatch_lines(["*technical: the whole run*outage: 10 calls in a row*'crash'*"])
    assert "outage" in last_line(result)
    again.assert_outcomes(passed=24)
    # The two that were scored are not asked again.
    assert bench.calls().count("t-001") == 1


def test_errors_that_differ_or_have_a_success_between_them_are_no_outage(
    pytester: pytest.Pytester,
) -> None:
    bench = Bench(pytester).make(20)
    replies = {f"t-{number:03}": "crash" for number in range(1, 21)}
    bench.answers({**replies, "t-009": [], "t-018": "raise"})

    result = bench.run("--bench-run=own", "--bench-jobs=1")

    assert len(bench.calls()) == 20
    assert "calls in a row" not in result.stdout.str()


@pytest.mark.req("ENV-051", "ENV-059")
def test_retries_are_tries_of_one_attempt_and_never_follow_a_score(bench: Bench) -> None:
    file = {"retry": {"attempts": 3, "on": ["exception"]}}
    (bench.dataset.parent / "bench.json").write_text(json.dumps(file), "utf-8")
    bench.answers({"t-001": "retry", "t-002": "raise", "t-003": ["cell"]}, cost=0.25, paid=True)

    bench.run("--bench-run=own", "--bench-jobs=1")

    assert bench.calls() == ["t-001"] * 2 + ["t-002"] * 3 + ["t-003", "t-004"]
    for case, tries in (("t-001", 2), ("t-002", 3), ("t-003", 1)):
        assert len(calls_of(bench, case, "intent")) == tries
        assert {row["attempt"] for row in calls_of(bench, case, "outcome")} == {1}
    rows = bench.saved("own").rows()
    assert [rows[case]["state"] for case in sorted(rows)] == [
        "scored",
        "technical",
        "scored",
        "scored",
    ]
    assert rows["t-003"]["errors"]["main"] != []


@posix_only
@pytest.mark.parametrize(
    ("how", "kind"),
    [("system['cost_usd'] = 5", "over_budget"), ("text = '{'; system['cost_usd'] = 0.5", "syntax")],
)
def test_what_a_failed_batch_reports_is_what_it_cost(bench: Bench, how: str, kind: str) -> None:
    write_executable(bench, how)

    result = bench.pytest(
        "--bench=toy", "--bench-adapter=./system", "--bench-budget=1", "--bench-run=own"
    )

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    record = bench.saved("own").record
    assert kind in {one.kind for one in record.technical}
    assert float(record.spend.spent_usd or 0) == (5 if kind == "over_budget" else 0.5)


@posix_only
def test_a_failed_batch_says_its_cause_once(pytester: pytest.Pytester) -> None:
    bench = Bench(pytester).make(60)
    write_executable(bench, "sys.exit(3)")

    result = bench.pytest("--bench=toy", "--bench-adapter=./system", "--bench-run=own")

    result.assert_outcomes(errors=60)
    text = result.stdout.str()
    assert text.count("ERROR at setup of") == 50
    result.stdout.fnmatch_lines(
        [
            "benchbed: 10 more cases failed and are not printed; the report has them all",
            "  technical: the whole run, 60 cases (t-001, t-002, t-003, …): adapter: crash: *",
        ]
    )
    assert "Traceback" not in text
    assert "item.py" not in text
