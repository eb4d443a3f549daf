"""``--bench-run``, ``--bench-runs-dir``, and what every file of a run holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_benchbed.runs.read import Run
from tests.plugin.bench import Bench


@pytest.mark.req("ENV-090")
def test_an_existing_id_is_refused_and_nothing_is_overwritten(bench: Bench) -> None:
    run = bench.record("base")
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}

    result = bench.run("--bench-run=base")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'base' exists*nothing is overwritten*", "*--bench-resume=base*"])
    assert bench.calls() == []
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["../out", "a b", "", "x" * 101])
def test_a_bad_id_is_refused(bench: Bench, name: str) -> None:
    result = bench.run(f"--bench-run={name}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*run id*is not valid*"])
    assert not (bench.path / "runs").exists()


def test_another_runs_directory_is_made_and_ignored_by_git(bench: Bench) -> None:
    result = bench.run("--bench-runs-dir=kept/here", "--bench-run=own")

    assert result.ret == pytest.ExitCode.OK
    assert (bench.path / "kept" / "here" / ".gitignore").read_text("utf-8") == "*\n"
    assert Run.open(bench.path / "kept" / "here" / "own").record.status == "completed"
    assert not (bench.path / "runs").exists()


@pytest.mark.req("ENV-041", "ENV-042", "ENV-069", "ENV-080", "ENV-093", "ENV-094", "ENV-096")
@pytest.mark.req("ENV-011", "ENV-097")
def test_every_file_of_a_run_has_its_shape(bench: Bench) -> None:
    # An error that is known in the profile that does not decide.
    bench.record("base", {"t-001": {"main": ["cell"], "side": ["edge"]}})
    bench.answers({"t-001": {"main": [], "side": ["edge"]}, "t-002": ["row"]})

    bench.run("--baseline=base", "--bench-run=own", "--bench-model=m-1", "--bench-note=a note")

    run = bench.saved("own")
    assert {path.name for path in run.path.iterdir()} >= {
        "run.json",
        "adapter-request.json",
        "adapter",
        "calls.jsonl",
        "results.jsonl",
        "metrics.json",
        "comparison.jsonl",
        "report.html",
        "report-assets",
        "summary.md",
        "review-brief.json",
        "raw",
    }
    _check_record(_read(run, "run.json"), json.loads(_manifest(bench)))
    request = _read(run, "adapter-request.json")
    assert set(request) == {
        "schema", "run_id", "benchmark", "format", "model", "budget_usd", "options", "attempt",
        "files_dir", "contexts", "cases",
    }  # fmt: skip
    assert (request["run_id"], request["model"]) == ("own", "m-1")
    assert "SECRET" not in (run.path / "adapter-request.json").read_text("utf-8")
    assert set(request["cases"][0]) == {"id", "inputs", "files"}
    rows = _rows(run, "results.jsonl")
    assert [row["case"] for row in rows] == ["t-001", "t-002", "t-003", "t-004"]
    assert set(rows[0]) == {
        "case", "category", "state", "reason", "errors", "metrics", "quality", "keys",
        "key_parts", "x",
    }  # fmt: skip
    assert rows[1]["errors"]["main"][0]["kind"] == "wrong"
    assert rows[1]["metrics"]["main"] == {"exact": [0, 1]}
    calls = _rows(run, "calls.jsonl")
    assert [call["kind"] for call in calls].count("intent") == 4
    assert {call["case"] for call in calls if call["kind"] == "outcome"} == {
        row["case"] for row in rows
    }
    comparison = _rows(run, "comparison.jsonl")
    assert comparison[1]["answer"] == {"text": "SECRET-t-002"}
    assert comparison[1]["predictions"]["candidate"] == {"main": ["row"], "side": []}
    assert comparison[1]["predictions"]["baseline"] == {"main": [], "side": []}
    _check_metrics(_read(run, "metrics.json"))
    brief = _read(run, "review-brief.json")
    assert brief["gate"] == {"profile": "main", "status": "failed"}
    groups = {
        group["bucket"]: [case["case"] for case in group["cases"]] for group in brief["groups"]
    }
    assert groups == {"worse": ["t-002"], "better": ["t-001"]}
    assert "t-002" in (run.path / "summary.md").read_text("utf-8")
    assert "t-002" in (run.path / "report.html").read_text("utf-8")


def _check_record(record: dict[str, Any], manifest: dict[str, Any]) -> None:
    assert set(record) >= {
        "schema", "id", "status", "started_at", "finished_at", "argv", "benchmark", "dataset",
        "adapter", "executor", "isolation", "judge", "scope", "partial", "shard", "repeats",
        "counts", "spend", "baseline", "controls", "targets", "gate", "technical", "versions",
        "history",
    }  # fmt: skip
    assert (record["id"], record["status"], record["note"]) == ("own", "completed", "a note")
    assert record["benchmark"]["scoring_version"] == "benchbed.toy.scores.v1"
    dataset = record["dataset"]
    assert (dataset["id"], dataset["version"]) == ("toy-v1", "1")
    assert len(dataset["identity"]) == 64
    assert dataset["digests"] == manifest["digests"]
    assert dataset["canary"] == "clean"
    assert record["adapter"]["model"] == "m-1"
    assert record["gate"]["status"] == "failed"
    assert record["baseline"]["id"] == "base"
    assert record["counts"]["scored"] == 4
    assert {"python", "pytest", "pytest_benchbed"} <= set(record["versions"])


def _check_metrics(metrics: dict[str, Any]) -> None:
    assert set(metrics) == {
        "schema", "run", "scoring_version", "gate_version", "profiles", "headline", "units",
        "quality", "latency_s", "cost_usd", "deltas",
    }  # fmt: skip
    main = metrics["profiles"]["main"]
    assert main["summary"]["exact"] == {"value": 0.75, "counts": [3, 4], "n": 4}
    assert main["n"] == {"scored": 4, "technical": 0, "skipped": 0}
    assert {name: metrics["profiles"][name]["gate"]["status"] for name in ("main", "side")} == {
        "main": "failed",
        "side": "passed",
    }
    assert metrics["headline"][0]["value"] == 0.75
    assert metrics["headline"][0]["change"] == 0


def _manifest(bench: Bench) -> str:
    return (bench.dataset / "manifest.json").read_text("utf-8")


def _read(run: Run, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((run.path / name).read_text("utf-8"))
    assert value["schema"].startswith("benchbed.")
    return value


def _rows(run: Run, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run.path / name).read_text("utf-8").splitlines()]


def test_a_secret_in_the_note_is_on_no_disk_from_the_first_moment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is killed keeps the record that it began with."""
    monkeypatch.setenv("TOY_KEY", "not-a-real-key")
    (bench.path / "mine.py").write_text(
        "import os, shutil\n\n\n"
        "def predict(case):\n"
        f"    shutil.copy({str(bench.path / 'runs' / 'own' / 'run.json')!r}, {str(bench.path)!r})\n"
        "    return {'main': [], 'side': []}\n",
        "utf-8",
    )
    (bench.dataset.parent / "bench.json").write_text(
        '{"adapters": {"mine:predict": {"env": ["TOY_KEY"]}}}', "utf-8"
    )

    bench.pytest(
        "--bench=toy",
        "--bench-adapter=mine:predict",
        "--bench-run=own",
        "--bench-note=with not-a-real-key",
    )

    begun = json.loads((bench.path / "run.json").read_text("utf-8"))
    assert (begun["status"], begun["note"]) == ("running", "with [TOY_KEY]")
    assert bench.saved("own").record.note == "with [TOY_KEY]"
