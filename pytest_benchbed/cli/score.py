"""``benchbed score``: saved runs scored again from their replies; no adapter is started."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.benchmarks.selfcheck import check_settings
from pytest_benchbed.cli.saved import SavedRuns
from pytest_benchbed.cli.score_lines import difference_lines
from pytest_benchbed.cli.score_lines import report_lines
from pytest_benchbed.cli.score_lines import what_changed
from pytest_benchbed.cli.score_lines import written_line
from pytest_benchbed.compare.exit import REFUSED
from pytest_benchbed.compare.exit import gate_exit_code
from pytest_benchbed.compare.exit import worst_exit_code
from pytest_benchbed.compare.lines import last_line
from pytest_benchbed.compare.lines import recorded_verdict
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.registry import DatasetRegistry
from pytest_benchbed.data.verify import verify_digests
from pytest_benchbed.edge.activation import runs_dir
from pytest_benchbed.edge.failure_text import hides_texts
from pytest_benchbed.edge.first_record import now
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.settings import max_unjudged
from pytest_benchbed.edge.settings import stale_days
from pytest_benchbed.evaluate.offline import Bench
from pytest_benchbed.evaluate.offline import Choice
from pytest_benchbed.evaluate.offline import score_run
from pytest_benchbed.evaluate.offline import take_over
from pytest_benchbed.evaluate.offline import write_taken_over
from pytest_benchbed.evaluate.rescore import Rescored
from pytest_benchbed.evaluate.rescore import rescore
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import NotAtHand
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.read import Run

_LIST = "benchbed list"
Echo = Callable[[str], None]


@dataclass(frozen=True)
class ScoreOptions:
    """What was typed; None or empty: as in the run's record."""

    baseline: str | None = None
    controls: Sequence[str] = ()
    targets: Sequence[str] = ()
    profile: str | None = None
    rule: str | None = None
    dataset: str | None = None
    grown: bool = False
    runs_dir: Path | None = None

    @property
    def says_how_to_judge(self) -> bool:
        """Whether the run is to be judged otherwise than its record says."""
        words = (self.baseline, self.profile, self.rule)
        return bool(self.controls or self.targets) or any(word is not None for word in words)


def run_score(
    config: pytest.Config, registries: Registries, text: str, options: ScoreOptions, echo: Echo
) -> int:
    """Score a run, or every run of a set, again; print what changed and the verdict.

    Returns the exit code of the gate, as ``benchbed gate`` does; 2 if refused,
    and then no file was changed.

    Raises:
        BenchbedError: the run is not found.
    """
    places = _Places(config, registries, options)
    codes = []
    for run in places.saved.all_typed(text):
        try:
            lines, code = _score(places, run, options)
        except BenchbedError as error:
            echo(f"benchbed: score REFUSED: {run.id}: {error}")
            codes.append(REFUSED)
            continue
        for line in lines:
            echo(line)
        codes.append(code)
    return worst_exit_code(codes)


def run_score_diff(
    config: pytest.Config,
    registries: Registries,
    texts: Sequence[str],
    options: ScoreOptions,
    echo: Echo,
) -> int:
    """Compare stored scores with those of the installed scorer; write nothing (ENV-011).

    Returns 1 if a case changed while the scoring version did not, 2 if a run
    was refused, else 0.

    Raises:
        BenchbedError: a run is not found, or an option says what to compare with.
    """
    if options.says_how_to_judge:
        raise UsageProblem(
            "--diff compares a run with itself: leave out --baseline, --control, --target, --gate "
            "and --rule."
        )
    places = _Places(config, registries, options)
    code = 0
    for text in texts:
        for run in places.saved.all_typed(text):
            try:
                bench = places.bench(run.record, options.dataset)
                _check_revision(run.record, bench.dataset, options)
                rescored = rescore(run, bench.scorer(run.record), bench.at)
                _check_whole(rescored)
            except BenchbedError as error:
                echo(f"benchbed: score REFUSED: {run.id}: {error}")
                code = REFUSED
                continue
            lines, is_silent = difference_lines(run, rescored)
            for line in lines:
                echo(line)
            if is_silent:
                code = code or 1
    return code


def open_bench(
    config: pytest.Config, registries: Registries, benchmark: str, root: Path, runs_folder: Path
) -> Bench:
    """Open the dataset at ``root`` for work on saved runs, verified against its digests.

    Raises:
        UsageProblem: the type is not registered, or its settings fit no answer.
        DatasetError: cases or answers are not those that were pinned.
    """
    dataset = Dataset.open(root)
    answers = Answers.open(root)
    verify_digests(dataset, answers)
    kind = _installed(registries.benchmarks, benchmark)
    check_settings(kind, answers.all_known(), registries.bench_files.get(benchmark))
    return make_bench(config, registries, benchmark, dataset, answers, runs_folder)


def make_bench(
    config: pytest.Config,
    registries: Registries,
    benchmark: str,
    dataset: Dataset,
    answers: Answers,
    runs_folder: Path,
) -> Bench:
    """Put together what work on saved runs needs (raises as :func:`open_bench`)."""
    bench_file = registries.bench_files.get(benchmark)
    return Bench(
        benchmark=_installed(registries.benchmarks, benchmark),
        dataset=dataset,
        answers=answers,
        folder=bench_file.parent if bench_file else None,
        runs_dir=runs_folder,
        base=config.invocation_params.dir,
        at=now(),
        hide_texts=hides_texts(config, dataset.visibility),
        max_unjudged=max_unjudged(config),
        stale_days=stale_days(config),
    )


def _installed(benchmarks: BenchmarkRegistry, name: str) -> Benchmark:
    if name not in benchmarks.names():
        raise UsageProblem(unknown_name("benchmark", name, benchmarks.names(), _LIST))
    return benchmarks.get(name)


class _Places:
    """Where datasets and saved runs are looked up."""

    def __init__(
        self, config: pytest.Config, registries: Registries, options: ScoreOptions
    ) -> None:
        self.config = config
        self.registries = registries
        self.base = config.invocation_params.dir
        folder = options.runs_dir.resolve() if options.runs_dir else runs_dir(config)
        self.saved = SavedRuns(folder, self.base, registries.bench_files)

    def bench(self, record: RunRecord, text: str | None) -> Bench:
        datasets: DatasetRegistry = self.registries.datasets
        name = text or record.dataset.id
        found = datasets.find(name)
        root = found.root if found else None
        if root is None and text and (self.base / text).is_dir():
            # Another revision has the id of the registered one, so it is not registered.
            root = self.base / text
        if root is None:
            known = [entry.id for entry in datasets.for_benchmark(record.benchmark.id)]
            raise UsageProblem(
                unknown_name("dataset", name, known, _LIST)
                + "\nName the folder of another revision with --dataset=PATH."
            )
        folder = self.saved.runs_dir
        return open_bench(self.config, self.registries, record.benchmark.id, root, folder)


def _score(places: _Places, run: Run, options: ScoreOptions) -> tuple[list[str], int]:
    """Score a run again; return what to print, and the exit code."""
    record = run.record
    bench = places.bench(record, options.dataset)
    _check_revision(record, bench.dataset, options)
    try:
        baseline, controls = places.saved.compared(record, options.baseline, options.controls)
    except NotAtHand:
        if options.says_how_to_judge or not places.saved.is_promoted(run):
            raise
        return _score_alone(places, bench, run, may_grow=options.grown)
    choice = Choice(
        baseline=baseline,
        controls=controls,
        targets=options.targets,
        profile=options.profile,
        rule=options.rule,
        may_grow=options.grown,
    )
    offline = score_run(bench, run, choice)
    gate = offline.judged.gate
    return [*report_lines(run, offline, places.base), last_line(gate)], gate_exit_code(gate.status)


def _score_alone(
    places: _Places, bench: Bench, run: Run, *, may_grow: bool
) -> tuple[list[str], int]:
    """Score a promoted run again whose own baseline is gone; the verdict on record stands.

    A clone has the snapshots of what is promoted now, and not those of before.
    Nothing was compared, so the exit code is not that of a pass.
    """
    rescored = take_over(bench, run, may_grow=may_grow)
    is_written = write_taken_over(bench, rescored)
    return [
        *what_changed("run", rescored),
        written_line(rescored.run, places.base, is_written=is_written),
        recorded_verdict(rescored.record),
    ], gate_exit_code("baseline required")


def _check_revision(record: RunRecord, dataset: Dataset, options: ScoreOptions) -> None:
    """A run follows to another revision only if that is asked for."""
    if record.dataset.identity == dataset.identity or options.dataset or options.grown:
        return
    raise RunRefused(
        f"run {record.id!r} was made on version {term(record.dataset.version, 40)} of "
        f"{record.dataset.id}, the present one is {term(dataset.version, 40)}.\n"
        f"Take it over with: benchbed score {record.id} --dataset={dataset.id}"
    )


def _check_whole(rescored: Rescored) -> None:
    """Refuse to call a run unchanged of which something could not be compared."""
    run, missing = rescored.run, rescored.unanswered
    if missing:
        raise RunRefused(
            f"{run.paths.calls}: has no reply of {count(len(missing), 'case')} {names(missing)}, "
            "so the scorer was not compared.\nRestore the run's folder."
        )
    if not rescored.is_sound:
        run.facts()  # which says what is wrong with its rows
