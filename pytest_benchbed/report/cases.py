"""The cases of a run as the report lists them: one light line each, details on demand.

A run may have a hundred thousand cases. One pass over ``results.jsonl`` keeps a
line per case with the place of its row; rows, answers and predictions are read
again only for the cases whose details are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

from pydantic_core import from_json

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.lines import parse_plain

BUCKETS: Final = (
    "worse",
    "better",
    "noisy",
    "remaining",
    "technical",
    "skipped",
    "no result",
    "unchanged",
)
"""In the order of the report. ``no result``: holes, which have no row (ENV-075)."""

Errors = tuple[Mapping[str, Any], ...]


class Absent:
    """The type of :data:`ABSENT`."""

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent()
"""A prediction that is not there, which null is not."""


@dataclass(frozen=True, slots=True)
class Change:
    """What changed in one case, in the gate profile, from the review brief."""

    bucket: str
    new: Errors = ()
    gone: Errors = ()
    kept: Errors = ()


_UNCHANGED = Change("unchanged")


class CaseLine(NamedTuple):
    """One case of the list."""

    id: str
    category: str
    """Empty: the dataset names none."""
    change: Change
    state: str
    reason: str
    latency_s: float | None
    cost_usd: float | None
    other_errors: int
    """Errors in the profiles that do not decide."""
    row_at: int
    """Byte offset of its row in ``results.jsonl``; -1: a hole."""

    @property
    def bucket(self) -> str:
        """One of :data:`BUCKETS`."""
        return self.change.bucket

    @property
    def has_details(self) -> bool:
        """Whether there is more to say than the line: an error, a change or a failure."""
        if self.bucket in ("skipped", "no result"):
            return False
        return self.bucket != "unchanged" or self.other_errors > 0


@dataclass(frozen=True, slots=True)
class CaseDetail:
    """One case with all that is recorded about it."""

    line: CaseLine
    row: Mapping[str, Any]
    """Its row of ``results.jsonl``, empty for a hole."""
    answer: Any
    """:data:`ABSENT` if the run does not hold it."""
    prediction: Any
    before: Any
    """The baseline's prediction."""


def changes(brief: Mapping[str, Any]) -> dict[str, Change]:
    """Return the changed cases of a review brief by case id."""
    found = {}
    for group in brief.get("groups", ()):
        for case in group["cases"]:
            found[case["case"]] = Change(
                group["bucket"], tuple(case["new"]), tuple(case["gone"]), tuple(case["kept"])
            )
    return found


def read_lines(results: Path, changed: Mapping[str, Change], profile: str) -> Iterator[CaseLine]:
    """Yield one line per row of ``results.jsonl``, in its order.

    Raises:
        RunError: a row is damaged.
    """
    for offset, row in _rows(results):
        timing = row["x"]
        errors = row["errors"]
        yield CaseLine(
            id=row["case"],
            category=row["category"] or "",
            change=_change(row, changed.get(row["case"]), profile),
            state=row["state"],
            reason=row["reason"] or "",
            latency_s=timing.get("latency_s"),
            cost_usd=timing.get("cost_usd"),
            other_errors=sum(len(found) for name, found in errors.items() if name != profile),
            row_at=offset,
        )


def _change(row: Mapping[str, Any], change: Change | None, profile: str) -> Change:
    if row["state"] != "scored":
        return Change(row["state"])
    if change is not None:
        return change
    errors = row["errors"].get(profile) or ()
    return Change("remaining", kept=tuple(errors)) if errors else _UNCHANGED


class Details:
    """Reads rows again by their places."""

    def __init__(self, results: Path, comparison: Path) -> None:
        """Index ``comparison.jsonl``; a run without it has no answers to show."""
        self._results = results
        self._comparison = comparison
        self._compared = dict(_index(comparison))

    def read(self, line: CaseLine) -> CaseDetail:
        """Return all that is recorded about one case.

        Raises:
            RunError: its row is damaged.
        """
        row = _row_at(self._results, line.row_at) if line.row_at >= 0 else {}
        compared = self._compared.get(line.id)
        beside = _row_at(self._comparison, compared) if compared is not None else {}
        predictions = beside.get("predictions", {})
        return CaseDetail(
            line=line,
            row=row,
            answer=beside.get("answer", ABSENT),
            prediction=predictions.get("candidate", ABSENT),
            before=predictions.get("baseline", ABSENT),
        )


def count_kinds(errors: Errors) -> list[tuple[str, int]]:
    """Return each kind of error with its count, in order of first sight."""
    return list(Counter(error["kind"] for error in errors).items())


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (offset, row) of a JSON Lines file; a missing file has none."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            yield offset, parse_plain(line, f"{path}:{number}")
            offset += len(line)


def _index(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (case, offset) of each row; whether a row is sound is seen when it is read."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield from_json(line, cache_strings="keys")["case"], offset
            except (ValueError, KeyError, TypeError):
                raise RunError(
                    f"{path}:{number}: is damaged. Restore the file, or make the run again."
                ) from None
            offset += len(line)


def _row_at(path: Path, offset: int) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            file.seek(offset)
            line = file.readline()
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}.") from error
    return parse_plain(line, f"{path}: byte {offset}")
