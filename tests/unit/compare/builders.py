"""Build saved runs for the tests of the gate, in the words of its examples.

A case is given by its errors, one letter each: ``"ab"`` has the errors a and
b, ``""`` none. A number is the value of the metric ``score`` instead. Words
with an exclamation mark are states: ``!declined``, ``!skipped``,
``!technical``; ``!hole`` was selected and has no result, ``!missing`` is not
in the run at all.
"""

from __future__ import annotations

from typing import Any

from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.keys import CaseKeys
from pytest_benchbed.compare.keys import key_parts
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import Saved
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import RunRecord

PROFILE = "logical"
PROFILES = ("logical", "geometric")


class ExampleType:
    id = "table-separators"
    scoring_version = "example.scores.v1"
    profiles = PROFILES


class Judging(ErrorsDecide):
    """A judge with tolerances, or a worse of its own."""

    def __init__(self, tolerance=None, lower_is_better=(), is_worse=None, at_least=None):
        self.tolerance = tolerance or {}
        self.lower_is_better = lower_is_better
        self.at_least = at_least or {}
        self.has_own_is_worse = is_worse is not None
        self._is_worse = is_worse

    def is_worse(self, profile, candidate, other):
        return self._is_worse(candidate, other)


KEYS = CaseKeys(ExampleType())


def error(kind: str, **where: Any) -> dict[str, Any]:
    """An error in its JSON form, with details that must not matter."""
    return {"kind": kind, "where": where, "expected": "ours", "got": kind}


def row(
    case: str = "x",
    what: str | float = "",
    *,
    errors: list[dict[str, Any]] | None = None,
    metrics: dict[str, Any] | None = None,
    quality: float | None = None,
    answer: str = "the answer",
    inputs: str = "the inputs",
    profiles: tuple[str, ...] = PROFILES,
) -> dict[str, Any]:
    """One line of results.jsonl; every profile has the same errors and metrics."""
    if isinstance(what, float):
        errors, metrics = errors or [], {"score": what}
    elif errors is None:
        errors = [error(letter, row=1) for letter in what]
    state, reason = "scored", None
    if what == "!declined":
        errors, metrics, quality = [{"kind": "no-answer", "where": {}}], {}, 0.0
        reason = "too blurred"
    elif what in ("!skipped", "!technical"):
        state, reason, errors, profiles = str(what)[1:], "the reason", [], ()
    if quality is None and state == "scored":
        quality = 0.0 if errors else 1.0
    parts = key_parts(digest(inputs), [("assets/a.png", "0" * 64)], digest(answer))
    return {
        "case": case,
        "category": None,
        "state": state,
        "reason": reason,
        "errors": {profile: errors for profile in profiles},
        "metrics": {profile: metrics or {} for profile in profiles},
        "quality": quality,
        "keys": KEYS.of(case, parts),
        "key_parts": parts,
        "x": {"latency_s": 0.5, "queue_s": 0.0, "cost_usd": None, "usage": {"cost_usd": None}},
    }


def reask(what: str | float, attempt: int = 2) -> dict[str, Any]:
    """One re-ask as a row keeps it; ``!technical`` and ``!budget`` have no score."""
    if what in ("!technical", "!budget"):
        return {"attempt": attempt, "errors": None, "outcome": str(what)[1:]}
    drawn = row("x", what)
    return {
        "attempt": attempt,
        "errors": drawn["errors"],
        "metrics": drawn["metrics"],
        "outcome": "scored",
    }


def record(run: str = "candidate", *, started_at: str | None = None, **changes: Any) -> RunRecord:
    """A record of a completed run; ``adapter``, ``spend``, ``counts``… are merged into it."""
    starts = {"candidate": "2026-03-10T12:00:00Z", "base": "2026-03-07T12:00:00Z"}
    whole: dict[str, Any] = {
        "schema": "benchbed.run.v1",
        "id": run,
        "status": "completed",
        "started_at": started_at or starts.get(run, "2026-03-08T12:00:00Z"),
        "finished_at": "2026-03-10T13:00:00Z",
        "argv": [],
        "benchmark": {
            "id": "table-separators",
            "format": "benchbed.table-separators.v1",
            "scoring_version": "example.scores.v1",
            "profiles": list(PROFILES),
        },
        "dataset": {
            "id": "synthetic-v1",
            "version": "1",
            "identity": "d" * 64,
            "digests": {"inputs": "1" * 64, "answers": "2" * 64},
            "visibility": "public",
            "verified": "sha256",
            "canary": "clean",
        },
        "adapter": {
            "name": "acme-extract",
            "version": "2.3.1",
            "identity": "5" * 64,
            "kind": "class",
            "code_sha256": "c" * 64,
            "source": None,
            "watch_sha256": None,
            "identified": True,
            "deterministic": False,
            "model": None,
            "options": {},
            "settings": [],
        },
        "executor": {"name": "local", "slots": 1, "jobs": 4, "hosts": []},
        "isolation": {"level": "process", "network": "none"},
        "judge": None,
        "scope": {},
        "partial": [],
        "shard": None,
        "repeats": 1,
        "counts": {"scope": 0, "selected": 0},
        "spend": {},
        "baseline": None,
        "controls": [],
        "targets": [],
        "gate": None,
        "technical": [],
        "versions": {"pytest_benchbed": "1.0"},
        "history": [],
    }
    for name, value in changes.items():
        is_part = isinstance(whole.get(name), dict) and isinstance(value, dict)
        whole[name] = {**whole[name], **value} if is_part and name != "scope" else value
    return RunRecord.from_json(whole)


def run_of(
    cases: dict[str, Any], run: str = "candidate", *, not_selected: int = 0, **changes: Any
) -> RunFacts:
    """A run with these cases; a value is what :func:`row` takes, or a whole row."""
    rows, holes = {}, []
    for case, what in cases.items():
        if what == "!hole":
            holes.append({"case": case, "reason": "crash"})
        elif what != "!missing":
            rows[case] = what if isinstance(what, dict) else row(case, what)
    selected = len(rows) + len(holes)
    counts = {
        "scope": selected + not_selected,
        "selected": selected,
        **changes.pop("counts", {}),
    }
    return RunFacts(record(run, counts=counts, holes=holes, **changes), rows)


def gate(
    candidate: RunFacts | dict[str, Any],
    baseline: RunFacts | dict[str, Any] | None = None,
    *controls: RunFacts | dict[str, Any],
    rule: str = "strict",
    targets: Any = (),
    profile: str = PROFILE,
    judge: Any = None,
    **options: Any,
) -> GateResult:
    """Decide; plain dicts become runs called candidate, base, control-1, control-2…"""
    names = ["candidate", "base", *(f"control-{number}" for number in range(1, 9))]
    runs = [
        run if run is None or isinstance(run, RunFacts) else run_of(run, name)
        for run, name in zip([candidate, baseline, *controls], names, strict=False)
    ]
    assert runs[0] is not None
    return decide(
        runs[0],
        runs[1],
        [run for run in runs[2:] if run is not None],
        profile=profile,
        decides=True,
        rule=rule,
        rule_source="command line",
        targets=targets,
        judge=judge or ErrorsDecide(),
        **options,
    )


def saved(run: RunFacts, path: str = "", results: str = "") -> Saved:
    """The run as it is named on a command line."""
    return Saved(path or f"/runs/{run.id}", run, results or digest(run.id))


def planned(run: RunFacts, path: str = "") -> Planned:
    """What is known of a run before its first call."""
    return Planned(
        id=run.id,
        path=path or f"/runs/{run.id}",
        benchmark=run.record.benchmark.id,
        scoring_version=run.record.benchmark.scoring_version,
        dataset=run.record.dataset,
        judge=run.record.judge,
        selected=run.rows.keys(),
    )


def letters(errors: list[dict[str, Any]]) -> str:
    """The letters of errors in a verdict."""
    return "".join(one["kind"] for one in errors)
