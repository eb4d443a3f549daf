"""The record of a run as it is known before its first call.

A run that goes on keeps what it was made with; what it is compared with, and
how much it may spend, is of the session.
"""

from __future__ import annotations

import platform
import socket
import sys
from collections.abc import Sequence
from datetime import UTC
from datetime import datetime
from importlib.metadata import version
from typing import Any

import pytest

from pytest_benchbed.adapters.environment import Redactor
from pytest_benchbed.adapters.identity import source_record
from pytest_benchbed.adapters.identity import watch_digest
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.model.prices import prices_digest
from pytest_benchbed.model.run import RESUMED
from pytest_benchbed.model.run import AdapterRecord
from pytest_benchbed.model.run import BenchmarkRecord
from pytest_benchbed.model.run import Counts
from pytest_benchbed.model.run import DatasetRecord
from pytest_benchbed.model.run import ExecutorRecord
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.run import RunRef
from pytest_benchbed.model.run import Spend
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.status import with_history


def now() -> str:
    """Return the time as UTC RFC 3339."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def first_record(
    config: pytest.Config, plan: Plan, selected: Sequence[str], *, jobs: int, redactor: Redactor
) -> RunRecord:
    """Return the record as it is known before the first call."""
    benchmark, dataset = plan.benchmark, plan.dataset
    if plan.resumed is not None and has_begun(plan.resumed):
        return _resumed_record(plan, plan.resumed.record, jobs)
    watch = watch_digest(plan.bench.watch, config.rootpath) if plan.bench.watch else None
    return RunRecord(
        id=plan.run_id,
        status="running",
        started_at=now(),
        finished_at=None,
        argv=[redactor.text(str(word)) for word in ("pytest", *config.invocation_params.args)],
        benchmark=BenchmarkRecord(
            id=benchmark.id,
            format=benchmark.format,
            scoring_version=benchmark.scoring_version,
            profiles=list(benchmark.profiles),
        ),
        dataset=dataset_record(plan),
        adapter=AdapterRecord(
            name=plan.spec.name,
            version="",
            identity="",
            kind=plan.spec.kind,
            code_sha256=plan.spec.code_sha256,
            source=source_record(plan.spec.path),
            watch_sha256=watch,
            identified=False,
            deterministic=bool(plan.spec.deterministic),
            model=plan.spec.model,
            options=plan.spec.options,
            settings=[],
        ),
        # More than one call at once: once the adapter has said how many it takes.
        executor=ExecutorRecord(name="local", slots=1, jobs=jobs, hosts=[socket.gethostname()]),
        isolation={"level": plan.isolation},
        judge=None,
        scope=plan.selection.scope_json(),
        partial=[],
        shard=None,
        repeats=plan.settings.repeats,
        counts=Counts(scope=len(plan.scope), selected=len(selected), retired=len(dataset.retired)),
        spend=Spend(
            budget_usd=plan.settings.budget_usd,
            prices_sha256=prices_digest(plan.bench.prices),
            prices=dict(plan.bench.prices or {}),
        ),
        baseline=_reference(plan.baseline),
        controls=[ref for ref in map(_reference, plan.controls) if ref is not None],
        targets=sorted(plan.targets),
        thresholds=plan.bench.thresholds,
        note=plan.settings.note and redactor.text(plan.settings.note),
        gate=None,
        technical=[],
        retired=sorted(dataset.retired),
        versions=_versions(),
        history=[],
    )


def has_begun(run: Run) -> bool:
    """Say whether a case of a saved run was asked or has a result."""
    counts, calls = run.record.counts, run.paths.calls
    has_rows = bool(counts.scored or counts.technical or counts.skipped)
    return has_rows or (calls.exists() and calls.stat().st_size > 0)


def dataset_record(plan: Plan) -> DatasetRecord:
    """Return what the record says of the dataset; the canary is searched for at the end."""
    dataset = plan.dataset
    return DatasetRecord(
        id=dataset.id,
        version=dataset.version,
        identity=dataset.identity,
        digests=dataset.manifest.digests,
        visibility=dataset.manifest.visibility,
        verified="sha256",
        canary="absent",
    )


def _resumed_record(plan: Plan, old: RunRecord, jobs: int) -> RunRecord:
    old = with_history(old, RESUMED, old.status, "running", now())
    return old.model_copy(
        update={
            "status": "running",
            "executor": old.executor.model_copy(update={"jobs": jobs}),
            "baseline": _reference(plan.baseline),
            "controls": [ref for ref in map(_reference, plan.controls) if ref is not None],
            "targets": sorted(plan.targets),
            "spend": old.spend.model_copy(update={"budget_usd": plan.settings.budget_usd}),
            "gate": None,
            # The rows of before stay until the run is decided again.
            "results_sha256": None,
        }
    )


def _reference(run: Any) -> RunRef | None:
    return None if run is None else RunRef(id=run.id, identity=run.record.adapter.identity)


def _versions() -> dict[str, str]:
    names = ("pytest", "pytest-benchbed", "pytest-xdist", "pydantic", "rapidfuzz", "jiwer")
    found = {name.replace("-", "_"): version(name) for name in names}
    return {
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        **found,
    }
