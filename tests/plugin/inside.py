"""``benchbed`` commands in this process: with registrations, without two seconds of start."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_benchbed.cli.app import Command
from pytest_benchbed.cli.gate import GateChoice
from pytest_benchbed.cli.gate import run_gate
from pytest_benchbed.cli.promote import run_promote
from pytest_benchbed.cli.promotion import PromoteChoice
from pytest_benchbed.cli.runs import run_runs
from pytest_benchbed.edge.activation import runs_dir
from tests.plugin.bench import WITHOUT
from tests.plugin.bench import Bench


def promote(
    bench: Bench,
    run: str,
    *,
    controls: Sequence[str] = (),
    snapshot: bool = False,
    strict: bool = False,
    reason: str | None = None,
) -> tuple[int, str]:
    """Run ``benchbed promote``; return its exit code and its output or the text of a refusal."""
    choice = PromoteChoice(controls, snapshot, strict, reason)
    return _inside(
        bench,
        lambda config, registries, echo: run_promote(
            run,
            choice,
            config=config,
            registries=registries,
            runs_dir=runs_dir(config),
            echo=echo,
        ),
    )


def gate(bench: Bench, run: str) -> tuple[int, str]:
    """Run ``benchbed gate``."""
    return _inside(
        bench,
        lambda config, registries, echo: run_gate(
            run,
            GateChoice(None, (), (), None, None),
            runs_dir=runs_dir(config),
            invocation_dir=config.invocation_params.dir,
            benchmarks=registries.benchmarks,
            echo=echo,
            bench_files=registries.bench_files,
        ),
    )


def runs(bench: Bench) -> str:
    """Return what ``benchbed runs`` prints."""
    work = lambda config, registries, echo: run_runs(  # noqa: E731
        runs_dir(config), echo, registries.bench_files
    )
    return _inside(bench, work)[1]


def _inside(bench: Bench, work) -> tuple[int, str]:
    lines: list[str] = []
    codes: list[int] = []

    def keep(config, registries) -> int:
        codes.append(work(config, registries, lines.append))
        return codes[-1]

    plugin = Command(keep)
    quiet = ("-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    result = bench.pytester.runpytest_inprocess(*WITHOUT, *quiet, plugins=[plugin])
    if plugin.error is not None:
        return 2, str(plugin.error)
    assert codes, result.stdout.str() + result.stderr.str()
    return codes[0], "\n".join(lines)
