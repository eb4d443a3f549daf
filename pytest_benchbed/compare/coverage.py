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
from pytest_benchbed.compare.in_step import PERFECT
from pytest_benchbed.compare.in_step import RIGHT
from pytest_benchbed.compare.in_step import WRONG
from pytest_benchbed.compare.in_step import in_step
from pytest_benchbed.compare.judge import NO_ANSWER
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
    baseline's first. Those with the same errors in all runs are left out, if errors decide,
    and those whose rows are the same."""
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
    perfect: int = 0
    """Cases known to have no error and quality 1 in every run; there may be more."""
    has_errors: bool = False
    """Some scored case has an error in this profile and was not declined."""
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
    added = _added(candidate, holes)
    # Whether the scope of the record holds them or not: nobody left them out.
    scope = max(record.counts.scope, selected + len(added))
    covered = Covered(
        selected=selected,
        holes=holes,
        lost=selected - on_record,
        not_selected=scope - selected - len(added),
        new=added,
    )
    sources = [baseline.rows, *(control.rows for control in controls)] if baseline else []
    grown = grown_cases(baseline.record) if baseline else frozenset()
    # A profile that the record does not name is looked for in each row.
    known = profile in record.benchmark.profiles
    for case, grade in in_step(candidate.rows, sources):
        # Of the errors of equal rows one has to be seen: it may be of another profile.
        if grade is not None and known and grade >= (WRONG if covered.has_errors else RIGHT):
            covered.compared.append(case)
            covered.perfect += grade == PERFECT
            continue
        row = candidate.rows[case]
        # Rows of equal marks are equal, as far as anything here looks at them.
        old = [rows.get(case) for rows in sources] if grade is None else [row] * len(sources)
        _count_errors(covered, case, row, old[0] if old else None, profile)
        has_same_errors = _paired(row, old, profile)
        if has_same_errors is None:
            _classify(covered, case, row, baseline, controls, profile, grown)
            continue
        covered.compared.append(case)
        if grade is None and (is_by_value or not has_same_errors):
            covered.differing.append((case, row, [one for one in old if one is not None]))
    covered.new.sort()
    covered.of = scope - len(covered.skipped) - len(covered.new)
    if baseline is not None:
        covered.removed = _removed(covered, candidate, baseline)
    return covered


def _added(candidate: RunFacts, holes: Sequence[str]) -> list[str]:
    """Return the cases that a revision added after the candidate was made, so it has none."""
    grown = grown_cases(candidate.record)
    if not grown:
        return []
    return sorted(grown.difference(candidate.rows, holes, candidate.record.retired))


def _paired(row: Row, old: Sequence[Row | None], profile: str) -> bool | None:
    """Return whether all errors are the same lists; ``old``: the rows of the old code.

    None: some run has no score of equal key for the case. Nearly every case of
    nearly every run takes this way, so it is one pass without a set.
    """
    key, errors = row["keys"].get(profile), row["errors"].get(profile)
    if not old or key is None or errors is None or row["state"] != "scored":
        return None
    has_same_errors = True
    for other in old:
        if other is None or other["state"] != "scored" or other["keys"].get(profile) != key:
            return None
        theirs = other["errors"].get(profile)
        if theirs is None:
            return None
        has_same_errors = has_same_errors and theirs == errors
    return has_same_errors


def _count_errors(covered: Covered, case: str, row: Row, other: Row | None, profile: str) -> None:
    """Count what was declined, and remember whether anything else was wrong."""
    errors = row["errors"].get(profile)
    if not errors:
        return
    if declined(row, profile):
        covered.no_answer.append(case)
        if other is not None and other["errors"].get(profile):
            covered.no_answer_known += declined(other, profile)
    elif row["state"] == "scored" and not covered.has_errors:
        covered.has_errors = any(error["kind"] != NO_ANSWER for error in errors)


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
    known = {*covered.holes, *record.retired, *covered.new}
    return sorted(set(baseline.rows).difference(candidate.rows, known))


def grown_cases(record: RunRecord) -> frozenset[str]:
    """Return the ids that revisions added since a run was made, by its history."""
    return frozenset(
        case
        for entry in record.history
        if entry.what == GROWN and isinstance(entry.to, dict)
        for case in entry.to.get("added", ())
    )
