"""What is written about one case: errors, figures, the drawing, the difference, the command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchbed.compare.confirm import BUDGET
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.error import error_key
from pytest_benchbed.model.gate import Suspect
from pytest_benchbed.report.cases import ABSENT
from pytest_benchbed.report.cases import CaseDetail
from pytest_benchbed.report.cases import CaseLine
from pytest_benchbed.report.cases import Change
from pytest_benchbed.report.cases import count_kinds
from pytest_benchbed.report.command import case_command
from pytest_benchbed.report.difference import DiffLine
from pytest_benchbed.report.difference import compact
from pytest_benchbed.report.difference import difference
from pytest_benchbed.report.facts import Fact
from pytest_benchbed.report.grid import GridView
from pytest_benchbed.report.grid import table_grid
from pytest_benchbed.report.numbers import count
from pytest_benchbed.report.numbers import measure
from pytest_benchbed.report.numbers import money
from pytest_benchbed.report.numbers import seconds
from pytest_benchbed.report.view import RunView

MAX_ERRORS = 40
"""Errors written out of one case and profile."""
MAX_TEXT = 1_200
"""Characters of one expected or got value."""
MAX_LINES = 120
"""Lines of one difference."""
MAX_VALUE_BYTES = 200_000
"""A larger answer or prediction is not compared line by line."""

OUTCOMES = {
    "regression": "regression",
    "wobbled": "wobbled",
    "confirmed": "confirmed",
    "confirmed-vary": "confirmed, errors vary",
    "unconfirmed": "not confirmed",
    "not-reasked": "not asked again",
}
"""What is said of a suspect."""

_ASSET = re.compile(r"([0-9a-f]{64})\.(png|jpg|gif|webp|svg)")


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One error in a table of errors."""

    mark: str
    """``new``, ``known``, ``fixed``, or ``error`` where nothing was compared."""
    kind: str
    where: str
    expected: str
    got: str
    note: str


@dataclass(frozen=True, slots=True)
class ErrorTable:
    """The errors of one profile."""

    profile: str
    decides: bool
    rows: tuple[ErrorRow, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two values; ``lines`` empty: they are too large to compare here."""

    lines: tuple[DiffLine, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Block:
    """All that is written about one case."""

    line: CaseLine
    errors: tuple[ErrorTable, ...]
    figures: tuple[Fact, ...]
    grid: GridView | None
    against_answer: Difference | None
    against_baseline: Difference | None
    command: str


def assets_of(view: RunView) -> dict[str, str]:
    """Return the images of the report by digest; other files in the folder are not shown."""
    folder = view.paths.report_assets
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    matches = [_ASSET.fullmatch(name) for name in sorted(names)]
    return {match[1]: match[0] for match in matches if match is not None}


def block(view: RunView, line: CaseLine, assets: Mapping[str, str]) -> Block:
    """Read one case again and return what is written about it."""
    detail = view.detail(line)
    wanted, got = detail.answer, detail.prediction
    # A case without a reply has null in the comparison.
    if line.state != "scored" or _is_declined(detail):
        got = ABSENT
    grid = None
    if view.words.viewer in ("table-grid", ""):
        errors = [one for found in detail.row.get("errors", {}).values() for one in found]
        grid = table_grid(wanted, got, view.requests.case(line.id), errors, assets)
    if grid is not None and isinstance(wanted, dict) and isinstance(got, dict):
        # The answer of a table says more than a prediction can.
        wanted = {key: value for key, value in wanted.items() if key in got}
    return Block(
        line=line,
        errors=tuple(_errors(view, detail)),
        figures=tuple(
            _figures(
                detail, view.record.benchmark.profiles, view.suspects.get(line.id), view.profile
            )
        ),
        grid=grid,
        against_answer=_difference(wanted, got),
        against_baseline=_difference(detail.before, got)
        if line.change.gone or line.change.new
        else None,
        command=case_command(view.record, line.id),
    )


def headline(line: CaseLine, is_paired: bool) -> str:
    """Say in a few words what is the matter with a case."""
    if line.bucket in ("technical", "skipped", "no result"):
        return line.reason
    if not line.has_details:
        return ""
    change = line.change
    parts = [
        f"{mark} {_kinds(errors)}"
        for mark, errors in (
            ("new:" if is_paired else "", change.new),
            ("fixed:", change.gone),
            ("known:" if is_paired else "", change.kept),
        )
        if errors
    ]
    if line.other_errors:
        parts.append(f"{count(line.other_errors, 'error')} in other profiles")
    return " · ".join(part.strip() for part in parts)


def _kinds(errors: Sequence[Mapping[str, Any]]) -> str:
    kinds = count_kinds(tuple(errors))
    shown = [
        f"{kind} \N{MULTIPLICATION SIGN}{number}" if number > 1 else kind
        for kind, number in kinds[:4]
    ]
    return ", ".join(shown) + (f", {len(kinds) - 4} more kinds" if len(kinds) > 4 else "")


def error_row(error: Mapping[str, Any], mark: str, limit: int = MAX_TEXT) -> ErrorRow:
    """Return one error as text; values that are no text are shown as JSON."""
    return ErrorRow(
        mark=mark,
        kind=error["kind"],
        where=", ".join(f"{key} {place(value)}" for key, value in error["where"].items()),
        expected=_value(error, "expected", limit),
        got=_value(error, "got", limit),
        note=str(error.get("note", ""))[:limit],
    )


def place(value: Any) -> str:
    """Return one value of an error's place."""
    return value if isinstance(value, str) else compact(value, 80)


def _value(error: Mapping[str, Any], name: str, limit: int) -> str:
    if name not in error:
        return ""
    value = error[name]
    if isinstance(value, str) and value.strip():
        return value if len(value) <= limit else f"{value[:limit]}…"
    return compact(value, limit)


def _errors(view: RunView, detail: CaseDetail) -> Iterator[ErrorTable]:
    change = detail.line.change
    is_paired = view.record.baseline is not None
    marked = [
        *((error, "new" if is_paired else "error") for error in change.new),
        *((error, "known" if is_paired else "error") for error in change.kept),
        *((error, "fixed") for error in change.gone),
    ]
    if marked:
        yield _table(view.profile, True, marked)
    for profile in view.record.benchmark.profiles:
        errors = detail.row.get("errors", {}).get(profile)
        if errors and profile != view.profile:
            yield _table(profile, False, [(error, "error") for error in errors])


def _table(
    profile: str, decides: bool, marked: Sequence[tuple[Mapping[str, Any], str]]
) -> ErrorTable:
    rows = tuple(error_row(error, mark) for error, mark in marked[:MAX_ERRORS])
    return ErrorTable(profile, decides, rows, max(0, len(marked) - MAX_ERRORS))


def reasks_text(
    reasks: Sequence[Mapping[str, Any]], change: Change, suspect: Suspect | None, profile: str
) -> str:
    """Say what the re-asks of a case gave: ``3 times: wrong, wrong, right``.

    Wrong is what no run of the old code did. A suspect's runs of the old code agree,
    so the errors known are the baseline's. Of a type that has a rule of its own only
    the verdict knows; where its count is another one, the count is told alone.
    """
    known = {error_key(error) for error in (*change.kept, *change.gone)}
    shown = []
    for reask in reasks:
        errors = (reask["errors"] or {}).get(profile)
        if errors is None:
            shown.append("not asked, no money left" if reask["outcome"] == BUDGET else "no answer")
        else:
            is_wrong = any(error_key(error) not in known for error in errors)
            shown.append("wrong" if is_wrong else "right")
    times = count(len(reasks), "time")
    if suspect and suspect.attempts > 1 and shown.count("wrong") != suspect.wrong - 1:
        return f"{times}: {suspect_text(suspect)}"
    return f"{times}: {', '.join(shown)}"


def suspect_text(suspect: Suspect) -> str:
    """Say what became of a suspect, its first attempt counted."""
    word = OUTCOMES[suspect.outcome]
    if suspect.attempts < 2:
        return word
    return f"{word}: wrong in {suspect.wrong} of {suspect.attempts} attempts"


def _figures(
    detail: CaseDetail, profiles: Sequence[str], suspect: Suspect | None, profile: str
) -> Iterator[Fact]:
    row, line = detail.row, detail.line
    timing = row.get("x", {})
    if line.reason:
        yield Fact("reason", line.reason[:MAX_TEXT])
    yield Fact("latency", seconds(line.latency_s))
    if timing.get("queue_s"):
        yield Fact("waited before", seconds(timing["queue_s"]))
    yield Fact("cost", money(line.cost_usd))
    usage = timing.get("usage") or {}
    tokens = [usage.get("input_tokens", 0), usage.get("output_tokens", 0)]
    if any(tokens):
        yield Fact("tokens", f"{tokens[0]:,} in, {tokens[1]:,} out")
    if usage.get("cached"):
        yield Fact("cached", "yes, taken over without a call")
    if row.get("quality") is not None:
        yield Fact("quality", measure(row["quality"]))
    for one in profiles:
        for name, value in row.get("metrics", {}).get(one, {}).items():
            shown = f"{value[0]} of {value[1]}" if isinstance(value, list) else measure(value)
            yield Fact(f"{one} · {name.replace('_', ' ')}", shown)
    for repeat in row.get("repeats", ()):
        wrong = sum(len(errors) for errors in (repeat["errors"] or {}).values())
        yield Fact(f"attempt {repeat['attempt']}", count(wrong, "error"))
    if reasks := row.get("reasks"):
        yield Fact("asked again", reasks_text(reasks, line.change, suspect, profile))


def _difference(wanted: Any, got: Any) -> Difference | None:
    if wanted is ABSENT or got is ABSENT:
        return None
    if len(canonical(wanted)) + len(canonical(got)) > MAX_VALUE_BYTES:
        return Difference((), is_cut=True)
    lines, is_cut = difference(wanted, got, MAX_LINES)
    return Difference(tuple(lines), is_cut)


def _is_declined(detail: CaseDetail) -> bool:
    found = detail.row.get("errors", {}).values()
    return any(error["kind"] == "no-answer" for errors in found for error in errors)
