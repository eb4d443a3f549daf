"""Why a case was not judged: retired, skipped, support lost, new, unjudged; or none was."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

ROWS = {
    "t-003": {"category": "ruled", "context": "doc", "tags": ["red"]},
    "t-004": {"category": "ruled", "context": "doc"},
}
WITHOUT_RULED = '    def prepare(self, context):\n        return ["ruled"]\n\n    def predict('
BOTH_WRONG = {"main": ["cell"], "side": ["cell"]}


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """Four cases; two of them have a category, and a context that is prepared."""
    return Bench(pytester).make(rows=ROWS, contexts=["doc"])


def without_ruled(bench: Bench) -> None:
    """Let the system say of the context that it does not do one category."""
    path = bench.path / "toy_adapter.py"
    text = path.read_text("utf-8").replace("    def predict(", WITHOUT_RULED, 1)
    path.write_text(text, "utf-8")


def retire(bench: Bench, *cases: str) -> None:
    """Retire cases in the manifest; no digest changes."""
    path = bench.dataset / "manifest.json"
    value = json.loads(path.read_text("utf-8"))
    value["retired"] = [{"id": case, "reason": "ambiguous", "since": "1"} for case in cases]
    path.write_text(json.dumps(value), "utf-8")


def coverage(bench: Bench, run_id: str) -> dict[str, Any]:
    """Return the classes of a run that are not empty; they are the same in both profiles."""
    first, second = (gate["coverage"] for gate in bench.gates(run_id).values())
    assert first == second
    return {name: value for name, value in first.items() if value}


def judged(bench: Bench, run_id: str, *words: str) -> tuple[int, str, int]:
    """Run against ``base``; return exit status, last line, and the code of ``benchbed gate``."""
    result = bench.run("--baseline=base", f"--bench-run={run_id}", *words)
    result.stdout.fnmatch_lines(["  compared * of * · unstable * · retired * · skipped * · new *"])
    return result.ret, last_line(result).removeprefix("benchbed: gate "), bench.gate_code(run_id)


@pytest.mark.req("ENV-082")
def test_retired_cases_are_in_no_count_but_their_own(bench: Bench) -> None:
    bench.record("base")
    retire(bench, "t-004")

    status, line, code = judged(bench, "own")

    assert (status, code) == (0, 0)
    assert line.startswith("PASSED: ")
    assert coverage(bench, "own") == {"compared": 3, "of": 3, "retired": ["t-004"]}
    counts = bench.saved("own").record.counts
    assert (counts.scope, counts.selected, counts.retired) == (3, 3, 1)


def test_a_case_that_is_no_longer_retired_is_not_in_the_baseline(bench: Bench) -> None:
    retire(bench, "t-004")
    bench.record("base")
    retire(bench)

    status, line, code = judged(bench, "own")

    assert (status, code) == (1, 4)
    assert line == "INCOMPLETE: 1 case not in the baseline (t-004), compared 3 of 4"
    assert coverage(bench, "own")["not_in_baseline"] == ["t-004"]


def test_support_lost_is_red_and_support_won_is_new_and_both_without_are_skipped(
    bench: Bench,
) -> None:
    bench.record("base")
    bench.answers(version="2")
    without_ruled(bench)

    lost = judged(bench, "lost")
    of_lost = coverage(bench, "lost")
    required = bench.run("--baseline=lost", "--bench-run=both", "--bench-require-gate")
    bench.answers(version="3")
    won = bench.run("--baseline=lost", "--bench-run=won")

    line = "INCOMPLETE: support lost (t-003, t-004), compared 2 of 4"
    assert lost == (1, line, 4)
    assert of_lost == {"compared": 2, "of": 4, "support_lost": ["t-003", "t-004"]}
    assert required.ret == 0
    assert coverage(bench, "both") == {"compared": 2, "of": 2, "skipped": ["t-003", "t-004"]}
    required.stdout.fnmatch_lines(["  compared 2 of 2 · * · skipped 2 · new 0 *"])
    assert won.ret == 0
    assert coverage(bench, "won") == {"compared": 2, "of": 2, "new": ["t-003", "t-004"]}
    won.stdout.fnmatch_lines(["  compared 2 of 2 · * · new 2 *"])
    assert bench.saved("lost").record.counts.skipped == 2


def test_nothing_supported_is_no_pass_and_red_only_where_one_is_required(bench: Bench) -> None:
    bench.record("base", supports=False)

    status, line, code = judged(bench, "own")
    required = bench.run("--baseline=base", "--bench-require-gate")

    assert (status, line, code) == (0, "UNAVAILABLE: not supported", 3)
    assert required.ret == 1
    assert len(coverage(bench, "own")["skipped"]) == 4


def test_declined_cases_are_compared_and_counted(bench: Bench) -> None:
    bench.record("base", {"t-001": "decline"})
    bench.answers({"t-001": "decline", "t-002": "decline"})

    status, line, code = judged(bench, "own")

    assert (status, code) == (1, 1)
    assert line.startswith("FAILED: 1 regression on a stable case (t-002), compared 4 of 4")
    found = coverage(bench, "own")
    assert (found["no_answer"], found["no_answer_known"]) == (["t-001", "t-002"], 1)


def test_a_narrower_scope_is_whole_where_the_baseline_covers_it_and_is_named(bench: Bench) -> None:
    bench.answers()
    bench.run("--bench-unpaired", "--bench-run=base", "-k", "not t-004")

    inside = bench.run("--baseline=base", "--bench-run=inside", "--bench-select=tag=red")
    outside = judged(bench, "outside", "--bench-select=category=ruled")
    whole = judged(bench, "whole")

    assert inside.ret == 0
    assert last_line(inside).endswith(
        "PASSED: no regression on stable cases, compared 1 of 1 in scope tag=red"
    )
    inside.stdout.fnmatch_lines(["  scope tag=red: no case outside it was asked or compared"])
    words = "INCOMPLETE: 1 case not in the baseline (t-004), compared"
    assert outside == (1, f"{words} 1 of 2 in scope category=ruled", 4)
    assert whole == (1, f"{words} 3 of 4", 4)
    assert bench.saved("inside").record.partial == []


def test_a_case_that_was_technical_in_the_baseline_is_not_compared(bench: Bench) -> None:
    bench.record("base", {"t-002": "raise"})
    bench.answers()

    assert judged(bench, "own") == (
        1,
        "INCOMPLETE: 1 case not in the baseline (t-002), compared 3 of 4",
        4,
    )


def test_a_run_with_a_hole_is_no_baseline(bench: Bench) -> None:
    bench.extend("def pytest_runtest_call(item):\n    item.name != 't-002' or pytest.skip('x')\n")
    first = bench.run("--bench-unpaired", "--bench-run=base")

    result = bench.run("--baseline=base", "--bench-run=own")

    assert last_line(first).endswith("; 1 case without a result (t-002)")
    assert bench.gate_code("base") == 5
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*interrupted*"])
    assert bench.runs() == ["base"]


def test_a_control_that_lacks_a_case_is_refused_with_its_id(bench: Bench) -> None:
    bench.record("base")
    bench.answers()
    bench.run("--bench-unpaired", "--bench-run=control", "-k", "not t-003")

    result = bench.run("--baseline=base", "--bench-control=control", "--bench-run=own")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*control*t-003*"])


def test_technical_cases_alone_block_and_compare_nothing(bench: Bench) -> None:
    bench.record("base")
    bench.answers(dict.fromkeys(("t-001", "t-002", "t-003", "t-004"), "raise"))

    status, line, code = judged(bench, "own")

    assert (status, code) == (1, 3)
    assert line.startswith("BLOCKED: 4 technical failures (t-001, t-002, t-003, t-004)")
    assert coverage(bench, "own") == {"of": 4}


@pytest.mark.parametrize("how", ["retired", "empty"])
def test_a_dataset_without_a_case_is_no_pass(bench: Bench, how: str) -> None:
    if how == "retired":
        retire(bench, "t-001", "t-002", "t-003", "t-004")
    else:
        for name in ("cases.jsonl", "answers.jsonl", "contexts.jsonl"):
            (bench.dataset / name).write_bytes(b"")

    result = bench.run("--bench-unpaired")

    assert result.ret != 0
    assert "PASSED" not in result.stdout.str()
    assert bench.calls() == []
    words = "no case was collected" if how == "retired" else "cases.jsonl"
    assert words in result.stdout.str() + result.stderr.str()


@pytest.mark.req("ENV-062")
def test_what_cannot_be_judged_warns_and_is_limited_where_a_limit_is_set(bench: Bench) -> None:
    bench.record("base")
    bench.record("control", {"t-001": BOTH_WRONG})
    bench.answers()
    words = ["--bench-control=control"]

    free = bench.run("--baseline=base", "--bench-run=free", *words)
    bench.pytester.makeini("[pytest]\nbench_max_unjudged = 0.25\n")
    within = bench.run("--baseline=base", *words)
    bench.pytester.makeini("[pytest]\nbench_max_unjudged = 0.24\n")
    above = bench.run("--baseline=base", "--bench-run=own", *words)
    bench.pytester.makeini("[pytest]\nbench_max_unjudged = 24 %\n")
    refused = bench.run("--baseline=base", *words)

    for result in (free, within):
        assert (result.ret, "gate PASSED" in last_line(result)) == (0, True)
    free.stdout.fnmatch_lines(["  warning: unreliable baseline: 1 of 4 cases cannot be judged"])
    assert above.ret == 1
    reason = "INCOMPLETE: coverage: 1 of 4 cases cannot be judged, compared 4 of 4"
    assert last_line(above) == f"benchbed: gate {reason}"
    assert {gate["status"] for gate in bench.gates("own").values()} == {"incomplete"}
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*ini bench_max_unjudged: '24 %' is no share of the cases*"])
