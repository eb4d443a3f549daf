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
from pytest_benchbed.compare.deltas import deltas
from pytest_benchbed.compare.exit import gate_exit_code
from pytest_benchbed.compare.exit import worst_exit_code
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.lines import last_line
from pytest_benchbed.compare.lines import recorded_verdict
from pytest_benchbed.compare.lines import verdict_lines
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.compare.refuse import check_profile
from pytest_benchbed.compare.refuse import check_targets
from pytest_benchbed.edge.baselines import promoted_run
from pytest_benchbed.edge.comparable import saved_run
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import NotAtHand
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.deltas import delta_lines
from pytest_benchbed.report.deltas import delta_warnings
from pytest_benchbed.report.deltas import shown_deltas
from pytest_benchbed.runs.bench_files import load_bench_file
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.find import find_runs
from pytest_benchbed.runs.find import not_at_hand
from pytest_benchbed.runs.layout import SNAPSHOTS
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.snapshot import kept_snapshot

REFUSED = 2


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
    places = _Places(runs_dir, invocation_dir, bench_files or {})
    for run in find_runs(text, runs_dir, invocation_dir, places.snapshots):
        try:
            codes.append(_gate(run, choice, places, benchmarks, echo))
        except BenchbedError as error:
            echo(f"benchbed: gate REFUSED: {run.id}: {error}")
            codes.append(REFUSED)
    return worst_exit_code(codes)


@dataclass(frozen=True)
class _Places:
    """Where saved runs are looked for."""

    runs_dir: Path
    invocation_dir: Path
    bench_files: Mapping[str, Path]

    @property
    def snapshots(self) -> list[Path]:
        return [path.parent / SNAPSHOTS for path in self.bench_files.values()]

    def is_promoted(self, run: Run) -> bool:
        """Say whether the run is kept beside its bench file."""
        path = self.bench_files.get(run.record.benchmark.id)
        return path is not None and kept_snapshot(path.parent, run.id) is not None

    def typed(self, text: str) -> Run:
        return find_run(text, self.runs_dir, self.invocation_dir, self.snapshots)

    def recorded(self, role: str, run_id: str, benchmark: str) -> Run:
        """Open a run that a record names; one that is promoted is taken from its snapshot."""
        path = self.bench_files.get(benchmark)
        if path is not None:
            for adapter, entry in load_bench_file(path).adapters.items():
                if run_id in (entry.baseline, *entry.controls):
                    return promoted_run(
                        role, run_id, adapter, path, self.runs_dir, self.invocation_dir
                    )
        try:
            return self.typed(run_id)
        except UsageProblem as error:
            raise not_at_hand(error) from None


def _gate(
    run: Run,
    choice: GateChoice,
    places: _Places,
    benchmarks: BenchmarkRegistry,
    echo: Callable[[str], None],
) -> int:
    record = run.record
    judge: Judge = ErrorsDecide()
    if record.benchmark.id in benchmarks.names():
        judge = benchmarks.get(record.benchmark.id)
    decided = record.gate.profile if record.gate else record.benchmark.profiles[0]
    profile = choice.profile or decided
    check_profile(profile, record.benchmark.profiles)
    try:
        baseline, controls = _compared(record, choice, places)
    except NotAtHand:
        if choice.controls or not places.is_promoted(run):
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
    gate = decide(
        facts,
        old,
        [control.facts() for control in controls],
        profile=profile,
        decides=True,
        rule=choice.rule or "auto",
        rule_source="--rule" if choice.rule else "auto",
        targets=choice.targets or record.targets,
        judge=judge,
        max_unjudged=choice.max_unjudged,
    )
    beside = shown_deltas(gate, deltas(facts, old) if old else None)
    for line in verdict_lines(
        gate,
        record=record,
        profile=profile,
        control_command="",
        beside=delta_lines(beside),
        warnings=delta_warnings(beside),
    ):
        echo(line)
    echo(last_line(gate))
    return gate_exit_code(gate.status)


def _compared(
    record: RunRecord, choice: GateChoice, places: _Places
) -> tuple[Run | None, list[Run]]:
    """Open baseline and controls: as was typed, else as the record says."""
    benchmark = record.benchmark.id
    baseline = places.typed(choice.baseline) if choice.baseline else None
    if baseline is None and record.baseline is not None:
        baseline = places.recorded("baseline", record.baseline.id, benchmark)
    if choice.controls or choice.baseline:
        return baseline, [places.typed(name) for name in choice.controls]
    return baseline, [places.recorded("control", one.id, benchmark) for one in record.controls]
