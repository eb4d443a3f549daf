"""The ``gate`` object of ``metrics.json``: one verdict with all that stands beside it."""

from __future__ import annotations

from typing import Any
from typing import ClassVar
from typing import Literal

from pydantic import Field

from pytest_benchbed.model.base import Model
from pytest_benchbed.model.run import GateStatus

GATE_VERSION = "benchbed.gate.v1"


class ControlRef(Model):
    """A control the verdict used."""

    run: str
    age_s: float
    """Seconds from its start to the candidate's start."""
    identity: str


class Suspect(Model):
    """A stable case with an error that no same-code run has."""

    case: str
    errors: list[dict[str, Any]]
    outcome: Literal[
        "regression", "wobbled", "confirmed", "confirmed-vary", "unconfirmed", "not-reasked"
    ]
    attempts: int
    wrong: int


class TargetState(Model):
    """A target and the errors left on it."""

    case: str
    errors: list[dict[str, Any]]


class Unverifiable(Model):
    """A case whose keys differ between the runs."""

    case: str
    differs: str


class Coverage(Model):
    """What the verdict could judge, and what not."""

    compared: int
    of: int
    holes: list[str] = []
    not_selected: int = 0
    not_in_baseline: list[str] = []
    retired: list[str] = []
    skipped: list[str] = []
    support_lost: list[str] = []
    new: list[str] = []
    removed: list[str] = []
    unverifiable: list[Unverifiable] = []
    no_answer: list[str] = []
    no_answer_known: int = 0
    """How many of ``no_answer`` the baseline declined too."""


class FalseAlarm(Model):
    """Chance that this gate goes red with no change; null: unknown."""

    estimate: float | None
    limit95: float | None


class SmallestChange(Model):
    """The smallest change the gate could have seen; null: not visible or unknown."""

    single: int | None
    spread: int | None
    of: int


class SignTest(Model):
    """One-sided exact sign test, baseline against candidate; information only."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"holm"})

    worse: int
    better: int
    mixed: int
    p: float
    holm: float | None = None
    """The p-value adjusted for the other profiles of the run, by Holm."""


class GateResult(Model):
    """The verdict of one profile."""

    status: GateStatus
    reason: str
    rule: str
    rule_source: str
    decides: bool
    baseline: str | None
    controls: list[ControlRef]
    K: int
    D: int
    r: int
    flaky_estimate: str | None
    """``numerator/denominator``."""
    loo_counts: list[int] | None
    lambda_: float | None = Field(alias="lambda")
    allowed: int | None
    suspects: list[Suspect]
    unstable: list[str]
    targets: list[TargetState]
    justification: str | None
    coverage: Coverage
    identified: dict[str, bool]
    false_alarm: FalseAlarm
    smallest_change: SmallestChange
    sign_test: SignTest
    warnings: list[str]
