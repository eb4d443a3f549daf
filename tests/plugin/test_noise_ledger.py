"""What a session leaves beside its baseline: who wobbled, and who does so again and again."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import benchbed
from tests.plugin.test_rule_confirm import WRONG
from tests.plugin.test_rule_confirm import flaky
from tests.plugin.test_rule_confirm import reasks
from tests.plugin.test_rule_confirm import record
from tests.plugin.test_rule_confirm import wobbly

STRIKE = "intermittent: suspect in 2 of 3 candidate runs"


def ledger(bench: Bench, baseline: str = "base") -> list[tuple[str, str, str, str]]:
    """Return what became of suspects: candidate, profile, case, outcome."""
    path = bench.path / "runs" / f"{baseline}.noise.jsonl"
    if not path.exists():
        return []
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [(one["candidate"], one["profile"], one["case"], one["outcome"]) for one in found]


def brief(bench: Bench, run_id: str) -> dict[str, Any]:
    path: Path = bench.saved(run_id).paths.review_brief
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def test_a_case_that_wobbles_in_two_runs_is_shown_everywhere_and_decides_nothing(
    bench: Bench, workers: list[str]
) -> None:
    record(bench, "base")
    both = {"main": WRONG, "side": WRONG}
    flaky(bench, {"t-002": wobbly(2), "t-003": {"attempts": [both]}})
    bench.run("--baseline=base", "--bench-run=one")
    first = [
        ("one", "main", "t-002", "wobbled"),
        ("one", "main", "t-003", "confirmed"),
        ("one", "side", "t-003", "confirmed"),
    ]
    assert ledger(bench) == first
    assert brief(bench, "one")["intermittent"] == []
    flaky(bench)
    bench.run("--baseline=base", "--bench-run=two")
    assert ledger(bench) == first
    flaky(bench, {"t-002": wobbly(3)})

    result = bench.run("--baseline=base", "--bench-run=three", *workers)

    assert ledger(bench) == [*first, ("three", "main", "t-002", "wobbled")]
    assert result.ret == 0
    assert last_line(result).startswith("benchbed: gate PASSED: ")
    assert f"  look at this: {STRIKE} (t-002)" in result.outlines
    found = brief(bench, "three")
    assert found["intermittent"] == ["t-002"]
    assert found["strikes"] == [{"case": "t-002", "wobbled": 2, "suspect": 2, "of": 3}]
    paths = bench.saved("three").paths
    assert f"**Look at this:** `t-002`, {STRIKE}" in paths.summary.read_text("utf-8")
    page = paths.report.read_text("utf-8")
    assert STRIKE in page
    assert "2 times: wrong, right" in page
    # Cleared by a re-ask: noise, and no case that got worse.
    assert [(one["bucket"], [case["case"] for case in one["cases"]]) for one in found["groups"]] \
        == [("noisy", ["t-002"])]  # fmt: skip
    again = benchbed(bench, "score", "three")
    assert "nothing changed" in again.stdout
    decided = benchbed(bench, "gate", "three")
    for lines in (result.outlines, again.stdout.splitlines(), decided.stdout.splitlines()):
        assert f"  look at this: {STRIKE} (t-002)" in lines
        # Whoever reads a verdict without a control is told how to add one, everywhere.
        [noise] = [line for line in lines if line.startswith("  noise unknown: ")]
        assert noise.startswith("  noise unknown: no control run · add one: pytest --bench=toy ")
        assert " --bench-unpaired --bench-run=base-control-1 " in noise
    assert len(ledger(bench)) == len(first) + 1


def test_only_a_whole_run_with_a_verdict_is_remembered(bench: Bench) -> None:
    record(bench, "base")
    for run_id, replies, words in [
        ("part", {"t-002": wobbly(2)}, ["-k", "t-002 or t-003"]),
        ("blocked", {"t-002": wobbly(2), "t-004": "raise"}, []),
        ("cut", {"t-002": WRONG}, ["-x"]),
        ("strict", {"t-002": WRONG}, ["--bench-rule=strict"]),
    ]:
        flaky(bench, replies)
        bench.run("--baseline=base", f"--bench-run={run_id}", *words)
    assert ledger(bench) == []

    # The run that is gone on with is whole at its end.
    (bench.path / "replies.json").write_text("{}", "utf-8")
    bench.run("--baseline=base", "--bench-resume=blocked")
    assert ledger(bench) == [("blocked", "main", "t-002", "wobbled")]
    # A process that was killed at its very end has noted nothing; looking at it makes that good.
    (bench.path / "runs" / "base.noise.jsonl").unlink()
    for _ in range(2):
        bench.run("--baseline=base", "--bench-resume=blocked")
        assert ledger(bench) == [("blocked", "main", "t-002", "wobbled")]


def test_scoring_makes_good_what_a_killed_session_did_not_note(bench: Bench) -> None:
    record(bench, "base")
    flaky(bench, {"t-002": wobbly(2)})
    bench.run("--baseline=base", "--bench-run=one")
    path = bench.path / "runs" / "base.noise.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-20])

    again = benchbed(bench, "score", "one")

    # The file is no part of the run: it stays unchanged, and lists do not trip over it.
    assert "nothing changed" in again.stdout
    assert "  note: noise ledger of base: the last line is torn, and left out" in again.stdout
    whole = path.read_text("utf-8").splitlines()
    assert whole[-1] == content.decode().rstrip("\n").replace(
        json.loads(content)["at"], json.loads(whole[-1])["at"]
    )
    listed = benchbed(bench, "runs")
    assert (listed.returncode, "noise" in listed.stdout) == (0, False)
    assert bench.run("--collect-only", "-q").ret == 0
    # A control that shows the case to be unstable takes the suspect away, and its wobble too.
    record(bench, "control", {"t-002": WRONG})
    benchbed(bench, "score", "one", "--baseline=base", "--control=control")
    told = json.loads(path.read_text("utf-8").splitlines()[-1])
    assert (told["case"], told["outcome"]) == ("t-002", "withdrawn")


def test_a_ledger_that_cannot_be_written_is_a_note(bench: Bench) -> None:
    record(bench, "base")
    (bench.path / "runs" / "base.noise.jsonl").mkdir()
    flaky(bench, {"t-002": wobbly(2)})

    result = bench.run("--baseline=base", "--bench-run=one")

    assert result.ret == 0
    assert last_line(result).startswith("benchbed: gate PASSED: ")
    assert "  note: noise ledger of base cannot be written: " in result.stdout.str()


def test_a_new_baseline_begins_without_strikes_and_promote_prints_the_old_ones(
    bench: Bench,
) -> None:
    record(bench, "base")
    benchbed(bench, "promote", "base")
    for run_id in ("one", "two"):
        flaky(bench, {"t-002": wobbly(2)})
        bench.run("--baseline=base", f"--bench-run={run_id}")
    again = benchbed(bench, "promote", "base")
    told = "  look at this: intermittent: suspect in 2 of 2 candidate runs (t-002)"
    assert told in again.stdout.splitlines()
    record(bench, "new")

    result = benchbed(bench, "promote", "new")

    assert f"{told} against the former baseline base" in result.stdout.splitlines()
    assert ledger(bench, "new") == []
    assert "look at this" not in benchbed(bench, "promote", "new").stdout


def test_a_suspects_item_and_the_suite_say_what_re_asks_gave(
    bench: Bench, workers: list[str]
) -> None:
    record(bench, "base")
    record(bench, "control")
    flaky(bench, {"t-003": wobbly(2)}, cost=0.25, paid=True)
    result = bench.run(
        "--baseline=base", "--bench-control=control", "--bench-run=own", "--junitxml=out.xml",
        *workers,
    )  # fmt: skip
    assert result.ret == 0

    tree = ElementTree.parse(bench.path / "out.xml")
    cases = {
        str(case.get("name")): {
            str(one.get("name")): one.get("value") for one in case.iter("property")
        }
        for case in tree.iter("testcase")
    }
    assert cases["t-003"]["benchbed_suspect"] == "wobbled"
    assert cases["t-003"]["benchbed_reasks"] == "wrong in 1 of 2"
    assert all("benchbed_reasks" not in cases[name] for name in cases if name != "t-003")
    [suite] = tree.iter("testsuite")
    facts = {
        str(one.get("name")): one.get("value") for one in suite.findall("./properties/property")
    }
    gate = bench.gates("own")["main"]
    assert facts == {
        "benchbed.toy.gate": "passed",
        "benchbed.toy.reason": gate["reason"],
        "benchbed.toy.rule": "confirm",
        "benchbed.toy.what_the_rule_did": (
            "1 case is worse than in every run of the old code. It was right when asked again, "
            "which is noise. Without any change one is no surprise."
        ),
        "benchbed.toy.run": "own",
        "benchbed.toy.compared": "4 of 4",
        "benchbed.toy.unstable": "0",
        "benchbed.toy.baseline": "base",
        "benchbed.toy.controls": "1",
        "benchbed.toy.suspects": "1",
        "benchbed.toy.allowed": "1",
        "benchbed.toy.flaky_estimate": "0",
        "benchbed.toy.false_alarm": "0 %",
        "benchbed.toy.false_alarm_limit_95": "26 %",
        "benchbed.toy.re_asks_per_suspect": "1",
        "benchbed.toy.re_ask_calls": "1",
        "benchbed.toy.re_ask_usd": "0.25",
        "benchbed.toy.smallest_change": "1",
        "benchbed.toy.smallest_spread_change": "4 of 4",
        "benchbed.toy.worse_better_mixed": "1, 0, 0",
        "benchbed.toy.sign_test_p": "0.5",
        "benchbed.toy.sign_test_p_holm": "1",
    }


@pytest.mark.req("ENV-055")
def test_re_asks_that_give_the_first_reply_again_at_once_are_noted(bench: Bench) -> None:
    record(bench, "base")
    flaky(bench, {"t-002": {"attempts": [WRONG, WRONG, ["cell"], ["cell"]]}, "t-003": WRONG})
    bench.run("--baseline=base", "--bench-run=own", "--bench-jobs=1")
    before = bench.saved("own").rows()
    kept = ("is_same_reply", "cached")
    assert [[one[name] for name in kept] for one in before["t-002"]["reasks"]] == [
        [True, False], [False, False], [False, False]
    ]  # fmt: skip
    assert all(one["latency_s"] > 0 for one in before["t-003"]["reasks"])

    # As if it had thought: no clock decides the test.
    def quick(rows: list[dict[str, Any]]) -> None:
        for one in rows:
            for reask in one.get("reasks", ()):
                reask["latency_s"] = 0.001

    assert len(reasks(bench, "t-003")) == 3
    bench.edit_rows("own", quick)
    lines: list[str] = []
    bench.gate_code("own", echo=lines.append)
    assert any("warning: re-asks may be cached (t-003): " in line for line in lines)
    # What the calls say comes back with the next scoring.
    benchbed(bench, "score", "own")
    assert bench.saved("own").rows() == before
