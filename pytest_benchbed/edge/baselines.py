"""Which saved runs a session is compared with: those of the command line or the promoted ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.edge.commands import path_text
from pytest_benchbed.edge.settings import Settings
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.layout import SNAPSHOTS
from pytest_benchbed.runs.promoted import find_promoted
from pytest_benchbed.runs.read import Run


def entry_name(bench: BenchFile, adapter: str) -> str:
    """Return the name of an adapter's entry: its own, or that of the entry that stands for it."""
    if adapter in bench.adapters:
        return adapter
    return next((name for name, one in bench.adapters.items() if one.entry == adapter), adapter)


def find_baselines(
    config: pytest.Config,
    settings: Settings,
    bench: BenchFile,
    bench_path: Path | None,
    runs_dir: Path,
) -> tuple[Run | None, list[Run], list[str]]:
    """Find baseline and controls; the command line replaces both of the bench file.

    Returns them with lines for the header that say which came from where.

    Raises:
        UsageProblem: a run that is named is not there, or is of another adapter.
        RunError: it cannot be read.
    """
    typed: str | None = config.getoption("bench_baseline")
    typed_controls: list[str] = config.getoption("bench_control") or []
    if config.getoption("bench_unpaired"):
        return None, [], []
    here = config.invocation_params.dir
    kept = [bench_path.parent / SNAPSHOTS] if bench_path else []
    entry = settings.adapter_entry

    def named(text: str) -> Run:
        return find_run(text, runs_dir, here, kept)

    def promoted(role: str, run_id: str) -> Run:
        assert bench_path is not None, "a promoted run stands in a bench file"
        name = entry_name(bench, settings.adapter)
        run = promoted_run(role, run_id, name, bench_path, runs_dir, here)
        known = (settings.adapter, name, entry.entry)
        if run.record.adapter.name not in known:
            raise UsageProblem(
                f"{path_text(bench_path, config)}: adapter {name!r}: its {role} {run_id!r} is a "
                f"run of adapter {term(run.record.adapter.name, 80)!r}. Promote a run of this one "
                f"(benchbed promote RUN), or name that one with --baseline={run_id}"
            )
        return run

    if typed == "":
        raise UsageProblem("--baseline= names no run: give a run directory or an id.")
    if typed is not None:
        notices = []
        if entry.baseline is not None:
            also = f" with {count(len(entry.controls), 'control')}" if entry.controls else ""
            notices.append(
                f"baseline {term(typed, 100)} from the command line; baseline {entry.baseline} of "
                f"the bench file is set aside{also}"
            )
        return named(typed), [named(text) for text in typed_controls], notices
    if typed_controls:
        if entry.baseline is None:
            raise UsageProblem(
                "--bench-control repeats a baseline: name that one with --baseline=RUN."
            )
        notice = f"baseline {entry.baseline} from the bench file, controls from the command line"
        controls = [named(text) for text in typed_controls]
        return promoted("baseline", entry.baseline), controls, [notice]
    if entry.baseline is None:
        return None, [], _first_run(settings, bench)
    controls = [promoted("control", run_id) for run_id in entry.controls]
    return promoted("baseline", entry.baseline), controls, []


def find_reused(
    config: pytest.Config, benchmark: str, spec: AdapterSpec, runs_dir: Path
) -> Run | None:
    """Find the run that ``--bench-reuse`` names; None without the option.

    Raises:
        UsageProblem: it is not there, is of another benchmark, or nothing of it can
            be taken over.
        RunError: it cannot be read.
    """
    text = config.getoption("bench_reuse")
    if text is None:
        return None
    option = f"--bench-reuse={term(text, 100)}"
    if config.getoption("bench_resume"):
        raise UsageProblem(f"{option}: a run that goes on has what it took over: leave it out.")
    if spec.kind == "executable":
        raise UsageProblem(
            f"{option}: an executable says its version only with its answers, so which system "
            "this is cannot be known before. Leave it out."
        )
    run = find_run(text, runs_dir, config.invocation_params.dir)
    if run.record.benchmark.id != benchmark:
        raise UsageProblem(
            f"{option}: is a run of benchmark {run.record.benchmark.id!r}, not {benchmark!r}."
        )
    if run.record.status == "void":
        raise UsageProblem(f"{option}: is void, an answer turned up in it. Leave it out.")
    if not run.paths.calls.exists():
        raise UsageProblem(f"{option}: has no replies ({run.paths.calls}). Restore the run.")
    return run


def _first_run(settings: Settings, bench: BenchFile) -> list[str]:
    """Say why there is nothing to compare with, although other adapters have a baseline."""
    others = [name for name, one in bench.adapters.items() if one.baseline is not None]
    if not others:
        return []
    return [
        f"no baseline is promoted for adapter {term(settings.adapter, 80)} (only for "
        f"{term(', '.join(others), 120)}): record one with --bench-unpaired, then benchbed "
        "promote RUN"
    ]


def promoted_run(
    role: str, run_id: str, adapter: str, bench_path: Path, runs_dir: Path, here: Path
) -> Run:
    """Open a promoted run: its snapshot, else what lies in the runs directory.

    Raises:
        UsageProblem: it is nowhere: which bench file names it, and what to do.
        RunError: it cannot be read.
    """
    try:
        return find_promoted(run_id, bench_path.parent, runs_dir, here)
    except UsageProblem:
        raise UsageProblem(
            f"{bench_path}: adapter {adapter!r}: its {role} {run_id!r} is neither in "
            f"{bench_path.parent / SNAPSHOTS} nor in {runs_dir}. Restore it, promote another run "
            "(benchbed promote RUN), or compare with nothing: --bench-unpaired"
        ) from None
