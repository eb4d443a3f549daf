"""The end of a run: from recorded results to a verdict and every file of the run.

Order matters: results, gate, metrics, comparison and brief first, then the
summary and the page made of them, and ``run.json`` with its final status last.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from typing import TYPE_CHECKING
from typing import Any

import pytest

from pytest_benchbed.adapters.environment import Redactor
from pytest_benchbed.adapters.isolation import isolation_record
from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.calls.broker import Broker
from pytest_benchbed.compare.buckets import bucket
from pytest_benchbed.compare.exit import raises_exit_status
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.edge.canary import canary_state
from pytest_benchbed.edge.commands import path_text
from pytest_benchbed.edge.failure_text import hides_texts
from pytest_benchbed.edge.integrity import LASTING
from pytest_benchbed.edge.integrity import changed
from pytest_benchbed.edge.ledger import RunLedger
from pytest_benchbed.edge.partial import selecting_options
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.start import ActiveRun
from pytest_benchbed.edge.start import now
from pytest_benchbed.edge.summing import Pooled
from pytest_benchbed.edge.summing import broken_summary
from pytest_benchbed.edge.system import describe
from pytest_benchbed.edge.system import final_adapter_record
from pytest_benchbed.edge.system import secrets
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import Counts
from pytest_benchbed.model.run import GateSummary
from pytest_benchbed.model.run import Hole
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.runs.assets import copy_assets
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.atomic import write_lines
from pytest_benchbed.runs.bench_files import promoted_runs
from pytest_benchbed.runs.brief import build_brief
from pytest_benchbed.runs.comparison import write_comparison
from pytest_benchbed.runs.metrics import Summariser
from pytest_benchbed.runs.metrics import build_metrics
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.retention import remove_old_partial_runs
from pytest_benchbed.runs.status import write_record

if TYPE_CHECKING:
    from pytest_benchbed.report.view import RunView

Row = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """What the session says and does about one run."""

    benchmark: str
    lines: list[str]
    last_line: str
    is_good: bool
    raises_exit: bool
    is_blocked: bool = False


def not_started(config: pytest.Config, plan: Plan, exit_status: int) -> Verdict | None:
    """Return the verdict of a benchmark of which no case was selected or started.

    None where single tests were named (an IDE runs one): the benchmark was not
    meant. A selection by the user that leaves no case does not turn a session
    red, but every other reason does: nothing was compared.
    """
    if any("::" in str(argument) for argument in config.args):
        return None
    reasons = selecting_options(config, plan)
    if exit_status not in (0, 5):
        why = "nothing was started"
    elif reasons:
        why = f"no case was selected ({', '.join(reasons)})"
    else:
        folder = path_text(plan.dataset.root, config)
        why = f"no case was collected; is {term(folder)} ignored (norecursedirs, --ignore)?"
    return Verdict(
        plan.name,
        [],
        f"benchbed: gate INCOMPLETE: {plan.name}: {why}",
        is_good=False,
        raises_exit=not reasons,
    )


def finish_run(
    config: pytest.Config,
    run: ActiveRun,
    ledger: RunLedger,
    broker: Broker,
    *,
    was_interrupted: bool,
) -> Verdict:
    """Decide and write one run.

    Raises:
        RunError: a file cannot be written; what was paid is in ``calls.jsonl``.
    """
    plan = run.plan
    if run.is_settled:
        assert plan.resumed is not None, "only a resumed run is settled"
        gate = _gates(plan, plan.resumed.record, plan.resumed.rows())[plan.profile]
        return _verdict(plan, _view(config, run), gate, hides_texts(config, plan))
    write_lines(run.paths.results, ledger.rows.lines())
    by_case = {case: ledger.rows[case] for case in sorted(ledger.rows)}
    rows = list(by_case.values())
    record = _final_record(run, ledger, broker, rows)
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
    gates = _gates(plan, record.model_copy(update={"status": status}), by_case)
    decisive = gates[plan.profile]
    record = record.model_copy(
        update={
            "gate": GateSummary(
                status=decisive.status,
                reason=decisive.reason,
                profile=plan.profile,
                rule=decisive.rule,
                justification=decisive.justification,
            )
        }
    )
    summariser = plan.benchmark if broken is None else Pooled(plan.benchmark.profiles)
    # Before anything is read from the folder again: the system may have written into it.
    write_record(run.paths.root, record)
    _write_files(run, record, rows, gates, summariser, units)
    record = record.model_copy(update={"status": status, "finished_at": now()})
    hidden = hides_texts(config, plan)
    # jinja2 is needed here at the earliest.
    from pytest_benchbed.report.page import save_page
    from pytest_benchbed.report.summary import save_summary

    # What is shown is read from the written run, once for page, summary and terminal.
    view = replace(_view(config, run), record=record)
    save_summary(view, hide_texts=hidden)
    save_page(view)
    write_record(run.paths.root, record)
    finished = Run.open(run.paths.root)
    config.hook.pytest_benchbed_run_finished(config=config, run=finished)
    # This run counts among those kept; its lock spares it in any case.
    remove_old_partial_runs(
        run.paths.root.parent,
        int(config.getini("bench_retention_count")),
        promoted_runs([plan.bench]),
    )
    return _verdict(plan, view, decisive, hidden)


def _view(config: pytest.Config, run: ActiveRun) -> RunView:
    """Load what the reports show, in the type's words and with paths as they are typed here."""
    from pytest_benchbed.report.view import RunView
    from pytest_benchbed.report.view import TypeWords

    plan = run.plan
    return RunView.load(
        run.paths.root,
        words=TypeWords.of(plan.benchmark),
        base=config.invocation_params.dir,
        baseline=plan.baseline.record if plan.baseline else None,
    )


def _verdict(plan: Plan, view: RunView, gate: GateResult, hidden: bool) -> Verdict:
    from pytest_benchbed.report.lines import view_lines

    lines = list(view_lines(view, hide_texts=hidden))
    if plan.settings.adapter_is_default:
        # The header says it too, but not under -q.
        lines.append("  no adapter is configured: the reference adapter answered; name yours with")
        lines.append("    --bench-adapter=NAME, module:name or a path")
    record = view.record
    return Verdict(
        benchmark=plan.name,
        lines=lines,
        last_line=f"benchbed: gate {gate.status.upper()}: {term(gate.reason, 400)}",
        is_good=gate.status in ("passed", "baseline required"),
        is_blocked=gate.status == "blocked",
        raises_exit=raises_exit_status(gate, bool(record.partial), plan.settings.require_gate),
    )


def _gates(plan: Plan, record: RunRecord, rows: Mapping[str, Row]) -> dict[str, GateResult]:
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
        )
        for profile in plan.benchmark.profiles
    }


def _write_files(
    run: ActiveRun,
    record: RunRecord,
    rows: list[Row],
    gates: Mapping[str, GateResult],
    summariser: Summariser,
    units: Mapping[str, str],
) -> None:
    plan, paths = run.plan, run.paths
    metrics = build_metrics(
        record, rows, summariser, gates, plan.baseline_rows or None, units=units or None
    )
    write_json(paths.metrics, metrics)
    replies = Run.open(paths.root).predictions()
    write_comparison(
        paths.comparison,
        [row["case"] for row in rows],
        plan.answers.known,
        replies,
        plan.baseline.predictions() if plan.baseline else None,
        [control.predictions() for control in plan.controls],
    )
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
    copy_assets(
        [
            run.stage.directory / file.path
            for row in (rows if run.stage.paths else ())
            # The page shows the picture of a case that has something to see.
            if buckets[row["case"]] != "unchanged" or any(row["errors"].values())
            for file in run.stage.files(row["case"])
        ],
        paths.report_assets,
    )


def _units(plan: Plan, cases: Iterable[str]) -> dict[str, str]:
    """Return the unit of each case; empty: all are of one, and no case is read to say so."""
    if type(plan.benchmark).unit is Benchmark.unit:
        return {}
    return {case: plan.benchmark.unit(plan.dataset.case(case)) for case in cases}


def _final_record(run: ActiveRun, ledger: RunLedger, broker: Broker, rows: list[Row]) -> RunRecord:
    plan, record = run.plan, run.record
    # Of a run that was resumed: what no second asking makes good.
    technical = [entry for entry in record.technical if entry.kind in LASTING]
    technical += [TechnicalRecord.from_json(entry) for entry in ledger.technical]
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
    holes = [Hole(**hole) for hole in ledger.holes()]
    info = describe(run, broker.info(plan.name))
    return record.model_copy(
        update={
            "argv": [Redactor(secrets(info)).text(word) for word in record.argv],
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
