"""What one call of the system cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.money import to_json


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost and tokens of one call, as the adapter reports them."""

    cost_usd: Decimal | float | None = None
    """Dollars; None: priced by the bench file's ``prices``, else by ``Adapter.paid``."""
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    execution_failures: int = 0
    """Failed attempts that were not resolved; above 0 the case is a technical failure."""
    unpriced_attempts: int = 0
    """Calls whose price is unknown; above 0 the spend of the run is unknown."""
    cached: bool = False
    """The answer came from a cache: no new draw, no latency."""
    latency_s: float | None = None
    """What was recorded where the answer was made; of replayed outputs it is the latency."""

    def to_json(self) -> dict[str, Any]:
        """Return the fields that differ from their default, ``cost_usd`` always."""
        cost = None if self.cost_usd is None else to_json(to_decimal(self.cost_usd))
        row: dict[str, Any] = {"cost_usd": cost}
        if self.model is not None:
            row["model"] = self.model
        for name in ("input_tokens", "output_tokens", "execution_failures", "unpriced_attempts"):
            if getattr(self, name):
                row[name] = getattr(self, name)
        if self.cached:
            row["cached"] = True
        if self.latency_s is not None:
            row["latency_s"] = self.latency_s
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Usage:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: an unknown key, a wrong type or a negative count.
        """
        unknown = set(row) - set(cls.__dataclass_fields__)
        if unknown:
            raise ValueError(f"unknown key {sorted(unknown)[0]!r} in usage")
        cost = row.get("cost_usd")
        counts: dict[str, int] = {}
        for name in ("input_tokens", "output_tokens", "execution_failures", "unpriced_attempts"):
            count = row.get(name, 0)
            if type(count) is not int or count < 0:
                raise ValueError(f"usage: {name} must be a count, not {count!r}")
            counts[name] = count
        model = row.get("model")
        cached = row.get("cached", False)
        if not (model is None or isinstance(model, str)) or not isinstance(cached, bool):
            raise ValueError("usage: model must be text and cached true or false")
        latency_s = row.get("latency_s")
        if latency_s is not None and not _is_time(latency_s):
            raise ValueError(f"usage: latency_s must be seconds, not {latency_s!r}")
        return cls(
            cost_usd=None if cost is None else to_decimal(cost),
            model=model,
            cached=cached,
            latency_s=latency_s,
            **counts,
        )


def _is_time(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value >= 0
