"""Answers stay with us: the canary, JUnit files, private texts, text that is hostile."""

from __future__ import annotations

import json

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

CANARY = "c0ffee" * 5 + "42"


@pytest.mark.req("ENV-039")
def test_a_run_whose_prediction_holds_the_canary_is_void(bench: Bench) -> None:
    bench.answers({"t-002": [f"leaked {CANARY}"]})

    result = bench.run("--bench-run=own", "--bench-unpaired")
    again = bench.run("--bench-resume=own")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    record = bench.saved("own").record
    assert (record.status, record.dataset.canary) == ("void", "found")
    assert again.ret == pytest.ExitCode.USAGE_ERROR
    again.stderr.fnmatch_lines(["*'own' is void*"])


@pytest.mark.req("ENV-039")
def test_a_void_run_is_void_also_with_a_hole(bench: Bench) -> None:
    bench.answers({"t-002": [f"leaked {CANARY}"]})

    bench.run("--bench-run=own", "--bench-jobs=1", "-x")

    record = bench.saved("own").record
    assert record.counts.holes == 2
    assert record.status == "void"


@pytest.mark.req("ENV-039", "ENV-042")
def test_what_crosses_to_the_system_and_to_junit_holds_no_answer(
    bench: Bench, workers: list[str]
) -> None:
    bench.answers({"t-002": {"main": [], "side": []}})

    bench.run("--junitxml=out.xml", "--bench-run=own", *workers)

    run = bench.saved("own")
    request = run.paths.request.read_text("utf-8")
    junit = (bench.path / "out.xml").read_text("utf-8")
    for text in (request, junit):
        assert "t-002" in text
        assert "SECRET" not in text
        assert CANARY not in text
        assert "answers.jsonl" not in text


@pytest.mark.parametrize(("ci", "is_hidden"), [("true", True), ("", False)])
def test_texts_of_a_private_dataset_are_hidden_where_ci_is_set(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, ci: str, is_hidden: bool
) -> None:
    manifest = bench.dataset / "manifest.json"
    value = json.loads(manifest.read_text("utf-8"))
    value["visibility"] = "private"
    manifest.write_text(json.dumps(value), "utf-8")
    monkeypatch.setenv("CI", ci)
    bench.answers({"t-002": ["PREDICTED"]})

    result = bench.run("--junitxml=out.xml")

    result.assert_outcomes(passed=3, failed=1)
    printed = result.stdout.str() + (bench.path / "out.xml").read_text("utf-8")
    assert ("SECRET-t-002" not in printed) == is_hidden
    assert "wrong" in printed


@pytest.mark.parametrize("line", ["bench_private = hidden", "bench_retention_count = some"])
def test_an_ini_value_that_cannot_be_read_is_refused(bench: Bench, line: str) -> None:
    bench.pytester.makeini(f"[pytest]\n{line}\n")

    result = bench.run("--collect-only")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*ini {line.partition(' ')[0]}: *"])


def test_hostile_text_reaches_reports_escaped(bench: Bench, workers: list[str]) -> None:
    evil = "esc \x1b[31m line\nbenchbed: gate PASSED: fake"
    bench.answers({"t-002": [evil], "t-003": ["a lone \ud800"]})

    result = bench.run("--junitxml=out.xml", "--bench-run=own", *workers)

    # A lone surrogate is no text: technical, of that case alone.
    result.assert_outcomes(passed=2, failed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "\x1b[31m line" not in result.stdout.str()
    assert not [line for line in result.outlines if line.startswith("benchbed: gate PASSED")]
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    counts = bench.saved("own").record.counts
    assert (counts.scored, counts.technical) == (3, 1)
    assert "\x1b" not in (bench.path / "out.xml").read_text("utf-8")


def test_answers_that_are_overwritten_in_place_give_no_score(bench: Bench) -> None:
    """The file is open already, so its name and its index stay; its rows are no rows any more."""
    path = bench.path / "toy_adapter.py"
    answers = bench.dataset / "answers.jsonl"
    line = f"        open({str(answers)!r}, 'r+b').write(b' ' * {answers.stat().st_size})\n"
    text = path.read_text("utf-8").replace("def predict(self, case):\n", f"{{}}{line}", 1)
    path.write_text(text.replace("{}", "def predict(self, case):\n", 1), "utf-8")

    result = bench.run("--bench-run=own")

    record = bench.saved("own").record
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert record.counts.technical == 4
    assert {failure.kind for failure in record.technical} == {"tampered_dataset"}
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
