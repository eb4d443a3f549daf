"""From recorded results to a verdict: the part of a run's end that needs its rows.

The rows of a long run as objects are as large as all of its tests; they live
no longer than :func:`decide_run`. What is left of a run is written from its
files (``finish.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from pytest_benchbed.adapters.environment import Redactor
from pytest_benchbed.adapters.isolation import isolation_record
from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.calls.broker import Broker
from pytest_benchbed.compare.buckets import bucket
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.edge.canary import canary_state
from pytest_benchbed.edge.integrity import changed
from pytest_benchbed.edge.ledger import RunLedger
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.start import ActiveRun
from pytest_benchbed.edge.summing import Pooled
from pytest_benchbed.edge.summing import broken_summary
from pytest_benchbed.edge.system import describe
from pytest_benchbed.edge.system import final_adapter_record
from pytest_benchbed.edge.system import secrets
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import LASTING
from pytest_benchbed.model.run import Counts
from pytest_benchbed.model.run import GateSummary
from pytest_benchbed.model.run import Hole
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.brief import build_brief
from pytest_benchbed.runs.metrics import Summariser
from pytest_benchbed.runs.metrics import build_metrics
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.status import write_record

Row = dict[str, Any]


class Decided(NamedTuple):
    """What is left of the rows once they have been judged."""

    record: RunRecord
    """With its verdict; still ``running``."""
    status: str
    """What the run becomes when every file is written."""
    gate: GateResult
    """Of the profile that decides."""
    cases: list[str]
    """Cases with a row, in order."""
    with_something_to_see: list[str]
    """Those that changed or have an error: the page shows their pictures."""


def decide_run(
    run: ActiveRun, ledger: RunLedger, broker: Broker, *, was_interrupted: bool
) -> Decided:
    """Write the rows, decide every profile, write metrics, review brief and record.

    Raises:
        RunError: a file cannot be written; what was paid is in ``calls.jsonl``.
    """
    plan = run.plan
    results_sha256 = write_results(run.paths.results, ledger.rows.lines())
    holes = [Hole(**hole) for hole in ledger.holes()]
    # Digests are looked at only to compare.
    by_case = ledger.rows.rows(with_keys=plan.baseline is not None)
    rows = list(by_case.values())
    record = _final_record(run, ledger.technical, holes, broker, rows)
    broken = broken_summary(plan.benchmark, rows)
    units: dict[str, str] = {}
    try:
        units = _units(plan, by_case)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        broken = broken or TechnicalRecord(
            case=None,
            whose="scorer",
            kind="unit",
            detail=term(f"unit raised {type(error).__name__}: {error}"),
        )
    if broken is not None:
        record = record.model_copy(update={"technical": [*record.technical, broken]})
    status = "interrupted" if record.holes or was_interrupted else "completed"
    if record.dataset.canary == "found":
        # Also with holes: such a run must not go on.
        status = "void"
    gates = gates_of(plan, record.model_copy(update={"status": status}), by_case)
    decisive = gates[plan.profile]
    summary = GateSummary(
        status=decisive.status,
        reason=decisive.reason,
        profile=plan.profile,
        rule=decisive.rule,
        justification=decisive.justification,
    )
    record = record.model_copy(update={"gate": summary, "results_sha256": results_sha256})
    summariser = plan.benchmark if broken is None else Pooled(plan.benchmark.profiles)
    # Before anything is read from the folder again: the system may have written into it.
    write_record(run.paths.root, record)
    shown = _write_decided(run, record, rows, gates, summariser, units)
    return Decided(record, status, decisive, list(by_case), shown)


def gates_of(plan: Plan, record: RunRecord, rows: Mapping[str, Row]) -> dict[str, GateResult]:
    """Return the verdict of every profile."""
    candidate = RunFacts(record=record, rows=rows)
    # The rows that the items were paired with: a second reading would be a second copy.
    baseline = RunFacts(plan.baseline.record, plan.baseline_rows) if plan.baseline else None
    controls = [
        RunFacts(control.record, rows)
        for control, rows in zip(plan.controls, plan.control_rows, strict=True)
    ]
    return {
        profile: decide(
            candidate,
            baseline,
            controls,
            profile=profile,
            decides=profile == plan.profile,
            rule=plan.settings.rule,
            rule_source=plan.settings.rule_source,
            targets=plan.targets,
            judge=plan.benchmark,
            max_unjudged=plan.settings.max_unjudged,
        )
        for profile in plan.benchmark.profiles
    }


def _write_decided(
    run: ActiveRun,
    record: RunRecord,
    rows: list[Row],
    gates: Mapping[str, GateResult],
    summariser: Summariser,
    units: Mapping[str, str],
) -> list[str]:
    """Write ``metrics.json`` and the review brief; return the cases that changed or are wrong."""
    plan, paths = run.plan, run.paths
    metrics = build_metrics(
        record, rows, summariser, gates, plan.baseline_rows or None, units=units or None
    )
    write_json(paths.metrics, metrics)
    buckets = {
        row["case"]: bucket(
            row,
            plan.baseline_rows.get(row["case"]),
            [control[row["case"]] for control in plan.control_rows if row["case"] in control],
            profile=plan.profile,
            judge=plan.benchmark,
        )
        for row in rows
    }
    brief = build_brief(
        record,
        rows,
        plan.baseline_rows if plan.baseline else None,
        buckets,
        profile=plan.profile,
        status=gates[plan.profile].status,
    )
    write_json(paths.review_brief, brief)
    return [
        row["case"]
        for row in rows
        if buckets[row["case"]] != "unchanged" or any(row["errors"].values())
    ]


def _units(plan: Plan, cases: Iterable[str]) -> dict[str, str]:
    """Return the unit of each case; empty: all are of one, and no case is read to say so."""
    if type(plan.benchmark).unit is Benchmark.unit:
        return {}
    return {case: plan.benchmark.unit(plan.dataset.case(case)) for case in cases}


def _final_record(
    run: ActiveRun,
    recorded: list[dict[str, Any]],
    holes: list[Hole],
    broker: Broker,
    rows: list[Row],
) -> RunRecord:
    plan, record = run.plan, run.record
    # Of a run that was resumed: what no second asking makes good.
    technical = [entry for entry in record.technical if entry.kind in LASTING]
    technical += [TechnicalRecord.from_json(entry) for entry in recorded]
    technical += broker.failures(plan.name)
    for kind, files in plan.fixed_files.items():
        technical += changed(kind, files)
    technical += [
        TechnicalRecord(
            case=None, whose="adapter", kind="tampered_input", detail=f"changed: {term(path)}"
        )
        for path in run.stage.tampered()
    ]
    canary = canary_state(plan, run.paths)
    if canary == "found":
        technical.append(
            TechnicalRecord(
                case=None,
                whose="adapter",
                kind="canary",
                detail="the token of the answers turned up in a request, a prediction or a log",
            )
        )
    states = [row["state"] for row in rows]
    info = describe(run, broker.info(plan.name))
    redactor = Redactor(secrets(info))
    return record.model_copy(
        update={
            "argv": [redactor.text(word) for word in record.argv],
            "note": record.note and redactor.text(record.note),
            "adapter": final_adapter_record(run, info),
            "executor": record.executor.model_copy(update={"slots": broker.slots}),
            "dataset": record.dataset.model_copy(update={"canary": canary}),
            "isolation": isolation_record(plan.spec, info, plan.isolation),
            "counts": Counts(
                scope=len(plan.scope),
                selected=len(run.selected),
                scored=states.count("scored"),
                technical=states.count("technical"),
                skipped=states.count("skipped"),
                retired=len(plan.dataset.retired),
                holes=len(holes),
            ),
            "partial": run.partial,
            "holes": holes,
            "technical": technical,
            "spend": broker.spend(plan.name),
        }
    )
