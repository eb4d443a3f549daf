"""What is known of the system under test once it has answered: for the record of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pytest_benchbed.adapters.identity import system_identity
from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.edge.start import ActiveRun
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.request import AdapterResult
from pytest_benchbed.model.run import AdapterRecord
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json
from pytest_benchbed.runs.layout import RunPaths

RESULT_FILE = "adapter-result.json"


def describe(run: ActiveRun, info: AdapterInfo | None) -> AdapterInfo:
    """Return the declarations of a run's adapter; an executable's come from the bench file.

    Of a resumed run that asked nothing, the version is the recorded one.
    """
    if info is not None:
        return info.with_bench_file(run.plan.spec)
    version = run.record.adapter.version
    if run.plan.spec.kind == "executable":
        version = _reported_version(run.paths) or version
    bare = AdapterInfo(
        name=run.plan.spec.name,
        version=version,
        deterministic=run.record.adapter.deterministic,
    )
    return bare.with_bench_file(run.plan.spec)


def _reported_version(paths: RunPaths) -> str:
    """Return the version in the executable's result; "" if it reports none."""
    try:
        value = read_json((paths.adapter / RESULT_FILE).read_bytes())
        return AdapterResult.from_json(value).adapter_version or ""
    except (OSError, MalformedJson, ShapeError):
        return ""


def final_adapter_record(run: ActiveRun, info: AdapterInfo) -> AdapterRecord:
    """Return the record with what only the running system could tell."""
    record = run.record.adapter
    settings = ["fresh_process=true"] if info.fresh_process else []
    if run.plan.benchmark.drive:
        settings.append(f"drive={run.plan.benchmark.drive}")
    return record.model_copy(
        update={
            "version": info.version,
            "deterministic": info.deterministic,
            "identified": bool(record.watch_sha256 or info.version),
            "settings": settings,
            "identity": system_identity(
                name=record.name,
                version=info.version,
                code_sha256=record.code_sha256,
                watch_sha256=record.watch_sha256,
                model=record.model,
                options=record.options,
                settings=settings,
                executor=run.record.executor.name,
                isolation_level=run.plan.isolation,
                network=info.network,
            ),
        }
    )


def secrets(info: AdapterInfo) -> Mapping[str, str]:
    """Return the values of the declared environment names that are set."""
    return {name: os.environ[name] for name in info.env if name in os.environ}
