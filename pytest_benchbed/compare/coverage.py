"""Which cases a verdict could judge, and why not the others.

Every case of the scope gets exactly one class; nothing that is missing can
shrink the number a verdict is measured against. Cases are paired by id and
only if their keys are equal; a missing id is a class, never an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.compare.judge import declined
from pytest_benchbed.compare.keys import PARTS
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.gate import Coverage
from pytest_benchbed.model.gate import Unverifiable
from pytest_benchbed.model.run import RunRecord

GROWN = "grown"
"""``what`` of the history entry of a run re-keyed over a revision that added cases;
its ``to`` is an object whose ``added`` lists their ids."""


@dataclass
class Covered:
    """The cases of one comparison, each in one class; lists are sorted by id."""

    selected: int = 0
    """Cases the run set out to ask."""
    of: int = 0
    """Cases that had to be compared."""
    not_selected: int = 0
    lost: int = 0
    """Selected, but neither a result nor a hole on record."""
    compared: list[str] = field(default_factory=list)
    holes: list[str] = field(default_factory=list)
    not_in_baseline: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    support_lost: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unverifiable: list[Unverifiable] = field(default_factory=list)
    technical: list[str] = field(default_factory=list)
    unscored: list[str] = field(default_factory=list)
    """Scored, but not in this profile, by some run."""
    no_answer: list[str] = field(default_factory=list)
    no_answer_known: int = 0
    uncontrolled: dict[str, list[str]] = field(default_factory=dict)
    """Control to the cases it has no scored result for."""

    def to_model(self, record: RunRecord) -> Coverage:
        """Return the form of ``metrics.json``."""
        return Coverage(
            compared=len(self.compared),
            of=self.of,
            holes=self.holes,
            not_selected=self.not_selected,
            not_in_baseline=self.not_in_baseline,
            retired=sorted(record.retired),
            skipped=self.skipped,
            support_lost=self.support_lost,
            new=self.new,
            removed=self.removed,
            unverifiable=self.unverifiable,
            no_answer=self.no_answer,
            no_answer_known=self.no_answer_known,
        )


def cover(
    candidate: RunFacts, baseline: RunFacts | None, controls: Sequence[RunFacts], profile: str
) -> Covered:
    """Put every case of the candidate's scope into its class.

    Without a baseline nothing is compared, and the scope less the skipped
    cases is what would have to be.

    Raises:
        RunError: the counts of ``run.json`` contradict its results.
    """
    record = candidate.record
    holes = sorted({hole.case for hole in record.holes} - candidate.rows.keys())
    on_record = len(candidate.rows) + len(holes)
    selected = max(record.counts.selected, on_record)
    if record.counts.scope < selected:
        raise RunError(
            f"run {record.id!r}: counts.scope is {record.counts.scope} in run.json, but "
            f"{selected} cases were selected. The record is damaged; make the run again."
        )
    covered = Covered(
        selected=selected,
        holes=holes,
        lost=selected - on_record,
        not_selected=record.counts.scope - selected,
    )
    grown = grown_cases(baseline.record) if baseline else frozenset()
    for case in sorted(candidate.rows):
        _classify(covered, case, candidate.rows[case], baseline, controls, profile, grown)
    covered.of = record.counts.scope - len(covered.skipped) - len(covered.new)
    if baseline is not None:
        covered.removed = _removed(covered, candidate, baseline)
    return covered


def _classify(
    covered: Covered,
    case: str,
    row: Row,
    baseline: RunFacts | None,
    controls: Sequence[RunFacts],
    profile: str,
    grown: frozenset[str],
) -> None:
    state = row["state"]
    other = baseline.rows.get(case) if baseline else None
    if state == "technical":
        covered.technical.append(case)
        return
    if state == "scored":
        errors = row["errors"].get(profile)
        if errors is None:
            covered.unscored.append(case)
            return
        if errors and declined(row, profile):
            covered.no_answer.append(case)
            if other is not None and other["state"] == "scored":
                theirs = other["errors"].get(profile)
                covered.no_answer_known += bool(theirs) and declined(other, profile)
    if baseline is None:
        if state == "skipped":
            covered.skipped.append(case)
    elif other is None or other["state"] == "technical":
        if other is None and case in grown:
            (covered.skipped if state == "skipped" else covered.new).append(case)
        else:
            covered.not_in_baseline.append(case)
    elif state == "skipped":
        (covered.skipped if other["state"] == "skipped" else covered.support_lost).append(case)
    elif other["state"] == "skipped":
        covered.new.append(case)
    else:
        _compare_keys(covered, case, row, baseline, other, controls, profile)


def _compare_keys(
    covered: Covered,
    case: str,
    row: Row,
    baseline: RunFacts,
    other: Row,
    controls: Sequence[RunFacts],
    profile: str,
) -> None:
    """Take the case as compared, unless a key differs or a run has no result to compare."""
    differs = difference(row, other, profile)
    is_scored = profile in other["errors"]
    for control in controls:
        repeat = control.rows.get(case)
        if repeat is None or repeat["state"] != "scored":
            covered.uncontrolled.setdefault(control.id, []).append(case)
            return
        is_scored = is_scored and profile in repeat["errors"]
        if not differs and (part := difference(row, repeat, profile)):
            differs = f"{part} (control {control.id})"
    if differs:
        covered.unverifiable.append(Unverifiable(case=case, differs=differs))
    elif not is_scored:
        covered.unscored.append(case)
    else:
        covered.compared.append(case)


def difference(row: Row, other: Row, profile: str) -> str:
    """Return what keeps two rows of a case from being compared, or ``""``.

    The first part of the key that differs: inputs, files, answer, else what is
    not of the case (scoring version, judge).
    """
    key = row["keys"].get(profile)
    if key is not None and key == other["keys"].get(profile):
        return ""
    mine, theirs = row["key_parts"], other["key_parts"]
    return next(
        (part for part in PARTS if mine.get(part) != theirs.get(part)), "scoring version or judge"
    )


def _removed(covered: Covered, candidate: RunFacts, baseline: RunFacts) -> list[str]:
    """Return the baseline's cases that the dataset no longer has, although not retired.

    Only a run of its whole scope, and of no narrower one, can tell: otherwise
    a case may just not have been selected.
    """
    record = candidate.record
    if covered.not_selected or covered.lost or record.scope not in ({}, baseline.record.scope):
        return []
    known = candidate.rows.keys() | set(covered.holes) | set(record.retired)
    return sorted(baseline.rows.keys() - known)


def grown_cases(baseline: RunRecord) -> frozenset[str]:
    """Return the ids that revisions added since the baseline was made, by its history."""
    return frozenset(
        case
        for entry in baseline.history
        if entry.what == GROWN and isinstance(entry.to, dict)
        for case in entry.to.get("added", ())
    )
