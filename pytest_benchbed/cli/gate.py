"""``benchbed gate RUN``: the verdict again, from saved files alone.

Nothing is written and no adapter is started.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.compare.exit import gate_exit_code
from pytest_benchbed.compare.exit import worst_exit_code
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.lines import last_line
from pytest_benchbed.compare.lines import verdict_lines
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.compare.refuse import check_profile
from pytest_benchbed.compare.refuse import check_targets
from pytest_benchbed.edge.comparable import saved_run
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.find import find_runs
from pytest_benchbed.runs.read import Run

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
) -> int:
    """Print the verdict of a run, or of every run of a set, and return the exit code.

    0 passed, 1 failed, 2 refused, 3 blocked or unavailable, 4 incomplete,
    5 baseline required; of a set the first of 2, 3, 1, 4, 5, 0 that occurs.

    Raises:
        BenchbedError: the run is not found.
    """
    codes = []
    for run in find_runs(text, runs_dir, invocation_dir):
        try:
            codes.append(_gate(run, choice, runs_dir, invocation_dir, benchmarks, echo))
        except BenchbedError as error:
            echo(f"benchbed: gate REFUSED: {run.id}: {error}")
            codes.append(REFUSED)
    return worst_exit_code(codes)


def _gate(
    run: Run,
    choice: GateChoice,
    runs_dir: Path,
    invocation_dir: Path,
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
    baseline_name = choice.baseline or (record.baseline.id if record.baseline else None)
    control_names = choice.controls or ([] if choice.baseline else [c.id for c in record.controls])
    baseline = find_run(baseline_name, runs_dir, invocation_dir) if baseline_name else None
    controls = [find_run(name, runs_dir, invocation_dir) for name in control_names]
    facts = run.facts()
    check_targets(choice.targets, facts.rows.keys(), {})
    mine = saved_run(run)
    check_comparable(
        Planned.of_run(facts, mine.path, mine.results_sha256),
        saved_run(baseline) if baseline else None,
        [saved_run(control) for control in controls],
    )
    gate = decide(
        facts,
        baseline.facts() if baseline else None,
        [control.facts() for control in controls],
        profile=profile,
        decides=True,
        rule=choice.rule or "auto",
        rule_source="--rule" if choice.rule else "auto",
        targets=choice.targets or record.targets,
        judge=judge,
        max_unjudged=choice.max_unjudged,
    )
    for line in verdict_lines(gate, record=record, profile=profile, control_command=""):
        echo(line)
    echo(last_line(gate))
    return gate_exit_code(gate.status)
