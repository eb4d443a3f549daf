"""The block of a run in the terminal, after pytest's own summary.

Plain lines without colour, so that a log reads like a terminal. Every foreign
text is escaped and stands behind words of ours: no text of a case or a reply
can start a line. The last line of a session, the verdict, is not part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator

from pytest_benchbed.compare.lines import other_profile_lines
from pytest_benchbed.compare.lines import verdict_lines
from pytest_benchbed.compare.noise_ledger import strike_lines
from pytest_benchbed.compare.refuse import REUSED
from pytest_benchbed.model.escape import json_term
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.report.deltas import delta_lines
from pytest_benchbed.report.deltas import delta_warnings
from pytest_benchbed.report.facts import isolation_text
from pytest_benchbed.report.facts import spend_text
from pytest_benchbed.report.measures import Measure
from pytest_benchbed.report.next_steps import control_command
from pytest_benchbed.report.next_steps import next_steps
from pytest_benchbed.report.numbers import count
from pytest_benchbed.report.numbers import seconds
from pytest_benchbed.report.view import RunView

WIDTH = 100
MAX_TECHNICAL = 5


def view_lines(
    view: RunView, *, hide_texts: bool = False, is_baseline_awaited: bool = False
) -> Iterator[str]:
    """Yield the lines of one written run.

    Args:
        view: the run.
        hide_texts: of private data only kinds, places and counts are printed.
        is_baseline_awaited: the run is about to become a baseline or its control:
            no verdict and no next step.
    """
    record, dataset, adapter = view.record, view.record.dataset, view.record.adapter
    yield from fit(
        "",
        [
            f"benchmark {term(record.benchmark.id, 80)}",
            f"dataset {term(dataset.id, 80)} {term(dataset.version, 40)} ({dataset.identity[:12]})",
            f"run {term(record.id, 120)}",
        ],
    )
    if record.note:
        yield f"  note {json_term(record.note, 200)}"
    options = [
        f"option {term(name, 40)}={json_term(value, 60)}"
        for name, value in sorted(adapter.options.items())
    ]
    model = [f"model {term(adapter.model, 60)}"] if adapter.model else []
    yield from fit(
        "  adapter ",
        [
            " ".join(filter(None, (term(adapter.name, 60), term(adapter.version, 40)))),
            *model,
            *options,
            f"isolation {term(isolation_text(record, is_brief=True), 120)}",
        ],
    )
    yield from _measures(view)
    yield from fit(
        "  ", [f"{view.bucket_name(name)} {view.counts[name]}" for name in view.shown_buckets]
    )
    yield from _technical(record.technical, hide_texts)
    if is_baseline_awaited:
        yield f"  report: {_path(view)}"
        return
    if view.gate is not None:
        yield from verdict_lines(
            view.gate,
            record=record,
            profile=view.profile,
            control_command=control_command(view),
            beside=[*chance_lines(view.measures), *delta_lines(view.deltas)],
            warnings=delta_warnings(view.deltas),
        )
    yield from strike_lines(view.strikes)
    yield from other_profile_lines({one.name: one.gate for one in view.profiles if one.gate})
    yield f"  report: {_path(view)}"
    for step in next_steps(view):
        if step.command:
            yield f"  next: {step.command}"
            return


def chance_lines(measures: Iterable[Measure]) -> list[str]:
    """Return what chance does to measures that have no errors, for the block of a verdict."""
    return [f"  {term(one.by_chance(), 120)}" for one in measures if one.by_chance()]


def fit(start: str, parts: Iterable[str], width: int = WIDTH) -> list[str]:
    """Join parts by `` · `` and break the line between two of them where it gets too long.

    >>> fit("  ", ["worse 1", "better 2"], width=12)
    ['  worse 1', '    better 2']
    """
    lines: list[str] = []
    line, is_empty = start, True
    for part in parts:
        if not is_empty and len(line) + len(part) + 3 > width:
            lines.append(line)
            line, is_empty = "    ", True
        line += part if is_empty else f" · {part}"
        is_empty = False
    return lines if is_empty else [*lines, line]


def _measures(view: RunView) -> Iterator[str]:
    if not view.has_numbers:
        yield "  no measures: the run is blocked, so they would stand for fewer cases than it seems"
        return
    for profile in view.record.benchmark.profiles:
        parts = []
        for one in view.measures:
            if one.profile != profile:
                continue
            counts = f" ({one.counts})" if one.counts else ""
            change = f", {one.change()}" if one.change() else ""
            repeats = f", {one.repeats}" if one.repeats else ""
            parts.append(f"{term(one.name, 60)} {one.value}{counts}{change}{repeats}")
        yield from fit(f"  {term(profile, 60)}: ", parts)
    beside = []
    latency = view.metrics.get("latency_s", {})
    if latency.get("n"):
        beside.append(f"latency {seconds(latency['p50'])} median, {seconds(latency['p95'])} p95")
    beside.append(f"spend {spend_text(view.record)}")
    beside += [
        f"cached {entry.to} of {view.record.counts.selected} (from {term(entry.from_, 120)})"
        for entry in view.record.history
        if entry.what == REUSED
    ]
    yield from fit("  ", beside)


def _technical(failures: Iterable[TechnicalRecord], hide_texts: bool) -> Iterator[str]:
    """Say each cause once, those of the whole run first, with the cases it concerns."""
    cases: dict[tuple[str, str, str], list[str | None]] = {}
    for one in sorted(failures, key=lambda one: (one.case is not None, one.case or "")):
        cases.setdefault((one.whose, one.kind, one.detail), []).append(one.case)
    for (whose, kind, detail), concerned in list(cases.items())[:MAX_TECHNICAL]:
        cause = f"{whose}: {term(kind, 60)}"
        cause += "" if hide_texts or not detail else f": {term(detail, 160)}"
        names = [term(case) for case in concerned if case is not None]
        whom = "the whole run" if None in concerned else ""
        if len(names) == 1:
            whom += f"{', ' if whom else ''}case {names[0]}"
        elif names:
            whom += f"{', ' if whom else ''}{count(len(names), 'case')} ({', '.join(names[:3])}"
            whom += ", …)" if len(names) > 3 else ")"
        yield f"  technical: {whom}: {cause}"
    if len(cases) > MAX_TECHNICAL:
        yield f"  technical: {count(len(cases) - MAX_TECHNICAL, 'more cause')}, see the report"


def _path(view: RunView) -> str:
    """Return the path of the page, as short as it can be opened from the base folder."""
    path = view.paths.report.resolve()
    if view.base is not None and path.is_relative_to(view.base.resolve()):
        return term(path.relative_to(view.base.resolve()).as_posix(), 400)
    return term(path, 400)
