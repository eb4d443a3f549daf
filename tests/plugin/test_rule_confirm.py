"""``--bench-rule=confirm``: suspects are asked again in their items."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import benchbed
from tests.plugin.programs import write_executable

WRONG = ["row"]


def wobbly(*right_at: int) -> dict[str, Any]:
    """Script a case that is wrong, but in these attempts; the last entry goes on."""
    return {"attempts": [[] if attempt in right_at else WRONG for attempt in range(1, 8)]}


def flaky(bench: Bench, replies: dict[str, Any] | None = None, **how: Any) -> Bench:
    """Script a system that does not claim to be deterministic."""
    return bench.answers(replies, deterministic=False, **how)


def record(bench: Bench, run_id: str, replies: dict[str, Any] | None = None) -> None:
    """Make a saved run of that system."""
    bench.record(run_id, replies, deterministic=False)


def reasks(bench: Bench, case: str) -> list[tuple[int, int | None, str]]:
    """Return the re-asks of a case as (attempt, number of errors, outcome)."""
    return [
        (one["attempt"], None if one["errors"] is None else len(one["errors"]["main"]),
         one["outcome"])
        for one in bench.saved("own").rows()[case].get("reasks", ())
    ]  # fmt: skip


@pytest.mark.req("ENV-060")
def test_a_broken_case_is_confirmed_and_one_that_wobbles_is_excused(
    bench: Bench, workers: list[str]
) -> None:
    record(bench, "base")
    flaky(bench, {"t-002": WRONG, "t-003": wobbly(3)})

    result = bench.run("--baseline=base", "--bench-run=own", *workers)

    result.assert_outcomes(passed=2, failed=1, xfailed=1)
    assert last_line(result) == (
        "benchbed: gate FAILED: 1 regression confirmed (t-002), compared 4 of 4"
    )
    # Without a control a suspect is asked three times; the first right answer ends it.
    assert reasks(bench, "t-002") == [(2, 1, "scored"), (3, 1, "scored"), (4, 1, "scored")]
    assert reasks(bench, "t-003") == [(2, 1, "scored"), (3, 0, "scored")]
    assert sorted(bench.calls()) == sorted(["t-001", *["t-002"] * 4, *["t-003"] * 3, "t-004"])
    # The score of the case is that of the first attempt.
    row = bench.saved("own").rows()["t-003"]
    assert (row["quality"], len(row["errors"]["main"])) == (0.0, 1)
    assert bench.gate_code("own") == 1


def test_what_wobbles_passes_and_the_verdict_says_so_offline_too(bench: Bench) -> None:
    record(bench, "base")
    flaky(bench, {"t-003": wobbly(2)})

    result = bench.run("--baseline=base", "--bench-run=own")

    result.assert_outcomes(passed=3, xfailed=1)
    assert result.ret == 0
    assert last_line(result).startswith("benchbed: gate PASSED: ")
    again = benchbed(bench, "score", "own")
    assert again.returncode == 0
    assert "nothing changed" in again.stdout
    assert benchbed(bench, "gate", "own").returncode == 0
    assert benchbed(bench, "gate", "own", "--rule=strict").returncode == 1


def test_above_the_allowance_nothing_more_is_asked_again(bench: Bench) -> None:
    record(bench, "base")
    record(bench, "control")
    flaky(bench, {f"t-00{number}": wobbly(2) for number in (1, 2, 3)})

    result = bench.run("--baseline=base", "--bench-control=control", "--bench-run=own")

    # Of one control 1 suspect is allowed; the second ends the asking, also of the third.
    assert result.ret == 1
    assert "3 suspects, more than the 1 allowed (t-001, t-002, t-003)" in last_line(result)
    assert [len(reasks(bench, f"t-00{number}")) for number in (1, 2, 3)] == [1, 0, 0]


@pytest.mark.parametrize("second", ["raise", "crash"])
def test_a_re_ask_that_fails_leaves_its_case_unconfirmed(bench: Bench, second: str) -> None:
    record(bench, "base")
    flaky(bench, {"t-002": {"attempts": [WRONG, second]}})

    result = bench.run("--baseline=base", "--bench-run=own")

    result.assert_outcomes(passed=3, failed=1)
    assert reasks(bench, "t-002") == [(2, None, "technical")]
    assert last_line(result).startswith(
        "benchbed: gate INCOMPLETE: unconfirmed: not confirmed, 1 case could be broken (t-002)"
    )
    assert result.ret == 1
    assert bench.saved("own").record.technical == []
    # It was made, although it shows nothing.
    assert " unconfirmed 1 · 1 re-ask call, " in result.stdout.str()


def test_a_re_ask_that_cannot_be_paid_leaves_the_verdict_open(bench: Bench) -> None:
    record(bench, "base")
    flaky(bench, {"t-004": WRONG}, paid=True, cost=0.25)

    result = bench.run(
        "--baseline=base", "--bench-run=own", "--bench-budget=1.30", "--bench-jobs=1"
    )

    result.assert_outcomes(passed=3, failed=1)
    assert reasks(bench, "t-004") == [(2, 1, "scored"), (3, None, "budget")]
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: budget: not confirmed, ")
    spend = bench.saved("own").record.spend
    assert (str(spend.spent_usd), str(spend.reask_usd)) == ("1.25", "0.25")
    # It was never asked, and stays on record when the run is scored again.
    assert benchbed(bench, "score", "own").returncode == 4
    assert reasks(bench, "t-004")[-1] == (3, None, "budget")


def test_first_questions_are_paid_before_re_asks(bench: Bench, workers: list[str]) -> None:
    """The budget is that of the cases and one more call: none comes out blocked."""
    record(bench, "base")
    flaky(bench, {"t-001": WRONG}, paid=True, cost=0.25)

    result = bench.run("--baseline=base", "--bench-run=own", "--bench-budget=1.30", *workers)

    result.assert_outcomes(passed=3, failed=1)
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: budget: not confirmed, ")
    assert reasks(bench, "t-001") == [(2, 1, "scored"), (3, None, "budget")]
    assert bench.saved("own").record.technical == []


@pytest.mark.parametrize("rule", ["--bench-rule=strict", "deterministic"])
def test_strict_asks_nothing_again(bench: Bench, rule: str) -> None:
    is_declared = rule == "deterministic"
    bench.record("base", deterministic=is_declared)
    bench.answers({"t-002": wobbly(2)}, deterministic=is_declared)

    result = bench.run("--baseline=base", "--bench-run=own", *[rule] * (not is_declared))

    assert result.ret == 1
    assert reasks(bench, "t-002") == []
    assert bench.calls() == ["t-001", "t-002", "t-003", "t-004"]
    assert bench.gates("own")["main"]["rule"] == "strict"


def test_a_system_that_claims_to_be_deterministic_and_is_not_is_asked_again(bench: Bench) -> None:
    bench.record("base")
    bench.record("control", {"t-001": WRONG})
    bench.answers({"t-002": wobbly(2)})

    result = bench.run("--baseline=base", "--bench-control=control", "--bench-run=own")

    assert result.ret == 0, result.stdout.str()
    gate = bench.gates("own")["main"]
    assert (gate["rule"], gate["rule_source"], gate["D"]) == ("confirm", "auto", 1)
    assert any("declared deterministic" in one for one in gate["warnings"])


def test_re_asks_come_after_the_repeats(bench: Bench) -> None:
    record(bench, "base")
    flaky(bench, {"t-002": wobbly(4)})

    result = bench.run("--baseline=base", "--bench-run=own", "--bench-repeats=2")

    assert result.ret == 0
    assert reasks(bench, "t-002") == [(3, 1, "scored"), (4, 0, "scored")]


def test_a_target_is_never_asked_again(bench: Bench) -> None:
    record(bench, "base")
    flaky(bench, {"t-002": wobbly(2)})

    result = bench.run("--baseline=base", "--bench-run=own", "--bench-target=t-002")

    assert result.ret == 1
    assert reasks(bench, "t-002") == []


def test_allowance_counts_and_asks_nothing(bench: Bench) -> None:
    record(bench, "base")
    record(bench, "control")
    flaky(bench, {"t-002": WRONG})

    result = bench.run(
        "--baseline=base", "--bench-control=control", "--bench-run=own", "--bench-rule=allowance"
    )

    result.assert_outcomes(passed=3, xfailed=1)
    assert result.ret == 0
    assert reasks(bench, "t-002") == []
    assert "One broken case cannot be seen by this rule." in result.stdout.str()


EXECUTABLE = """
with open({log!r}, "a") as log:
    log.write(json.dumps([request["attempt"], sorted(predictions)]) + "\\n")
wrong = {wrong!r}.get(request["attempt"], [])
for case in wrong:
    if case in predictions:
        predictions[case]["main"] = ["row"]
"""


def script(bench: Bench, wrong: dict[int, list[str]]) -> None:
    """Write an executable that is wrong in these cases of these attempts."""
    write_executable(bench, EXECUTABLE.format(log=str(bench.path / "batches.log"), wrong=wrong))


def test_an_executable_is_asked_for_each_suspect_alone(bench: Bench, workers: list[str]) -> None:
    script(bench, {})
    words = ["--bench=toy", "--bench-adapter=./system"]
    bench.pytest(*words, "--bench-unpaired", "--bench-run=base")
    (bench.path / "batches.log").unlink()
    script(bench, {1: ["t-002", "t-003"], 2: ["t-002", "t-003"], 3: ["t-003"], 4: ["t-003"]})

    result = bench.pytest(*words, "--baseline=base", "--bench-run=own", *workers)

    result.assert_outcomes(passed=2, failed=1, xfailed=1)
    assert "1 regression confirmed (t-003)" in last_line(result)
    lines = (bench.path / "batches.log").read_text("utf-8").splitlines()
    assert lines[0] == '[1, ["t-001", "t-002", "t-003", "t-004"]]'
    assert sorted(lines[1:]) == [
        '[2, ["t-002"]]', '[2, ["t-003"]]', '[3, ["t-002"]]', '[3, ["t-003"]]', '[4, ["t-003"]]'
    ]  # fmt: skip
    assert bench.gate_code("own") == 1


def test_a_resumed_run_asks_no_suspect_a_second_time(bench: Bench) -> None:
    record(bench, "base")
    flaky(bench, {"t-002": wobbly(3), "t-004": "raise"})
    first = bench.run("--baseline=base", "--bench-run=own")
    bench.log.unlink()
    # The code stays the same, its scripted replies are none of it.
    (bench.path / "replies.json").write_text("{}", "utf-8")

    result = bench.run("--baseline=base", "--bench-resume=own")

    assert last_line(first).startswith("benchbed: gate BLOCKED: ")
    assert result.ret == 0, result.stdout.str()
    assert bench.calls() == ["t-004"]
    assert reasks(bench, "t-002") == [(2, 1, "scored"), (3, 0, "scored")]


@pytest.mark.parametrize("left", ["budget", "technical"])
def test_going_on_makes_good_the_re_asks_that_failed_or_were_not_paid(
    bench: Bench, left: str
) -> None:
    record(bench, "base")
    second: Any = "raise" if left == "technical" else WRONG
    flaky(bench, {"t-004": {"attempts": [WRONG, second, WRONG]}}, paid=True, cost=0.25)
    words = ["--bench-budget=1.30"] if left == "budget" else []
    first = bench.run("--baseline=base", "--bench-run=own", "--bench-jobs=1", *words)
    assert last_line(first).startswith("benchbed: gate INCOMPLETE: ")
    bench.log.unlink()
    lines: list[str] = []
    assert bench.gate_code("own", echo=lines.append) == 4
    assert any(" --bench-resume=own" in line for line in lines if "ask again: " in line)
    (bench.path / "replies.json").write_text(json.dumps({"t-004": WRONG}), "utf-8")

    result = bench.run("--baseline=base", "--bench-resume=own", "--bench-budget=5")

    assert last_line(result).startswith("benchbed: gate FAILED: 1 regression confirmed (t-004)")
    asked = 2 if left == "budget" else 3
    assert bench.calls() == ["t-004"] * asked
    assert reasks(bench, "t-004") == [(attempt, 1, "scored") for attempt in (2, 3, 4)]
    spend = bench.saved("own").record.spend
    # A call that broke is taken to have cost as much as the dearest.
    lost = Decimal("0.25") if left == "technical" else Decimal(0)
    assert spend.reask_calls == (4 if left == "technical" else 3)
    assert (spend.spent_usd, spend.reask_usd) == (Decimal("1.75") + lost, Decimal("0.75") + lost)
    assert "nothing changed" in benchbed(bench, "score", "own").stdout


def test_a_complete_run_asks_no_suspect_again(bench: Bench) -> None:
    """It keeps its rows, so that an answer would be paid for and be on no record."""
    record(bench, "base")
    record(bench, "own", {"t-002": WRONG})
    before = bench.saved("own").record.spend

    result = bench.run("--baseline=base", "--bench-resume=own")

    assert bench.calls() == []
    assert last_line(result).startswith(
        "benchbed: gate INCOMPLETE: unconfirmed: not confirmed, 1 case could be broken (t-002)"
    )
    assert bench.saved("own").record.spend == before
    assert reasks(bench, "t-002") == []


STATEFUL = """
from pytest_benchbed import Adapter

asked = 0


class Toy(Adapter):
    version = "stateful"
    paid = False
    fresh_process = True

    def predict(self, case):
        global asked
        asked += 1
        # Right as soon as anything was asked before, as with a conversation that goes on.
        is_wrong = case.id == "t-002" and asked == 1
        return {"main": ["row"] if is_wrong else [], "side": []}
"""


def test_a_re_ask_meets_a_fresh_process_where_the_adapter_wants_one(bench: Bench) -> None:
    record(bench, "base")
    (bench.path / "toy_adapter.py").write_text(STATEFUL, "utf-8")

    result = bench.run("--baseline=base", "--bench-run=own")

    assert last_line(result).startswith("benchbed: gate FAILED: 1 regression confirmed (t-002)")
    assert reasks(bench, "t-002") == [(2, 1, "scored"), (3, 1, "scored"), (4, 1, "scored")]


REVERSED = """
def pytest_collection_modifyitems(items):
    if not os.path.exists("in-order"):
        items.reverse()
"""


def test_a_resumed_run_uses_the_re_asks_it_has_in_whatever_order_it_meets_them(
    bench: Bench, workers: list[str]
) -> None:
    """Of one control 1 suspect is allowed: the first one met is asked again, here the last case."""
    record(bench, "base")
    record(bench, "control")
    words = ["--baseline=base", "--bench-control=control"]
    bench.extend(f"import os\n{REVERSED}")
    flaky(bench, {"t-001": "raise", "t-002": WRONG, "t-004": WRONG})
    bench.run(*words, "--bench-run=own")
    assert [len(reasks(bench, case)) for case in ("t-002", "t-004")] == [0, 1]
    bench.log.unlink()
    (bench.path / "in-order").touch()
    (bench.path / "replies.json").write_text(json.dumps({"t-002": WRONG}), "utf-8")

    result = bench.run(*words, "--bench-resume=own", *workers)

    assert bench.calls().count("t-004") == 0
    assert reasks(bench, "t-004") == [(2, 1, "scored")]
    assert "t-004" in last_line(result).partition("confirmed")[2]
    assert "nothing changed" in benchbed(bench, "score", "own").stdout


def test_suspects_of_one_group_count_once(pytester: pytest.Pytester) -> None:
    """Two cases of one document: of one control one suspect is allowed, and a document is one."""
    rows = {f"t-00{number}": {"group": "letter"} for number in (2, 3)}
    bench = Bench(pytester).make(4, rows)
    record(bench, "base")
    record(bench, "control")
    flaky(bench, {"t-002": wobbly(2), "t-003": wobbly(2)})

    result = bench.run("--baseline=base", "--bench-control=control", "--bench-run=own")

    assert result.ret == 0, result.stdout.str()
    assert [len(reasks(bench, case)) for case in rows] == [1, 1]
    shown = result.stdout.str()
    assert "sign test p 0.5 (by group)" in shown
    assert "  suspects 2 · allowed in 1 group · confirmed 0 · wobbled 2 · " in shown
    assert " Without any change such cases in up to 1 group are no surprise." in shown
    assert bench.saved("own").record.counts.groups == 1
    assert bench.gate_code("own") == 0
    assert benchbed(bench, "score", "own").returncode == 0


BREAKS = """

def is_worse(self, profile, candidate, other):
    if any(error.where["at"] == "boom" for error in candidate.errors):
        raise KeyError("boom")
    return len(candidate.errors) > len(other.errors)


Toy.is_worse = is_worse
"""


@pytest.mark.parametrize("attempts", [[["boom"]], [WRONG, ["boom"]]], ids=["first", "re-ask"])
def test_a_type_that_breaks_over_an_answer_blocks_the_verdict_and_says_so(
    bench: Bench, attempts: list[list[str]]
) -> None:
    bench.extend(BREAKS)
    record(bench, "base")
    flaky(bench, {"t-002": {"attempts": attempts}})

    result = bench.run("--baseline=base", "--bench-run=own")

    assert last_line(result).startswith(
        "benchbed: gate BLOCKED: technical failure of the scorer (case t-002, main: is_worse raised"
    )
    assert result.ret == 1
    assert "benchbed: no score for t-002: is_worse: case t-002, main: KeyError('boom')" in (
        result.stdout.str()
    )
    # What was paid for is on record.
    assert len(reasks(bench, "t-002")) == len(attempts) - 1
