"""Turn options, bench files and registrations into plans, refusing what cannot work.

Everything here happens before a process is started, a file is written or a
dollar is spent: an unknown name, a baseline that is missing or foreign, a
target that does not exist.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchbed.adapters.boxed import fit
from pytest_benchbed.adapters.boxed import unmatched
from pytest_benchbed.adapters.locate import locate
from pytest_benchbed.adapters.options import parse_options
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.adapters.spec import make_spec
from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.compare.refuse import check_profile
from pytest_benchbed.compare.rules import choose_rule
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.registry import RegisteredDataset
from pytest_benchbed.data.select import Selection
from pytest_benchbed.edge import activation
from pytest_benchbed.edge.baselines import find_baselines
from pytest_benchbed.edge.baselines import find_reused
from pytest_benchbed.edge.choosing import bench_file_of
from pytest_benchbed.edge.choosing import benchmarks_and_datasets
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.settings import Settings
from pytest_benchbed.edge.settings import resolve_settings
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.model.prices import prices_digest
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.ids import check_run_id
from pytest_benchbed.runs.ids import new_run_id
from pytest_benchbed.runs.read import Run


def make_plans(
    config: pytest.Config, registries: Registries, run_ids: Mapping[str, str] | None = None
) -> list[Plan]:
    """Return one plan for each benchmark asked for, in the order of asking.

    ``run_ids`` are the controller's, handed to an xdist worker.

    Raises:
        UsageProblem: whatever keeps a benchmark from running as asked.
        DatasetError: a dataset's manifest or case file cannot be read.
        RunError: a run that is named cannot be read.
    """
    pairs = benchmarks_and_datasets(config, registries)
    ids = run_ids or _run_ids(config, [benchmark.id for benchmark, _ in pairs])
    return [
        _plan(config, registries, benchmark, registered, ids[benchmark.id])
        for benchmark, registered in pairs
    ]


def _run_ids(config: pytest.Config, benchmarks: list[str]) -> dict[str, str]:
    """Return the id of each benchmark's run; several benchmarks make a run set."""
    resumed = config.getoption("bench_resume")
    if resumed:
        if len(benchmarks) > 1:
            raise UsageProblem(
                "--bench-resume goes on with one run: name its benchmark alone, or a run of the "
                "set such as SET/BENCHMARK."
            )
        runs_dir = activation.runs_dir(config)
        run = find_run(resumed, runs_dir, config.invocation_params.dir)
        return {benchmarks[0]: run.record.id}
    named = config.getoption("bench_run")
    if named is not None:
        check_run_id(named)
    if len(benchmarks) == 1:
        return {benchmarks[0]: named or new_run_id(benchmarks[0])}
    whole = named or new_run_id("set")
    return {name: f"{whole}/{name}" for name in benchmarks}


def _plan(
    config: pytest.Config,
    registries: Registries,
    benchmark: Benchmark,
    registered: RegisteredDataset,
    run_id: str,
) -> Plan:
    bench, bench_path = bench_file_of(registries, benchmark.id)
    settings = resolve_settings(config, bench)
    choose_rule(settings.rule, settings.rule_source)
    profile = settings.gate or benchmark.profiles[0]
    check_profile(profile, benchmark.profiles)
    dataset = Dataset.open(registered.root)
    runs_dir = activation.runs_dir(config)
    resumed = None
    if config.getoption("bench_resume"):
        resumed = find_run(config.getoption("bench_resume"), runs_dir, config.invocation_params.dir)
        if resumed.record.benchmark.id != benchmark.id:
            raise UsageProblem(
                f"run {resumed.id!r} is of benchmark {resumed.record.benchmark.id!r}, not "
                f"{benchmark.id!r}."
            )
    baseline, controls, sources = find_baselines(config, settings, bench, bench_path, runs_dir)
    spec = _adapter(config, registries, bench, bench_path, settings)
    reused = find_reused(config, benchmark.id, spec, runs_dir)
    selection = Selection.parse(config.getoption("bench_select") or ())
    notices = list(sources)
    if settings.adapter_is_default:
        notices.append(
            "no adapter is configured: the reference adapter answers (name yours with "
            "--bench-adapter)"
        )
    if resumed is not None and _are_other_prices(resumed, bench):
        notices.append(
            f"run {resumed.id} goes on with the prices it began with, not those of the bench file"
        )
    plan = Plan(
        benchmark=benchmark,
        dataset=dataset,
        registered=registered,
        spec=spec,
        settings=settings,
        bench=bench,
        bench_path=bench_path,
        selection=selection,
        profile=profile,
        baseline=baseline,
        controls=tuple(controls),
        targets=_targets(config),
        unpaired=bool(config.getoption("bench_unpaired")),
        run_id=run_id,
        run_dir=resumed.path if resumed else runs_dir / run_id,
        resumed=resumed,
        reused=reused,
        notices=tuple(notices),
    )
    _check_selection(plan)
    if not spec.is_replay:
        return plan
    asked = [entry.id for entry in plan.selected()]
    lines = unmatched(spec, {*dataset.ids, *dataset.retired}, asked)
    return replace(plan, unmatched=tuple(lines), notices=(*plan.notices, *lines))


def _are_other_prices(resumed: Run, bench: BenchFile) -> bool:
    spend = resumed.record.spend
    return spend.prices is not None and spend.prices_sha256 != prices_digest(bench.prices)


def _targets(config: pytest.Config) -> frozenset[str]:
    targets = config.getoption("bench_target") or ()
    for target in targets:
        if target.startswith("@"):
            raise UsageProblem(
                f"--bench-target={target[:80]}: targets from a review are not built in this "
                "version. Name the cases."
            )
    return frozenset(targets)


def _check_selection(plan: Plan) -> None:
    """Refuse a selection of nothing, with the nearest of what exists."""
    for case in plan.selection.values("case"):
        if case not in plan.dataset and case not in plan.dataset.retired:
            raise UsageProblem(
                unknown_name("case", case, plan.dataset.ids, f"pytest --bench={plan.name} --co -q")
            )
    if plan.selection.is_empty or plan.selected():
        return
    wanted = " ".join(
        f"{key}={value}" for key, values in plan.selection.to_json().items() for value in values
    )
    raise UsageProblem(
        f"--bench-select leaves no case of dataset {plan.dataset.id!r}: {wanted}.\n"
        f"See what it has with: pytest --bench={plan.name} --co -q"
    )


def _adapter(
    config: pytest.Config,
    registries: Registries,
    bench: BenchFile,
    bench_path: Path | None,
    settings: Settings,
) -> AdapterSpec:
    entry = settings.adapter_entry
    base = bench_path.parent if bench_path else config.invocation_params.dir
    pythonpath = [config.rootpath / folder for folder in _ini_pythonpath(config)]
    pythonpath += [(base / folder).resolve() for folder in bench.pythonpath or ()]
    text = entry.entry or settings.adapter
    located = locate(
        registries.adapters.entry(text) or text,
        rootdir=config.rootpath,
        invocation_dir=config.invocation_params.dir,
        search=[*pythonpath, *(Path(folder or ".") for folder in sys.path)],
        known=registries.adapters.names(),
    )
    spec = make_spec(
        settings.adapter,
        located,
        options=parse_options(config.getoption("bench_adapter_option") or ()),
        model=settings.model,
        bench=entry,
        pythonpath=pythonpath,
        call_s=settings.timeout_s,
        folders=[config.invocation_params.dir, config.rootpath, base],
    )
    spec = fit(spec)
    if settings.isolation == "off":
        return replace(spec, limits=spec.limits.without_rlimits())
    return spec


def _ini_pythonpath(config: pytest.Config) -> list[str]:
    """Return pytest's own ini ``pythonpath`` (absent when its plugin is switched off)."""
    if not config.pluginmanager.hasplugin("python_path"):
        return []
    return [str(path) for path in config.getini("pythonpath")]
