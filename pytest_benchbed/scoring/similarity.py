"""How alike two texts are, in [0, 1]."""

from __future__ import annotations

from rapidfuzz import fuzz

from pytest_benchbed.scoring.bounds import check_size

MAX_CELLS = 10**10


def similarity(one: str, other: str) -> float:
    """Return ``2 * M / T``: characters in common, in order, over all; symmetric.

    Both empty: 1; one empty: 0. Nothing is normalised here.

    Raises:
        TechnicalFailure: ``too_large``, told by the sizes alone.
    """
    # Decided here: the ratios of the library do not agree about empty texts.
    if not one or not other:
        return 1.0 if one == other else 0.0
    check_size(len(one) * len(other), MAX_CELLS, "characters")
    return fuzz.ratio(one, other) / 100
