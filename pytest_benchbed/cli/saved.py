"""Where the commands that decide look for saved runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.edge.baselines import promoted_run
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs.bench_files import load_bench_file
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.find import not_at_hand
from pytest_benchbed.runs.layout import SNAPSHOTS
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

    def recorded(self, role: str, run_id: str, benchmark: str) -> Run:
        """Open a run that a record names; one that is promoted is taken from its snapshot."""
        path = self.bench_files.get(benchmark)
        if path is not None:
            for adapter, entry in load_bench_file(path).adapters.items():
                if run_id in (entry.baseline, *entry.controls):
                    return promoted_run(
                        role, run_id, adapter, path, self.runs_dir, self.invocation_dir
                    )
        try:
            return self.typed(run_id)
        except UsageProblem as error:
            raise not_at_hand(error) from None


def judge_of(benchmarks: BenchmarkRegistry, name: str) -> Judge:
    """Return the type of a run; of one that is not installed errors decide."""
    return benchmarks.get(name) if name in benchmarks.names() else ErrorsDecide()
