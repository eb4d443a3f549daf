"""Score one prediction under settings, and tell its errors in short."""

from __future__ import annotations

from typing import Any

from pytest_benchbed.benchmarks.generic.make import make_type
from pytest_benchbed.benchmarks.score import quality
from pytest_benchbed.benchmarks.score import score
from pytest_benchbed.benchmarks.score import validate_prediction
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import ProfileScore


class Scored:
    """What a type says, in its first profile."""

    def __init__(
        self, type_id: str, scoring: dict[str, Any], answer: Any, prediction: Any, **inputs: Any
    ) -> None:
        self.benchmark = make_type("mine", type_id, scoring)
        validate_prediction(self.benchmark, prediction)
        self.all = score(self.benchmark, Case("c-1", "mine", inputs), answer, prediction)
        self.first: ProfileScore = self.all[self.benchmark.profiles[0]]
        self.quality = quality(self.benchmark, self.all)

    @property
    def errors(self) -> list[str]:
        """Each error as ``kind place``."""
        return [
            " ".join([error.kind, *(str(part) for part in error.where.values())])
            for error in self.first.errors
        ]
