"""From recorded results to a verdict: the part of a run's end that needs its rows.

The rows of a long run as objects are as large as all of its tests; they live
no longer than :func:`decide_run`. What is left of a run is written from its
files (``finish.py``).
"""

from __future__ import annotations

from typing import Any
from typing import NamedTuple

from pytest_benchbed.adapters.environment import Redactor
from pytest_benchbed.adapters.isolation import isolation_record
from pytest_benchbed.calls.broker import Broker
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.refuse import REUSED
from pytest_benchbed.edge.canary import canary_state
from pytest_benchbed.edge.first_record import now
from pytest_benchbed.edge.integrity import changed
from pytest_benchbed.edge.ledger import RunLedger
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.start import ActiveRun
from pytest_benchbed.edge.system import describe
from pytest_benchbed.edge.system import secrets
from pytest_benchbed.edge.system import system_record
from pytest_benchbed.evaluate.noise import Remembered
from pytest_benchbed.evaluate.verdict import Judging
from pytest_benchbed.evaluate.verdict import judge
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import LASTING
from pytest_benchbed.model.run import Counts
from pytest_benchbed.model.run import Hole
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.run import RunStatus
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.status import with_history
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
    remembered: Remembered
    """The noise ledger, to be written last."""


def decide_run(
    run: ActiveRun, ledger: RunLedger, broker: Broker, *, was_interrupted: bool
) -> Decided:
    """Write the rows, decide every profile, write metrics, review brief and record.

    Raises:
        RunError: a file cannot be written; what was paid is in ``calls.jsonl``.
    """
    plan, paths = run.plan, run.paths
    results_sha256 = write_results(paths.results, ledger.rows.lines())
    holes = [Hole(**hole) for hole in ledger.holes()]
    # Digests are looked at only to compare.
    by_case = ledger.rows.rows(with_keys=plan.baseline is not None)
    record = _final_record(run, ledger.technical, holes, broker, list(by_case.values()))
    status: RunStatus = "interrupted" if record.holes or was_interrupted else "completed"
    if record.dataset.canary == "found":
        # Also with holes: such a run must not go on.
        status = "void"
    record = record.model_copy(update={"results_sha256": results_sha256})
    ended = record.model_copy(update={"status": status})
    judged = judge(judging_of(plan), ended, by_case, plan.dataset)
    record = judged.record.model_copy(update={"status": record.status})
    # Before anything is read from the folder again: the system may have written into it.
    write_record(paths.root, record)
    write_json(paths.metrics, judged.metrics)
    write_json(paths.review_brief, judged.brief)
    return Decided(
        record,
        status,
        judged.gate,
        list(by_case),
        judged.with_something_to_see,
        judged.remembered,
    )


def judging_of(plan: Plan) -> Judging:
    """Return by what the run of a plan is judged."""
    # The rows that the items were paired with: a second reading would be a second copy.
    baseline = RunFacts(plan.baseline.record, plan.baseline_rows) if plan.baseline else None
    controls = [
        RunFacts(control.record, rows)
        for control, rows in zip(plan.controls, plan.control_rows, strict=True)
    ]
    return Judging(
        benchmark=plan.benchmark,
        profile=plan.profile,
        rule=plan.settings.rule,
        rule_source=plan.settings.rule_source,
        targets=plan.targets,
        baseline=baseline,
        controls=controls,
        max_unjudged=plan.settings.max_unjudged,
        stale_days=plan.settings.stale_days,
        runs_dir=plan.runs_dir,
        at=now(),
    )


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
    if reused := broker.taken_over(plan.name):
        assert plan.reused is not None, "outcomes came from it"
        record = with_history(record, REUSED, plan.reused.id, reused, now())
    return record.model_copy(
        update={
            "argv": [redactor.text(word) for word in record.argv],
            "note": record.note and redactor.text(record.note),
            "adapter": system_record(plan, record, info),
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
            "spend": broker.spend(plan.name).model_copy(
                update={
                    "prices": record.spend.prices,
                    "prices_sha256": record.spend.prices_sha256,
                }
            ),
        }
    )
