"""Records, rows and run directories in the words of the formats."""

from __future__ import annotations

import json
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.atomic import write_lines
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.snapshot import place_snapshot
from pytest_benchbed.runs.snapshot import snapshot_folder
from pytest_benchbed.runs.status import write_record

SPANISH = "Benceno ≤ 0,5 µg/l · año, 𝜇 🧪"
"""Accents, symbols, and characters outside the basic plane."""


def record_json(run_id: str = "base", **changes: Any) -> dict[str, Any]:
    """Return ``run.json`` of a completed run; ``changes`` replace whole fields."""
    row: dict[str, Any] = {
        "schema": "benchbed.run.v1",
        "id": run_id,
        "status": "completed",
        "started_at": "2026-03-02T10:00:00Z",
        "finished_at": "2026-03-02T10:03:20Z",
        "argv": ["pytest", "--bench=table-separators"],
        "benchmark": {
            "id": "table-separators",
            "format": "benchbed.table-separators.v1",
            "scoring_version": "benchbed.table-separators.scores.v1",
            "profiles": ["logical", "geometric"],
        },
        "dataset": {
            "id": "synthetic-v1",
            "version": "1.0.0",
            "identity": "d" * 64,
            "digests": {"inputs": "a" * 64, "answers": "b" * 64},
            "visibility": "public",
            "verified": "sha256",
            "canary": "clean",
        },
        "adapter": {
            "name": "acme",
            "version": "2.3.1",
            "identity": "1" * 64,
            "kind": "class",
            "code_sha256": "2" * 64,
            "source": {"commit": "0123456789abcdef", "branch": "main", "dirty": False},
            "watch_sha256": None,
            "identified": True,
            "deterministic": True,
            "model": None,
            "options": {},
            "settings": [],
        },
        "executor": {"name": "local", "slots": 1, "jobs": 4, "hosts": ["here"]},
        "isolation": {"level": "process"},
        "judge": None,
        "scope": {},
        "partial": [],
        "shard": None,
        "repeats": 1,
        "counts": {
            "scope": 2,
            "selected": 2,
            "scored": 2,
            "technical": 0,
            "skipped": 0,
            "retired": 0,
            "holes": 0,
        },
        "spend": {
            "budget_usd": None,
            "spent_usd": 0.25,
            "reask_usd": None,
            "judge_usd": None,
            "unpriced_attempts": 0,
        },
        "baseline": None,
        "controls": [],
        "targets": [],
        "gate": {
            "status": "passed",
            "reason": "no regression",
            "profile": "logical",
            "rule": "strict",
            "justification": None,
        },
        "technical": [],
        "holes": [],
        "versions": {"python": "3.11.9", "pytest": "9.0.0", "pytest_benchbed": "0.1.0"},
        "history": [],
    }
    return row | changes


def record(run_id: str = "base", **changes: Any) -> RunRecord:
    return RunRecord.from_json(record_json(run_id, **changes))


def error(kind: str, **where: Any) -> dict[str, Any]:
    return {"kind": kind, "where": where}


def result(case: str, **changes: Any) -> dict[str, Any]:
    """Return the row of a case without errors; ``changes`` replace whole fields."""
    row: dict[str, Any] = {
        "case": case,
        "category": "ruled",
        "state": "scored",
        "reason": None,
        "errors": {"logical": [], "geometric": []},
        "metrics": {"logical": {"exact": [1, 1]}, "geometric": {"offset": 0.5}},
        "quality": 1.0,
        "keys": {"logical": "e" * 64, "geometric": "f" * 64},
        "key_parts": {"inputs": "a" * 64, "files": "b" * 64, "answer": "c" * 64},
        "x": {"latency_s": 1.0, "queue_s": 0.0, "cost_usd": 0.1, "usage": {"cost_usd": 0.1}},
    }
    return row | changes


def wrong(case: str, *kinds: str, **changes: Any) -> dict[str, Any]:
    """Return the row of a case that has an error of each kind in the logical profile."""
    errors = {"logical": [error(kind, cell=1) for kind in kinds], "geometric": []}
    metrics = {"logical": {"exact": [0, 1]}, "geometric": {"offset": 2.5}}
    return result(case, errors=errors, metrics=metrics, quality=0.0, **changes)


def outcome(case: str | None, raw: str | None, **changes: Any) -> dict[str, Any]:
    """Return an outcome line of ``calls.jsonl``."""
    row: dict[str, Any] = {
        "kind": "outcome",
        "benchmark": "table-separators",
        "case": case,
        "context": None,
        "attempt": 1,
        "request_sha256": "9" * 64,
        "at": "2026-03-02T10:00:01Z",
        "state": "ok",
        "raw": raw,
        "error": None,
        "usage": {"cost_usd": 0},
        "latency_s": 0.5,
        "queue_s": 0.0,
        "slot": 0,
        "sha256": "8" * 64,
    }
    return row | changes


def write_calls(root: Path, lines: Iterable[Mapping[str, Any]], tail: bytes = b"") -> Path:
    """Write ``calls.jsonl`` in the given order; ``tail`` is what a crash left behind."""
    path = RunPaths(root).calls
    path.write_bytes(b"".join(canonical(line) + b"\n" for line in lines) + tail)
    return path


def save_run(
    root: Path,
    rows: Iterable[Mapping[str, Any]] = (),
    metrics: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Path:
    """Write a run directory: its record, and rows and metrics if there are any."""
    root.mkdir(parents=True)
    write_record(root, record(changes.pop("id", root.name), **changes))
    rows = list(rows)
    if rows:
        rows.sort(key=lambda row: row["case"])
        write_lines(RunPaths(root).results, map(canonical, rows))
    if metrics is not None:
        RunPaths(root).metrics.write_text(json.dumps(metrics), encoding="utf-8")
    return root


def write_snapshot(run: Run, bench_folder: Path) -> Path:
    """Write the snapshot of a run beside a bench file and return its folder."""
    folder = snapshot_folder(bench_folder, run.id)
    place_snapshot(run, folder)
    return folder
