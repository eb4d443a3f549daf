"""Writes complete run directories without running anything.

Rows, verdicts, metrics and briefs are made by the real functions; only the
system, its answers and its errors are invented. ``HOSTILE`` stands in every
place where a case, an answer or a reply may bring text.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.compare.buckets import bucket
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.canonical import sha256_hex
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.view import RunView
from pytest_benchbed.report.view import TypeWords
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.atomic import write_lines
from pytest_benchbed.runs.brief import build_brief
from pytest_benchbed.runs.comparison import write_comparison
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.metrics import build_metrics
from tests.unit.runs.builders import record_json

HOSTILE = (
    "</script></style></textarea><script>alert(1)</script><img src=x onerror=alert(2)>"
    "<base href=//x.invalid>{{7*7}}{%raw%}\"' onload=alert(3) [l](http://x.invalid) @all #1 "
    "closes #2 ```\n::error::x\n##[error]y\r\n| a | b |\n# PASSED\n\x1b[31m\u202eabc\u200b"
)
"""Neither NUL nor a lone surrogate: no file of a run can hold one."""


class Tables(Benchmark):
    """The words of a type; nothing is scored here."""

    id = "table-separators"
    format = "benchbed.table-separators.v1"
    label = "Table separators"
    scoring_version = "benchbed.table-separators.scores.v1"
    profiles = ("logical", "geometric")
    headline = ("exact", "cell_f1", "geometric.mean_offset_px")
    lower_is_better = ("mean_offset_px",)
    explain: Mapping[str, str] = {"exact": "share of tables without an error"}
    viewer = "table-grid"


TABLES = Tables()
WORDS = TypeWords.of(TABLES)


@dataclass
class Made:
    """One case: its errors now, before and in the controls, per profile or of ``logical``."""

    id: str
    now: Any = ()
    before: Any = ()
    repeats: Sequence[Any] = ()
    """Errors in each control."""
    category: str | None = "dense"
    state: str = "scored"
    reason: str | None = None
    answer: Any = field(default_factory=lambda: dict(ANSWER))
    prediction: Any = field(default_factory=lambda: dict(ANSWER))
    before_prediction: Any = None
    inputs: Any = None
    latency_s: float | None = 0.42
    cost_usd: float | None = 0.001
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the row that replace the invented ones."""
    extra_before: Mapping[str, Any] = field(default_factory=dict)


ANSWER = {
    "rows": [20, 40],
    "columns": [50, 100],
    "spans": [],
    "row_gaps": [[18, 22], [38, 42]],
    "column_gaps": [[45, 55], [95, 105]],
    "cells": [[0, 0], [1, 1], [2, 2]],
}
WORDS_OF_CROP = [
    {"text": "Lead", "box": [5, 4, 30, 14]},
    {"text": "<0.5", "box": [60, 24, 80, 34]},
    {"text": "mg/kg", "box": [110, 44, 140, 54]},
]


def error(kind: str, expected: Any = None, got: Any = None, note: str = "", **where: Any) -> Any:
    row: dict[str, Any] = {"kind": kind, "where": where}
    if expected is not None:
        row["expected"] = expected
    if got is not None:
        row["got"] = got
    if note:
        row["note"] = note
    return row


def record(run_id: str, **changes: Any) -> RunRecord:
    """Return a completed run's record; ``changes`` are in the names of the file."""
    made = record_json(run_id)
    none = dict.fromkeys(made["counts"], 0)
    of_report = {
        "argv": ["--bench=table-separators", "--bench-adapter=acme.tables:Grid"],
        "adapter": {
            **made["adapter"],
            "name": "acme-extract",
            "identity": "e" * 64,
            "code_sha256": "c" * 64,
            "source": {"commit": "0a1b2c3d" * 5, "branch": "main", "dirty": False},
        },
        "executor": {"name": "local", "slots": 4, "jobs": 4, "hosts": []},
        "isolation": {"level": "process", "network": "none", "allow": [], "reads": []},
        "counts": none,
        "spend": {**made["spend"], "spent_usd": 0.15},
        "gate": None,
        "versions": {**made["versions"], "pytest": "9.2.0"},
    }
    return RunRecord.from_json({**made, **of_report, **changes})


def write_run(
    folder: Path,
    cases: Sequence[Made],
    *,
    run_id: str = "after",
    paired: bool = True,
    targets: Sequence[str] = (),
    holes: Mapping[str, str] = {},
    with_images: bool = True,
    rule: str = "strict",
    **changes: Any,
) -> Path:
    """Write ``folder/<run_id>`` and return it; ``paired``: with the baseline ``base``."""
    paths = RunPaths(folder / run_id)
    paths.report_assets.mkdir(parents=True)
    rows = [_row(case, case.now) for case in cases]
    controls = max((len(case.repeats) for case in cases), default=0) if paired else 0
    old = [
        _row(
            replace(
                case,
                state="scored" if case.state == "technical" else case.state,
                extra=case.extra_before,
            ),
            case.before,
        )
        for case in cases
    ]
    repeats = [
        [_row(case, [*case.repeats, *[case.before] * controls][number]) for case in cases]
        for number in range(controls)
    ]
    states = [case.state for case in cases]
    facts = {
        "counts": {
            "scope": len(cases) + len(holes), "selected": len(cases) + len(holes),
            "scored": states.count("scored"), "technical": states.count("technical"),
            "skipped": states.count("skipped"), "retired": 0, "holes": len(holes),
        },
        "holes": [{"case": case, "reason": reason} for case, reason in sorted(holes.items())],
        "targets": list(targets),
        "baseline": {"id": "base", "identity": "e" * 64} if paired else None,
        "controls": [
            {"id": f"base-{number}", "identity": "e" * 64} for number in range(1, controls + 1)
        ],
        "technical": [
            {"case": case.id, "whose": "adapter", "kind": "crash", "detail": case.reason or ""}
            for case in cases
            if case.state == "technical"
        ],
    }  # fmt: skip
    draft = record(run_id, **{**facts, **changes})
    gates = _gates(draft, rows, old if paired else None, repeats, rule)
    wobbled = {one.case for one in gates["logical"].suspects if one.outcome == "wobbled"}
    final = _with_gate(draft, gates["logical"])
    baseline_rows = {row["case"]: row for row in old} if paired else None
    write_json(paths.run, final.to_json())
    write_lines(paths.results, map(canonical, sorted(rows, key=lambda row: row["case"])))
    write_json(paths.metrics, build_metrics(final, rows, TABLES, gates, baseline_rows))
    buckets = {
        row["case"]: bucket(
            row,
            (baseline_rows or {}).get(row["case"]),
            [control[number] for control in repeats],
            profile="logical",
            is_wobbled=row["case"] in wobbled,
        )
        for number, row in enumerate(rows)
    }
    brief = build_brief(
        final, rows, baseline_rows, buckets, profile="logical", status=gates["logical"].status
    )
    write_json(paths.review_brief, brief)
    _write_comparison(paths, cases, paired)
    write_json(paths.request, _request(run_id, cases))
    if with_images:
        image = png(160, 60, shade=245)
        (paths.report_assets / f"{sha256_hex(image)}.png").write_bytes(image)
    return paths.root


def strike(run_dir: Path, *cases: str) -> None:
    """Write into the brief of a run that these cases wobbled in two of five runs."""
    path = run_dir / "review-brief.json"
    found = [{"case": case, "wobbled": 2, "suspect": 2, "of": 5} for case in cases]
    path.write_text(json.dumps({**json.loads(path.read_text()), "strikes": found}))


def load(run_dir: Path, **options: Any) -> RunView:
    """Load a run in the words of its type, named as a user would type it."""
    options = {"words": WORDS, "base": run_dir.parent.parent, **options}
    return RunView.load(run_dir, **options)


def png(width: int, height: int, shade: int = 255) -> bytes:
    """Return a plain grey PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    lines = (b"\x00" + bytes([shade]) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def _row(case: Made, errors: Any) -> dict[str, Any]:
    is_scored = case.state == "scored"
    per_profile = errors if isinstance(errors, dict) else {"logical": list(errors)}
    found = {name: list(per_profile.get(name, ())) for name in TABLES.profiles}
    wrong = bool(found["logical"])
    is_declined = any(one["kind"] == "no-answer" for one in found["logical"])
    metrics: dict[str, Any] = {
        "logical": {"exact": [int(not wrong), 1], "cell_f1": [6 - 2 * wrong, 6]},
        "geometric": {"exact": [1, 1], "mean_offset_px": 1.25 + 0.5 * wrong},
    }
    row = {
        "case": case.id,
        "category": case.category,
        "state": case.state,
        "reason": case.reason,
        "errors": found if is_scored else {},
        "metrics": ({} if is_declined else metrics) if is_scored else {},
        "quality": (0.0 if wrong else 1.0) if is_scored else None,
        "keys": {name: sha256_hex(f"{name} {case.id}".encode()) for name in TABLES.profiles},
        "key_parts": {"inputs": "1" * 64, "files": "2" * 64, "answer": "3" * 64},
        "x": {
            "latency_s": case.latency_s,
            "queue_s": 0.01,
            "cost_usd": case.cost_usd,
            "usage": {"cost_usd": case.cost_usd},
        },
        **case.extra,
    }
    if is_declined:
        row["metrics"] = {name: {} for name in TABLES.profiles}
    return json.loads(json.dumps(row))


def _gates(
    candidate: RunRecord, rows: Any, old: Any | None, repeats: Any, rule: str
) -> dict[str, GateResult]:
    def facts(run: RunRecord, found: Any) -> RunFacts:
        return RunFacts(run, {row["case"]: row for row in found})

    def earlier(run_id: str, started: str, found: Any) -> RunFacts:
        return facts(record(run_id, started_at=started, counts={
            "scope": len(found), "selected": len(found), "scored": len(found),
            "technical": 0, "skipped": 0, "retired": 0, "holes": 0,
        }), found)  # fmt: skip

    return {
        profile: decide(
            facts(candidate, rows),
            earlier("base", "2026-02-27T10:00:00Z", old) if old is not None else None,
            [
                earlier(f"base-{number}", f"2026-02-2{8 - number}T12:00:00Z", control)
                for number, control in enumerate(repeats, start=1)
            ],
            profile=profile,
            decides=profile == "logical",
            rule=rule,
            rule_source="auto",
            targets=candidate.targets,
            judge=ErrorsDecide(),
        )
        for profile in TABLES.profiles
    }


def _with_gate(draft: RunRecord, gate: GateResult) -> RunRecord:
    row = draft.to_json()
    row["gate"] = {
        "status": gate.status,
        "reason": gate.reason,
        "profile": "logical",
        "rule": gate.rule,
        "justification": None,
    }
    return RunRecord.from_json(row)


def _write_comparison(paths: RunPaths, cases: Sequence[Made], paired: bool) -> None:
    by_id = {case.id: case for case in cases}
    answered = [case for case in cases if case.state == "scored"]
    write_comparison(
        paths.comparison,
        [case.id for case in cases],
        lambda case: by_id[case].answer,
        {case.id: json.dumps(case.prediction) for case in answered},
        {
            case.id: json.dumps(
                case.answer if case.before_prediction is None else case.before_prediction
            )
            for case in answered
        }
        if paired
        else None,
    )


def _request(run_id: str, cases: Sequence[Made]) -> dict[str, Any]:
    image = png(160, 60, shade=245)
    return {
        "schema": "benchbed.adapter-request.v1",
        "run_id": run_id,
        "benchmark": TABLES.id,
        "format": TABLES.format,
        "model": None,
        "budget_usd": float(Decimal("1.5")),
        "options": {"cases": ["not this list"]},
        "attempt": 1,
        "files_dir": "/tmp/staged",
        "contexts": [],
        "cases": [
            {
                "id": case.id,
                "inputs": case.inputs
                or {
                    "image": f"assets/{case.id}.png",
                    "pdf": f"assets/{case.id}.pdf",
                    "dpi": 72,
                    "width": 160,
                    "height": 60,
                    "words": WORDS_OF_CROP,
                },
                "files": [
                    {
                        "path": f"assets/{case.id}.png",
                        "size": len(image),
                        "sha256": sha256_hex(image),
                    }
                ],
            }
            for case in cases
        ],
    }
