"""The ``schema`` of a file: read it, or say by name why it is not read."""

from __future__ import annotations

import re
from typing import Any

from pytest_benchbed.model.escape import term

_SCHEMA = re.compile(r"(benchbed\.[a-z-]+)\.v([0-9]{1,6})")
UPDATE = "Install a newer one: pip install -U pytest-benchbed"


def schema_problem(found: Any, known: str) -> tuple[str, str] | None:
    """Return cause and remedy if ``found`` is not the schema ``known``; None if it is.

    ``known`` is all that this version reads of that kind of file, such as
    ``benchbed.run.v1``. The remedy is "" where only the caller knows one:
    another kind of file, or no schema at all.
    """
    if found == known:
        return None
    name, version = _parts(known)
    if not isinstance(found, str):
        return f"is not {known}: it has none", ""
    if _SCHEMA.fullmatch(found) is None or _parts(found)[0] != name:
        return f"is {term(found, 60)!r}, not {known}", ""
    if _parts(found)[1] > version:
        return f"{found} is newer than this version reads ({known})", UPDATE
    return (
        f"{found} is older than this version reads ({known})",
        "Make it again, or use the version of pytest-benchbed that wrote it.",
    )


def _parts(schema: str) -> tuple[str, int]:
    match = _SCHEMA.fullmatch(schema)
    assert match is not None, "checked, or a constant of ours"
    return match[1], int(match[2])
