"""Which cases a verdict could judge, and why not the others.

Every case of the scope gets exactly one class; nothing that is missing can
shrink the number a verdict is measured against. Cases are paired by id and
only if their keys are equal; a missing id is a class, never an error.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    differing: list[tuple[str, Row, list[Row]]] = field(default_factory=list)
    """Compared cases that may have changed: id, row, and the rows of the old code, the
    baseline's first. Those with the same errors in all runs are left out, if errors decide."""
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
    candidate: RunFacts,
    baseline: RunFacts | None,
    controls: Sequence[RunFacts],
    profile: str,
    *,
    is_by_value: bool = False,
) -> Covered:
    """Put every case of the candidate's scope into its class.

    ``is_by_value``: equal errors do not show yet that nothing changed.

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
    sources = [baseline.rows, *(control.rows for control in controls)] if baseline else []
    grown = grown_cases(baseline.record) if baseline else frozenset()
    for case in sorted(candidate.rows):
        row = candidate.rows[case]
        if row["errors"].get(profile) and declined(row, profile):
            _count_declined(covered, case, baseline, profile)
        paired = _paired(row, case, sources, profile)
        if paired is not None:
            old, has_same_errors = paired
            covered.compared.append(case)
            if is_by_value or not has_same_errors:
                covered.differing.append((case, row, old))
        else:
            _classify(covered, case, row, baseline, controls, profile, grown)
    covered.of = record.counts.scope - len(covered.skipped) - len(covered.new)
    if baseline is not None:
        covered.removed = _removed(covered, candidate, baseline)
    return covered


def _paired(
    row: Row, case: str, sources: Sequence[Mapping[str, Row]], profile: str
) -> tuple[list[Row], bool] | None:
    """Return the rows of the old code, and whether all errors are the same lists.

    None: some run has no score of equal key for the case. Nearly every case of
    nearly every run takes this way, so it is one pass without a set.
    """
    key, errors = row["keys"].get(profile), row["errors"].get(profile)
    if not sources or key is None or errors is None or row["state"] != "scored":
        return None
    old, has_same_errors = [], True
    for rows in sources:
        other = rows.get(case)
        if other is None or other["state"] != "scored" or other["keys"].get(profile) != key:
            return None
        theirs = other["errors"].get(profile)
        if theirs is None:
            return None
        has_same_errors = has_same_errors and theirs == errors
        old.append(other)
    return old, has_same_errors


def _count_declined(covered: Covered, case: str, baseline: RunFacts | None, profile: str) -> None:
    covered.no_answer.append(case)
    other = baseline.rows.get(case) if baseline else None
    if other is not None and other["errors"].get(profile):
        covered.no_answer_known += declined(other, profile)


def _classify(
    covered: Covered,
    case: str,
    row: Row,
    baseline: RunFacts | None,
    controls: Sequence[RunFacts],
    profile: str,
    grown: frozenset[str],
) -> None:
    """Say why a case is not compared."""
    state = row["state"]
    other = baseline.rows.get(case) if baseline else None
    if state == "technical":
        covered.technical.append(case)
    elif state == "scored" and profile not in row["errors"]:
        covered.unscored.append(case)
    elif baseline is None:
        if state == "skipped":
            covered.skipped.append(case)
    elif other is None or other["state"] == "technical":
        if case in grown:
            (covered.skipped if state == "skipped" else covered.new).append(case)
        else:
            covered.not_in_baseline.append(case)
    elif state == "skipped":
        (covered.skipped if other["state"] == "skipped" else covered.support_lost).append(case)
    elif other["state"] == "skipped":
        covered.new.append(case)
    else:
        _set_aside(covered, case, row, other, controls, profile)


def _set_aside(
    covered: Covered,
    case: str,
    row: Row,
    other: Row,
    controls: Sequence[RunFacts],
    profile: str,
) -> None:
    """Say why a case that two runs have scored cannot be compared; the first reason counts."""
    without = [
        control.id
        for control in controls
        if case not in control.rows or control.rows[case]["state"] != "scored"
    ]
    if without:
        covered.uncontrolled.setdefault(without[0], []).append(case)
        return
    differs = difference(row, other, profile)
    for control in controls:
        if not differs and (part := difference(row, control.rows[case], profile)):
            differs = f"{part} (control {control.id})"
    if differs:
        covered.unverifiable.append(Unverifiable(case=case, differs=differs))
    else:
        covered.unscored.append(case)


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
    known = {*covered.holes, *record.retired}
    return sorted(
        case for case in baseline.rows if case not in candidate.rows and case not in known
    )


def grown_cases(baseline: RunRecord) -> frozenset[str]:
    """Return the ids that revisions added since the baseline was made, by its history."""
    return frozenset(
        case
        for entry in baseline.history
        if entry.what == GROWN and isinstance(entry.to, dict)
        for case in entry.to.get("added", ())
    )
