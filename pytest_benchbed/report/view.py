"""Everything a reader sees of one run, computed once from the written run.

The page, the summary and the terminal lines all read this one view, so they
cannot disagree. It opens the files of one run directory and nothing else: the
same files give the same report on every machine. Only the words of the
benchmark type (:class:`TypeWords`) and how the run is named come from outside.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any
from typing import Protocol

from pytest_benchbed.compare.noise_ledger import Strike
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.deltas import Deltas
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.gate import Suspect
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.cases import BUCKETS
from pytest_benchbed.report.cases import CaseDetail
from pytest_benchbed.report.cases import CaseLine
from pytest_benchbed.report.cases import Change
from pytest_benchbed.report.cases import Details
from pytest_benchbed.report.cases import changes
from pytest_benchbed.report.cases import read_lines
from pytest_benchbed.report.deltas import read_deltas
from pytest_benchbed.report.deltas import shown_deltas
from pytest_benchbed.report.facts import headline_sentence
from pytest_benchbed.report.measures import Measure
from pytest_benchbed.report.measures import ProfileView
from pytest_benchbed.report.measures import measures
from pytest_benchbed.report.measures import profile_views
from pytest_benchbed.report.requests import Requests
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lines import read_document
from pytest_benchbed.runs.read import Run


class Described(Protocol):
    """What is taken from a benchmark type: words only."""

    label: str
    viewer: str
    explain: Mapping[str, str]
    lower_is_better: Collection[str]


@dataclass(frozen=True, slots=True)
class TypeWords:
    """How a benchmark type is called and shown. Without a type the ids speak."""

    label: str = ""
    viewer: str = ""
    """``table-grid``, ``json``, or empty: by the shape of the data."""
    explain: Mapping[str, str] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    is_known: bool = False
    """Whether the direction of the metrics is known."""

    @classmethod
    def of(cls, benchmark: Described) -> TypeWords:
        """Take the words of a benchmark type."""
        return cls(
            label=benchmark.label,
            viewer=benchmark.viewer,
            explain=dict(benchmark.explain),
            lower_is_better=frozenset(benchmark.lower_is_better),
            is_known=True,
        )


@dataclass(frozen=True, slots=True)
class Group:
    """The cases of one category in one bucket."""

    category: str
    lines: list[CaseLine]


@dataclass(frozen=True)
class RunView:
    """One run as it is shown."""

    paths: RunPaths
    record: RunRecord
    words: TypeWords
    shown: str
    """How the run is named in commands: a path as the user would type it, or its id."""
    base: Path | None
    """Folder where commands are pasted, if known."""
    baseline: RunRecord | None
    """Record of the baseline, where it is at hand: only for commands that repeat it."""
    gates: Mapping[str, GateResult]
    """Per profile; a profile without a gate is left out."""
    metrics: Mapping[str, Any]
    deltas: Deltas | None
    """Latency and cost against the baseline; None where there is nothing to show."""
    strikes: tuple[Strike, ...]
    """Cases that wobbled in several runs against this baseline: look at them."""
    lines: tuple[CaseLine, ...]
    """Every case, holes included, in order of their ids."""

    @classmethod
    def load(
        cls,
        run_dir: Path,
        *,
        words: TypeWords | None = None,
        base: Path | None = None,
        baseline: RunRecord | None = None,
    ) -> RunView:
        """Read a run directory. Files that an unfinished run lacks count as empty.

        Args:
            run_dir: the run.
            words: of the benchmark type; without them its ids are shown.
            base: folder where commands will be pasted; a run below it is named
                by its relative path, any other by its id.
            baseline: record of the baseline, for the command that repeats it.

        Raises:
            RunError: no run, or a file of it is damaged; the text names it.
        """
        paths = RunPaths(run_dir)
        record = Run.open(run_dir).record
        metrics = read_document(paths.metrics) if paths.metrics.exists() else {}
        brief = read_document(paths.review_brief) if paths.review_brief.exists() else {}
        try:
            gates = dict(_gates(metrics))
            profile = _profile(record, gates)
            deltas = read_deltas(metrics)
            strikes = tuple(Strike(**one) for one in brief.get("strikes", ()))
            lines = [*read_lines(paths.results, changes(brief), profile), *_holes(record)]
        except ShapeError as error:
            raise RunError(
                f"{paths.metrics}: a gate or its deltas cannot be read: {error}. Restore the file, "
                "or make the run again with this version."
            ) from None
        except (KeyError, TypeError, AttributeError) as error:
            raise RunError(
                f"{run_dir}: metrics.json, results.jsonl or review-brief.json is damaged "
                f"({type(error).__name__}). Restore the files, or make the run again."
            ) from error
        return cls(
            paths=paths,
            record=record,
            words=words or TypeWords(),
            shown=_shown(run_dir, base) or record.id,
            base=base,
            baseline=baseline,
            gates=gates,
            metrics=metrics,
            deltas=shown_deltas(gates.get(profile), deltas),
            strikes=strikes,
            lines=tuple(sorted(lines, key=attrgetter("id"))),
        )

    @property
    def profile(self) -> str:
        """The profile whose gate decides."""
        return _profile(self.record, self.gates)

    @property
    def gate(self) -> GateResult | None:
        """The verdict that decides; None for a run that has none yet."""
        return self.gates.get(self.profile)

    @property
    def status(self) -> str:
        """Status of the verdict; a run without one is ``incomplete``."""
        if self.record.gate is not None:
            return self.record.gate.status
        return self.gate.status if self.gate is not None else "incomplete"

    @property
    def reason(self) -> str:
        """Why, in the words of the gate."""
        if self.record.gate is not None:
            return self.record.gate.reason
        return self.gate.reason if self.gate is not None else "the run is not finished"

    @property
    def label(self) -> str:
        """What the benchmark is called."""
        return self.words.label or self.record.benchmark.id

    @property
    def has_numbers(self) -> bool:
        """False when the run is blocked: then no headline and no summary is shown (ENV-051)."""
        return self.status != "blocked"

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of cases per bucket, empty buckets included."""
        return {bucket: len(lines) for bucket, lines in self._by_bucket.items()}

    @cached_property
    def _by_bucket(self) -> dict[str, list[CaseLine]]:
        found: dict[str, list[CaseLine]] = {bucket: [] for bucket in BUCKETS}
        for line in self.lines:
            found[line.bucket].append(line)
        return found

    def bucket_name(self, bucket: str) -> str:
        """Return what a bucket is called; without a baseline nothing ``remains``."""
        if self.record.baseline is not None:
            return bucket
        return {"remaining": "with errors", "unchanged": "without an error"}.get(bucket, bucket)

    @property
    def shown_buckets(self) -> list[str]:
        """The buckets worth a word: those with cases, and of a comparison the main ones."""
        always = {"remaining", "unchanged"}
        if self.record.baseline is not None:
            always |= {"worse", "better", "noisy"}
        return [name for name in BUCKETS if self.counts[name] or name in always]

    @property
    def sentence(self) -> str:
        """The verdict in one plain sentence."""
        return headline_sentence(self.record, self.gate, self.counts, self.status)

    @cached_property
    def measures(self) -> list[Measure]:
        """The headline measures with their change; none when blocked."""
        return measures(self.metrics, self.words) if self.has_numbers else []

    @cached_property
    def profiles(self) -> list[ProfileView]:
        """Every profile with its verdict, and its measures unless blocked."""
        return profile_views(self.record, self.metrics, self.gates, self.has_numbers)

    @cached_property
    def suspects(self) -> dict[str, Suspect]:
        """The suspects of the verdict that decides, by case."""
        return {one.case: one for one in self.gate.suspects} if self.gate is not None else {}

    def groups(self, bucket: str) -> Iterator[Group]:
        """Yield the cases of a bucket by category; cases without one come last."""
        # In order of their ids already, which sorting keeps.
        chosen = sorted(
            self._by_bucket[bucket], key=lambda line: (not line.category, line.category)
        )
        for category, lines in groupby(chosen, key=lambda line: line.category):
            yield Group(category, list(lines))

    def in_bucket(self, bucket: str) -> list[CaseLine]:
        """Return the cases of a bucket in order of their ids."""
        return self._by_bucket[bucket]

    @cached_property
    def details(self) -> Details:
        """Rows, answers and predictions of single cases."""
        return Details(self.paths.results, self.paths.comparison)

    @cached_property
    def requests(self) -> Requests:
        """What the system was shown of single cases."""
        return Requests(self.paths.request)

    def detail(self, line: CaseLine) -> CaseDetail:
        """Return all that is recorded about one case."""
        return self.details.read(line)


def _shown(run_dir: Path, base: Path | None) -> str:
    path, folder = run_dir.resolve(), base.resolve() if base is not None else None
    if folder is None or not path.is_relative_to(folder):
        return ""
    return path.relative_to(folder).as_posix()


def _gates(metrics: Mapping[str, Any]) -> Iterator[tuple[str, GateResult]]:
    for name, profile in metrics.get("profiles", {}).items():
        row = dict(profile.get("gate") or {})
        if row:
            # ``lambda`` is a word of Python, see GateResult.to_json.
            row["lambda_"] = row.pop("lambda", None)
            yield name, GateResult.from_json(row)


def _profile(record: RunRecord, gates: Mapping[str, GateResult]) -> str:
    if record.gate is not None:
        return record.gate.profile
    deciding = [name for name, gate in gates.items() if gate.decides]
    return deciding[0] if deciding else record.benchmark.profiles[0]


def _holes(record: RunRecord) -> Iterable[CaseLine]:
    for hole in record.holes:
        yield CaseLine(
            id=hole.case,
            category="",
            change=Change("no result"),
            state="no result",
            reason=hole.reason,
            latency_s=None,
            cost_usd=None,
            other_errors=0,
            row_at=-1,
        )
