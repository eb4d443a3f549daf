"""The ``deltas`` object of ``metrics.json``: latency and cost beside a verdict."""

from __future__ import annotations

from pytest_benchbed.model.base import Model


class Change(Model):
    """How one part of the cost changed, by the tokens on record."""

    n: int
    """Cases whose tokens are known in both runs."""
    ratio: float


class Delta(Model):
    """One measure of a run against its baseline, over cases measured in both."""

    n: int
    """Cases measured in both runs; answers from a cache are not measured."""
    value: float | None
    """Median in this run; null where the runs cannot be compared."""
    baseline: float | None
    ratio: float | None
    """``value / baseline``; null also over nothing."""
    warns: bool
    """Whether it grew so much that a warning stands beside the verdict."""
    why_not: str | None
    """Why the runs cannot be compared; null: they can."""


class CostDelta(Delta):
    """The cost, with its parts where the price table changed."""

    usage: Change | None
    """Tokens of this run against those of the baseline, both at the baseline's prices."""
    price: Change | None
    """The tokens of this run at its own prices against the same at the baseline's."""


class Deltas(Model):
    """Both measures; null: there is nothing to say, since no run measured it or all is $0."""

    latency_s: Delta | None
    cost_usd: CostDelta | None
