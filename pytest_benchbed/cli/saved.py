"""Where the commands look for saved runs."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.edge.baselines import promoted_run
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.find import find_runs
from pytest_benchbed.runs.find import not_at_hand
from pytest_benchbed.runs.layout import SNAPSHOTS
from pytest_benchbed.runs.promoted import find_promoted
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.snapshot import kept_snapshot


@dataclass(frozen=True)
class SavedRuns:
    """Where saved runs are looked for."""

    runs_dir: Path
    invocation_dir: Path
    bench_files: Mapping[str, Path]

    @property
    def snapshots(self) -> list[Path]:
        """Folders of the snapshots beside bench files."""
        return [path.parent / SNAPSHOTS for path in self.bench_files.values()]

    def is_promoted(self, run: Run) -> bool:
        """Say whether the run is kept beside its bench file."""
        path = self.bench_files.get(run.record.benchmark.id)
        return path is not None and kept_snapshot(path.parent, run.id) is not None

    def typed(self, text: str) -> Run:
        """Open the run that was named on the command line."""
        return find_run(text, self.runs_dir, self.invocation_dir, self.snapshots)

    def all_typed(self, text: str) -> list[Run]:
        """Open the run, or the runs of a set, that was named; a clone has the snapshots alone."""
        return find_runs(text, self.runs_dir, self.invocation_dir, self.snapshots)

    def compared(
        self, record: RunRecord, baseline: str | None, controls: Sequence[str]
    ) -> tuple[Run | None, list[Run]]:
        """Open the baseline and controls of a run: as was typed, else as its record says.

        A typed baseline has only the controls that were typed with it.

        Raises:
            UsageProblem: a typed one is not found, or has no name.
            NotAtHand: one of the record is nowhere.
        """
        if baseline == "" or "" in controls:
            raise UsageProblem(
                "--baseline and --control name a run: give a run directory or an id."
            )
        benchmark, named = record.benchmark.id, record.baseline
        found = None
        if baseline is not None:
            found = self.typed(baseline)
        elif named is not None:
            found = self.recorded(named.id, benchmark)
        if baseline is not None or controls:
            return found, [self.typed(text) for text in controls]
        return found, [self.recorded(one.id, benchmark) for one in record.controls]

    def recorded(self, run_id: str, benchmark: str) -> Run:
        """Open a run that a record names; its snapshot goes first.

        Raises:
            NotAtHand: it is nowhere.
        """
        path = self.bench_files.get(benchmark)
        folder = None if path is None else path.parent
        try:
            return find_promoted(run_id, folder, self.runs_dir, self.invocation_dir)
        except UsageProblem as error:
            raise not_at_hand(error) from None

    def promoted(self, role: str, run_id: str, adapter: str, benchmark: str) -> Run:
        """Open a run that the bench file names as what it is of an adapter."""
        path = self.bench_files[benchmark]
        return promoted_run(role, run_id, adapter, path, self.runs_dir, self.invocation_dir)


def judge_of(benchmarks: BenchmarkRegistry, name: str) -> Judge:
    """Return the type of a run; of one that is not installed errors decide."""
    return benchmarks.get(name) if name in benchmarks.names() else ErrorsDecide()
