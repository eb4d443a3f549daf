"""What is known of the system under test once it has answered: for the record of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from pytest_benchbed.adapters.identity import system_identity
from pytest_benchbed.adapters.identity import watch_digest
from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.compare.identity import identity_differences
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import json_term
from pytest_benchbed.model.request import AdapterResult
from pytest_benchbed.model.run import AdapterRecord
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json
from pytest_benchbed.runs.layout import RunPaths

if TYPE_CHECKING:
    from pytest_benchbed.edge.start import ActiveRun

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


def system_record(plan: Plan, run: RunRecord, info: AdapterInfo) -> AdapterRecord:
    """Return the adapter's record with what only the running system could tell.

    Args:
        plan: of the run.
        run: its record so far.
        info: what the adapter declared, the bench file's word included.
    """
    record = run.adapter
    settings = list(plan.spec.settings)
    if info.fresh_process:
        settings.append("fresh_process=true")
    if plan.benchmark.drive:
        settings.append(f"drive={plan.benchmark.drive}")
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
                executor=run.executor.name,
                isolation_level=plan.isolation,
                network=info.network,
            ),
        }
    )


def difference_to(plan: Plan, run: RunRecord, other: RunRecord) -> Callable[[AdapterInfo], str]:
    """Return what says in which part of its identity a system differs from that of ``other``.

    It returns "" for the same system, and raises ``UsageProblem`` for one that
    cannot be told from another.
    """

    def difference(info: AdapterInfo) -> str:
        declared = info.with_bench_file(plan.spec)
        mine = system_record(plan, run, declared)
        if not mine.identified or not other.adapter.identified:
            raise UsageProblem(
                f"--bench-reuse={other.id}: the system is not identified, so its earlier answers "
                "may be those of another one.\nLet the adapter report a version, or watch the "
                "product's files in the bench file."
            )
        found = _difference(plan, run, mine, declared, other)
        if found is None:
            return ""
        field, own, theirs = found
        return f"another system: {field} is {json_term(own, 60)}, was {json_term(theirs, 60)}"

    return difference


def _difference(
    plan: Plan, run: RunRecord, mine: AdapterRecord, declared: AdapterInfo, other: RunRecord
) -> tuple[str, Any, Any] | None:
    """Return the first part of its identity in which a system differs, with both values."""
    if mine.identity == other.adapter.identity:
        return None
    isolation = {"level": plan.isolation, "network": declared.network}
    now = run.model_copy(update={"adapter": mine, "isolation": isolation})
    return identity_differences(now, other)[0]


def check_same_system(plan: Plan, run: RunRecord, info: AdapterInfo) -> None:
    """Refuse to go on with the run of a system that is another one by now.

    Half of its answers would be of one system and half of the other; a re-ask would
    clear what the first one broke.

    Raises:
        UsageProblem: what differs, with both values.
    """
    if plan.resumed is None or not plan.resumed.record.adapter.identity:
        # It ended before its system had said hello.
        return
    declared = info.with_bench_file(plan.spec)
    mine = system_record(plan, run, declared)
    found = _difference(plan, run, mine, declared, plan.resumed.record)
    if found is not None:
        field, present, before = found
        raise cannot_go_on(plan.resumed.id, field, before, present)


def check_same_watch(plan: Plan, old: RunRecord, rootdir: Path) -> None:
    """Refuse to go on where the watched files of the product are others by now.

    Raises:
        UsageProblem: both digests.
    """
    present = watch_digest(plan.bench.watch or (), rootdir)
    if present != old.adapter.watch_sha256:
        raise cannot_go_on(old.id, "watched files", old.adapter.watch_sha256, present)


def cannot_go_on(run_id: str, what: str, before: Any, present: Any) -> UsageProblem:
    """Return the refusal to go on with a run as something else than it began."""
    return UsageProblem(
        f"run {run_id!r} cannot go on: its {what} is {json_term(before, 80)}, this "
        f"command's {json_term(present, 80)}.\n"
        "Repeat the command that made it, or make a new run."
    )


def secrets(info: AdapterInfo) -> Mapping[str, str]:
    """Return the values of the declared environment names that are set."""
    return {name: os.environ[name] for name in info.env if name in os.environ}
