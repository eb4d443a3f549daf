"""One benchmark of this session, with everything known before the first call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.isolation import LEVEL
from pytest_benchbed.adapters.isolation import OFF
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.compare.coverage import grown_cases
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import CaseEntry
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.registry import RegisteredDataset
from pytest_benchbed.data.select import Selection
from pytest_benchbed.edge.integrity import dataset_digests
from pytest_benchbed.edge.integrity import run_digests
from pytest_benchbed.edge.settings import Settings
from pytest_benchbed.evaluate.case import Scorer
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.runs.read import Run


@dataclass(frozen=True)
class Plan:
    """What is to be run, against what it is compared, and where it is written."""

    benchmark: Benchmark
    dataset: Dataset
    registered: RegisteredDataset
    spec: AdapterSpec
    settings: Settings
    bench: BenchFile
    bench_path: Path | None
    selection: Selection
    profile: str
    """The profile whose gate decides."""
    baseline: Run | None
    controls: tuple[Run, ...]
    targets: frozenset[str]
    unpaired: bool
    run_id: str
    run_dir: Path
    resumed: Run | None
    """The run that ``--bench-resume`` goes on with."""
    reused: Run | None
    """The run that ``--bench-reuse`` takes outcomes over from."""
    notices: tuple[str, ...]
    """Lines for the header: what was assumed."""
    unmatched: tuple[str, ...] = ()
    """Of recorded outputs: which have no case, and which cases have none."""

    @property
    def runs_dir(self) -> Path:
        """The folder with the run; a run of a set lies one folder deeper."""
        return self.run_dir.parents[self.run_id.count("/")]

    @property
    def isolation(self) -> str:
        """Level at which the adapter runs, as it is recorded."""
        return OFF if self.settings.isolation == "off" else LEVEL

    @property
    def name(self) -> str:
        """Id of the benchmark."""
        return self.benchmark.id

    @cached_property
    def entries(self) -> Sequence[CaseEntry]:
        """Every case that is not retired, in file order; items share these objects."""
        return tuple(self.dataset.entries())

    @cached_property
    def scope(self) -> list[str]:
        """Ids of the dataset narrowed by every selection key but ``case``, in file order."""
        matches = self.selection.scope_matches
        return [entry.id for entry in self.entries if matches(entry)]

    def selected(self) -> Sequence[CaseEntry]:
        """Return the entries that ``--bench-select`` leaves, in file order."""
        return [entry for entry in self.entries if self.selection.matches(entry)]

    @cached_property
    def scorer(self) -> Scorer:
        """Scores the outcomes of the cases."""
        return Scorer(self.benchmark, self.dataset, is_batch=self.spec.kind == "executable")

    @property
    def answers(self) -> Answers:
        """The answers; opened in the process that scores, at its first case."""
        return self.scorer.answers

    @cached_property
    def baseline_rows(self) -> dict[str, dict[str, Any]]:
        """Rows of the baseline by case, empty without one."""
        return self.baseline.rows() if self.baseline else {}

    @cached_property
    def grown(self) -> frozenset[str]:
        """Cases that revisions added since the baseline was made."""
        return grown_cases(self.baseline.record) if self.baseline else frozenset()

    def read_compared(self) -> None:
        """Read baseline and controls now: what is judged by is fixed before the first call."""
        self.fixed_files  # noqa: B018 (a cached property is read by naming it)
        self.baseline_rows  # noqa: B018
        self.control_rows  # noqa: B018

    @cached_property
    def fixed_files(self) -> dict[str, dict[Path, str]]:
        """SHA-256 of the files that decide about the run, by the failure that a change is."""
        compared = [self.baseline, *self.controls] if self.baseline else self.controls
        return {
            "tampered_dataset": dataset_digests(self.dataset.root),
            "tampered_run": run_digests(compared),
        }

    @cached_property
    def control_rows(self) -> list[dict[str, dict[str, Any]]]:
        """Rows of each control by case."""
        return [control.rows() for control in self.controls]
