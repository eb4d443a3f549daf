"""The noise ledger of a baseline: which cases were suspects, and what became of them.

It is kept beside the baseline, a line for each suspect of each completed
candidate run. A case that wobbles again and again is intermittent: re-asks clear
it each time, so no single run can tell. The second time it is shown (*second
strike*). A ledger is for people: no line of it makes a case unstable, clears a
suspect or fails a gate.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchbed.compare.phrases import count
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.noise_line import NoiseLine
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

WITHDRAWN = "withdrawn"
"""Outcome of a case that is no suspect of its run any more."""

STRIKES = 2
"""Runs in which a case wobbled that make it worth a look."""

MAX_NOTES = 5
"""Lines that cannot be read and are named."""

_SHORTEST = sum(len(name) + 4 for name in NoiseLine.model_fields)
"""Bytes that the names of the fields alone take."""

MAX_STRIKES = 10
"""Cases that are printed; the review brief has all of them."""


def noise_lines(
    gate: GateResult, *, candidate: str, benchmark: str, profile: str, at: str
) -> list[NoiseLine]:
    """Return the lines that a verdict adds, by case; none without a baseline.

    A suspect under a rule that asks nothing again has no line: nothing was
    learned of it.

    Args:
        gate: the verdict of a completed run.
        candidate: id of the run.
        benchmark: its benchmark.
        profile: whose verdict it is.
        at: UTC time, as in ``run.json``.
    """
    if gate.baseline is None or gate.rule != "confirm":
        return []
    return [
        NoiseLine(
            baseline=gate.baseline,
            candidate=candidate,
            benchmark=benchmark,
            profile=profile,
            case=one.case,
            errors=one.errors,
            outcome=one.outcome,
            attempts=one.attempts,
            wrong=one.wrong,
            at=at,
        )
        for one in gate.suspects
        if one.outcome != "regression"
    ]


def withdrawn(
    gate: GateResult,
    known: Iterable[NoiseLine],
    *,
    candidate: str,
    benchmark: str,
    profile: str,
    at: str,
) -> list[NoiseLine]:
    """Return the lines that take back what was told of cases that are no suspects any more.

    A run that is scored again, after a corrected answer or with one control more, may
    have fewer; without such a line its wobbles of before would go on counting.

    Args:
        gate: the verdict as it is now; under a rule that asks nothing again nothing is learned.
        known: the lines of the ledger.
        candidate: as for :func:`noise_lines`.
        benchmark: as for :func:`noise_lines`.
        profile: as for :func:`noise_lines`.
        at: as for :func:`noise_lines`.
    """
    if gate.rule != "confirm":
        return []
    of = candidate, benchmark, profile
    last = {line.case: line for line in known if _suspect(line)[:3] == of}
    suspects = {one.case for one in gate.suspects}
    gone = {"outcome": WITHDRAWN, "errors": [], "attempts": 0, "wrong": 0, "at": at}
    return [
        line.model_copy(update=gone)
        for case, line in last.items()
        if case not in suspects and line.outcome != WITHDRAWN
    ]


def untold(lines: Iterable[NoiseLine], known: Iterable[NoiseLine]) -> list[NoiseLine]:
    """Return the lines that a ledger does not have already, as its last word of suspect and run."""
    last = {_suspect(line): line for line in known}
    return [
        line
        for line in lines
        if (before := last.get(_suspect(line))) is None
        or before.model_copy(update={"at": line.at}) != line
    ]


def _suspect(line: NoiseLine) -> tuple[str, ...]:
    return line.candidate, line.benchmark, line.profile, line.case


def ledger_bytes(lines: Iterable[NoiseLine]) -> bytes:
    """Return the lines as they are appended, in one write."""
    return b"".join(canonical(line.to_json()) + b"\n" for line in lines)


def read_ledger(content: bytes, *, baseline: str) -> tuple[list[NoiseLine], list[str]]:
    """Return the lines of a ledger, and what has to be said of the others.

    An empty ledger is one that is missing. The last line may be torn by a crash: it
    is left out with a note, as is one that cannot be read, or is of another baseline.
    """
    lines: list[NoiseLine] = []
    notes: list[str] = []
    unread = 0
    parts = content.split(b"\n")
    if parts[-1]:
        notes.append(f"noise ledger of {term(baseline, 80)}: the last line is torn, and left out")
    for number, part in enumerate(parts[:-1], start=1):
        if not part:
            # Behind a torn line an append begins a new one; two at once begin it twice.
            continue
        # Millions of lines without a field are no ledger, and no work either.
        problem = "cannot be read (too short)"
        if len(part) >= _SHORTEST:
            try:
                line = NoiseLine.from_json(_object(part))
                problem = "" if line.baseline == baseline else f"is of baseline {line.baseline!r}"
            except (MalformedJson, ShapeError) as error:
                problem = f"cannot be read ({error})"
            if not problem:
                lines.append(line)
                continue
        unread += 1
        if unread <= MAX_NOTES:
            place = f"noise ledger of {term(baseline, 80)}, line {number}"
            notes.append(f"{place}: {term(problem, 120)}, and left out")
    if unread > MAX_NOTES:
        more = count(unread - MAX_NOTES, "more line")
        notes.append(f"noise ledger of {term(baseline, 80)}: {more} left out as well")
    return lines, notes


def _object(part: bytes) -> dict[str, Any]:
    row = read_json(part)
    if not isinstance(row, dict):
        raise ShapeError("no object")
    return row


@dataclass(frozen=True, slots=True)
class Strike:
    """A case that wobbled in several candidate runs."""

    case: str
    wobbled: int
    """Candidate runs in which it was cleared by a re-ask."""
    suspect: int
    """Candidate runs in which it was a suspect, whatever became of it."""
    of: int
    """Candidate runs known."""

    @property
    def story(self) -> str:
        """What happened to the case."""
        return f"intermittent: suspect in {self.suspect} of {count(self.of, 'candidate run')}"

    @property
    def text(self) -> str:
        """What stands under *look at this*."""
        return f"{self.story} ({term(self.case)})"


def strike_lines(found: Sequence[Strike]) -> list[str]:
    """Return what is printed beneath a verdict of the cases with a second strike."""
    lines = [f"  look at this: {one.text}" for one in found[:MAX_STRIKES]]
    more = len(found) - MAX_STRIKES
    return [*lines, f"  look at this: {count(more, 'more case')}"] if more > 0 else lines


def strikes(
    lines: Sequence[NoiseLine], *, benchmark: str, profile: str, runs: Collection[str] = ()
) -> list[Strike]:
    """Return the cases with a second strike, by id.

    A candidate counts once per case, by its last line: a run may be scored or
    resumed again.

    Args:
        lines: of one baseline.
        benchmark: the benchmark.
        profile: one of its profiles; strikes in two profiles are not added up.
        runs: ids of candidate runs known to be compared with the baseline. A run
            without a suspect leaves no line, so the ledger alone knows too few.
    """
    ours = [line for line in lines if line.benchmark == benchmark]
    known = {*runs, *(line.candidate for line in ours)}
    last: dict[str, dict[str, str]] = {}
    for line in ours:
        if line.profile == profile:
            last.setdefault(line.case, {})[line.candidate] = line.outcome
    found = []
    for case in sorted(last):
        outcomes = [outcome for outcome in last[case].values() if outcome != WITHDRAWN]
        wobbled = outcomes.count("wobbled")
        if wobbled >= STRIKES:
            found.append(Strike(case, wobbled, len(outcomes), len(known)))
    return found
