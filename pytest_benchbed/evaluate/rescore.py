"""The rows of a saved run made again, from the replies that it kept (ENV-066).

No adapter is started and nothing is asked: every stored outcome goes through
the reader, the type's validator and the scorer once more. A case whose reply
is not at hand (a snapshot of private data) keeps its row as it is; if its
answer was corrected, its key no longer fits, and the gate calls it unverifiable.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_benchbed.compare.coverage import GROWN
from pytest_benchbed.compare.coverage import grown_cases
from pytest_benchbed.compare.pair import error_set
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.evaluate.case import Answer
from pytest_benchbed.evaluate.case import Scorer
from pytest_benchbed.evaluate.rekey import Revision
from pytest_benchbed.evaluate.rekey import in_scope
from pytest_benchbed.evaluate.rekey import kept_row
from pytest_benchbed.evaluate.rekey import revision_for
from pytest_benchbed.evaluate.stored import RETIRED
from pytest_benchbed.evaluate.stored import Outcomes
from pytest_benchbed.evaluate.stored import retired_parts
from pytest_benchbed.evaluate.stored import stored_rows
from pytest_benchbed.evaluate.summing import is_summed
from pytest_benchbed.model.bulk import few_collections
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.run import BenchmarkRecord
from pytest_benchbed.model.run import Counts
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.status import with_history

Row = dict[str, Any]

RESCORED = "rescored"
REKEYED = "re-keyed"
"""``what`` of the history lines that are written here, beside ``grown`` and ``retired``."""


@dataclass(frozen=True)
class Rescored:
    """A run with its rows made again; nothing is written yet."""

    run: Run
    """As it was."""
    record: RunRecord
    """With the new counts, identities and history; its gate is the old one."""
    rows: dict[str, Row]
    """By case, in order of the ids."""
    revision: Revision
    changed: tuple[str, ...]
    """Cases whose state, errors, metrics or quality are not what they were."""
    other_errors: tuple[str, ...]
    """Those of them whose state or set of errors is another, in some profile."""
    unanswered: tuple[str, ...]
    """Cases whose reply is not at hand."""
    is_sound: bool
    """Whether the rows on disk were those of the record."""

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to write."""
        return self.record is not self.run.record or not self.is_sound


def rescore(run: Run, scorer: Scorer, at: str, *, may_grow: bool = False) -> Rescored:
    """Score every stored outcome of a run again, under the dataset and type of ``scorer``.

    Args:
        run: a completed run; its files stay as they are.
        scorer: of the installed type and the revision it is taken over to; its
            dataset was verified.
        at: the present time, for the run's history.
        may_grow: a revision that adds cases is accepted.

    Raises:
        RunRefused: the run is not completed, is void, has no replies where they are
            needed, or does not belong to the dataset (see
            :func:`~evaluate.rekey.revision_for`).
        RunError: a file of it is damaged.
    """
    check_completed(run)
    old_rows, is_sound = stored_rows(run)
    dataset, was = scorer.dataset, run.record.dataset
    returned = {
        case: parts
        for case, parts in retired_parts(run.record).items()
        if case not in dataset.retired and case not in old_rows
    }
    revision = revision_for(
        run, old_rows, scorer, may_grow=may_grow, returned=returned, is_sound=is_sound
    )
    read = Outcomes(run)
    is_all_asked = was.digests.inputs == dataset.manifest.digests.inputs
    has_new_formula = run.record.benchmark.scoring_version != scorer.benchmark.scoring_version
    rows: dict[str, Row] = {}
    found: list[TechnicalRecord] = []
    unanswered: list[str] = []
    with read, few_collections():
        for entry, row in dataset.known_entries():
            old = old_rows.get(entry.id)
            # Of rows that are not ours the replies say which cases there are.
            if is_sound and old is None and entry.id not in returned:
                continue
            answers = [scorer.checked(outcome) for outcome in read.of(entry.id)]
            if answers:
                if not is_all_asked and old is None and entry.id not in returned:
                    raise read.refusal(f"says nothing of case {term(entry.id)}")
                parts = revision.parts.get(entry.id)
                evaluation = scorer.evaluate(entry, answers, row=row, parts=parts)
                # Times and costs of a call are in its row too, and equal by chance in no run.
                if old is not None and is_sound and evaluation.row["x"] != old["x"]:
                    raise read.of_another_call(entry.id)
                if reasks := _reasks(read, scorer, entry.id, answers[0], old):
                    evaluation.row["reasks"] = reasks
                rows[entry.id] = evaluation.row
                found += map(TechnicalRecord.from_json, evaluation.technical)
            elif old is not None and is_sound:
                rows[entry.id] = kept_row(run, old, scorer, revision)
                unanswered.append(entry.id)
                found += [one for one in run.record.technical if one.case == entry.id]
    if not is_sound:
        read.check_all_there([*rows, *dataset.retired])
    _check_scorer(run, old_rows, found)
    if has_new_formula and unanswered and len(unanswered) == len(rows):
        raise RunRefused(
            f"{run.paths.calls}: holds no reply of run {run.id!r}, so it cannot be scored under "
            f"{scorer.benchmark.scoring_version}.\nRestore the run, or record a new one."
        )
    rows = dict(sorted(rows.items()))
    changed = [case for case, row in rows.items() if is_other(row, old_rows.get(case))]
    record = run.record
    gone = {case: old_rows[case]["key_parts"] for case in dataset.retired if case in old_rows}
    if changed or has_new_formula or gone or not revision.is_same:
        record = _record(run.record, scorer, revision, rows, found, changed, at)
        if gone and is_sound:
            record = with_history(record, RETIRED, {"key_parts": gone}, None, at)
    return Rescored(
        run=run,
        record=record,
        rows=rows,
        revision=revision,
        changed=tuple(changed),
        other_errors=tuple(
            case for case in changed if has_other_errors(rows[case], old_rows.get(case))
        ),
        unanswered=tuple(unanswered),
        is_sound=is_sound,
    )


def _reasks(
    read: Outcomes, scorer: Scorer, case: str, first: Answer, old: Row | None
) -> list[dict[str, Any]]:
    """Score the re-asks of a case again; one that was never made stays on record."""
    reasks = [
        scorer.reask(case, scorer.checked(outcome), first) for outcome in read.reasks_of(case)
    ]
    known = (old or {}).get("reasks") or []
    return [*reasks, *known[len(reasks) :]]


def _check_scorer(run: Run, old_rows: Mapping[str, Row], found: Iterable[TechnicalRecord]) -> None:
    """Refuse to take scores away because the type breaks: they would be lost to every verdict."""
    broken = {
        one.case: one
        for one in found
        if one.whose == "scorer" and one.case is not None and _is_scored(old_rows.get(one.case))
    }
    if broken:
        first = next(iter(broken.values()))
        raise RunRefused(
            f"run {run.id!r}: the scorer fails at {count(len(broken), 'case')} that had a score "
            f"{names(list(broken))}: {first.kind}: {term(first.detail, 200)}.\n"
            "Correct the type, and score the run then."
        )


def _is_scored(row: Row | None) -> bool:
    return row is not None and row["state"] == "scored"


def check_completed(run: Run) -> None:
    """Refuse a run that is not finished or void.

    Raises:
        RunRefused: with its status.
    """
    status = run.record.status
    if status == "void":
        raise RunRefused(
            f"run {run.id!r} is void: an answer turned up where none may be. Make a new run."
        )
    if status != "completed":
        raise RunRefused(
            f"run {run.id!r} is not completed: its status is {status!r}.\n"
            f"Go on with it first: --bench-resume={run.id}"
        )


def is_other(row: Row, old: Row | None) -> bool:
    """Say whether a row differs from what it was, times and keys aside."""
    if old is None:
        return True
    names = ("state", "reason", "errors", "metrics", "quality", "repeats", "reasks")
    return any(row.get(name) != old.get(name) for name in names)


def has_other_errors(row: Row, old: Row | None) -> bool:
    """Say whether state or error sets differ; order, texts and values of errors do not count."""
    if old is None or row["state"] != old["state"]:
        return True
    return _sets(row) != _sets(old)


def _sets(row: Row) -> dict[str, Any]:
    return {profile: error_set(errors) for profile, errors in row["errors"].items()}


def _record(
    old: RunRecord,
    scorer: Scorer,
    revision: Revision,
    rows: Mapping[str, Row],
    found: list[TechnicalRecord],
    changed: list[str],
    at: str,
) -> RunRecord:
    benchmark, dataset = scorer.benchmark, scorer.dataset
    states = [row["state"] for row in rows.values()]
    record = old.model_copy(
        update={
            "benchmark": BenchmarkRecord(
                id=benchmark.id,
                format=benchmark.format,
                scoring_version=benchmark.scoring_version,
                profiles=list(benchmark.profiles),
            ),
            "dataset": old.dataset.model_copy(
                update={
                    "version": dataset.version,
                    "identity": dataset.identity,
                    "digests": dataset.manifest.digests,
                    "visibility": dataset.manifest.visibility,
                }
            ),
            "retired": sorted(dataset.retired),
            "technical": [
                *(one for one in old.technical if one.case is None and not is_summed(one)),
                *found,
            ],
        }
    )
    version = old.benchmark.scoring_version
    if not revision.is_same:
        before = {"version": old.dataset.version, "identity": old.dataset.identity}
        after = {"version": dataset.version, "identity": dataset.identity}
        record = with_history(record, REKEYED, before, after, at)
    if revision.added:
        record = with_history(record, GROWN, None, {"added": sorted(revision.added)}, at)
    if changed or version != benchmark.scoring_version:
        scored = {"scoring_version": benchmark.scoring_version, "changed": changed}
        record = with_history(record, RESCORED, {"scoring_version": version}, scored, at)
    counts = Counts(
        scope=_scope(record, rows, scorer),
        selected=len(rows),
        scored=states.count("scored"),
        technical=states.count("technical"),
        skipped=states.count("skipped"),
        retired=len(dataset.retired),
        holes=0,
    )
    return record.model_copy(update={"counts": counts})


def _scope(record: RunRecord, rows: Mapping[str, Row], scorer: Scorer) -> int:
    """Count the cases of the scope; those that a revision added are not missed by the run.

    A case that was asked stays one of the scope, whatever its category is now.
    """
    grown = grown_cases(record) - rows.keys()
    if not record.scope:
        return len(scorer.dataset) - sum(case in scorer.dataset for case in grown)
    matches = in_scope(record)
    return sum(
        entry.id in rows or (matches(entry) and entry.id not in grown)
        for entry in scorer.dataset.entries()
    )
