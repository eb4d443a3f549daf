"""Warnings beside a verdict: they never change it.

Ages come from the start times in the records, so the same files give the same
text on any day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from pytest_benchbed.compare.confirm import may_be_cached
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.facts import seconds_between
from pytest_benchbed.compare.phrases import age
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.compare.stability import moves
from pytest_benchbed.compare.status import Evidence
from pytest_benchbed.compare.status import unjudged_cases
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term

DAY_S = 86_400
SAME_HOUR_S = 3_600
SHIFT_CASES = 10
"""A shift is not called run-wide below this number of cases."""


def warnings_of(evidence: Evidence, stale_days: int) -> list[str]:
    """Return the warnings in a fixed order; without a baseline only what the system says.

    ``stale_days``: age in days from which the newest run of the old code is stale.
    """
    candidate, baseline = evidence.candidate, evidence.baseline
    lines = []
    is_declared = candidate.record.adapter.deterministic
    unstable = len(evidence.unstable)
    if is_declared and unstable:
        differ = "case differs" if unstable == 1 else "cases differ"
        lines.append(f"declared deterministic, but {unstable} {differ} between same-code runs")
    if baseline is None:
        return lines
    lines += evidence.ruling.notes
    unjudged, of = unjudged_cases(evidence.covered, evidence.unstable), evidence.covered.of
    if 5 * unjudged > of:
        lines.append(f"unreliable baseline: {unjudged} of {of} cases cannot be judged")
    old = [baseline, *evidence.controls]
    if any(
        abs(seconds_between(one.record, two.record)) < SAME_HOUR_S
        for index, one in enumerate(old)
        for two in old[:index]
    ):
        lines.append("controls of one hour hide shifts between days")
    newest = min(seconds_between(run.record, candidate.record) for run in old)
    if newest > stale_days * DAY_S:
        lines.append(f"stale: the newest run of the old code is {age(newest)} old")
    lines += _cached(evidence)
    lines += _versions(candidate, old)
    lines += _shifts(old, evidence)
    return lines


def _cached(evidence: Evidence) -> list[str]:
    """Warn of suspects whose re-asks look like one answer given again: they prove nothing."""
    cases = [
        one.case
        for one in evidence.suspects
        if one.attempts > 1 and may_be_cached(evidence.candidate.rows[one.case].get("reasks") or ())
    ]
    if not cases:
        return []
    return [
        f"re-asks may be cached {names(cases)}: each gave the first reply again within 10 ms, or "
        "the adapter says so"
    ]


def _versions(candidate: RunFacts, old: Sequence[RunFacts]) -> list[str]:
    name = "pytest_benchbed"
    now = candidate.record.versions.get(name)
    return [
        f"run {run.id} was made by pytest-benchbed {term(then, 40)}, this one by {term(now, 40)} "
        f"({age(abs(seconds_between(run.record, candidate.record)))} between them)"
        for run in old
        if (then := run.record.versions.get(name)) != now
    ]


def _shifts(old: Sequence[RunFacts], evidence: Evidence) -> list[str]:
    """Warn where most cases move one way between two runs of the same code.

    Only unstable cases can have moved, so a run with few of them is not searched.
    """
    lines: list[str] = []
    unstable, compared = evidence.unstable, len(evidence.covered.compared)
    if len(unstable) < SHIFT_CASES or 2 * len(unstable) <= compared:
        return lines
    runs = sorted(old, key=lambda run: run.id)
    moved: Counter[tuple[int, int]] = Counter()
    for case in unstable:
        rows = [run.rows[case] for run in runs]
        with suppress(TechnicalFailure):  # a scorer that breaks blocks the verdict elsewhere
            moved.update(moves(rows, profile=evidence.profile, judge=evidence.judge))
    for (one, two), cases in sorted(moved.items()):
        if cases >= SHIFT_CASES and 2 * cases > compared:
            lines.append(
                f"run-wide shift: {cases} of {compared} cases ({percent(cases / compared)}) are "
                f"worse in {runs[two].id} than in {runs[one].id}, both of the same code; a "
                "condition of one run looks like many regressions"
            )
    return lines
