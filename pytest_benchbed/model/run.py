"""``run.json``: how a run was made, of what, and what the gate said."""

from __future__ import annotations

from typing import Annotated
from typing import Any
from typing import ClassVar
from typing import Literal

from pydantic import Field

from pytest_benchbed.model.base import Model
from pytest_benchbed.model.base import Money
from pytest_benchbed.model.bench_file import Limit
from pytest_benchbed.model.bench_file import ModelPrice
from pytest_benchbed.model.dataset import Digests

RunStatus = Literal["running", "completed", "interrupted", "void"]
GateStatus = Literal[
    "passed", "failed", "baseline required", "incomplete", "unavailable", "blocked"
]


class BenchmarkRecord(Model):
    """The type the run was scored with."""

    id: str
    format: str
    scoring_version: str
    profiles: list[str]
    """In the type's order; the first is the default gate."""


class DatasetRecord(Model):
    """The dataset the run was made on."""

    id: str
    version: str
    identity: str
    digests: Digests
    visibility: Literal["public", "private"]
    verified: Literal["sha256", "stat"]
    canary: Literal["absent", "clean", "found"]


class SourceRecord(Model):
    """Where the adapter's code stood in version control; not part of its identity."""

    commit: str
    branch: str | None
    dirty: bool


class AdapterRecord(Model):
    """The system under test."""

    name: str
    version: str
    identity: str
    """System identity: what must be equal between a baseline and its controls."""
    kind: Literal["class", "executable"]
    code_sha256: str
    source: SourceRecord | None
    watch_sha256: str | None
    identified: bool
    """Whether a watch digest or a reported version shows which system answered."""
    deterministic: bool
    model: str | None
    options: dict[str, Any]
    settings: list[str]
    """Names and values of what else changed how it was asked, as ``name=value``."""


class ExecutorRecord(Model):
    """Where the calls ran."""

    name: str
    slots: int
    jobs: int
    hosts: list[str]


class Counts(Model):
    """Cases by what became of them."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"groups"})

    scope: int = 0
    """Cases of the scope that are not retired; the gate counts what was not selected."""
    selected: int = 0
    scored: int = 0
    technical: int = 0
    skipped: int = 0
    retired: int = 0
    holes: int = 0
    groups: int | None = None
    """Groups that the cases with a row fall in, if any has one."""


class Spend(Model):
    """Dollars of this run; ``spent_usd`` null: unknown or not reported."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"prices", "reask_calls"})

    budget_usd: Money | None = None
    spent_usd: Money | None = None
    reask_usd: Money | None = None
    """Part of ``spent_usd``: what asking suspects again took."""
    reask_calls: int | None = None
    """Calls that were made for it, those without a score too; absent in records of older
    versions."""
    judge_usd: Money | None = None
    unpriced_attempts: int = 0
    prices_sha256: str | None = None
    """SHA-256 of the price table, canonical JSON; null: there was none."""
    prices: dict[str, ModelPrice] | None = None
    """The table, empty where there was none; absent in records of older versions."""


class RunRef(Model):
    """A run that this one was compared with."""

    id: str
    identity: str
    """Its system identity."""


class GateSummary(Model):
    """The verdict of the gate profile."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"rule_source"})

    status: GateStatus
    reason: str
    profile: str
    rule: str
    rule_source: str | None = None
    """Where the rule was asked for; ``auto``: it chose."""
    justification: str | None


LASTING = frozenset(
    {
        "close",
        "left_running",
        "tampered_dataset",
        "tampered_input",
        "tampered_record",
        "tampered_run",
    }
)
"""Kinds of failures of a whole run that resuming it does not mend."""


class TechnicalRecord(Model):
    """One technical failure; ``case`` null: of the whole run."""

    case: str | None
    whose: Literal["system", "adapter", "judge", "scorer"]
    kind: str
    detail: str


class Hole(Model):
    """A selected case without a result."""

    case: str
    reason: str


RESUMED = "resumed"
"""``what`` of the history line of a run that went on."""
CONCURRENCY = "calls at once"
"""Likewise of one that went on with another number of them."""


class HistoryEntry(Model):
    """A later change of the record."""

    at: str
    what: str
    from_: Any = Field(alias="from")
    to: Any


class RunRecord(Model):
    """``run.json``; written first with status ``running``, last with its end."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"note", "results_sha256", "thresholds"})

    schema_: Literal["benchbed.run.v1"] = Field(alias="schema", default="benchbed.run.v1")
    id: str
    status: RunStatus
    started_at: str
    finished_at: str | None
    argv: list[str]
    """Redacted."""
    benchmark: BenchmarkRecord
    dataset: DatasetRecord
    adapter: AdapterRecord
    executor: ExecutorRecord
    isolation: dict[str, Any]
    judge: Any
    scope: dict[str, list[str]]
    partial: list[str]
    shard: str | None
    repeats: Annotated[int, Field(ge=1)]
    counts: Counts
    results_sha256: str | None = None
    """SHA-256 of ``results.jsonl``; None as long as a run is not decided, and in older records."""
    spend: Spend
    baseline: RunRef | None
    controls: list[RunRef]
    targets: list[str]
    thresholds: dict[Limit, float] | None = None
    """Limits that gate, as of the bench file."""
    note: str | None = None
    gate: GateSummary | None
    technical: list[TechnicalRecord]
    holes: list[Hole] = []
    retired: list[str] = []
    """Ids of the dataset's retired cases, so that the gate can tell them from removed ones."""
    versions: dict[str, str]
    history: list[HistoryEntry]
