"""What the gate asks a benchmark type: which of two results is worse."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from typing import Any
from typing import Protocol

from pytest_benchbed.model.error import ProfileScore

Row = Mapping[str, Any]
"""One line of ``results.jsonl``."""

NO_ANSWER = "no-answer"
"""Kind of the one error of a case that the system declined."""


class Judge(Protocol):
    """The part of a benchmark type that the gate needs; a ``Benchmark`` is one."""

    @property
    def has_own_is_worse(self) -> bool:
        """Whether :meth:`is_worse` replaces the comparison of error sets (ENV-063)."""

    @property
    def tolerance(self) -> Mapping[str, float]:
        """Metric to the fall that is still no loss."""

    @property
    def lower_is_better(self) -> Collection[str]:
        """Metrics whose rise is the loss."""

    def is_worse(self, profile: str, candidate: ProfileScore, other: ProfileScore) -> bool:
        """Say whether ``candidate`` is worse than ``other``; never for equal results."""


class ErrorsDecide:
    """The judge of a type that declares nothing: a new error is worse, nothing else."""

    has_own_is_worse = False
    tolerance: Mapping[str, float] = {}
    lower_is_better: Collection[str] = ()

    def is_worse(self, profile: str, candidate: ProfileScore, other: ProfileScore) -> bool:
        """Say whether ``candidate`` has an error that ``other`` has not."""
        return bool(candidate.keys - other.keys)


def declined(row: Row, profile: str) -> bool:
    """Say whether the system declined the case (one error ``no-answer`` in every profile)."""
    errors = row["errors"][profile]
    return len(errors) == 1 and errors[0]["kind"] == NO_ANSWER
