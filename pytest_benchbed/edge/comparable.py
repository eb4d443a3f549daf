"""Refuse a run that cannot be made or compared as asked, before anything is started."""

from __future__ import annotations

from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import Saved
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.compare.refuse import check_targets
from pytest_benchbed.edge.first_record import dataset_record
from pytest_benchbed.edge.first_record import has_begun
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.system import cannot_go_on
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import json_term
from pytest_benchbed.runs.read import Run


def check_plan(plan: Plan) -> None:
    """Check run id, targets, baseline, controls and what is resumed.

    Raises:
        UsageProblem: what does not fit, with both values.
        RunError: a named run is damaged.
    """
    if plan.resumed is not None:
        _check_resumed(plan, plan.resumed)
    elif plan.run_dir.exists():
        raise UsageProblem(
            f"run {plan.run_id!r} exists ({plan.run_dir}); nothing is overwritten.\n"
            f"Give this run another id with --bench-run, or go on with that one: "
            f"--bench-resume={plan.run_id}"
        )
    elif "/" in plan.run_id and plan.run_dir.parent.exists():
        raise UsageProblem(
            f"run set {plan.run_dir.parent.name!r} exists ({plan.run_dir.parent}); nothing is "
            "overwritten.\nGive this one another id with --bench-run."
        )
    retired = {case: entry.reason for case, entry in plan.dataset.retired.items()}
    check_targets(plan.targets, plan.scope, retired)
    planned = Planned(
        id=plan.run_id,
        path=str(plan.run_dir.resolve()),
        benchmark=plan.name,
        scoring_version=plan.benchmark.scoring_version,
        dataset=dataset_record(plan),
        judge=None,
        selected=[entry.id for entry in plan.selected()],
    )
    check_comparable(
        planned,
        saved_run(plan.baseline) if plan.baseline else None,
        [saved_run(control) for control in plan.controls],
        unpaired=plan.unpaired,
    )


def saved_run(run: Run) -> Saved:
    """Return what the comparison needs of a named run.

    Raises:
        RunError: its rows are damaged, or some are lost.
    """
    facts = run.facts()
    counts = run.record.counts
    written = counts.scored + counts.technical + counts.skipped
    if run.record.status == "completed" and len(facts.rows) != written:
        raise RunError(
            f"{run.paths.results}: holds {len(facts.rows)} rows, the run's record says {written}. "
            "Restore the file, or make the run again."
        )
    return Saved(path=str(run.path.resolve()), facts=facts, results_sha256=run.results_sha256())


def _check_resumed(plan: Plan, run: Run) -> None:
    """A run goes on only as what it began: same dataset, same system, same scope."""
    old = run.record
    # Rows that were edited since would go on as if they had been made so.
    run.facts()
    if run.metrics.get("run") not in (None, run.id):
        raise RunError(
            f"{run.paths.metrics}: is of run {json_term(run.metrics['run'], 80)}, not of "
            f"{run.id!r}. Restore the file, or make the run again."
        )
    if old.status == "void":
        raise UsageProblem(
            f"run {run.id!r} is void: an answer turned up where none may be. Make a new run."
        )
    system = [
        ("adapter", old.adapter.name, plan.spec.name),
        ("adapter code", old.adapter.code_sha256, plan.spec.code_sha256),
        ("model", old.adapter.model, plan.spec.model),
        ("adapter options", old.adapter.options, plan.spec.options),
    ]
    pairs = [
        ("dataset identity", old.dataset.identity, plan.dataset.identity),
        ("scoring version", old.benchmark.scoring_version, plan.benchmark.scoring_version),
        # An adapter that was not asked anything, since it could not start, may be repaired.
        *(system if has_begun(run) else ()),
        ("scope", old.scope, plan.selection.scope_json()),
        ("repeats", old.repeats, plan.settings.repeats),
    ]
    for what, before, present in pairs:
        if canonical(before) != canonical(present):
            raise cannot_go_on(run.id, what, before, present)
