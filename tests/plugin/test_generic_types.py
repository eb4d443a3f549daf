"""Benchmarks without code: ``type`` and ``scoring`` of a bench file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_benchbed.data.pin import pin
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.bench import write_lines
from tests.plugin.programs import benchbed

ADAPTER = """
import json

with open({replies!r}, encoding="utf-8") as file:
    REPLIES = json.load(file)


def predict(case):
    return REPLIES[case.id]
"""
RED = {
    "label": (
        {"type": "label", "scoring": {"labels": ["invoice", "receipt"]}},
        {"c-1": "invoice", "c-2": "Receipt"},
        {"c-1": "Invoice.", "c-2": {"label": "letter"}},
        'invented · expected "Receipt" · got "letter"',
    ),
    "text": (
        {"type": "text", "scoring": {"compare": "wer", "at_most": 0.2, "locale": "en"}},
        {"c-1": "pay five euros now", "c-2": {"said": "the cat sat on the mat"}},
        {"c-1": "Pay €5 now!", "c-2": {"said": "the cat on a mat"}},
        'wrong · expected "the cat sat on the mat" · got "the cat on a mat" · '
        "wer 0.3333 (2 of 6), at most 0.2",
    ),
    "fields": (
        {"type": "fields", "scoring": {"locale": "es", "fields": {"total": "number"}}},
        {"c-1": {"total": "1.288,00 €", "who": "Acme"}, "c-2": {"total": "-5 €", "who": None}},
        {"c-1": {"total": "€1.288", "who": "ACME."}, "c-2": {"total": "5 €", "who": "Acme"}},
        'sign_lost field="total" · expected "-5 €" · got "5 €"',
    ),
    "facts": (
        {"type": "facts"},
        {"c-1": "net 30", "c-2": {"contains": ["refund"], "absent": ["guarantee"]}},
        {"c-1": "Payment is net 30.", "c-2": "We guarantee a refund."},
        'invented fact="absent" item=0 · got "guarantee"',
    ),
}


def make(
    bench: Bench,
    file: Mapping[str, Any],
    answers: Mapping[str, Any],
    replies: Mapping[str, Any],
    name: str = "mine",
) -> None:
    """Write a dataset, its bench file and a system with these replies; no ``conftest.py``."""
    folder = bench.path / "cases" / name / "v1"
    folder.mkdir(parents=True)
    write_lines(folder / "cases.jsonl", [{"id": case, "inputs": {"n": case}} for case in answers])
    write_lines(
        folder / "answers.jsonl",
        [{"id": case, "answer": answer} for case, answer in answers.items()],
    )
    pin(folder, benchmark=name, id=f"{name}-v1", visibility="public")
    write_file(bench, file, name)
    (bench.path / "replies.json").write_text(json.dumps(replies), "utf-8")
    text = ADAPTER.format(replies=str(bench.path / "replies.json"))
    (bench.path / "mine.py").write_text(text, "utf-8")


def write_file(bench: Bench, file: Mapping[str, Any], name: str = "mine") -> None:
    text = json.dumps({"schema": "benchbed.bench.v1", "adapter": "mine:predict", **file})
    (bench.path / "cases" / name / "bench.json").write_text(text, "utf-8")


@pytest.mark.parametrize("type_id", RED)
def test_a_bench_file_with_a_type_is_a_benchmark_whose_red_case_says_why(
    bench: Bench, type_id: str
) -> None:
    file, answers, replies, reason = RED[type_id]
    make(bench, file, answers, replies)

    result = bench.pytest("--bench=mine", "--bench-run=one")

    result.assert_outcomes(passed=1, failed=1)
    assert reason in result.stdout.str()
    assert last_line(result).startswith("benchbed: gate BASELINE REQUIRED: ")
    record = bench.saved("one").record.benchmark
    assert record.format == f"benchbed.{type_id}.v1"
    assert record.scoring_version.startswith(f"benchbed.{type_id}.scores.v1+")
    assert benchbed(bench, "validate", "cases/mine/v1").returncode == 0


@pytest.mark.req("ENV-011")
def test_edited_settings_refuse_the_old_baseline_until_it_is_scored_again(bench: Bench) -> None:
    file = {"type": "fields", "scoring": {"fields": {"total": "number"}}}
    make(bench, file, {"c-1": {"total": 100}, "c-2": {"total": 5}}, {
        "c-1": {"total": 101}, "c-2": {"total": 5},
    })  # fmt: skip
    bench.pytest("--bench=mine", "--bench-run=base", "--bench-unpaired")
    rule = {"compare": "number", "tolerance": 2}
    write_file(bench, {"type": "fields", "scoring": {"fields": {"total": rule}}})

    refused = bench.pytest("--bench=mine", "--baseline=runs/base")
    scored = benchbed(bench, "score", "base")
    paired = bench.pytest("--bench=mine", "--baseline=runs/base")

    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert "scoring version" in refused.stderr.str()
    assert "2 cases, 2 scored again under benchbed.fields.scores.v1+" in scored.stdout
    paired.assert_outcomes(passed=2)
    assert last_line(paired).startswith("benchbed: gate PASSED")


def test_a_rule_for_a_field_that_no_answer_has_is_refused_everywhere(bench: Bench) -> None:
    """Misspelt, it would never apply, and the field would be compared as if it had no rule."""
    file = {"type": "fields", "scoring": {"fields": {"total": "number"}}}
    answers = {"c-1": {"total": 100}, "c-2": {"total": 5}}
    make(bench, file, answers, answers)
    bench.pytest("--bench=mine", "--bench-run=base", "--bench-unpaired")
    write_file(bench, {"type": "fields", "scoring": {"fields": {"totl": "number"}}})

    refused = bench.pytest("--bench=mine", "--bench-run=other")
    scored = benchbed(bench, "score", "base")
    validated = benchbed(bench, "validate", "cases/mine/v1")

    words = "field scoring.fields: unknown field 'totl'. Did you mean 'total'?"
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert f"bench.json: {words}" in refused.stderr.str()
    assert bench.runs() == ["base"]
    assert (scored.returncode, words in scored.stdout + scored.stderr) == (2, True)
    assert (validated.returncode, words in validated.stdout) == (1, True)


def test_equal_settings_in_other_words_are_the_same_scoring(bench: Bench) -> None:
    answers = {"c-1": {"total": 100}}
    make(bench, {"type": "fields", "scoring": {"fields": {"total": "number"}}}, answers, answers)
    bench.pytest("--bench=mine", "--bench-run=base", "--bench-unpaired")
    rule = {"unit": "compare", "compare": "number"}
    write_file(bench, {"type": "fields", "scoring": {"locale": None, "fields": {"total": rule}}})

    paired = bench.pytest("--bench=mine", "--baseline=runs/base")

    assert last_line(paired).startswith("benchbed: gate PASSED")


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ({"type": "feilds"}, "field type: unknown type 'feilds'. Did you mean 'fields'?"),
        ({"scoring": {"locale": "es"}}, "field scoring: there is no type that it configures."),
        (
            {"type": "fields", "scoring": {"feilds": {}}},
            "field scoring.feilds: unknown key 'feilds'. Did you mean 'fields'?",
        ),
        ({"type": "fields", "scoring": {"default": "ignore"}}, "no case could ever fail"),
        ({"typ": "label"}, "typ: Extra inputs are not permitted. Did you mean 'type'?"),
    ],
)
def test_a_fault_is_told_with_its_file_where_its_benchmark_is_asked_for(
    bench: Bench, file: dict[str, Any], words: str
) -> None:
    answers = {"c-1": "yes"}
    make(bench, file, answers, answers)
    make(bench, {"type": "label"}, answers, answers, name="other")

    asked = bench.pytest("--bench=mine")
    other = bench.pytest("--bench=other")
    listed = bench.pytest("--bench-list")

    assert asked.ret == pytest.ExitCode.USAGE_ERROR
    assert words in asked.stderr.str()
    assert "bench.json" in asked.stderr.str()
    assert [name[:6] for name in bench.runs()] == ["other-"]
    other.assert_outcomes(passed=1)
    assert listed.ret == 0
    assert {"  mine: cannot be used", "  other: other (label)"} <= set(listed.outlines)


def test_a_benchmark_that_a_plugin_registers_takes_no_type(bench: Bench) -> None:
    write_file(bench, {"type": "label"}, name="toy")

    result = bench.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*bench.json: field type: benchmark 'toy' has a type of its own, which a plugin or *"]
    )


def test_a_bench_file_that_cannot_be_read_is_told_by_its_own_benchmark(bench: Bench) -> None:
    (bench.dataset.parent / "bench.json").write_text("{", "utf-8")

    listed = bench.pytest("--bench-list")
    run = bench.run()

    assert listed.ret == 0
    assert "  toy: Toy" in listed.outlines
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    assert "is no valid JSON" in run.stderr.str()


def test_a_case_may_name_its_locale(bench: Bench) -> None:
    answers = {"c-1": {"total": 1288}, "c-2": {"total": 1.288}}
    replies = {"c-1": {"total": "1.288"}, "c-2": {"total": "1.288"}}
    make(bench, {"type": "fields", "scoring": {"fields": {"total": "number"}}}, answers, replies)
    folder = bench.path / "cases" / "mine" / "v1"
    rows = [
        {"id": "c-1", "inputs": {"locale": "es"}},
        {"id": "c-2", "inputs": {}},
    ]
    write_lines(folder / "cases.jsonl", rows)
    pin(folder, benchmark="mine", id="mine-v1", visibility="public", bump=True)

    result = bench.pytest("--bench=mine")

    result.assert_outcomes(passed=1, failed=1)
    assert (
        'ambiguous field="total" · expected 1.288 · got "1.288" · '
        "it can be read in two ways: set the locale" in result.stdout.str()
    )
