"""``summary.md``: the verdict in plain words, what changed, and what to do next (ENV-098).

It is read in pull requests and job summaries, so it fits a comment and trusts
no text: everything foreign is a code element by
:func:`pytest_benchbed.model.escape.md`, there are no links and no images.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_benchbed.compare.noise_ledger import MAX_STRIKES
from pytest_benchbed.model.escape import md
from pytest_benchbed.model.escape import md_sentence
from pytest_benchbed.report.blocks import error_row
from pytest_benchbed.report.blocks import suspect_text
from pytest_benchbed.report.cases import CaseLine
from pytest_benchbed.report.deltas import delta_facts
from pytest_benchbed.report.deltas import delta_warnings
from pytest_benchbed.report.facts import TITLES
from pytest_benchbed.report.facts import chance_facts
from pytest_benchbed.report.facts import facts
from pytest_benchbed.report.facts import isolation_text
from pytest_benchbed.report.facts import limits
from pytest_benchbed.report.facts import spend_text
from pytest_benchbed.report.next_steps import next_steps
from pytest_benchbed.report.numbers import MINUS
from pytest_benchbed.report.numbers import count
from pytest_benchbed.report.numbers import seconds
from pytest_benchbed.report.view import RunView
from pytest_benchbed.runs.atomic import write_atomic

MAX_BYTES = 65_536 - 2_048
"""A comment holds 65,536; the rest is for whoever posts it."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much of the lists is written."""

    cases: int
    """Per bucket."""
    errors: int
    """Per case."""
    text: int
    """Characters of one foreign text."""


_ROOMS = (Room(50, 8, 120), Room(25, 5, 80), Room(10, 3, 60), Room(5, 2, 40), Room(0, 0, 40))


def save_summary(view: RunView, *, hide_texts: bool = False) -> Path:
    """Write ``summary.md`` from the written run and return its path.

    ``hide_texts``: of private data only kinds, places and counts are written.

    Raises:
        RunError: a file of the run is damaged, or the summary cannot be written.
    """
    write_atomic(view.paths.summary, summary(view, hide_texts=hide_texts).encode("utf-8"))
    return view.paths.summary


def summary(view: RunView, *, hide_texts: bool = False) -> str:
    """Return the summary, at most :data:`MAX_BYTES` long in UTF-8."""
    text = ""
    for room in _ROOMS:
        text = "\n".join(_lines(view, room, hide_texts)) + "\n"
        if len(text.encode("utf-8")) <= MAX_BYTES:
            return text
    # Only absurdly long names can bring us here; whole lines are kept.
    head = text.encode("utf-8")[: MAX_BYTES - 100].decode("utf-8", "ignore")
    return f"{head.rpartition(chr(10))[0]}\n\nThe rest is left out: it is too long.\n"


def _lines(view: RunView, room: Room, hide_texts: bool) -> Iterator[str]:
    record = view.record
    yield f"# {_sign(view.status)} {TITLES[view.status]}: {md(view.label, 80)}"
    yield ""
    yield f"**{md_sentence(view.sentence)}**"
    yield ""
    yield f"{md_sentence(view.reason[0].upper() + view.reason[1:])}."
    yield ""
    yield from _identity(view)
    if view.measures:
        yield from _measures(view)
    if record.technical:
        yield from _technical(view, room, hide_texts)
    yield from _buckets(view)
    for bucket in ("worse", "better", "noisy", "remaining"):
        lines = view.in_bucket(bucket)
        if lines:
            yield from _cases(view, bucket, lines, room, hide_texts)
    if record.holes:
        yield f"## Without a result ({len(record.holes)})"
        yield ""
        for hole in record.holes[: room.cases]:
            yield f"- {md(hole.case, 100)}: {md(hole.reason, room.text)}"
        yield from _more(len(record.holes), room.cases)
    yield from _beside(view)
    yield from _next(view)
    yield "## What this run cannot show"
    yield ""
    for text in limits(record, view.gate):
        yield f"- {md_sentence(text)}"
    yield ""
    yield f"Run {md(record.id, 220)}. The whole report: {md(f'{view.shown}/report.html', 400)}"


def _sign(status: str) -> str:
    return {"passed": "✅", "failed": "❌", "blocked": "⛔"}.get(status, "⚠️")


def _identity(view: RunView) -> Iterator[str]:
    record, dataset, adapter = view.record, view.record.dataset, view.record.adapter
    yield f"- dataset {md(f'{dataset.id} {dataset.version}', 160)} ({dataset.identity[:12]})"
    system = " ".join(part for part in (adapter.name, adapter.version) if part)
    model = f", model {md(adapter.model, 80)}" if adapter.model else ""
    yield f"- system {md(system, 160)}{model}; isolation {md_sentence(isolation_text(record), 160)}"
    if record.baseline is not None:
        controls = ", ".join(md(control.id, 120) for control in record.controls)
        yield f"- baseline {md(record.baseline.id, 220)}" + (
            f"; controls {controls}" if controls else "; no controls"
        )
    latency = view.metrics.get("latency_s", {})
    if latency.get("n"):
        yield (
            f"- latency {seconds(latency['p50'])} median, {seconds(latency['p95'])} p95; "
            f"spend {md_sentence(spend_text(record))}"
        )
    else:
        yield f"- spend {md_sentence(spend_text(record))}"
    yield ""


def _measures(view: RunView) -> Iterator[str]:
    yield "| measure | profile | this run | of | change |"
    yield "|---|---|---:|---:|---:|"
    for one in view.measures:
        limits = f" ({one.between(MINUS)})" if one.between() else ""
        yield (
            f"| {md(one.name, 60)} | {md(one.profile, 60)} | {one.value} | {one.counts} | "
            f"{one.change(MINUS)}{limits} |"
        )
    yield ""
    for one in view.measures:
        if one.repeats:
            yield f"- {md(one.name, 60)} ({md(one.profile, 60)}): {one.repeats}"
    if any(one.repeats for one in view.measures):
        yield ""


def _technical(view: RunView, room: Room, hide_texts: bool) -> Iterator[str]:
    failures = sorted(view.record.technical, key=lambda one: (one.case is not None, one.case or ""))
    yield f"## What broke ({len(failures)})"
    yield ""
    yield (
        "A technical failure is no wrong answer: it has no score, and blocks the verdict. "
        "No measure is shown."
    )
    yield ""
    for one in failures[: room.cases]:
        whom = f"case {md(one.case, 100)}" if one.case else "the whole run"
        detail = "" if hide_texts or not one.detail else f": {md(one.detail, room.text)}"
        yield f"- {whom}: {one.whose}, {md(one.kind, 60)}{detail}"
    yield from _more(len(failures), room.cases)


def _buckets(view: RunView) -> Iterator[str]:
    if not view.lines:
        yield "No case was selected."
        yield ""
        return
    shown = [f"{view.counts[name]} {view.bucket_name(name)}" for name in view.shown_buckets]
    yield f"{count(len(view.lines), 'case')}: {', '.join(shown)}."
    yield ""


def _cases(
    view: RunView, bucket: str, lines: Sequence[CaseLine], room: Room, hide_texts: bool
) -> Iterator[str]:
    is_paired = view.record.baseline is not None
    titles = {
        "worse": "Got worse",
        "better": "Got better",
        "noisy": "Changed, but unstable in the old code or right when asked again",
        "remaining": "Still with errors" if is_paired else "With errors",
    }
    yield f"## {titles[bucket]} ({len(lines)})"
    yield ""
    for line in lines[: room.cases]:
        category = f" ({md(line.category, 60)})" if line.category else ""
        suspect = view.suspects.get(line.id)
        told = f", {suspect_text(suspect)}" if suspect and suspect.attempts > 1 else ""
        yield f"- {md(line.id, 100)}{category}{told}"
        change = line.change
        marked = [
            *((error, "new" if is_paired else "error") for error in change.new),
            *((error, "fixed") for error in change.gone),
            *((error, "known" if is_paired else "error") for error in change.kept),
        ]
        for error, mark in marked[: room.errors]:
            yield f"  - {mark} {_error(error, mark, room, hide_texts)}"
        if len(marked) > room.errors:
            yield f"  - {len(marked) - room.errors} more"
    yield from _more(len(lines), room.cases)


def _error(error: Mapping[str, Any], mark: str, room: Room, hide_texts: bool) -> str:
    row = error_row(error, mark, room.text + 1)
    text = md(row.kind, 60)
    if row.where:
        text += f" at {md(row.where, 120)}"
    if hide_texts or mark == "fixed":
        return text
    if row.expected:
        text += f", expected {md(row.expected, room.text)}"
    if row.got:
        text += f", got {md(row.got, room.text)}"
    return text


def _more(number: int, shown: int) -> Iterator[str]:
    if number > shown:
        yield f"- {number - shown} more in the report"
    yield ""


def _beside(view: RunView) -> Iterator[str]:
    if view.gate is None:
        return
    yield "## Beside the verdict"
    yield ""
    beside = [*chance_facts(view.measures), *delta_facts(view.deltas)]
    for fact in [*facts(view.record, view.gate), *beside]:
        yield f"- {fact.name}: {md_sentence(fact.text)}"
    for warning in [*view.gate.warnings, *delta_warnings(view.deltas)]:
        yield f"- Warning: {md_sentence(warning)}"
    for one in view.strikes[:MAX_STRIKES]:
        yield f"- **Look at this:** {md(one.case, 100)}, {md_sentence(one.story)}"
    yield from _more_strikes(len(view.strikes) - MAX_STRIKES)
    yield ""


def _more_strikes(more: int) -> Iterator[str]:
    if more > 0:
        yield f"- **Look at this:** {count(more, 'more case')}, see the review brief"


def _next(view: RunView) -> Iterator[str]:
    yield "## What to do next"
    yield ""
    for step in next_steps(view):
        yield md_sentence(step.text)
        yield ""
        if step.command:
            yield from _fence(step.command)
            yield ""


def _fence(command: str) -> Iterator[str]:
    """Set a command as code; the fence is longer than any run of its character in it."""
    longest = max((len(run) for run in re.findall(r"`+", command)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}sh"
    yield command
    yield fence
