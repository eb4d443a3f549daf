"""The parts of the page that are not cases, as plain values for the template."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.report.command import case_command
from pytest_benchbed.report.command import typed_command
from pytest_benchbed.report.deltas import delta_facts
from pytest_benchbed.report.deltas import delta_warnings
from pytest_benchbed.report.facts import TITLES
from pytest_benchbed.report.facts import Fact
from pytest_benchbed.report.facts import chance_facts
from pytest_benchbed.report.facts import facts
from pytest_benchbed.report.facts import limits
from pytest_benchbed.report.measures import Measure
from pytest_benchbed.report.measures import ProfileView
from pytest_benchbed.report.next_steps import Step
from pytest_benchbed.report.next_steps import next_steps
from pytest_benchbed.report.numbers import count
from pytest_benchbed.report.numbers import money
from pytest_benchbed.report.numbers import seconds
from pytest_benchbed.report.provenance import how_it_was_run
from pytest_benchbed.report.provenance import identity
from pytest_benchbed.report.view import RunView

GLYPHS: Final = {
    "worse": "▼",
    "better": "▲",
    "noisy": "≈",
    "remaining": "●",
    "technical": "✕",
    "skipped": "\N{EN DASH}",
    "no result": "?",
    "unchanged": "=",
}
"""A sign per bucket, so that colour is never the only one."""
STATUS_GLYPHS: Final = {
    "passed": "✓",
    "failed": "✕",
    "blocked": "■",
    "baseline required": "○",
    "incomplete": "…",
    "unavailable": "\N{EN DASH}",
}
MAX_TECHNICAL: Final = 200
"""Technical failures written out; the cases themselves are all listed."""

_MEANINGS = {
    "worse": "A new error on a case that the same code answers alike every time.",
    "better": "Errors of the baseline are gone, and none is new.",
    "noisy": "The baseline and its repeats disagree here, or the system was right when it was "
    "asked again, so a change proves nothing.",
    "remaining": "Errors that the baseline has too.",
    "technical": "The system, its adapter, a judge or the scorer broke. No score.",
    "skipped": "The system does not do these; they are in no measure.",
    "no result": "Selected, but never answered or never scored.",
    "unchanged": "No error, before and now.",
}
_MEANINGS_ALONE = {
    "remaining": "Cases with errors. There is no baseline to say which are new.",
    "unchanged": "Cases without an error.",
}


@dataclass(frozen=True, slots=True)
class BucketHead:
    """The head of a bucket."""

    name: str
    slug: str
    title: str
    number: int
    meaning: str
    column: str
    """What the middle column of its lines holds."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One stretch of the bar of buckets, in thousandths of its length."""

    slug: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class SideMeasure:
    """Latency, cost and the like: shown beside the scores."""

    name: str
    value: str
    counts: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a table of measures."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProfileContent:
    """One profile in the list of profiles."""

    name: str
    decides: bool
    status: str
    reason: str
    counts: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    """All cases first, then each category."""


@dataclass(frozen=True, slots=True)
class PageContent:
    """All but the cases."""

    run_id: str
    label: str
    status: str
    tone: str
    status_glyph: str
    sentence: str
    reason: str
    profile: str
    identity: tuple[Fact, ...]
    technical: tuple[TechnicalRecord, ...]
    technical_left_out: int
    measures: tuple[Measure, ...]
    side_measures: tuple[SideMeasure, ...]
    paired_note: str
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]
    steps: tuple[Step, ...]
    bars: tuple[Bar, ...]
    bars_label: str
    buckets: tuple[BucketHead, ...]
    has_cases: bool
    any_case: str
    """Command that runs one case again, with ``ID`` in its place."""
    profiles: tuple[ProfileContent, ...]
    typed: str
    how: tuple[Fact, ...]
    limits: tuple[str, ...]
    version: str


def page_content(view: RunView) -> PageContent:
    """Return everything the page shows besides the cases."""
    record, gate = view.record, view.gate
    technical = sorted(record.technical, key=lambda one: (one.case is not None, one.case or ""))
    return PageContent(
        run_id=record.id,
        label=view.label,
        status=TITLES[view.status],
        tone=view.status.replace(" ", "-"),
        status_glyph=STATUS_GLYPHS[view.status],
        sentence=view.sentence,
        reason=view.reason,
        profile=view.profile,
        identity=tuple(identity(record)),
        technical=tuple(technical[:MAX_TECHNICAL]),
        technical_left_out=max(0, len(technical) - MAX_TECHNICAL),
        measures=tuple(view.measures),
        side_measures=tuple(_side_measures(view)) if view.measures else (),
        paired_note=_paired_note(view),
        facts=tuple(_facts(view)),
        warnings=(*gate.warnings, *delta_warnings(view.deltas)) if gate is not None else (),
        steps=tuple(next_steps(view)),
        bars=tuple(_bars(view)),
        bars_label=", ".join(
            f"{view.counts[name]} {view.bucket_name(name)}" for name in view.shown_buckets
        ),
        buckets=tuple(bucket_head(view, name) for name in view.shown_buckets),
        has_cases=bool(view.lines),
        any_case=case_command(record, "ID"),
        profiles=tuple(_profile(profile) for profile in view.profiles),
        typed=typed_command(record),
        how=tuple(how_it_was_run(record)),
        limits=tuple(limits(record, gate)),
        version=version("pytest-benchbed"),
    )


def _facts(view: RunView) -> Iterator[Fact]:
    if view.gate is not None:
        yield from facts(view.record, view.gate)
        yield from chance_facts(view.measures)
        yield from delta_facts(view.deltas)
    for one in view.strikes:
        yield Fact("Look at this", f"{one.case}, {one.story}")


def bucket_head(view: RunView, name: str) -> BucketHead:
    """Return the head of one bucket."""
    meanings = _MEANINGS
    if view.record.baseline is None:
        meanings = {**_MEANINGS, **_MEANINGS_ALONE}
    is_reason = name in ("technical", "skipped", "no result")
    return BucketHead(
        name=name,
        slug=name.replace(" ", "-"),
        title=view.bucket_name(name),
        number=view.counts[name],
        meaning=meanings[name],
        column="reason" if is_reason else "errors",
    )


def show_command(view: RunView, case: str) -> str:
    """Return a command that prints what is recorded about a case; it asks nobody again."""
    path = shlex.quote(f"{view.shown}/comparison.jsonl")
    wanted = shlex.quote(f'"case":"{case}"')
    return f"grep -F {wanted} {path} | python -m json.tool"


def _side_measures(view: RunView) -> Iterator[SideMeasure]:
    latency = view.metrics.get("latency_s", {})
    if latency.get("n"):
        yield SideMeasure("latency, median", seconds(latency["p50"]),
                          f"95 % within {seconds(latency['p95'])}")  # fmt: skip
    cost = view.metrics.get("cost_usd", {})
    if cost:
        yield SideMeasure("cost of the answers", money(cost["sum"]),
                          count(cost["n"], "priced case") if cost["n"] else "")  # fmt: skip


def _paired_note(view: RunView) -> str:
    if view.record.baseline is None or not any(one.change() for one in view.measures):
        return ""
    return "Changes are taken over the cases that both runs scored."


def _bars(view: RunView) -> Iterator[Bar]:
    """Yield the stretches; a bucket with few cases of many is still wide enough to be seen."""
    numbers = {name: number for name, number in view.counts.items() if number}
    total = sum(numbers.values())
    if not total:
        return
    widths = {name: max(6.0, 1000 * number / total) for name, number in numbers.items()}
    scale = 1000 / sum(widths.values())
    x = 0.0
    for name, width in widths.items():
        yield Bar(name.replace(" ", "-"), f"{x:.1f}", f"{width * scale:.1f}")
        x += width * scale


def _profile(profile: ProfileView) -> ProfileContent:
    counts = f"{count(profile.scored, 'case')} scored"
    if profile.technical:
        counts += f", {profile.technical} technical"
    if profile.skipped:
        counts += f", {profile.skipped} skipped"
    return ProfileContent(
        name=profile.name,
        decides=profile.decides,
        status=profile.gate.status if profile.gate else "",
        reason=profile.gate.reason if profile.gate else "",
        counts=counts,
        columns=tuple(one.metric.replace("_", " ") for one in profile.summaries),
        rows=tuple(_table_rows(profile)),
    )


def _table_rows(profile: ProfileView) -> Iterator[TableRow]:
    yield TableRow("all", tuple(
        f"{one.value} ({one.counts})" if one.counts else one.value for one in profile.summaries
    ))  # fmt: skip
    for category in profile.categories:
        yield TableRow(category, tuple(one.by_category[category] for one in profile.summaries))
