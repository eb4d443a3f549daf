"""``benchbed gate RUN``: the verdict again, from saved files alone.

Nothing is written and no adapter is started.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.cli.saved import SavedRuns
from pytest_benchbed.cli.saved import judge_of
from pytest_benchbed.compare.confirm import has_open_end
from pytest_benchbed.compare.deltas import deltas
from pytest_benchbed.compare.exit import REFUSED
from pytest_benchbed.compare.exit import gate_exit_code
from pytest_benchbed.compare.exit import worst_exit_code
from pytest_benchbed.compare.explain import explanation
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import STALE_DAYS
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.gate import with_holm
from pytest_benchbed.compare.lines import last_line
from pytest_benchbed.compare.lines import other_profile_lines
from pytest_benchbed.compare.lines import recorded_verdict
from pytest_benchbed.compare.lines import verdict_lines
from pytest_benchbed.compare.noise_ledger import strike_lines
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.compare.refuse import check_profile
from pytest_benchbed.compare.refuse import check_targets
from pytest_benchbed.compare.rules import rule_again
from pytest_benchbed.compare.ruling import OUT_OF_BUDGET
from pytest_benchbed.compare.ruling import UNCONFIRMED
from pytest_benchbed.compare.thresholds import with_thresholds
from pytest_benchbed.edge.comparable import saved_run
from pytest_benchbed.evaluate.noise import remember
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import NotAtHand
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.command import resume_command
from pytest_benchbed.report.command import whole_command
from pytest_benchbed.report.deltas import delta_lines
from pytest_benchbed.report.deltas import delta_warnings
from pytest_benchbed.report.deltas import shown_deltas
from pytest_benchbed.report.next_steps import control_of
from pytest_benchbed.runs.read import Run


@dataclass(frozen=True)
class GateChoice:
    """What is to be decided otherwise than in the run's record; None or empty: as there."""

    baseline: str | None
    controls: Sequence[str]
    targets: Sequence[str]
    profile: str | None
    rule: str | None
    max_unjudged: Fraction | None = None
    """Share of the cases above which a pass is incomplete."""
    stale_days: int = STALE_DAYS
    explains: bool = False
    """Print each reading and number behind the verdict."""


def run_gate(
    text: str,
    choice: GateChoice,
    *,
    runs_dir: Path,
    invocation_dir: Path,
    benchmarks: BenchmarkRegistry,
    echo: Callable[[str], None],
    bench_files: Mapping[str, Path] | None = None,
) -> int:
    """Print the verdict of a run, or of every run of a set, and return the exit code.

    0 passed, 1 failed, 2 refused, 3 blocked or unavailable, 4 incomplete,
    5 baseline required; of a set the first of 2, 3, 1, 4, 5, 0 that occurs.

    ``bench_files`` (benchmark to path) say which runs are promoted: those are
    taken from their snapshots, so that a fresh clone gives the same verdict.

    Raises:
        BenchbedError: the run is not found.
    """
    codes = []
    saved = SavedRuns(runs_dir, invocation_dir, bench_files or {})
    for run in saved.all_typed(text):
        try:
            codes.append(_gate(run, choice, saved, benchmarks, echo))
        except BenchbedError as error:
            echo(f"benchbed: gate REFUSED: {run.id}: {error}")
            codes.append(REFUSED)
    return worst_exit_code(codes)


def _gate(
    run: Run,
    choice: GateChoice,
    saved: SavedRuns,
    benchmarks: BenchmarkRegistry,
    echo: Callable[[str], None],
) -> int:
    record = run.record
    decided = record.gate.profile if record.gate else record.benchmark.profiles[0]
    profile = choice.profile or decided
    check_profile(profile, record.benchmark.profiles)
    try:
        baseline, controls = saved.compared(record, choice.baseline, choice.controls)
    except NotAtHand:
        if choice.controls or not saved.is_promoted(run):
            raise
        # A clone has the snapshots of what is promoted now, and not those of before.
        echo(recorded_verdict(record))
        return gate_exit_code("baseline required")
    facts = run.facts()
    check_targets(choice.targets, facts.rows.keys(), {})
    mine = saved_run(run)
    check_comparable(
        Planned.of_run(facts, mine.path, mine.results_sha256),
        saved_run(baseline) if baseline else None,
        [saved_run(control) for control in controls],
    )
    old = baseline.facts() if baseline else None
    repeats = [control.facts() for control in controls]
    rule, source = rule_again(choice.rule, record.gate)
    gates = with_holm(
        {
            name: decide(
                facts,
                old,
                repeats,
                profile=name,
                decides=name == profile,
                rule=rule,
                rule_source=source,
                targets=choice.targets or record.targets,
                judge=judge_of(benchmarks, record.benchmark.id),
                max_unjudged=choice.max_unjudged,
                stale_days=choice.stale_days,
            )
            for name in record.benchmark.profiles
        }
    )
    changes = deltas(facts, old) if old else None
    gate = with_thresholds(gates[profile], record.thresholds, facts, old, changes)
    gates[profile] = gate
    beside = shown_deltas(gate, changes)
    for line in verdict_lines(
        gate,
        record=record,
        profile=profile,
        control_command=control_of(baseline.record if baseline else record, len(controls)),
        beside=delta_lines(beside),
        warnings=delta_warnings(beside),
    ):
        echo(line)
    # A hypothetical verdict too has no other memory; nothing is written.
    remembered = remember(record, gates, profile=profile, runs_dir=saved.runs_dir, at="")
    for line in strike_lines(remembered.strikes):
        echo(line)
    for note in remembered.notes:
        echo(f"  note: {note}")
    for line in other_profile_lines(gates):
        echo(line)
    if gate.reason.startswith((UNCONFIRMED, OUT_OF_BUDGET)):
        echo(f"  ask again: {_asking_again(record, facts, choice)}")
    if choice.explains:
        for line in explanation(gate, facts, [*([old] if old else []), *repeats], profile):
            echo(line)
    echo(last_line(gate))
    return gate_exit_code(gate.status)


def _asking_again(record: RunRecord, facts: RunFacts, choice: GateChoice) -> str:
    """Return the command that asks suspects again: in this run, if it began to, else in a new one.

    A complete run asks nobody again. What was chosen here is typed again there.
    """
    if choice.baseline or choice.controls or choice.rule:
        named = choice.baseline or (record.baseline.id if record.baseline else None)
        return whole_command(
            record,
            baseline=named if choice.baseline or choice.controls else None,
            controls=choice.controls,
            rule=choice.rule,
        )
    if any(has_open_end(row.get("reasks") or ()) for row in facts.rows.values()):
        return resume_command(record, is_over_budget=True)
    return whole_command(record)
