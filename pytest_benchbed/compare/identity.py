"""Which part of a system's identity differs between two runs."""

from __future__ import annotations

from typing import Any

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.run import RunRecord


def identity_differences(one: RunRecord, two: RunRecord) -> list[tuple[str, Any, Any]]:
    """Return (field, value of one, value of two) for what differs, most telling first.

    The last resort is the identity itself: a record may be made by a version
    that put more into it.
    """
    mine, theirs = _parts(one), _parts(two)
    found = [
        (field, mine[field], theirs[field])
        for field in mine
        if canonical(mine[field]) != canonical(theirs[field])
    ]
    return found or [("identity", one.adapter.identity, two.adapter.identity)]


def _parts(record: RunRecord) -> dict[str, Any]:
    adapter = record.adapter
    return {
        "name": adapter.name,
        "version": adapter.version,
        "model": adapter.model,
        "options": adapter.options,
        "settings": adapter.settings,
        "code": adapter.code_sha256,
        "watch": adapter.watch_sha256,
        "executor": record.executor.name,
        "isolation level": record.isolation.get("level"),
        "network": record.isolation.get("network"),
    }
