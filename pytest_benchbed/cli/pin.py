"""``benchbed pin PATH``: write the manifest of one dataset and say what changed.

With ``--bump`` the promoted runs of the benchmark follow to the new version:
what they were compared by is corrected, what they were asked is not.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchbed.cli.score import make_bench
from pytest_benchbed.cli.score_lines import what_changed
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.pin import pin
from pytest_benchbed.data.verify import verify_digests
from pytest_benchbed.edge.activation import runs_dir
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.evaluate.offline import Bench
from pytest_benchbed.evaluate.offline import take_over
from pytest_benchbed.evaluate.offline import write_taken_over
from pytest_benchbed.evaluate.rescore import Rescored
from pytest_benchbed.model.dataset import Manifest
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.runs.bench_files import load_bench_file
from pytest_benchbed.runs.promoted import find_promoted
from pytest_benchbed.runs.read import Run

Echo = Callable[[str], None]


@dataclass(frozen=True)
class PinOptions:
    """What was typed; None: as before, or as the folders around say."""

    path: Path
    benchmark: str | None
    dataset_id: str | None
    visibility: str | None
    """``public`` or ``private``."""


def run_pin(
    options: PinOptions,
    echo: Echo,
    *,
    bump: bool = False,
    before_write: Callable[[Manifest], None] | None = None,
    is_told: bool = False,
) -> int:
    """Create or refresh the manifest; return 0, or 1 if faults of the dataset forbid it.

    Args:
        options: the folder, and what its manifest says of it.
        echo: prints a line.
        bump: raise the version.
        before_write: gets the new manifest before it is written.
        is_told: somebody has said already which rows changed.

    Raises:
        UsageProblem: an argument, or a default that the folder gives, is not valid.
    """
    try:
        report = pin(
            options.path,
            bump=bump,
            benchmark=options.benchmark,
            id=options.dataset_id,
            visibility=options.visibility,
            before_write=before_write,
        )
    except DatasetError as error:
        echo(str(error))
        echo(f"not pinned: nothing was written to {options.path}")
        return 1
    for line in report.lines(has_changes=not is_told):
        echo(line)
    return 0


def run_bump(
    config: pytest.Config,
    registries: Registries,
    options: PinOptions,
    echo: Echo,
    *,
    is_told: bool = False,
) -> int:
    """Raise the version, and take the promoted runs over to it; return as :func:`run_pin`.

    Everything is scored before the manifest is written. A promoted run that
    cannot follow stays as it is and is named: it is foreign to the new version.

    Raises:
        UsageProblem: an argument, or a default that the folder gives, is not valid.
        RunError: a run cannot be written.
    """
    work = _Follow(config, registries, options.path)
    code = run_pin(options, echo, bump=True, before_write=work.prepare, is_told=is_told)
    if code == 0:
        for line in work.write():
            echo(line)
    return code


def follow(config: pytest.Config, registries: Registries, root: Path) -> Iterator[str]:
    """Take the promoted runs over to the version that a dataset has, and yield what is said.

    Raises:
        DatasetError: the manifest cannot be read.
        RunError: a run cannot be written.
    """
    work = _Follow(config, registries, root)
    work.prepare(Dataset.open(root).manifest)
    yield from work.write()


class _Follow:
    """The promoted runs of one dataset, on their way to its new version."""

    def __init__(self, config: pytest.Config, registries: Registries, root: Path) -> None:
        self._config = config
        self._registries = registries
        self._root = root
        self._bench: Bench | None = None
        self._rescored: list[Rescored] = []
        self._problems: list[str] = []

    def prepare(self, manifest: Manifest) -> None:
        """Score the promoted runs again under the version that is about to be written."""
        file = self._registries.bench_files.get(manifest.benchmark)
        if file is None:
            return
        entries = load_bench_file(file).adapters.values()
        promoted = [
            run for entry in entries for run in (entry.baseline, *entry.controls) if run is not None
        ]
        for run_id in dict.fromkeys(promoted):
            try:
                self._prepare(manifest, run_id)
            except BenchbedError as error:
                self._problems.append(f"not taken over: {error}")

    def _prepare(self, manifest: Manifest, run_id: str) -> None:
        config, folder = self._config, runs_dir(self._config)
        benchmark = manifest.benchmark
        bench_folder = self._registries.bench_files[benchmark].parent
        run: Run = find_promoted(run_id, bench_folder, folder, config.invocation_params.dir)
        if run.record.dataset.id != manifest.id:
            return
        if self._bench is None:
            dataset, answers = Dataset.open(self._root, manifest), Answers.open(self._root)
            verify_digests(dataset, answers)
            self._bench = make_bench(config, self._registries, benchmark, dataset, answers, folder)
        self._rescored.append(take_over(self._bench, run))

    def write(self) -> Iterator[str]:
        """Write the runs, and say what became of each."""
        for rescored in self._rescored:
            assert self._bench is not None, "a run was scored with it"
            try:
                write_taken_over(self._bench, rescored)
            except BenchbedError as error:
                run_id, dataset = rescored.run.id, rescored.record.dataset.id
                self._problems += [
                    f"not taken over: run {run_id!r}: {error}",
                    f"  then: benchbed score {run_id} --dataset={dataset}",
                ]
                continue
            yield from what_changed("promoted run", rescored)
        yield from self._problems
