"""The end of a run: from recorded results to a verdict and every file of the run.

Order matters: results, gate, metrics, comparison and brief first, then the
summary and the page made of them, and ``run.json`` with its final status last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import TYPE_CHECKING
from typing import Any

import pytest

from pytest_benchbed.calls.broker import Broker
from pytest_benchbed.compare.exit import raises_exit_status
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.edge.commands import path_text
from pytest_benchbed.edge.deciding import Decided
from pytest_benchbed.edge.deciding import decide_run
from pytest_benchbed.edge.deciding import judging_of
from pytest_benchbed.edge.failure_text import hides_texts
from pytest_benchbed.edge.first_record import now
from pytest_benchbed.edge.junit import add_properties
from pytest_benchbed.edge.ledger import RunLedger
from pytest_benchbed.edge.partial import selecting_options
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.recording import is_recording
from pytest_benchbed.edge.start import ActiveRun
from pytest_benchbed.evaluate.noise import remember
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.runs.assets import copy_assets
from pytest_benchbed.runs.bench_files import promoted_runs
from pytest_benchbed.runs.comparison import write_comparison
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.retention import remove_old_partial_runs
from pytest_benchbed.runs.status import write_record

if TYPE_CHECKING:
    from pytest_benchbed.report.view import RunView


@dataclass(frozen=True)
class Verdict:
    """What the session says and does about one run."""

    benchmark: str
    lines: list[str]
    last_line: str
    is_good: bool
    raises_exit: bool
    is_blocked: bool = False
    false_alarm: float | None = None
    """Chance that this gate is red without a change; None: not known."""


def not_started(
    config: pytest.Config, plan: Plan, exit_status: int, *, has_calls: bool
) -> Verdict | None:
    """Return the verdict of a benchmark of which no case was selected or started.

    ``has_calls``: tests of the user asked for cases, so the session did begin.

    None where single tests were named (an IDE runs one): the benchmark was not
    meant, unless a passed gate is required. A selection by the user that leaves
    no case does not turn a session red, but every other reason does: nothing
    was compared.
    """
    is_required = plan.settings.require_gate
    if any("::" in str(argument) for argument in config.args) and not is_required:
        return None
    reasons = selecting_options(config, plan)
    if exit_status not in (0, 5) and not has_calls:
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
        raises_exit=is_required or not reasons,
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
    hidden = hides_texts(config, plan.dataset.visibility)
    if run.is_settled:
        assert plan.resumed is not None, "only a resumed run is settled"
        facts = RunFacts(plan.resumed.record, plan.resumed.rows())
        judging = judging_of(plan)
        gates = judging.gates(facts, judging.changes(facts))
        # A process that was killed at its very end has completed the run, and noted nothing.
        noted = remember(
            facts.record, gates, profile=plan.profile, runs_dir=plan.runs_dir, at=now()
        )
        noted.write()
        return _verdict(config, plan, _view(config, run), gates[plan.profile], hidden, noted.notes)
    decided = decide_run(run, ledger, broker, was_interrupted=was_interrupted)
    _write_beside(run, decided)
    record = decided.record.model_copy(update={"status": decided.status, "finished_at": now()})
    # jinja2 is needed here at the earliest.
    from pytest_benchbed.report.page import save_page
    from pytest_benchbed.report.summary import save_summary

    # What is shown is read from the written run, once for page, summary and terminal.
    view = replace(_view(config, run), record=record)
    save_summary(view, hide_texts=hidden)
    save_page(view)
    write_record(run.paths.root, record)
    decided.remembered.write()
    finished = Run.open(run.paths.root)
    config.hook.pytest_benchbed_run_finished(config=config, run=finished)
    verdict = _verdict(config, plan, view, decided.gate, hidden, decided.remembered.notes)
    verdict.lines.extend(_tidied(config, run))
    return verdict


def _tidied(config: pytest.Config, run: ActiveRun) -> list[str]:
    """Remove old partial runs and say which; those that this run was compared with stay."""
    plan, keep = run.plan, int(config.getini("bench_retention_count"))
    compared = [plan.baseline, *plan.controls] if plan.baseline else plan.controls
    named = {*promoted_runs([plan.bench]), *(other.id for other in compared)}
    # This run counts among those kept; its lock spares it in any case.
    removed = remove_old_partial_runs(run.paths.root.parent, keep, named)
    if not removed:
        return []
    return [
        f"  removed {count(len(removed), 'old partial run')} {names(removed)}, see the ini "
        f"option bench_retention_count ({keep})"
    ]


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


def _verdict(
    config: pytest.Config,
    plan: Plan,
    view: RunView,
    gate: GateResult,
    hidden: bool,
    notes: Sequence[str],
) -> Verdict:
    from pytest_benchbed.report.lines import view_lines

    add_properties(config, view.record, gate)
    is_awaited = gate.status == "baseline required" and is_recording()
    lines = list(view_lines(view, hide_texts=hidden, is_baseline_awaited=is_awaited))
    lines += [f"  note: {note}" for note in notes]
    if plan.settings.adapter_is_default:
        # The header says it too, but not under -q.
        lines.append("  no adapter is configured: the reference adapter answered; name yours with")
        lines.append("    --bench-adapter=NAME, module:name or a path")
    lines += [f"  {line}" for line in plan.unmatched]
    return Verdict(
        benchmark=plan.name,
        lines=lines,
        last_line=f"benchbed: recorded {view.record.id}"
        if is_awaited
        else f"benchbed: gate {gate.status.upper()}: {term(gate.reason, 400)}",
        is_good=gate.status in ("passed", "baseline required"),
        is_blocked=gate.status == "blocked",
        false_alarm=gate.false_alarm.estimate,
        raises_exit=raises_exit_status(gate, bool(view.record.partial), plan.settings.require_gate),
    )


def _write_beside(run: ActiveRun, decided: Decided) -> None:
    """Write what stands beside the verdict: answers with replies, and the pictures."""
    plan, paths = run.plan, run.paths
    write_comparison(
        paths.comparison,
        decided.cases,
        lambda case: _answer(plan, case),
        Run.open(paths.root).predictions(),
        plan.baseline.predictions() if plan.baseline else None,
        [control.predictions() for control in plan.controls],
        is_canonical=plan.spec.kind == "executable",
    )
    copy_assets(
        [
            run.stage.directory / file.path
            for case in (decided.with_something_to_see if run.stage.paths else ())
            for file in run.stage.files(case)
        ],
        paths.report_assets,
    )


def _answer(plan: Plan, case: str) -> Any:
    """Return an answer to show; None if somebody has overwritten it, which the run says."""
    try:
        return plan.answers.known(case)
    except DatasetError:
        return None
