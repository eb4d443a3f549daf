"""A type whose summary breaks: a technical failure of the scorer, never a lost run."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.base import pool
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.runs.measures import scored
from pytest_benchbed.runs.metrics import summary

_SUMMED = frozenset({"summary", "unit"})
"""Kinds of failures of the scorer over a whole run."""


@dataclass(frozen=True)
class Pooled:
    """Stands in for a type whose own summary cannot be used: every metric pooled."""

    profiles: Sequence[str]
    headline: Sequence[str] = ()
    tolerance: Mapping[str, float] = field(default_factory=dict)
    lower_is_better: Sequence[str] = ()

    def summarise(self, profile: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Sum up as a type does by default."""
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: pool([row[name] for row in rows if name in row]) for name in names}


def broken_summary(benchmark: Benchmark, rows: Sequence[dict[str, Any]]) -> TechnicalRecord | None:
    """Return the failure of the type's ``summarise`` over the scored rows, or None."""
    good = scored(rows)
    for profile in benchmark.profiles:
        try:
            summary(benchmark, profile, good)
        except TechnicalFailure as failure:
            return TechnicalRecord(
                case=None, whose=failure.whose, kind=failure.kind, detail=term(failure.detail)
            )
    return None


def is_summed(one: TechnicalRecord) -> bool:
    """Say whether a failure is of summing up, and so found anew each time."""
    return one.case is None and one.whose == "scorer" and one.kind in _SUMMED
