"""Whether a saved run may be taken over to another revision of its dataset.

What a run was asked must be what the revision asks: then its replies stand,
and only what they are compared with has changed. A run never follows to
changed inputs; the difference is named down to case and file (ENV-068).
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from functools import cache
from typing import Any

from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.evaluate.case import Scorer
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.requests import Requests
from pytest_benchbed.runs.read import Run

_SHOWN = 3

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Revision:
    """How the dataset differs from the one that a run was made on, as far as the run goes."""

    is_same: bool
    """Nothing differs, not even the version."""
    corrected: tuple[str, ...] = ()
    """Cases of the run whose answer is another."""
    added: tuple[str, ...] = ()
    """Cases that the revision added, in file order."""
    parts: Mapping[str, dict[str, str]] = field(default_factory=dict)
    """What the keys of the run's cases are made of now."""


def revision_for(
    run: Run,
    rows: Mapping[str, Row],
    scorer: Scorer,
    *,
    may_grow: bool,
    returned: Mapping[str, Mapping[str, str]],
    is_sound: bool,
) -> Revision:
    """Compare the dataset with the one of ``run``, case by case.

    Args:
        run: a completed run.
        rows: its rows by case.
        scorer: of the dataset that the run is to be taken over to; verified.
        may_grow: a revision that adds cases is accepted.
        returned: ``key_parts`` of its cases that were retired and are not any more.
        is_sound: the rows are those of the record; if not, what they say of their
            keys is no more than a reason to refuse.

    Raises:
        RunRefused: another dataset, or other inputs; the text names what differs.
    """
    record, dataset = run.record, scorer.dataset
    if record.dataset.id != dataset.id:
        raise RunRefused(
            f"run {run.id!r} is of dataset {record.dataset.id!r}, not of {dataset.id!r}.\n"
            "Name a revision of the dataset that it was made on, with --dataset."
        )
    back = {case: scorer.parts(case) for case in returned if case in dataset}
    _check_asked(run, dataset, {case: returned[case] for case in back}, back)
    if record.dataset.identity == dataset.identity:
        same = {case: row["key_parts"] for case, row in rows.items()} if is_sound else {}
        return Revision(is_same=True, parts=same)
    if record.dataset.digests.inputs == dataset.manifest.digests.inputs:
        # Whatever was asked is the same; only answers need to be looked at.
        now = {
            case: _answered(scorer, case, row["key_parts"]) if is_sound else scorer.parts(case)
            for case, row in rows.items()
            if is_sound or case in dataset
        }
        return Revision(False, _corrected(rows, now), parts=now)
    gone = [case for case in rows if dataset.case_index.position(case) is None]
    if gone:
        raise _refusal(
            run,
            dataset,
            f"the dataset has no case {_some(gone)} any more",
            "Cases are retired with a reason, not removed: put it back and add it to `retired` "
            "of the manifest.",
        )
    now = {case: scorer.parts(case) for case in rows}
    before = {case: row["key_parts"] for case, row in rows.items()}
    _check_asked(run, dataset, before, now)
    added = tuple(_added(record, rows, dataset))
    if not may_grow:
        what = f"it adds {_some(list(added))}" if added else "rows of cases differ, inputs do not"
        raise _refusal(
            run,
            dataset,
            what if added else f"{what} (category, tags, group or meta)",
            "Take the run over with --grown: what was added counts as new and is not judged.",
        )
    return Revision(False, _corrected(rows, now), added, parts=now)


def _check_asked(
    run: Run,
    dataset: Dataset,
    before: Mapping[str, Mapping[str, str]],
    now: Mapping[str, Mapping[str, str]],
) -> None:
    """Refuse cases that ask otherwise than they did."""
    # The request of a long run is large, and read only to name a file.
    asked = cache(lambda: Requests(run.paths.request))
    changed = {
        case: difference
        for case, parts in before.items()
        if (difference := _difference(asked, dataset, case, parts, now[case]))
    }
    if changed:
        first = next(iter(changed))
        more = [case for case in changed if case != first]
        beside = f" (as in {_some(more)})" if more else ""
        raise _refusal(
            run,
            dataset,
            f"{changed[first]}{beside}",
            "What was asked is another question now: record a new run.",
        )


def _answered(scorer: Scorer, case: str, parts: Mapping[str, str]) -> dict[str, str]:
    return {**parts, "answer": scorer.answer_part(case)}


def _corrected(rows: Mapping[str, Row], now: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    return tuple(
        case for case, parts in now.items() if rows[case]["key_parts"]["answer"] != parts["answer"]
    )


def _difference(
    asked: Callable[[], Requests],
    dataset: Dataset,
    case: str,
    before: Mapping[str, str],
    now: Mapping[str, str],
) -> str:
    """Say what the case asks otherwise than it did, or ``""``."""
    if before["files"] != now["files"]:
        return f"case {term(case)}: {_file_difference(asked, dataset, case)}"
    if before["inputs"] != now["inputs"]:
        return f"case {term(case)}: its inputs differ"
    return ""


def _file_difference(asked: Callable[[], Requests], dataset: Dataset, case: str) -> str:
    """Name the file that differs, where the run kept its request."""
    request = asked().case(case)
    if request is None:
        return "its files differ"
    names = set(dataset.known_row(case).get("files") or ())
    before = {file["path"]: file["sha256"] for file in request.get("files") or ()}
    for path in sorted(names | before.keys()):
        pin = dataset.pins.get(path)
        if path not in before:
            return f"it names file {term(path, 120)}, which it did not"
        if path not in names or pin is None:
            return f"it does not name file {term(path, 120)} any more"
        if pin.sha256 != before[path]:
            return f"file {term(path, 120)} was changed"
    return "the files of its context differ"


def _added(record: RunRecord, rows: Mapping[str, Row], dataset: Dataset) -> Iterator[str]:
    """Yield the cases of the run's scope that it does not have; only a whole run can tell."""
    if record.partial:
        raise RunRefused(
            f"run {record.id!r} left cases out, so which ones a revision added cannot be told.\n"
            "Take over a run of all cases."
        )
    known = {*rows, *record.retired}
    matches = in_scope(record)
    for entry in dataset.entries():
        if entry.id not in known and matches(entry):
            yield entry.id


def kept_row(run: Run, row: dict[str, Any], scorer: Scorer, revision: Revision) -> dict[str, Any]:
    """Return the row of a case whose reply is not at hand.

    If its answer was corrected it fits no other row, not even one that was kept in
    the same way: both hold what was right by the old answer.
    """
    case, keys = row["case"], scorer.keys.of(row["case"], row["key_parts"])
    unfit = {profile: digest({"run": run.id, "was": key}) for profile, key in keys.items()}
    if case in revision.corrected:
        return {**row, "keys": unfit} if row["keys"] == keys else row
    # The correction was undone.
    return {**row, "keys": keys} if row["keys"] == unfit else row


def in_scope(record: RunRecord) -> Callable[[Any], bool]:
    """Return the test whether a case entry belongs to the scope of a run."""
    from pytest_benchbed.data.select import Selection

    words = [f"{key}={value}" for key, values in record.scope.items() for value in values]
    return Selection.parse(words).scope_matches


def _some(cases: list[str]) -> str:
    shown = ", ".join(term(case) for case in cases[:_SHOWN])
    more = len(cases) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _refusal(run: Run, dataset: Dataset, what: str, remedy: str) -> RunRefused:
    before = run.record.dataset
    return RunRefused(
        f"run {run.id!r} of {before.id} version {term(before.version, 40)} cannot be taken over "
        f"to version {term(dataset.version, 40)}: {what}.\n{remedy}"
    )
