"""The bound of a kernel's work, told by sizes before it starts.

A score must not depend on how fast a machine is: what is too large is never
cut short, and never scored by another formula.
"""

from __future__ import annotations

from pytest_benchbed.model.errors import TechnicalFailure


def check_size(cells: int, limit: int, what: str) -> None:
    """Refuse more than ``limit`` pairs of ``what``.

    Raises:
        TechnicalFailure: ``too_large``, of the scorer.
    """
    if cells > limit:
        raise TechnicalFailure(
            "too_large", f"{cells:,} pairs of {what} to align, at most {limit:,}", whose="scorer"
        )
