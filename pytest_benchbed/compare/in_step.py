"""Go through compared runs together, and look only at rows that differ.

The rows of a saved run lie in a file in order of their cases, and each line
ends with what differs in every run: times, cost. What stands before it, the
head, is equal exactly if nothing changed; nearly every case of nearly every
comparison is settled by that. Of each head its mark (a digest) and its grade
are kept. Rows that are objects already have neither and are looked at one by
one, with the same result.
"""

from __future__ import annotations

from bisect import bisect_left
from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol
from typing import runtime_checkable

from pytest_benchbed.compare.judge import NO_ANSWER
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.model.canonical import canonical

LOOK = 0
"""Nothing is known of the row."""
UNSCORED = 1
"""Skipped or technical."""
SCORED = 2
"""Scored; all else has to be looked at."""
WRONG = 3
"""Scored in every profile, with an error in some, and not declined."""
RIGHT = 4
"""Scored without an error in every profile."""
PERFECT = 5
"""Right, and of quality 1."""

MARK = 16
"""Bytes of a mark: nobody finds two heads that have the same."""
_BATCH = 64
_ERRORS = b',"errors":'
_PARTS = b',"key_parts":{"answer":"'
_DIGEST = 64
_PARTS_LENGTH = len(_PARTS + b'","files":"' + b'","inputs":"' + b'"}') + 3 * _DIGEST
_DECLINED = f'"{NO_ANSWER}"'.encode()
_REPEATS = b'"repeats":['
_REASKS = b'"reasks":['
"""Where these stand, other errors than those of the profile may stand behind them."""
_SCORED = b'"state":"scored"'
_OTHERS = (b'"state":"skipped"', b'"state":"technical"')
_PERFECT = b'"quality":1,"reason":null,"state":"scored"'


@runtime_checkable
class MarkedRows(Protocol):
    """The rows of a saved run that are still in their file, in order of their cases."""

    @property
    def cases(self) -> Sequence[str]:
        """The cases, sorted."""

    @property
    def grades(self) -> Sequence[int]:
        """The grade of each row."""

    @property
    def marks(self) -> bytes | bytearray:
        """The mark of each row, one after the other."""


def mark(head: bytes) -> bytes:
    """Return the mark of a head: equal exactly if the heads are."""
    return sha256(head).digest()[:MARK]


def in_step(
    rows: Mapping[str, Row], others: Sequence[Mapping[str, Row]]
) -> Iterator[tuple[str, int | None]]:
    """Yield the cases of ``rows`` in order, each with its grade if all the others have the same.

    None: some run has another row for the case or none, or its rows are objects.
    """
    marked = [one for one in others if isinstance(one, MarkedRows)]
    if not isinstance(rows, MarkedRows) or not others or len(marked) < len(others):
        for case in sorted(rows):
            yield case, None
        return
    for start in range(0, len(rows.cases), _BATCH):
        cases = rows.cases[start : start + _BATCH]
        grades: Sequence[int | None] = rows.grades[start : start + _BATCH]
        mine = rows.marks[start * MARK : (start + len(cases)) * MARK]
        for other in marked:
            theirs = _marks_of(other, cases)
            if theirs != mine:
                grades = [
                    grade if mine[at : at + MARK] == theirs[at : at + MARK] else None
                    for grade, at in zip(grades, range(0, len(mine), MARK), strict=True)
                ]
        yield from zip(cases, grades, strict=True)


def _marks_of(rows: MarkedRows, cases: Sequence[str]) -> bytes | bytearray:
    """Return the marks of these cases, zeros for one that has no row."""
    start = bisect_left(rows.cases, cases[0])
    stop = bisect_right(rows.cases, cases[-1])
    found, marks = rows.cases[start:stop], rows.marks[start * MARK : stop * MARK]
    if found == cases:
        return marks
    places = {case: at * MARK for at, case in enumerate(found)}
    none = bytes(MARK)
    return b"".join(
        none if (at := places.get(case)) is None else marks[at : at + MARK] for case in cases
    )


class Grader:
    """Tells by its head what is in a row, as far as nearly all of them go.

    A row has a key for exactly those profiles that it has errors of.
    """

    def __init__(self, profiles: Sequence[str]) -> None:
        """``profiles``: of the type."""
        errors: dict[str, list[object]] = {profile: [] for profile in profiles}
        # Without profiles nothing can be right.
        self._right = _ERRORS + canonical(errors) + b',"key_parts":' if profiles else b"\n"
        keys = canonical(dict.fromkeys(profiles, "0" * _DIGEST)).split(b"0" * _DIGEST)
        self._keys = [b',"keys":' + keys[0], *keys[1:-1], keys[-1] + b',"metrics":']

    def grade(self, head: bytes) -> int:
        """Return ``PERFECT``, ``RIGHT``, ``WRONG``, ``SCORED``, ``UNSCORED`` or ``LOOK``."""
        if not head.endswith(_SCORED):
            return UNSCORED if head.endswith(_OTHERS) else LOOK
        # Only texts stand before the errors, and in them a quote is escaped.
        if head.startswith(self._right, head.find(_ERRORS)):
            return PERFECT if head.endswith(_PERFECT) else RIGHT
        return WRONG if self._is_wrong(head) else SCORED

    def _is_wrong(self, head: bytes) -> bool:
        if _DECLINED in head or _REPEATS in head or _REASKS in head:
            return False
        # Behind the digests of the case only numbers and texts follow, so the last are its own.
        at = head.rfind(_PARTS) + _PARTS_LENGTH
        for part in self._keys:
            if not head.startswith(part, at):
                return False
            at += len(part) + _DIGEST
        return True


def scored_cases(rows: Mapping[str, Row]) -> set[str]:
    """Return the cases that have a score."""
    if not isinstance(rows, MarkedRows):
        return {case for case, row in rows.items() if row["state"] == "scored"}
    return {
        case
        for case, grade in zip(rows.cases, rows.grades, strict=True)
        if grade >= SCORED or (grade == LOOK and rows[case]["state"] == "scored")
    }


def imperfect_rows(rows: Mapping[str, Row]) -> Iterator[tuple[str, Row]]:
    """Yield the rows that have an error or a quality below 1, and perhaps others."""
    if not isinstance(rows, MarkedRows):
        yield from rows.items()
        return
    for case, grade in zip(rows.cases, rows.grades, strict=True):
        if grade != PERFECT:
            yield case, rows[case]
