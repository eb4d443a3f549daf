"""``benchbed runs``, ``gate``, ``promote``, ``record`` and ``score``: commands on saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
import typer

from pytest_benchbed.cli.app import Baseline
from pytest_benchbed.cli.app import Controls
from pytest_benchbed.cli.app import Profile
from pytest_benchbed.cli.app import Rule
from pytest_benchbed.cli.app import RunArgument
from pytest_benchbed.cli.app import RunsDir
from pytest_benchbed.cli.app import Targets
from pytest_benchbed.cli.app import app
from pytest_benchbed.cli.app import with_registrations
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.model.errors import UsageProblem


def _runs_dir(config: pytest.Config, named: Path | None) -> Path:
    from pytest_benchbed.edge.activation import runs_dir

    return named.resolve() if named else runs_dir(config)


@app.command()
def runs(runs_dir: RunsDir = None) -> None:
    """List saved runs, newest first, and the snapshots that lie beside bench files alone.

    A + after the commit: the working tree was changed. Quality: mean over the cases.
    """
    from pytest_benchbed.cli.runs import run_runs

    def work(config: pytest.Config, registries: Registries) -> int:
        return run_runs(_runs_dir(config, runs_dir), typer.echo, registries.bench_files)

    raise typer.Exit(with_registrations(work))


@app.command()
def gate(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="A run directory, or its id.")],
    baseline: Baseline = None,
    control: Controls = None,
    target: Targets = None,
    profile: Profile = None,
    rule: Rule = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Print each reading and number behind the verdict."),
    ] = False,
    aa: Annotated[
        bool,
        typer.Option(
            "--aa",
            help="Play every control as if it were the candidate: RUN is the baseline, and its "
            "controls follow; of a promoted baseline they are known.",
        ),
    ] = False,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Say what fewer false alarms cost: RUN is a benchmark with a baseline, or a run.",
        ),
    ] = False,
    false_alarm: Annotated[
        str | None,
        typer.Option(
            "--false-alarm",
            metavar="SHARE",
            help="For --plan: runs without a change that may be red (default: 0.05, or 5%).",
        ),
    ] = None,
    runs_dir: RunsDir = None,
) -> None:
    """Decide the gate of a saved run again, from its files alone.

    Exit code: 0 passed, 1 failed, 2 refused, 3 blocked or unavailable,
    4 incomplete, 5 baseline required. Of --aa and --plan: 0, or 2 refused.
    """
    from pytest_benchbed.cli.gate import GateChoice
    from pytest_benchbed.cli.gate import run_gate
    from pytest_benchbed.cli.noise import run_noise_plan
    from pytest_benchbed.cli.noise import run_self_test
    from pytest_benchbed.cli.saved import SavedRuns
    from pytest_benchbed.edge.settings import max_unjudged
    from pytest_benchbed.edge.settings import stale_days

    if (aa and plan) or (false_alarm is not None and not plan):
        raise UsageProblem("--aa and --plan are two questions, and --false-alarm is of --plan.")
    if len(runs) > 1 and not aa:
        raise UsageProblem(f"one run at a time, not {len(runs)}: benchbed gate {runs[0]}")

    def work(config: pytest.Config, registries: Registries) -> int:
        if aa or plan:
            saved = SavedRuns(
                _runs_dir(config, runs_dir), config.invocation_params.dir, registries.bench_files
            )
            if aa:
                return run_self_test(
                    runs, profile, saved=saved, benchmarks=registries.benchmarks, echo=typer.echo
                )
            return run_noise_plan(
                runs[0],
                false_alarm,
                profile,
                saved=saved,
                benchmarks=registries.benchmarks,
                echo=typer.echo,
            )
        limits = max_unjudged(config), stale_days(config)
        return run_gate(
            runs[0],
            GateChoice(baseline, control or (), target or (), profile, rule, *limits, explain),
            runs_dir=_runs_dir(config, runs_dir),
            invocation_dir=config.invocation_params.dir,
            benchmarks=registries.benchmarks,
            echo=typer.echo,
            bench_files=registries.bench_files,
        )

    raise typer.Exit(with_registrations(work))


@app.command()
def promote(
    run: RunArgument,
    control: Annotated[
        list[str] | None, typer.Option(metavar="RUN", help="A repeat of the run; may be repeated.")
    ] = None,
    snapshot: Annotated[
        bool,
        typer.Option(
            "--snapshot", help="Keep the promoted runs beside the bench file, for version control."
        ),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a run of a changed working tree.")
    ] = False,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why a run whose gate failed is right.")
    ] = None,
    runs_dir: RunsDir = None,
) -> None:
    """Make a run the baseline of its adapter, for a bare pytest --bench=NAME.

    Refused: a run that is partial, blocked, unfinished or of another revision.
    Of a run that is the baseline already, the controls are added.
    """
    from pytest_benchbed.cli.promote import run_promote
    from pytest_benchbed.cli.promotion import PromoteChoice

    def work(config: pytest.Config, registries: Registries) -> int:
        return run_promote(
            run,
            PromoteChoice(control or (), snapshot, strict, reason),
            config=config,
            registries=registries,
            runs_dir=_runs_dir(config, runs_dir),
            echo=typer.echo,
        )

    raise typer.Exit(with_registrations(work))


@app.command()
def record(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- ARGUMENTS]", help="For pytest, such as -- --bench-adapter=NAME."
        ),
    ] = None,
    controls: Annotated[
        int, typer.Option(metavar="N", help="Repeats of the same code beside the baseline.")
    ] = 2,
    run: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Id of the baseline; also goes on with that one."),
    ] = None,
    snapshot: Annotated[
        bool,
        typer.Option(help="Keep the promoted runs beside the bench file, for version control."),
    ] = True,
) -> None:
    """Record a baseline and its controls, and promote them.

    Exit code: 0, or 1 if a run has a technical failure or was cut short.
    """
    from pytest_benchbed.cli.promote import run_promote
    from pytest_benchbed.cli.promotion import PromoteChoice
    from pytest_benchbed.cli.record import RecordChoice
    from pytest_benchbed.cli.record import record_runs

    choice = RecordChoice(name, controls, run, arguments or ())

    def work(config: pytest.Config, registries: Registries) -> int:
        registries.benchmarks.get(name)
        runs_dir = _runs_dir(config, None)
        ids = record_runs(choice, runs_dir, typer.echo)
        if not ids:
            return 1
        return run_promote(
            ids[0],
            PromoteChoice(ids[1:], snapshot, strict=False, reason=None),
            config=config,
            registries=registries,
            runs_dir=runs_dir,
            echo=typer.echo,
        )

    raise typer.Exit(with_registrations(work))


@app.command()
def score(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="A run directory, or its id.")],
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="Write nothing: list the cases that the installed scorer scores otherwise; exit 1 "
            "if the scoring version is the same.",
        ),
    ] = False,
    baseline: Baseline = None,
    control: Controls = None,
    target: Targets = None,
    profile: Profile = None,
    rule: Rule = None,
    dataset: Annotated[
        str | None,
        typer.Option(metavar="ID|PATH", help="Take the run over to this revision of its dataset."),
    ] = None,
    grown: Annotated[
        bool, typer.Option("--grown", help="The same if it adds cases, which count as new.")
    ] = False,
    runs_dir: RunsDir = None,
) -> None:
    """Score saved runs again from their replies; no adapter is started.

    Unless named, baseline and controls are those of the run's record; of another
    revision or scoring version, they are scored again with it. The record's
    history says what changed. Exit code: as of the gate command.
    """
    from pytest_benchbed.cli.score import ScoreOptions
    from pytest_benchbed.cli.score import run_score
    from pytest_benchbed.cli.score import run_score_diff
    from pytest_benchbed.compare.exit import worst_exit_code

    options = ScoreOptions(
        baseline, control or (), target or (), profile, rule, dataset, grown, runs_dir
    )

    def work(config: pytest.Config, registries: Registries) -> int:
        if diff:
            return run_score_diff(config, registries, runs, options, typer.echo)
        return worst_exit_code(
            [run_score(config, registries, run, options, typer.echo) for run in runs]
        )

    raise typer.Exit(with_registrations(work))
