"""The shape of a row of ``results.jsonl``, for files whose digest is not on record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

STATES = frozenset({"scored", "technical", "skipped"})
_METRIC_TYPES = frozenset({int, float, list, type(None)})


def misshapen(row: Mapping[str, Any]) -> str | None:
    """Say what is wrong with a result row. No model: ten thousand rows would take seconds."""
    if row.get("state") not in STATES:
        return "field state: is not one of scored, skipped, technical"
    for name in ("errors", "metrics", "x"):
        if not isinstance(row.get(name), dict):
            return f"field {name}: is no object"
    for name in ("category", "quality", "keys", "key_parts"):
        if name not in row:
            return f"field {name}: is missing"
    if row["state"] != "scored":
        return None
    for errors in row["errors"].values():
        if type(errors) is not list:
            return "field errors: a profile's errors are no list"
        for error in errors:
            if (
                type(error) is not dict
                or type(error.get("kind")) is not str
                or type(error.get("where")) is not dict
            ):
                return "field errors: an error has no kind and place"
    if type(row.get("keys")) is not dict or row["keys"].keys() != row["errors"].keys():
        return "field keys: the profiles are not those of the errors"
    for values in row["metrics"].values():
        if type(values) is not dict or any(
            type(value) not in _METRIC_TYPES for value in values.values()
        ):
            return "field metrics: a metric is neither a number, null nor a pair"
    return None
