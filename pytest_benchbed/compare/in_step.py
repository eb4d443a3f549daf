"""Go through compared runs together, line by line, and parse only what differs.

The rows of a saved run lie in a file in order of their cases, and each line
ends with what differs in every run: times, cost. What stands before it, the
head, is equal exactly if nothing changed; nearly every case of nearly every
comparison is settled by that. Rows that are objects already have no heads and
are looked at one by one, with the same result.
"""

from __future__ import annotations

from bisect import bisect_left
from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Protocol
from typing import runtime_checkable

from pytest_benchbed.compare.judge import Row
from pytest_benchbed.model.canonical import canonical

_ERRORS = b',"errors":'
_SCORED = b'"state":"scored"'
_OTHERS = (b'"state":"skipped"', b'"state":"technical"')
_PERFECT = b'"quality":1,"reason":null,"state":"scored"'


@runtime_checkable
class HeadedRows(Protocol):
    """The rows of a saved run that are still in their file, in order of their cases."""

    @property
    def cases(self) -> Sequence[str]:
        """The cases, sorted."""

    def batches(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of rows that are worth one reading of the file each."""

    def heads(self, start: int, stop: int) -> list[bytes]:
        """Return the lines of a range of rows, each up to ``x``."""


def in_step(
    rows: Mapping[str, Row], others: Sequence[Mapping[str, Row]]
) -> Iterator[tuple[str, bytes | None]]:
    """Yield the cases of ``rows`` in order, each with its head if all the others have the same.

    None: some run has another row for the case or none, or its rows are objects.
    """
    headed = [one for one in others if isinstance(one, HeadedRows)]
    if not isinstance(rows, HeadedRows) or not others or len(headed) < len(others):
        for case in sorted(rows):
            yield case, None
        return
    for start, stop in rows.batches():
        cases = rows.cases[start:stop]
        heads: list[bytes | None] = [*rows.heads(start, stop)]
        for other in headed:
            theirs = _heads_of(other, cases)
            heads = [mine if mine == one else None for mine, one in zip(heads, theirs, strict=True)]
        yield from zip(cases, heads, strict=True)


def _heads_of(rows: HeadedRows, cases: Sequence[str]) -> Sequence[bytes | None]:
    """Return the head of each of these cases, None for one that has no row."""
    start = bisect_left(rows.cases, cases[0])
    stop = bisect_right(rows.cases, cases[-1])
    heads = rows.heads(start, stop)
    found = rows.cases[start:stop]
    if found == cases:
        return heads
    by_case = dict(zip(found, heads, strict=True))
    return [by_case.get(case) for case in cases]


class Plain:
    """Tells by its head a row without an error in any profile, which most are."""

    def __init__(self, profiles: Sequence[str]) -> None:
        """``profiles``: of the type."""
        errors: dict[str, list[object]] = {profile: [] for profile in profiles}
        self._errors = _ERRORS + canonical(errors) + b',"key_parts":'

    def grade(self, head: bytes) -> int:
        """Return 1 if the case was scored without an error in every profile.

        2 if its quality is 1, too; 0 if its row has to be looked at.
        """
        if not head.endswith(_SCORED):
            return 0
        # Only texts stand before the errors, and in them a quote is escaped.
        if not head.startswith(self._errors, head.find(_ERRORS)):
            return 0
        return 2 if head.endswith(_PERFECT) else 1


def scored_cases(rows: Mapping[str, Row]) -> set[str]:
    """Return the cases that have a score."""
    if not isinstance(rows, HeadedRows):
        return {case for case, row in rows.items() if row["state"] == "scored"}
    return {
        case
        for case, head in _all_heads(rows)
        if head.endswith(_SCORED)
        or (not head.endswith(_OTHERS) and rows[case]["state"] == "scored")
    }


def imperfect_rows(rows: Mapping[str, Row], profiles: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """Yield the rows that have an error or a quality below 1, and perhaps others."""
    if not isinstance(rows, HeadedRows):
        yield from rows.items()
        return
    plain = Plain(profiles)
    for case, head in _all_heads(rows):
        if plain.grade(head) < 2:
            yield case, rows[case]


def _all_heads(rows: HeadedRows) -> Iterator[tuple[str, bytes]]:
    for start, stop in rows.batches():
        yield from zip(rows.cases[start:stop], rows.heads(start, stop), strict=True)
