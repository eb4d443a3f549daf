"""From rows to a verdict: every profile's gate, ``metrics.json`` and the review brief.

A live run comes here with what its items recorded, an offline one with the
rows made again of its replies; what is decided and written is the same.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from typing import NamedTuple

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.compare.buckets import bucket
from pytest_benchbed.compare.deltas import deltas
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import STALE_DAYS
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.gate import with_holm
from pytest_benchbed.compare.thresholds import with_thresholds
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.evaluate.noise import Remembered
from pytest_benchbed.evaluate.noise import remember
from pytest_benchbed.evaluate.summing import Pooled
from pytest_benchbed.evaluate.summing import broken_summary
from pytest_benchbed.evaluate.summing import is_summed
from pytest_benchbed.model.deltas import Deltas
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import GateSummary
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.runs.brief import build_brief
from pytest_benchbed.runs.metrics import build_metrics

Row = dict[str, Any]


@dataclass(frozen=True)
class Judging:
    """By what a run is judged: type, rule, targets and the runs of the old code."""

    benchmark: Benchmark
    profile: str
    """The profile whose gate decides."""
    rule: str
    rule_source: str
    targets: Collection[str]
    baseline: RunFacts | None
    controls: Sequence[RunFacts]
    max_unjudged: Fraction | None = None
    stale_days: int = STALE_DAYS
    """Age of the newest run of the old code that is worth a warning."""
    runs_dir: Path | None = None
    """Where the noise ledger of the baseline lies; None: there is none."""
    at: str = ""
    """The present time, for the ledger."""

    def changes(self, candidate: RunFacts) -> Deltas | None:
        """Return latency and cost against the baseline; None without one."""
        return deltas(candidate, self.baseline) if self.baseline else None

    def gates(self, candidate: RunFacts, changes: Deltas | None) -> dict[str, GateResult]:
        """Return the verdict of every profile, limits included; ``changes`` as above.

        Raises as :func:`~compare.gate.decide`.
        """
        gates = {
            profile: decide(
                candidate,
                self.baseline,
                self.controls,
                profile=profile,
                decides=profile == self.profile,
                rule=self.rule,
                rule_source=self.rule_source,
                targets=self.targets,
                judge=self.benchmark,
                max_unjudged=self.max_unjudged,
                stale_days=self.stale_days,
            )
            for profile in self.benchmark.profiles
        }
        decisive = with_thresholds(
            gates[self.profile], candidate.record.thresholds, candidate, self.baseline, changes
        )
        return with_holm({**gates, self.profile: decisive})


class Judged(NamedTuple):
    """What the rows of a run came to."""

    record: RunRecord
    """With the verdict, and with what the type did wrong while it summed up."""
    gate: GateResult
    """Of the profile that decides."""
    metrics: dict[str, Any]
    """Content of ``metrics.json``."""
    brief: dict[str, Any]
    """Content of ``review-brief.json``."""
    with_something_to_see: list[str]
    """Cases that changed or have an error: the page shows their pictures."""
    remembered: Remembered
    """The noise ledger of the baseline; whoever writes the run writes it last."""
    gates: Mapping[str, GateResult]
    """Of each profile."""


def judge(judging: Judging, record: RunRecord, rows: Mapping[str, Row], dataset: Dataset) -> Judged:
    """Decide every profile and sum up.

    Args:
        judging: by what the run is judged.
        record: the run; its status is that which it ends with.
        rows: its rows by case, in order of the ids.
        dataset: what was asked, for types whose cases are of several units.
    """
    benchmark, listed = judging.benchmark, list(rows.values())
    broken = broken_summary(benchmark, listed)
    units: dict[str, str] = {}
    try:
        units = _units(benchmark, dataset, rows)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        broken = broken or TechnicalRecord(
            case=None,
            whose="scorer",
            kind="unit",
            detail=term(f"unit raised {type(error).__name__}: {error}"),
        )
    technical = [one for one in record.technical if not is_summed(one)]
    if broken is not None:
        technical.append(broken)
    groups = {row["group"] for row in listed if "group" in row}
    counts = record.counts.model_copy(update={"groups": len(groups) or None})
    record = record.model_copy(update={"technical": technical, "counts": counts})
    candidate = RunFacts(record=record, rows=rows)
    changes = judging.changes(candidate)
    gates = judging.gates(candidate, changes)
    decisive = gates[judging.profile]
    summary = GateSummary(
        status=decisive.status,
        reason=decisive.reason,
        profile=judging.profile,
        rule=decisive.rule,
        rule_source=decisive.rule_source,
        justification=decisive.justification,
    )
    record = record.model_copy(update={"gate": summary})
    baseline_rows = judging.baseline.rows if judging.baseline else {}
    metrics = build_metrics(
        record,
        listed,
        benchmark if broken is None else Pooled(benchmark.profiles),
        gates,
        baseline_rows or None,
        # Only measures that decide by value are compared with them; their rows are on disk.
        controls=[control.rows for control in judging.controls] if benchmark.tolerance else (),
        units=units or None,
        deltas=changes,
    )
    wobbled = {one.case for one in decisive.suspects if one.outcome == "wobbled"}
    buckets = {
        case: bucket(
            row,
            baseline_rows.get(case),
            [control.rows[case] for control in judging.controls if case in control.rows],
            profile=judging.profile,
            judge=benchmark,
            is_wobbled=case in wobbled,
        )
        for case, row in rows.items()
    }
    remembered = remember(
        record, gates, profile=judging.profile, runs_dir=judging.runs_dir, at=judging.at
    )
    brief = build_brief(
        record,
        listed,
        baseline_rows if judging.baseline else None,
        buckets,
        profile=judging.profile,
        status=decisive.status,
        strikes=remembered.strikes,
    )
    shown = [
        case
        for case, row in rows.items()
        if buckets[case] != "unchanged" or any(row["errors"].values())
    ]
    return Judged(record, decisive, metrics, brief, shown, remembered, gates)


def judge_alone(
    benchmark: Benchmark,
    record: RunRecord,
    rows: Mapping[str, Row],
    dataset: Dataset,
    metrics: Mapping[str, Any],
) -> Judged:
    """Sum up a run whose rows were made again, for the sake of those compared with it.

    Its own verdict stands as it was given: the run it was compared with then
    may not be at hand. A run without a baseline is judged anew.

    Args:
        benchmark: the type.
        record: the run.
        rows: its rows by case, in order of the ids.
        dataset: what was asked.
        metrics: its former ``metrics.json``, with the verdict of each profile.
    """
    profile = record.gate.profile if record.gate else benchmark.profiles[0]
    judging = Judging(
        benchmark=benchmark,
        profile=profile,
        rule="auto",
        rule_source="auto",
        targets=(),
        baseline=None,
        controls=(),
    )
    judged = judge(judging, record.model_copy(update={"baseline": None}), rows, dataset)
    if record.baseline is None:
        return judged
    for name, entry in judged.metrics["profiles"].items():
        entry["gate"] = metrics.get("profiles", {}).get(name, {}).get("gate")
    judged.metrics["deltas"] = metrics.get("deltas")
    kept = judged.record.model_copy(update={"baseline": record.baseline, "gate": record.gate})
    return judged._replace(record=kept)


def _units(benchmark: Benchmark, dataset: Dataset, cases: Iterable[str]) -> dict[str, str]:
    """Return the unit of each case; empty: all are of one, and no case is read to say so."""
    if type(benchmark).unit is Benchmark.unit:
        return {}
    return {case: benchmark.unit(dataset.case(case)) for case in cases}
