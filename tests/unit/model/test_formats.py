"""Every format: read back what was written, absent optionals, refused keys and types."""

from __future__ import annotations

import copy
import json
from decimal import Decimal

import pytest

from pytest_benchbed.model import bench_file
from pytest_benchbed.model import dataset
from pytest_benchbed.model import deltas
from pytest_benchbed.model import gate
from pytest_benchbed.model import request
from pytest_benchbed.model import run
from pytest_benchbed.model.base import Model
from pytest_benchbed.model.base import ShapeError

SHA = "0123456789abcdef" * 4
PINNED = {"path": "assets/a.png", "size": 3, "sha256": SHA}
DIGESTS = {"inputs": SHA, "answers": SHA}

FULL: dict[type[Model], dict] = {
    dataset.PinnedFile: PINNED,
    dataset.Retired: {"id": "a", "reason": "wrong source", "since": "2"},
    dataset.Digests: DIGESTS,
    dataset.Manifest: {
        "schema": "benchbed.manifest.v1",
        "id": "publisher/name",
        "version": "1",
        "benchmark": "table-separators",
        "visibility": "public",
        "license": "CC0-1.0",
        "title": "Tables",
        "store": "s3://bucket",
        "loader": "jsonl",
        "files": [PINNED],
        "retired": [{"id": "a", "reason": "wrong source", "since": "2"}],
        "digests": DIGESTS,
    },
    dataset.CaseRow: {
        "id": "a",
        "inputs": {"anything": [1, 2.5, None]},
        "files": ["assets/a.png"],
        "category": "ruled",
        "tags": ["dense"],
        "group": "g",
        "context": "c",
        "facets": {"suite": "s", "variant": "v", "scenario": "x"},
        "meta": {"page": 3},
    },
    dataset.ContextRow: {"id": "c", "inputs": {}, "files": ["a.pdf"]},
    dataset.AnswerRow: {"id": "a", "answer": {"rows": []}, "canary": "0" * 32},
    request.RequestContext: {"id": "c", "inputs": {}, "files": [PINNED]},
    request.RequestCase: {"id": "a", "inputs": {}, "context": "c", "files": [PINNED]},
    request.AdapterRequest: {
        "schema": "benchbed.adapter-request.v1",
        "run_id": "base",
        "benchmark": "table-separators",
        "format": "benchbed.table-separators.v1",
        "model": None,
        "budget_usd": 1.5,
        "options": {"variant": "baseline"},
        "attempt": 1,
        "files_dir": "/tmp/stage",
        "contexts": [],
        "cases": [{"id": "a", "inputs": {}, "files": []}],
    },
    request.CandidateSystem: {
        "role": "candidate",
        "model": "m",
        "cost_usd": 0.25,
        "execution_failures": 0,
        "unpriced_attempts": 0,
    },
    request.AdapterResult: {
        "id": "table-separators",
        "status": "completed",
        "format": "benchbed.table-separators.v1",
        "data": "predictions.json",
        "systems": [
            {
                "role": "candidate",
                "model": "m",
                "cost_usd": 0.0,
                "execution_failures": 0,
                "unpriced_attempts": 0,
            }
        ],
        "adapter": "mine",
        "adapter_version": "1",
    },
    run.BenchmarkRecord: {
        "id": "table-separators",
        "format": "benchbed.table-separators.v1",
        "scoring_version": "benchbed.table-separators.scores.v1",
        "profiles": ["logical", "geometric"],
    },
    run.SourceRecord: {"commit": "c0ffee", "branch": None, "dirty": False},
    run.Spend: {
        "budget_usd": 1,
        "spent_usd": 0.125,
        "reask_usd": None,
        "reask_calls": 5,
        "judge_usd": None,
        "unpriced_attempts": 0,
        "prices_sha256": SHA,
        "prices": {"m": {"in": 1, "out": 2.5}},
    },
    run.GateSummary: {
        "status": "baseline required",
        "reason": "no baseline",
        "profile": "logical",
        "rule": "strict",
        "rule_source": "auto",
        "justification": None,
    },
    run.TechnicalRecord: {"case": None, "whose": "adapter", "kind": "crashed", "detail": "-9"},
    run.Hole: {"case": "a", "reason": "not started"},
    run.HistoryEntry: {"at": "2026-01-01T00:00:00Z", "what": "resumed", "from": 1, "to": [2]},
    bench_file.RetryPolicy: {"attempts": 3, "on": ["timeout"]},
    bench_file.ModelPrice: {"in": 2.5, "out": 10},
    bench_file.Promotion: {"at": "now", "baseline": "b", "controls": [], "reason": "first"},
    bench_file.BenchAdapter: {
        "entry": "mine:predict",
        "options": {"a": 1},
        "model": "m",
        "env": ["KEY"],
        "network": "all",
        "reads": ["weights"],
        "allow": ["gpu"],
        "deterministic": True,
        "fresh_process": False,
        "max_cost_usd": 0.5,
        "limits": {"call_s": 30.0},
        "baseline": None,
        "controls": [],
        "history": [],
    },
    bench_file.BenchFile: {
        "schema": "benchbed.bench.v1",
        "dataset": "synthetic-v1",
        "adapter": "mine",
        "type": "label",
        "scoring": {"fold": True},
        "gate": "logical",
        "rule": "strict",
        "budget_usd": 0,
        "isolation": "auto",
        "jobs": 2,
        "repeats": 1,
        "shard_by": "hash",
        "store": "file:///store",
        "thresholds": {"quality": -0.05},
        "watch": ["src/*.py"],
        "pythonpath": ["src"],
        "retry": {"attempts": 1, "on": []},
        "rate": "60/min",
        "prices": {"m": {"in": 1, "out": 2}},
        "adapters": {},
    },
    gate.ControlRef: {"run": "c", "age_s": 60.0, "identity": SHA},
    gate.Suspect: {
        "case": "a",
        "errors": [{"kind": "merged", "where": {}}],
        "outcome": "regression",
        "attempts": 1,
        "wrong": 1,
    },
    gate.TargetState: {"case": "a", "errors": []},
    gate.Unverifiable: {"case": "a", "differs": "answer"},
    gate.FalseAlarm: {"estimate": None, "limit95": 0.5},
    gate.SmallestChange: {"single": None, "spread": 3, "of": 40},
    deltas.Change: {"n": 3, "ratio": 1.5},
    gate.SignTest: {"worse": 1, "better": 2, "mixed": 0, "p": 0.75, "holm": 1},
}
FULL[deltas.Delta] = {
    "n": 3,
    "value": 1.5,
    "baseline": 1.0,
    "ratio": 1.5,
    "warns": False,
    "why_not": None,
}
FULL[deltas.CostDelta] = {
    "n": 3,
    "value": None,
    "baseline": None,
    "ratio": None,
    "warns": False,
    "why_not": "another price table",
    "usage": FULL[deltas.Change],
    "price": None,
}
FULL[deltas.Deltas] = {"latency_s": FULL[deltas.Delta], "cost_usd": FULL[deltas.CostDelta]}
FULL[gate.Coverage] = {
    "compared": 40,
    "of": 41,
    "holes": ["a"],
    "not_selected": 0,
    "not_in_baseline": [],
    "retired": ["b"],
    "skipped": [],
    "support_lost": [],
    "new": [],
    "removed": [],
    "unverifiable": [FULL[gate.Unverifiable]],
    "no_answer": ["c"],
    "no_answer_known": 1,
}
FULL[gate.GateResult] = {
    "status": "failed",
    "reason": "1 regression",
    "rule": "strict",
    "rule_source": "auto",
    "decides": True,
    "baseline": "base",
    "controls": [FULL[gate.ControlRef]],
    "K": 2,
    "D": 0,
    "r": 0,
    "flaky_estimate": "0/40",
    "loo_counts": [0, 1],
    "lambda": 0.5,
    "allowed": None,
    "suspects": [FULL[gate.Suspect]],
    "unstable": [],
    "targets": [FULL[gate.TargetState]],
    "justification": None,
    "coverage": FULL[gate.Coverage],
    "identified": {"candidate": True},
    "false_alarm": FULL[gate.FalseAlarm],
    "smallest_change": FULL[gate.SmallestChange],
    "sign_test": FULL[gate.SignTest],
    "warnings": [],
}
FULL[run.DatasetRecord] = {
    "id": "synthetic-v1",
    "version": "1",
    "identity": SHA,
    "digests": DIGESTS,
    "visibility": "public",
    "verified": "sha256",
    "canary": "clean",
}
FULL[run.AdapterRecord] = {
    "name": "mine",
    "version": "1",
    "identity": SHA,
    "kind": "class",
    "code_sha256": SHA,
    "source": FULL[run.SourceRecord],
    "watch_sha256": None,
    "identified": True,
    "deterministic": False,
    "model": None,
    "options": {"a": [1]},
    "settings": ["fresh_process=true"],
}
FULL[run.ExecutorRecord] = {"name": "local", "slots": 4, "jobs": 4, "hosts": ["h"]}
FULL[run.Counts] = {
    "scope": 3,
    "selected": 3,
    "scored": 1,
    "technical": 1,
    "skipped": 0,
    "retired": 0,
    "holes": 1,
    "groups": 2,
}
FULL[run.RunRef] = {"id": "base", "identity": SHA}
FULL[run.RunRecord] = {
    "schema": "benchbed.run.v1",
    "id": "r1",
    "status": "completed",
    "started_at": "2026-01-01T00:00:00Z",
    "finished_at": None,
    "argv": ["--bench=table-separators"],
    "benchmark": FULL[run.BenchmarkRecord],
    "dataset": FULL[run.DatasetRecord],
    "adapter": FULL[run.AdapterRecord],
    "executor": FULL[run.ExecutorRecord],
    "isolation": {"level": "process"},
    "judge": None,
    "scope": {"category": ["ruled"]},
    "partial": [],
    "shard": None,
    "repeats": 1,
    "counts": FULL[run.Counts],
    "results_sha256": SHA,
    "spend": FULL[run.Spend],
    "baseline": FULL[run.RunRef],
    "controls": [],
    "targets": ["a"],
    "note": "first",
    "thresholds": {"quality": -0.05},
    "gate": FULL[run.GateSummary],
    "technical": [FULL[run.TechnicalRecord]],
    "holes": [FULL[run.Hole]],
    "retired": ["b"],
    "versions": {"python": "3.11"},
    "history": [FULL[run.HistoryEntry]],
}


def read(kind: type[Model], row: dict) -> Model:
    """Read a row; ``lambda`` is a word of Python, so the field is called otherwise."""
    row = copy.deepcopy(row)
    if "lambda" in row:
        row["lambda_"] = row.pop("lambda")
    return kind.from_json(row)


def formats(*modules: object) -> set[type[Model]]:
    return {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Model) and value is not Model
    }


def test_every_format_has_an_example_here() -> None:
    assert formats(bench_file, dataset, gate, request, run) <= set(FULL) | {run.Digests}


@pytest.mark.parametrize("kind", FULL, ids=lambda kind: kind.__name__)
def test_an_example_says_every_key(kind: type[Model]) -> None:
    fields = {field.alias or name for name, field in kind.model_fields.items()}

    assert set(FULL[kind]) == {name.replace("lambda_", "lambda") for name in fields}


@pytest.mark.parametrize("kind", FULL, ids=lambda kind: kind.__name__)
def test_what_is_written_is_read_back(kind: type[Model]) -> None:
    value = read(kind, FULL[kind])

    assert value.to_json() == FULL[kind]
    assert read(kind, json.loads(json.dumps(value.to_json()))) == value


@pytest.mark.parametrize("kind", FULL, ids=lambda kind: kind.__name__)
def test_an_absent_optional_stays_absent_and_is_never_null(kind: type[Model]) -> None:
    row = {key: value for key, value in FULL[kind].items() if key not in kind.OPTIONAL}

    written = read(kind, row).to_json()

    assert set(written) == set(row)


@pytest.mark.req("ENV-044")
@pytest.mark.parametrize("kind", FULL, ids=lambda kind: kind.__name__)
def test_a_key_that_is_not_declared_is_refused(kind: type[Model]) -> None:
    with pytest.raises(ShapeError, match="surprise: Extra inputs are not permitted"):
        read(kind, {**FULL[kind], "surprise": 1})


@pytest.mark.parametrize("kind", FULL, ids=lambda kind: kind.__name__)
def test_a_value_is_frozen(kind: type[Model]) -> None:
    value = read(kind, FULL[kind])

    with pytest.raises(ValueError, match="frozen"):
        setattr(value, next(iter(kind.model_fields)), None)


def without(kind: type[Model], key: str) -> dict:
    return {name: value for name, value in FULL[kind].items() if name != key}


@pytest.mark.parametrize(
    ("kind", "changed", "words"),
    [
        (dataset.Manifest, {"visibility": "secret"}, "visibility"),
        (dataset.Manifest, {"id": "a/b/c"}, "id"),
        (dataset.Manifest, {"id": "a b"}, "id"),
        (dataset.Manifest, {"version": ""}, "version"),
        (dataset.Manifest, {"version": 1}, "version"),
        (dataset.Manifest, {"schema": "benchbed.manifest.v2"}, "schema"),
        (dataset.Manifest, {"loader": "csv"}, "loader"),
        (dataset.PinnedFile, {"size": -1}, "size"),
        (dataset.PinnedFile, {"size": 1.0}, "size"),
        (dataset.PinnedFile, {"size": True}, "size"),
        (dataset.PinnedFile, {"sha256": SHA.upper()}, "sha256"),
        (dataset.PinnedFile, {"sha256": SHA[1:]}, "sha256"),
        (dataset.Retired, {"reason": " "}, "reason"),
        (dataset.CaseRow, {"facets": {"colour": "red"}}, "facets"),
        (dataset.CaseRow, {"tags": "dense"}, "tags"),
        (dataset.CaseRow, {"inputs": []}, "inputs"),
        (dataset.AnswerRow, {"canary": "xyz"}, "canary"),
        (request.AdapterResult, {"status": "failed"}, "status"),
        (request.AdapterResult, {"systems": []}, "systems"),
        (request.AdapterResult, {"systems": [FULL[request.CandidateSystem]] * 2}, "systems"),
        (request.CandidateSystem, {"role": "judge"}, "role"),
        (request.CandidateSystem, {"cost_usd": -0.1}, "cost_usd"),
        (request.CandidateSystem, {"cost_usd": float("nan")}, "cost_usd"),
        (request.CandidateSystem, {"cost_usd": None}, "cost_usd"),
        (request.CandidateSystem, {"execution_failures": -1}, "execution_failures"),
        (request.CandidateSystem, {"execution_failures": 0.5}, "execution_failures"),
        (request.AdapterRequest, {"budget_usd": -1}, "budget_usd"),
        (request.AdapterRequest, {"budget_usd": True}, "budget_usd"),
        (run.RunRecord, {"repeats": 0}, "repeats"),
        (run.RunRecord, {"status": "done"}, "status"),
        (run.GateSummary, {"status": "green"}, "status"),
        (run.TechnicalRecord, {"whose": "nobody"}, "whose"),
        (bench_file.BenchFile, {"rate": "60 a minute"}, "rate"),
        (bench_file.BenchFile, {"rate": "0/min"}, "rate"),
        (bench_file.BenchFile, {"jobs": 0}, "jobs"),
        (bench_file.BenchFile, {"thresholds": {"speed": 1.0}}, "thresholds"),
        (bench_file.RetryPolicy, {"attempts": 0}, "attempts"),
        (bench_file.RetryPolicy, {"attempts": 21}, "attempts"),
        (bench_file.BenchAdapter, {"network": "some"}, "network"),
        (bench_file.ModelPrice, {"in": "cheap"}, "in"),
        (gate.Suspect, {"outcome": "flaky"}, "outcome"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_its_field(
    kind: type[Model], changed: dict, words: str
) -> None:
    with pytest.raises(ShapeError) as caught:
        read(kind, {**FULL[kind], **changed})

    assert str(caught.value).startswith(words)


@pytest.mark.req("ENV-046")
@pytest.mark.parametrize("key", ["id", "status", "format", "data", "systems"])
def test_a_result_entry_has_all_its_fields(key: str) -> None:
    with pytest.raises(ShapeError, match=f"{key}: Field required"):
        read(request.AdapterResult, without(request.AdapterResult, key))


@pytest.mark.req("ENV-041")
@pytest.mark.parametrize("key", ["run_id", "model", "budget_usd", "options", "cases", "files_dir"])
def test_a_request_has_all_its_fields(key: str) -> None:
    with pytest.raises(ShapeError, match=f"{key}: Field required"):
        read(request.AdapterRequest, without(request.AdapterRequest, key))


@pytest.mark.req("ENV-042")
@pytest.mark.parametrize("key", ["answer", "category", "tags", "group", "facets", "meta"])
def test_a_request_has_no_place_for_what_is_ours(key: str) -> None:
    row = copy.deepcopy(FULL[request.AdapterRequest])
    row["cases"][0][key] = "x"

    with pytest.raises(ShapeError, match=f"cases.0.{key}: Extra inputs"):
        read(request.AdapterRequest, row)


@pytest.mark.req("ENV-082")
def test_a_retirement_says_why() -> None:
    with pytest.raises(ShapeError, match="reason"):
        read(dataset.Retired, {"id": "a", "reason": "", "since": "2"})


def test_a_fault_counts_the_others_and_quotes_no_value() -> None:
    with pytest.raises(ShapeError) as caught:
        read(dataset.PinnedFile, {"path": 1, "size": "secret", "sha256": "secret"})

    assert "(and 2 more)" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_what_is_no_object_is_refused_at_the_top() -> None:
    with pytest.raises(ShapeError, match="top level"):
        dataset.PinnedFile.from_json([])  # type: ignore[arg-type]


def test_money_is_exact_inside_and_a_number_in_the_file() -> None:
    spend = run.Spend(budget_usd=Decimal("0.1") + Decimal("0.2"), spent_usd=Decimal(2))

    assert spend.budget_usd == Decimal("0.3")
    assert spend.to_json()["budget_usd"] == 0.3
    assert isinstance(spend.to_json()["spent_usd"], int)


def test_a_field_may_be_given_by_its_python_name() -> None:
    assert run.HistoryEntry(at="now", what="x", from_=1, to=2).to_json()["from"] == 1
