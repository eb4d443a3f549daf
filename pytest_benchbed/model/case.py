"""The input-only view of a case: what a system under test may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One input handed to the system. It never holds an answer."""

    id: str
    """Case id, ``^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$``."""
    benchmark: str
    """Id of the benchmark type."""
    inputs: Mapping[str, Any]
    """The ``inputs`` object of ``cases.jsonl``."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Path in the dataset (as written in ``files``) to a readable copy."""
    context: str | None = None
    """Id of the context the case belongs to, if any."""
    attempt: int = 1
    """1 for the first asking; repeats and re-asks count on."""
