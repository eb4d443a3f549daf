"""``bench.json``: how a benchmark is run here, and its promoted baselines."""

from __future__ import annotations

from typing import Annotated
from typing import Any
from typing import ClassVar
from typing import Literal

from pydantic import Field

from pytest_benchbed.model.base import Model
from pytest_benchbed.model.base import Money

Limit = Literal["quality", "latency", "cost"]
"""What a run may be held to beside its errors."""


class RetryPolicy(Model):
    """When the same attempt is asked again; never a better score."""

    attempts: Annotated[int, Field(ge=1, le=20)] = 3
    """All attempts of a call, the first included."""
    on: list[str] = []
    """Technical kinds that are asked again, besides what ``Retry`` asks for."""


class ModelPrice(Model):
    """Dollars per million tokens."""

    in_: Money = Field(alias="in")
    out: Money


class Promotion(Model):
    """One promoted baseline with its controls."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"reason"})

    at: str
    baseline: str | None
    controls: list[str]
    reason: str | None = None


class BenchAdapter(Model):
    """One adapter of this benchmark."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset(
        {
            "entry", "model", "env", "network", "reads", "allow", "deterministic",
            "fresh_process", "max_cost_usd", "limits",
        }
    )  # fmt: skip

    entry: str | None = None
    """``module:name`` or a path; absent: the registered adapter of this name."""
    options: dict[str, Any] = {}
    model: str | None = None
    env: list[str] | None = None
    network: Literal["none", "all"] | None = None
    reads: list[str] | None = None
    allow: list[str] | None = None
    deterministic: bool | None = None
    fresh_process: bool | None = None
    max_cost_usd: Money | None = None
    limits: dict[str, float] | None = None
    """``call_s``, ``start_s`` and other limits by name."""
    baseline: str | None = None
    controls: list[str] = []
    history: list[Promotion] = []


class BenchFile(Model):
    """The bench file; it lies in ``cases/<benchmark>/``."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset(
        {
            "dataset", "adapter", "type", "scoring", "gate", "rule", "budget_usd", "isolation",
            "jobs", "repeats", "shard_by", "store", "thresholds", "watch", "pythonpath",
            "retry", "rate", "prices",
        }
    )  # fmt: skip

    schema_: Literal["benchbed.bench.v1"] = Field(alias="schema", default="benchbed.bench.v1")
    dataset: str | None = None
    adapter: str | None = None
    type: str | None = None
    scoring: dict[str, Any] | None = None
    gate: str | None = None
    rule: str | None = None
    budget_usd: Money | None = None
    isolation: str | None = None
    jobs: Annotated[int, Field(ge=1)] | None = None
    repeats: Annotated[int, Field(ge=1)] | None = None
    shard_by: Literal["hash", "time"] | None = None
    store: str | None = None
    thresholds: dict[Limit, float] | None = None
    watch: list[str] | None = None
    pythonpath: list[str] | None = None
    retry: RetryPolicy | None = None
    rate: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,6}/(s|min|h)$")] | None = None
    prices: dict[str, ModelPrice] | None = None
    adapters: dict[str, BenchAdapter] = {}
