"""One answer of the system, as received: the outcome line of ``calls.jsonl``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from typing import Any
from typing import Literal

from pytest_benchbed.model.usage import Usage

OutcomeState = Literal["ok", "no-answer", "technical", "unsupported"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one call. Latency is measured by the parent, never by the adapter."""

    state: OutcomeState
    raw: str | None = None
    """The reply's ``result`` as JSON text as received; None unless ``ok``."""
    error: Mapping[str, Any] | None = None
    """``{kind, where, detail, whose}`` for ``technical``; ``{reason}`` for ``no-answer``."""
    usage: Usage = field(default_factory=Usage)
    reported: bool = False
    """Whether the adapter reported a usage at all."""
    latency_s: float = 0.0
    queue_s: float = 0.0
    retry_after_s: float | None = None
    """Not None: the adapter asked to be asked again; then ``state`` is ``technical``."""
