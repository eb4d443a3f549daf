"""``benchbed promote RUN``: make a run the baseline that a bare ``pytest --bench=NAME`` uses.

Everything is checked before anything is written. Snapshots are written first,
the bench file then as one step, and old snapshots go last: a process that is
killed leaves a bench file whose runs are all there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.cli.promotion import PromoteChoice
from pytest_benchbed.cli.promotion import Promotion
from pytest_benchbed.cli.promotion import control_command
from pytest_benchbed.cli.promotion import former_runs
from pytest_benchbed.cli.promotion import new_bench_text
from pytest_benchbed.cli.promotion import next_command
from pytest_benchbed.cli.promotion import open_strikes
from pytest_benchbed.cli.saved import SavedRuns
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import check_profile
from pytest_benchbed.data.changes import is_committed
from pytest_benchbed.data.dataset import identity_of
from pytest_benchbed.data.manifest import read_manifest
from pytest_benchbed.edge.baselines import entry_name
from pytest_benchbed.edge.baselines import promoted_run
from pytest_benchbed.edge.commands import path_text
from pytest_benchbed.edge.comparable import saved_run
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.registration import bench_home
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.model.run import DatasetRecord
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.bench_files import BENCH_FILE
from pytest_benchbed.runs.bench_files import load_bench_file
from pytest_benchbed.runs.bench_write import lock_bench
from pytest_benchbed.runs.bench_write import read_bench_bytes
from pytest_benchbed.runs.bench_write import write_bench_file
from pytest_benchbed.runs.promote import Candidates
from pytest_benchbed.runs.promote import check_promotable
from pytest_benchbed.runs.promote import noise_lines
from pytest_benchbed.runs.promote import warnings_of_promotion
from pytest_benchbed.runs.promoted import is_one_draw
from pytest_benchbed.runs.promoted import same_run
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.snapshot import kept_snapshot
from pytest_benchbed.runs.snapshot import place_snapshot
from pytest_benchbed.runs.snapshot import remove_snapshot
from pytest_benchbed.runs.snapshot import snapshot_bytes
from pytest_benchbed.runs.snapshot import snapshot_folder
from pytest_benchbed.runs.snapshot import sweep_snapshots


def run_promote(
    text: str,
    choice: PromoteChoice,
    *,
    config: pytest.Config,
    registries: Registries,
    runs_dir: Path,
    echo: Callable[[str], None],
) -> int:
    """Promote a run and print what it means; return 0.

    Raises:
        BenchbedError: why it is refused; no file was changed.
    """
    if choice.reason is not None:
        choice = replace(choice, reason=choice.reason.strip())
        if not choice.reason:
            raise UsageProblem("--reason is empty: say in a few words why the run is right.")
    saved = SavedRuns(runs_dir, config.invocation_params.dir, registries.bench_files)
    run = saved.typed(text)
    name = run.record.benchmark.id
    if name not in registries.benchmarks.names():
        known = registries.benchmarks.names()
        raise UsageProblem(unknown_name("benchmark", name, known, "benchbed list"))
    path = registries.bench_files.get(name) or bench_home(config) / name / BENCH_FILE
    with lock_bench(path.parent):
        before = read_bench_bytes(path)
        bench = BenchFile() if before is None else load_bench_file(path)
        work = Promotion(
            config=config,
            registries=registries,
            runs_dir=runs_dir,
            choice=choice,
            run=run,
            benchmark=registries.benchmarks.get(name),
            path=path,
            before=before,
            bench=bench,
            adapter=entry_name(bench, run.record.adapter.name),
            controls=[saved.typed(control) for control in choice.controls],
        )
        return _promote(work, echo)


def _promote(work: Promotion, echo: Callable[[str], None]) -> int:
    profile = work.bench.gate or work.benchmark.profiles[0]
    check_profile(profile, work.benchmark.profiles)
    added = _with_former_controls(work)
    candidates = Candidates(
        baseline=saved_run(work.run),
        controls=[saved_run(control) for control in work.controls],
        profile=profile,
        judge=work.benchmark,
    )
    check_promotable(
        candidates,
        _present(work),
        is_strict=work.choice.strict,
        is_reasoned=work.choice.reason is not None or work.is_promoted,
    )
    for run in work.runs:
        _check_place(work, run)
        if run.paths.calls.exists():
            # A damaged reply would be found at the next rescoring, when it is too late.
            read_calls(run.paths.calls)
    former = {name for name in former_runs(work) if name not in {run.id for run in work.runs}}
    text = new_bench_text(work)
    is_changed = work.before is None or text.encode("utf-8") != work.before
    sweep_snapshots(work.folder)
    written = _write_snapshots(work) if work.choice.snapshot else []
    if is_changed:
        write_bench_file(work.path, work.before, text)
    removed = _remove_snapshots(work, former) if work.choice.snapshot else []
    shown = path_text(work.path, work.config)
    controls = ", ".join(control.id for control in work.controls) or "none"
    if not is_changed and not written and not removed:
        echo(
            f"already promoted: {work.run.id} is the baseline of adapter "
            f"{term(work.adapter, 80)} in {shown} (controls: {controls}); no file was changed"
        )
    else:
        echo(
            f"promoted: {work.run.id} is the baseline of adapter {term(work.adapter, 80)} in "
            f"{shown}"
        )
        kept = f"; {', '.join(added)} added" if added else ""
        echo(f"  controls: {controls}{kept}")
    if not work.is_promoted and work.entry.get("baseline"):
        echo(f"  the former baseline {work.entry['baseline']} stays in its history")
    for line in [*noise_lines(candidates), *open_strikes(work, profile), *written, *removed]:
        echo(f"  {line}")
    for line in warnings_of_promotion(candidates):
        echo(f"  warning: {line}")
    for line in work.notes:
        echo(f"  note: {line}")
    if not work.controls:
        echo(f"  add a control: {control_command(work.run.record)}")
        echo(f"    then: benchbed promote {work.run.id} --control=RUN")
    echo(f"  next: {next_command(work)}")
    return 0


def _with_former_controls(work: Promotion) -> list[str]:
    """Keep the controls of a baseline that is promoted already; return the ids that are added."""
    if not work.is_promoted:
        return []
    former: list[str] = work.entry.get("controls") or []
    named = {control.id: control for control in work.controls}
    base = work.config.invocation_params.dir
    kept = [
        named.pop(run_id)
        if run_id in named
        else promoted_run("control", run_id, work.adapter, work.path, work.runs_dir, base)
        for run_id in former
    ]
    # A run named twice stays twice, so that it is refused.
    work.controls = [*kept, *(one for one in work.controls if one.id in named)]
    return list(named) if former else []


def _present(work: Promotion) -> Planned:
    """Return the registered dataset and the installed type, as runs are compared with them."""
    dataset = work.run.record.dataset.id
    registered = work.registries.datasets.get(dataset)
    if registered is None or registered.benchmark != work.benchmark.id:
        known = [one.id for one in work.registries.datasets.for_benchmark(work.benchmark.id)]
        raise UsageProblem(
            f"baseline {work.run.id!r}: {unknown_name('dataset', dataset, known, 'benchbed list')}"
        )
    manifest = read_manifest(registered.root)
    return Planned(
        id="",
        path="",
        benchmark=work.benchmark.id,
        scoring_version=work.benchmark.scoring_version,
        dataset=DatasetRecord(
            id=manifest.id,
            version=manifest.version,
            identity=identity_of(manifest),
            digests=manifest.digests,
            visibility=manifest.visibility,
            verified="sha256",
            canary="absent",
        ),
        judge=work.run.record.judge,
        selected=work.run.facts().rows.keys(),
        called="what is registered now",
        remedy="Score it again (benchbed score RUN), or promote a run of the present revision.",
    )


def _check_place(work: Promotion, run: Run) -> None:
    """Refuse a run that would not be found by its id, or as another run."""
    kept = kept_snapshot(work.folder, run.id)
    if kept is not None and kept.resolve() != run.path.resolve():
        other = Run.open(kept)
        if not is_one_draw(run, other):
            raise UsageProblem(
                f"another run {run.id!r} is kept in {kept}, started at "
                f"{other.record.started_at}. Give this one another id: make it again with "
                "--bench-run=ID."
            )
        if not work.choice.snapshot and _revision(run.record) != _revision(other.record):
            raise UsageProblem(
                f"run {run.id!r} was scored or re-keyed since its snapshot was written to {kept}. "
                "Write it again: --snapshot"
            )
        return
    if kept is None and not work.choice.snapshot and same_run(run, work.runs_dir / run.id) is None:
        raise UsageProblem(
            f"run {run.id!r} lies in {run.path}, where a session does not look for it (runs "
            f"directory {work.runs_dir}). Keep it beside the bench file: --snapshot"
        )


def _revision(record: RunRecord) -> tuple[str, str]:
    return record.benchmark.scoring_version, record.dataset.identity


def _write_snapshots(work: Promotion) -> list[str]:
    """Write the snapshots; return a line that says how much was written, none if nothing was."""
    new = []
    for run in work.runs:
        folder = snapshot_folder(work.folder, run.id)
        if place_snapshot(run, folder):
            new.append(folder)
    if not new:
        return []
    size = sum(snapshot_bytes(folder) for folder in new)
    where = path_text(new[0].parent, work.config)
    return [f"snapshots: {count(len(new), 'run')}, {count(size, 'byte')} in {where}"]


def _remove_snapshots(work: Promotion, former: set[str]) -> list[str]:
    """Remove the snapshots of former runs of this adapter that no adapter names any more."""
    named = {
        run_id
        for name, entry in work.bench.adapters.items()
        if name != work.adapter
        for run_id in [entry.baseline, *entry.controls]
    }
    gone, kept = [], []
    for name in sorted(former - named):
        folder = kept_snapshot(work.folder, name)
        if folder is None:
            continue
        if _is_elsewhere(work, folder, name) and remove_snapshot(work.folder, name):
            gone.append(name)
        else:
            kept.append(name)
    lines = [f"snapshots removed: {', '.join(gone)} (a commit or a run has them)"] if gone else []
    if kept:
        lines.append(f"snapshots kept: {', '.join(kept)} (no commit has them): remove them by hand")
    return lines


def _is_elsewhere(work: Promotion, folder: Path, run_id: str) -> bool:
    """Say whether a snapshot that is removed can be had again."""
    if same_run(Run.open(folder), work.runs_dir / run_id) is not None:
        return True
    return all(is_committed(path) for path in folder.iterdir())
