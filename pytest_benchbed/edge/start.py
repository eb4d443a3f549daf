"""Begin the runs: verify and stage inputs, make run directories, hand the calls to the broker.

Everything that can be refused has been refused before; from here on files are
written and calls may cost money.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.environment import Redactor
from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.isolation import check_paths
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.calls.recorded import CallsRecord
from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.calls.reuse import Reuse
from pytest_benchbed.compare.confirm import has_open_end
from pytest_benchbed.data.staging import Stage
from pytest_benchbed.edge.first_record import first_record
from pytest_benchbed.edge.first_record import has_begun
from pytest_benchbed.edge.first_record import now
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.system import check_same_system
from pytest_benchbed.edge.system import check_same_watch
from pytest_benchbed.edge.system import describe
from pytest_benchbed.edge.system import difference_to
from pytest_benchbed.edge.system import system_record
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.request import RequestCase
from pytest_benchbed.model.request import RequestContext
from pytest_benchbed.model.run import CONCURRENCY
from pytest_benchbed.model.run import RESUMED
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.create import create_run
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lock import lock_run
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.status import with_history
from pytest_benchbed.runs.status import write_record


@dataclass
class ActiveRun:
    """A run that is being made, in the controlling process."""

    plan: Plan
    paths: RunPaths
    selected: list[str]
    stage: Stage
    calls: RunCalls
    record: RunRecord
    closing: ExitStack
    """Removes the staged copies and releases the lock."""
    partial: list[str] = field(default_factory=list)
    is_settled: bool = False
    """A completed run without a technical failure: nothing is asked, nothing is rewritten."""


def start_run(
    config: pytest.Config,
    plan: Plan,
    selected: Sequence[str],
    *,
    asked: Sequence[str],
    jobs: int,
    redactor: Redactor,
    partial: list[str],
    guarded: Sequence[Path],
) -> ActiveRun:
    """Prepare one run up to the point where its first call may start.

    ``asked``: the selected cases and those that only tests of the user ask for.
    ``guarded``: folders with answers, which the adapter may not read.

    Raises:
        RunError: the run id exists, or the folder cannot be written.
        DatasetError: an input differs from its pin.
        UsageProblem: a run that is to go on had other cases.
    """
    if plan.resumed is not None:
        _check_same_cases(plan.resumed, selected)
        if has_begun(plan.resumed):
            check_same_watch(plan, plan.resumed.record, config.rootpath)
    closing, undo = ExitStack(), ExitStack()
    try:
        recorded: CallsRecord | None = None
        if plan.resumed is not None:
            paths = RunPaths(plan.resumed.path)
            closing.enter_context(lock_run(plan.resumed.path))
            if paths.calls.exists():
                recorded = read_calls(paths.calls)
        else:
            paths = RunPaths(create_run(plan.runs_dir, plan.run_id))
            # What cannot begin leaves nothing behind, and its id stays free.
            undo.callback(shutil.rmtree, paths.root, ignore_errors=True)
            closing.enter_context(lock_run(paths.root))
        scratch = Path(tempfile.mkdtemp(prefix="benchbed-"))
        closing.callback(_remove, scratch)
        stage = Stage.make(plan.dataset, asked, scratch / "inputs")
        record = first_record(config, plan, selected, jobs=jobs, redactor=redactor)
        record = record.model_copy(update={"partial": partial})
        is_settled = plan.resumed is not None and _is_settled(plan.resumed)
        if not is_settled:
            write_json(paths.run, record.to_json())
        reuse = _reuse(plan, record)
        calls = _calls(plan, record, paths, stage, scratch, recorded, guarded, reuse, is_settled)
    except BaseException:
        closing.close()
        undo.close()
        raise
    undo.pop_all()
    return ActiveRun(
        plan, paths, list(selected), stage, calls, record, closing, partial, is_settled
    )


def note_hello(run: ActiveRun, slots: int, info: AdapterInfo) -> None:
    """Put on record the system and how many calls run at once, once the adapters said hello.

    A run that went on with another number than it began with has latencies of
    two kinds, and says so in its history.

    Raises:
        RunError: the record cannot be written.
    """
    if run.is_settled:
        return
    adapter = system_record(run.plan, run.record, describe(run, info))
    record = run.record.model_copy(update={"adapter": adapter})
    if record == run.record and record.executor.slots == slots:
        return
    if record.executor.slots != slots and any(entry.what == RESUMED for entry in record.history):
        record = with_history(record, CONCURRENCY, record.executor.slots, slots, now())
    executor = record.executor.model_copy(update={"slots": slots})
    run.record = record.model_copy(update={"executor": executor})
    write_record(run.paths.root, run.record)


def _check_same_cases(run: Run, selected: Sequence[str]) -> None:
    """Rows of cases that are not asked for now would be lost: every file is written anew."""
    known = {*run.facts().rows, *(hole.case for hole in run.record.holes)}
    if len(selected) == run.record.counts.selected and known <= set(selected):
        return
    raise UsageProblem(
        f"run {run.id!r} cannot go on with other cases: it has {run.record.counts.selected}, this "
        f"command selects {len(selected)}.\n"
        "Give --bench-resume the selection of the command that made the run."
    )


def _is_settled(run: Run) -> bool:
    """Say whether nothing is left to ask: no case, and no re-ask that failed or was not paid."""
    if run.record.status != "completed" or run.record.technical:
        return False
    return not any(has_open_end(row.get("reasks") or ()) for row in run.rows().values())


def _remove(folder: Path) -> None:
    """Remove staged copies; they are read-only, which Windows refuses to delete."""

    def unlock(function: Callable[[str], Any], path: str, _: Any) -> None:
        try:
            Path(path).chmod(0o700)
            function(path)
        except OSError:
            # An adapter may still hold a file open; the system's temporary folder is swept.
            return

    shutil.rmtree(folder, onerror=unlock)


def _reuse(plan: Plan, record: RunRecord) -> Reuse | None:
    """Return where outcomes may be taken over from, if that was asked for."""
    other = plan.reused
    if other is None:
        return None
    return Reuse(
        run_id=other.id,
        outcomes=read_calls(other.paths.calls),
        difference=difference_to(plan, record, other.record),
    )


def _calls(
    plan: Plan,
    record: RunRecord,
    paths: RunPaths,
    stage: Stage,
    scratch: Path,
    recorded: CallsRecord | None,
    guarded: Sequence[Path],
    reuse: Reuse | None,
    is_settled: bool,
) -> RunCalls:
    dataset = plan.dataset
    categories = {entry.id: entry.category for entry in plan.entries if entry.category}

    def view(case: str) -> RequestCase:
        row = dataset.known_row(case)
        return RequestCase(
            id=row["id"],
            inputs=row["inputs"],
            context=row.get("context"),
            files=stage.of(row.get("files") or ()),
        )

    def context_view(name: str) -> RequestContext:
        row = dataset.context(name)
        return RequestContext(id=row.id, inputs=row.inputs, files=stage.context_files(name))

    # Now, not when the system says hello: by then the first call may be on record.
    has_begun_before = plan.resumed is not None and has_begun(plan.resumed)

    def accept(info: AdapterInfo) -> None:
        check_paths(plan.spec, info, guarded)
        # A system that never answered may have been repaired.
        if has_begun_before:
            check_same_system(plan, record, info)

    return RunCalls(
        benchmark=plan.name,
        format=plan.benchmark.format,
        drive=plan.benchmark.drive,
        run_id=plan.run_id,
        spec=plan.spec,
        run_dir=paths.root,
        files_dir=stage.directory,
        scratch=scratch,
        view=view,
        context_view=context_view,
        category=categories.get,
        budget_usd=plan.settings.budget_usd,
        retry=plan.settings.retry,
        rate=plan.settings.rate,
        # One run has one table, also where it goes on later; older records have none.
        prices=plan.bench.prices if record.spend.prices is None else record.spend.prices,
        repeats=plan.settings.repeats,
        timeout_s=plan.spec.limits.call_s,
        recorded=recorded,
        is_settled=is_settled,
        reuse=reuse,
        accept=accept,
    )
