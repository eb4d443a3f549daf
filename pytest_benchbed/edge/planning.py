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
from pytest_benchbed.edge.activation import CASES
from pytest_benchbed.edge.baselines import find_baselines
from pytest_benchbed.edge.baselines import find_reused
from pytest_benchbed.edge.commands import path_text
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.registration import bench_paths
from pytest_benchbed.edge.settings import Settings
from pytest_benchbed.edge.settings import resolve_settings
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.model.prices import prices_digest
from pytest_benchbed.runs.bench_files import load_bench_file
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.ids import check_run_id
from pytest_benchbed.runs.ids import new_run_id
from pytest_benchbed.runs.read import Run

LIST = "pytest --bench-list"


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
    pairs = _benchmarks_and_datasets(config, registries)
    ids = run_ids or _run_ids(config, [benchmark.id for benchmark, _ in pairs])
    return [
        _plan(config, registries, benchmark, registered, ids[benchmark.id])
        for benchmark, registered in pairs
    ]


def _benchmarks_and_datasets(
    config: pytest.Config, registries: Registries
) -> list[tuple[Benchmark, RegisteredDataset]]:
    wanted: dict[str, RegisteredDataset | None] = {}
    for name in config.getoption("bench") or ():
        for resolved in _resolve_name(name, registries):
            wanted[resolved] = None
    for folder in activation.named_datasets(config):
        registered = registries.datasets.at(folder)
        if registered is not None and wanted.get(registered.benchmark) is None:
            wanted[registered.benchmark] = registered
    choices = _dataset_choices(config, registries)
    pairs = []
    for benchmark_id, named in wanted.items():
        bench, _ = _bench_file(registries, benchmark_id)
        text = choices.get(benchmark_id) or choices.get("") or (None if named else bench.dataset)
        registered = _dataset(config, registries, benchmark_id, text, named)
        pairs.append((registries.benchmarks.get(benchmark_id), registered))
    return pairs


def _resolve_name(name: str, registries: Registries) -> list[str]:
    known = registries.benchmarks.names()
    if name == "all":
        with_data = [item for item in known if registries.datasets.for_benchmark(item)]
        if not with_data:
            raise UsageProblem(f"no benchmark has a dataset.\nList them with: {LIST}")
        return with_data
    if name in known:
        return [name]
    family: list[str] = registries.benchmarks.family(name)
    if family:
        return family
    raise UsageProblem(unknown_name("benchmark", name, [*known, "all"], LIST))


def _dataset_choices(config: pytest.Config, registries: Registries) -> dict[str, str]:
    """Return the values of ``--bench-dataset`` by benchmark; "" holds for any."""
    choices: dict[str, str] = {}
    for text in config.getoption("bench_dataset") or ():
        head, equals, tail = text.partition("=")
        if equals and head in registries.benchmarks.names():
            choices[head] = tail
        elif equals and not (config.invocation_params.dir / text).exists():
            raise UsageProblem(unknown_name("benchmark", head, registries.benchmarks.names(), LIST))
        else:
            choices[""] = text
    return choices


def _unpinned(config: pytest.Config, benchmark: str) -> str:
    """Return a folder with cases of a benchmark that was never pinned, as it is typed here."""
    for parent in bench_paths(config):
        for cases in sorted((parent / benchmark).glob(f"*/{CASES}")):
            if not (cases.parent / "manifest.json").exists():
                return path_text(cases.parent, config)
    return ""


def _dataset(
    config: pytest.Config,
    registries: Registries,
    benchmark: str,
    text: str | None,
    named: RegisteredDataset | None,
) -> RegisteredDataset:
    available = registries.datasets.for_benchmark(benchmark)
    if text is not None:
        found = registries.datasets.find(text)
        if found is None and Path(text).is_dir():
            found = registries.datasets.add_found(Path(text))
        if found is None:
            raise UsageProblem(unknown_name("dataset", text, [item.id for item in available], LIST))
        if found.benchmark != benchmark:
            raise UsageProblem(
                f"dataset {found.id!r} is of benchmark {found.benchmark!r}, not {benchmark!r}.\n"
                f"List them with: {LIST}"
            )
        return found
    if named is not None:
        return named
    if len(available) == 1:
        return available[0]
    if not available and registries.datasets.problems:
        raise registries.datasets.problems[0]
    if not available and (folder := _unpinned(config, benchmark)):
        raise UsageProblem(
            f"benchmark {benchmark!r} has no dataset yet: {folder} has no manifest.json.\n"
            f"Make it with: benchbed pin {folder}"
        )
    if not available:
        raise UsageProblem(
            f"benchmark {benchmark!r} has no dataset. Put one below cases/{benchmark}/, or name "
            f"one with --bench-dataset=PATH."
        )
    ids = ", ".join(item.id for item in available)
    raise UsageProblem(
        f"benchmark {benchmark!r} has several datasets: {ids}.\n"
        f"Choose one with --bench-dataset={available[0].id}"
    )


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


def _bench_file(registries: Registries, benchmark: str) -> tuple[BenchFile, Path | None]:
    path = registries.bench_files.get(benchmark)
    return (load_bench_file(path), path) if path else (BenchFile(), None)


def _plan(
    config: pytest.Config,
    registries: Registries,
    benchmark: Benchmark,
    registered: RegisteredDataset,
    run_id: str,
) -> Plan:
    bench, bench_path = _bench_file(registries, benchmark.id)
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
