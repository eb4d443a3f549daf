"""What ``benchbed score`` and ``benchbed pin --bump`` say of a run that was scored again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_benchbed.compare.lines import other_profile_lines
from pytest_benchbed.compare.lines import verdict_lines
from pytest_benchbed.compare.noise_ledger import strike_lines
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.evaluate.offline import Offline
from pytest_benchbed.evaluate.rescore import Rescored
from pytest_benchbed.model.escape import term
from pytest_benchbed.report.deltas import delta_lines
from pytest_benchbed.report.deltas import delta_warnings
from pytest_benchbed.report.deltas import read_deltas
from pytest_benchbed.report.deltas import shown_deltas
from pytest_benchbed.report.lines import chance_lines
from pytest_benchbed.report.measures import measures
from pytest_benchbed.report.next_steps import control_of
from pytest_benchbed.report.view import TypeWords
from pytest_benchbed.runs.read import Run


def report_lines(run: Run, offline: Offline, base: Path) -> Iterator[str]:
    """Say what became of a run and of those it is compared with, and give the verdict."""
    rescored, judged = offline.rescored, offline.judged
    yield from what_changed("run", rescored)
    for other in offline.others:
        yield from what_changed("with it, run", other)
    yield written_line(run, base, is_written=offline.is_written)
    profile = offline.judging.profile
    beside = shown_deltas(judged.gate, read_deltas(judged.metrics))
    shown = measures(judged.metrics, TypeWords.of(offline.judging.benchmark))
    yield from verdict_lines(
        judged.gate,
        record=judged.record,
        profile=profile,
        control_command=control_of(
            offline.judging.baseline.record if offline.judging.baseline else judged.record,
            len(offline.judging.controls),
        ),
        beside=[*chance_lines(shown), *delta_lines(beside)],
        warnings=delta_warnings(beside),
    )
    yield from strike_lines(judged.remembered.strikes)
    yield from other_profile_lines(judged.gates)
    for note in judged.remembered.notes:
        yield f"  note: {note}"


def written_line(run: Run, base: Path, *, is_written: bool) -> str:
    """Say where a run was written, if anything changed."""
    if not is_written:
        return "nothing changed, no file was written"
    is_below = run.path.resolve().is_relative_to(base)
    shown = run.path.resolve().relative_to(base) if is_below else run.path
    return f"written: {term(shown.as_posix(), 300)}"


def what_changed(who: str, rescored: Rescored) -> Iterator[str]:
    """Say in a few lines what became of a run that was scored again."""
    before, after = rescored.run.record, rescored.record
    cases = count(len(rescored.rows), "case")
    answered = len(rescored.rows) - len(rescored.unanswered)
    version = after.benchmark.scoring_version
    was = before.benchmark.scoring_version
    formula = f" (was {term(was, 80)})" if was != version else ""
    yield (
        f"{who} {term(rescored.run.id)}: {cases}, {answered} scored again under "
        f"{term(version, 80)}{formula}"
    )
    if not rescored.revision.is_same:
        yield (
            f"  taken over from version {term(before.dataset.version, 40)} of "
            f"{after.dataset.id} to {term(after.dataset.version, 40)}"
        )
    if rescored.revision.corrected:
        corrected = rescored.revision.corrected
        yield f"  answers corrected {len(corrected)} {names(corrected)}"
    if rescored.revision.added:
        yield f"  new cases +{len(rescored.revision.added)} {names(rescored.revision.added)}"
    retired = sorted({*after.retired} - {*before.retired})
    if retired:
        yield f"  retired {len(retired)} {names(retired)}"
    if not rescored.is_sound:
        yield f"  {rescored.run.paths.results.name} was not that of its record: made again"
    elif rescored.changed:
        yield f"  results changed {len(rescored.changed)} {names(rescored.changed)}"
    lost = [case for case in rescored.unanswered if case in rescored.revision.corrected]
    if lost:
        yield (
            f"  no reply at hand for {count(len(lost), 'corrected case')} {names(lost)}: "
            "unverifiable until the run is restored"
        )
    kept = len(rescored.unanswered) - len(lost)
    if kept:
        yield f"  no reply at hand for {count(kept, 'case')}: as it was on record"


def difference_lines(run: Run, rescored: Rescored) -> tuple[list[str], bool]:
    """Return what ``--diff`` prints for a run, and whether a formula changed in silence."""
    before = run.record.benchmark.scoring_version
    after = rescored.record.benchmark.scoring_version
    cases = count(len(rescored.rows), "case")
    if not rescored.changed:
        return [f"{term(run.id)}: {cases}, none changed under {term(after, 80)}"], False
    lines = [
        f"{term(run.id)}: {cases}, {len(rescored.changed)} changed under {term(after, 80)}, "
        f"{len(rescored.other_errors)} of them in their errors"
    ]
    lines += [f"  {term(case)}: {_how(rescored, case)}" for case in rescored.changed[:50]]
    if len(rescored.changed) > 50:
        lines.append(f"  and {len(rescored.changed) - 50} more")
    is_silent = before == after
    if is_silent:
        lines.append(
            f"benchbed: score DIFFERS: {run.id}: results changed, the scoring version "
            f"{term(after, 80)} did not. Raise it, or undo the change of the scorer."
        )
    else:
        lines.append(f"  scoring version {term(before, 80)} -> {term(after, 80)}")
    return lines, is_silent


def _how(rescored: Rescored, case: str) -> str:
    return "errors" if case in rescored.other_errors else "metrics, quality or texts"
