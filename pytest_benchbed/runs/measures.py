"""What stands beside the scores of a run: quality, latency, cost."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.money import to_json

Row = Mapping[str, Any]


def scored(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with a score; a declined case has one."""
    return [row for row in rows if row["state"] == "scored"]


def mean_quality(rows: Sequence[Row]) -> dict[str, Any]:
    """Return ``{mean, n}`` over scored rows that have a quality; mean null over nothing."""
    values = [row["quality"] for row in rows if row["quality"] is not None]
    return {"mean": math.fsum(values) / len(values) if values else None, "n": len(values)}


def latency(rows: Sequence[Row]) -> dict[str, Any]:
    """Return ``{p50, p95, n}`` in seconds over scored rows.

    Percentiles are inclusive: linear between the sorted values, the smallest
    being p0 and the largest p100. Answers from a cache are left out: nobody
    waited for them.
    """
    values = [
        row["x"]["latency_s"]
        for row in rows
        if row["x"].get("latency_s") is not None and not _is_cached(row)
    ]
    if not values:
        return {"p50": None, "p95": None, "n": 0}
    # quantiles() wants two values.
    cuts = statistics.quantiles(
        values * 2 if len(values) == 1 else values, n=100, method="inclusive"
    )
    return {"p50": cuts[49], "p95": cuts[94], "n": len(values)}


def cost(rows: Sequence[Row], spent_usd: Decimal | None) -> dict[str, Any]:
    """Return ``{sum, n}`` in dollars over scored rows; sum null when it is not known.

    A batch reports one sum for all its cases: where no row has a cost of its
    own, what the run spent stands for them, and ``n`` is 0. Where only some
    have one, the sum is unknown. Never $0 for what was not reported.
    """
    asked = [row for row in rows if not _is_cached(row)]
    costs = [row["x"]["cost_usd"] for row in asked if row["x"].get("cost_usd") is not None]
    if not costs:
        return {"sum": to_json(spent_usd), "n": 0}
    if len(costs) < len(asked):
        return {"sum": None, "n": len(costs)}
    return {"sum": to_json(sum(map(to_decimal, costs), Decimal(0))), "n": len(costs)}


def _is_cached(row: Row) -> bool:
    usage = row["x"].get("usage")
    return bool(usage and usage.get("cached"))
