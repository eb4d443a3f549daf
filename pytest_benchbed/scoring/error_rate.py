"""Word and character error rate, as counts: rates are made where they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from pytest_benchbed.scoring.bounds import check_size

MAX_WORD_CELLS = 10**8
"""Reference words times other words; the alignment keeps a bit for each."""
MAX_CHARACTER_CELLS = 10**10


class Counts(NamedTuple):
    """How the words of two texts align at the least cost.

    Counts of several cases are added up; rates are never averaged.
    """

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def errors(self) -> int:
        """The distance."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def reference(self) -> int:
        """Words of the reference; 0: there is no rate, and the insertions still count."""
        return self.hits + self.substitutions + self.deletions


def word_errors(reference: Sequence[str], other: Sequence[str]) -> Counts:
    """Align two lists of words; oracle: jiwer 4.

    Raises:
        TechnicalFailure: ``too_large``, told by the sizes alone.
    """
    check_size(len(reference) * len(other), MAX_WORD_CELLS, "words")
    found = {"replace": 0, "delete": 0, "insert": 0}
    for operation in Levenshtein.editops(list(reference), list(other)):
        found[operation.tag] += 1
    hits = len(reference) - found["replace"] - found["delete"]
    return Counts(hits, found["replace"], found["delete"], found["insert"])


def character_errors(reference: str, other: str) -> tuple[int, int]:
    """Return the distance in characters, and the characters of the reference.

    Raises:
        TechnicalFailure: as :func:`word_errors`.
    """
    check_size(len(reference) * len(other), MAX_CHARACTER_CELLS, "characters")
    return Levenshtein.distance(reference, other), len(reference)


def rate(errors: int, reference: int) -> float | None:
    """Return errors per unit of the reference, may be above 1; None over an empty reference."""
    return errors / reference if reference else None
