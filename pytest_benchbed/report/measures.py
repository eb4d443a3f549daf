"""Measures of a run as a reader sees them, with their change from the baseline."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from typing import Protocol

from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.numbers import change
from pytest_benchbed.report.numbers import is_pair
from pytest_benchbed.report.numbers import measure
from pytest_benchbed.report.numbers import out_of


class Words(Protocol):
    """What a measure needs to know of its type."""

    @property
    def explain(self) -> Mapping[str, str]:
        """Metric to one line."""

    @property
    def lower_is_better(self) -> Collection[str]:
        """Metrics of which less is better."""

    @property
    def is_known(self) -> bool:
        """Whether ``lower_is_better`` is known."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One headline measure."""

    profile: str
    metric: str
    value: str
    counts: str
    """``144 of 150``, or empty."""
    baseline: str
    """The baseline's value, or empty."""
    difference: float | None
    limits: Sequence[float] | None
    """Of the change, at 95 %; None: not known."""
    repeats: str
    """Mean and range over the repeats of a run that has some, or empty."""
    relabelling_p: float | None
    """Of a measure that decides by its value; None: of another."""
    is_share: bool
    direction: str
    """``better``, ``worse``, ``same``, or empty: not known."""
    explanation: str

    @property
    def name(self) -> str:
        """The metric in plain letters."""
        return self.metric.replace("_", " ")

    def change(self, minus: str = "-") -> str:
        """Return the change from the baseline, or nothing."""
        return change(self.difference, is_share=self.is_share, minus=minus)

    def between(self, minus: str = "-") -> str:
        """Return where the change lies at 95 %, or nothing."""
        if self.limits is None or not self.difference:
            return ""
        low, high = (change(one, is_share=self.is_share, minus=minus) for one in self.limits)
        return f"95 %: {low.removesuffix(' points')} to {high}"

    def by_chance(self, minus: str = "-") -> str:
        """Return how often the same system comes out as badly; nothing of a measure with errors."""
        if self.relabelling_p is None:
            return ""
        moved = self.change(minus) or "the same"
        return f"{self.name} {moved}, relabelling test p {self.relabelling_p:.2g}"


def measures(metrics: Mapping[str, Any], words: Words) -> list[Measure]:
    """Return the headline measures of ``metrics.json`` in their order."""
    return [_measure(row, metrics, words) for row in metrics.get("headline", ())]


def _measure(row: Mapping[str, Any], metrics: Mapping[str, Any], words: Words) -> Measure:
    metric, profile = row["metric"], row["profile"]
    whole = metrics.get("profiles", {}).get(profile, {})
    counts = whole.get("summary", {}).get(metric, {}).get("counts")
    is_share = is_pair(counts)
    baseline = row["baseline"]
    return Measure(
        profile=profile,
        metric=metric,
        value=measure(row["value"], counts),
        counts=out_of(counts),
        # The baseline's counts are not kept: its ratio is shown to the same precision.
        baseline="" if baseline is None else _as(baseline, is_share=is_share),
        difference=row["change"],
        limits=row.get("change_interval"),
        repeats=_over_repeats(whole.get("repeats", {}).get(metric), is_share=is_share),
        relabelling_p=row.get("relabelling_p"),
        is_share=is_share,
        direction=_direction(metric, row["change"], words),
        explanation=words.explain.get(metric, ""),
    )


def _over_repeats(spread: Mapping[str, float | None] | None, *, is_share: bool) -> str:
    known = [] if spread is None else [spread["mean"], spread["min"], spread["max"]]
    shown = [_as(value, is_share=is_share) for value in known if value is not None]
    if len(shown) < 3:
        return ""
    mean, low, high = shown
    return f"over the repeats {mean}, from {low} to {high}"


def _as(value: float, *, is_share: bool) -> str:
    if not is_share:
        return measure(value)
    return measure(value, [round(value * 10**6), 10**6])


def _direction(metric: str, difference: float | None, words: Words) -> str:
    if difference is None:
        return ""
    if difference == 0:
        return "same"
    if not words.is_known:
        return ""
    is_up_good = metric not in words.lower_is_better
    return "better" if (difference > 0) == is_up_good else "worse"


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric over all cases, and per category."""

    metric: str
    value: str
    counts: str
    by_category: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ProfileView:
    """One profile with its verdict and measures."""

    name: str
    decides: bool
    gate: GateResult | None
    summaries: tuple[Summary, ...]
    categories: tuple[str, ...]
    scored: int
    technical: int
    skipped: int


def profile_views(
    record: RunRecord,
    metrics: Mapping[str, Any],
    gates: Mapping[str, GateResult],
    has_numbers: bool,
) -> list[ProfileView]:
    """Return the profiles in the type's order; without numbers only their verdicts."""
    views = []
    known = metrics.get("profiles", {})
    headline = {
        (row["profile"], row["metric"]): number
        for number, row in enumerate(metrics.get("headline", ()))
    }
    for name in record.benchmark.profiles:
        profile = known.get(name, {})
        categories = profile.get("by_category", {})
        summaries = profile.get("summary", {}) if has_numbers else {}
        names = sorted(summaries, key=lambda metric: (headline.get((name, metric), 99), metric))
        gate = gates.get(name)
        counted = profile.get("n", {})
        views.append(
            ProfileView(
                name=name,
                decides=gate.decides if gate else False,
                gate=gate,
                summaries=tuple(
                    Summary(
                        metric,
                        measure(summary["value"], summary["counts"]),
                        out_of(summary["counts"]),
                        {
                            category: _cell(rows.get(metric))
                            for category, rows in categories.items()
                        },
                    )
                    for metric, summary in ((metric, summaries[metric]) for metric in names)
                ),
                categories=tuple(sorted(categories)),
                scored=counted.get("scored", 0),
                technical=counted.get("technical", 0),
                skipped=counted.get("skipped", 0),
            )
        )
    return views


def _cell(summary: Mapping[str, Any] | None) -> str:
    return measure(summary["value"], summary["counts"]) if summary else measure(None)
