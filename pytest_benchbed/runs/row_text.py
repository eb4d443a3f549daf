"""The canonical text of one result row, composed of its parts.

Every case of every run pays for this text twice over if it goes through the
general encoder: once to cross to the controller and once into
``results.jsonl``. Most of a row is digests and small numbers whose place is
known, so it is put together here, in a quarter of the time; a property test
holds it equal to :func:`~pytest_benchbed.model.canonical.canonical`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_benchbed.model.canonical import canonical_text
from pytest_benchbed.model.canonical import number

_ABSENT = object()


def row_text(row: Mapping[str, Any]) -> str:
    """Return the canonical JSON of a row of ``results.jsonl``.

    Raises:
        ValueError: NaN, infinity, an integer beyond 2^53 - 1 or a lone surrogate.
        KeyError: a key is missing that every row has.
    """
    parts, volatile = row["key_parts"], row["x"]
    # Keys in canonical order; those that only some rows have come in between.
    text = (
        f'{{"case":{_text(row["case"])},"category":{_text(row["category"])},'
        f'"errors":{_errors(row["errors"])},{_group(row.get("group"))}'
        f'"key_parts":{{"answer":"{parts["answer"]}","files":"{parts["files"]}",'
        f'"inputs":"{parts["inputs"]}"}},"keys":{_keys(row["keys"])},'
        f'"metrics":{_json(row["metrics"])},"quality":{_number(row["quality"])},'
    )
    for name in ("reasks", "reason", "repeats"):
        value = row.get(name, _ABSENT)
        if value is not _ABSENT:
            text += f'"{name}":{_json(value)},'
    return (
        f'{text}"state":"{row["state"]}","x":{{"cost_usd":{_number(volatile["cost_usd"])},'
        f'"latency_s":{_number(volatile["latency_s"])},"queue_s":{_number(volatile["queue_s"])},'
        f'"usage":{_json(volatile["usage"])}}}}}'
    )


def _group(group: str | None) -> str:
    return "" if group is None else f'"group":{_text(group)},'


def _json(value: Any) -> str:
    return "null" if value is None else canonical_text(value)


def _text(value: str | None) -> str:
    if value is None:
        return "null"
    # Ids and most categories are plain words.
    if value.isascii() and value.replace("-", "").isalnum():
        return f'"{value}"'
    return _json(value)


def _errors(errors: Mapping[str, Any]) -> str:
    if any(errors.values()) or len(errors) != 1:
        return _json(errors)
    (profile,) = errors
    return f"{{{_text(profile)}:[]}}"


def _keys(keys: Mapping[str, str]) -> str:
    if len(keys) != 1:
        return _json(keys)
    ((profile, key),) = keys.items()
    return f'{{{_text(profile)}:"{key}"}}'


def _number(value: float | None) -> str:
    return "null" if value is None else number(value)
