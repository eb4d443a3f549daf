"""Ids of runs: the default one, and which are valid."""

from __future__ import annotations

import re
import secrets
from datetime import UTC
from datetime import datetime

from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import CASE_ID_RULE
from pytest_benchbed.model.names import is_case_id

_TAIL = re.compile(r"-\d{8}-\d{6}-[0-9a-f]{4}")
_TAIL_LENGTH = len("-20260131-235959-0a1b")


def new_run_id(name: str, now: datetime | None = None) -> str:
    """Return the default id, ``<name>-<YYYYMMDD-HHMMSS>-<4 hex>``, in UTC.

    ``name`` is the benchmark, or ``set`` for a run set; it is cut so that the
    whole stays a valid id. The last part comes from the system's random
    source: two sessions may start in one second.
    """
    at = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{name[: 100 - _TAIL_LENGTH]}-{at:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def is_default_id(text: str) -> bool:
    """Say whether nobody chose this id: it has the form :func:`new_run_id` gives."""
    return is_case_id(text) and _TAIL.fullmatch(text[-_TAIL_LENGTH:]) is not None


def check_run_id(text: str) -> str:
    """Return ``text`` if it can name a new run or run set.

    Raises:
        UsageProblem: with the rule and, where one can be made, a valid id near it.
    """
    if is_case_id(text):
        return text
    near = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:100]
    hint = f" Try --bench-run={near}" if is_case_id(near) else ""
    raise UsageProblem(f"run id {text[:80]!a} is not valid: ids match {CASE_ID_RULE}.{hint}")
