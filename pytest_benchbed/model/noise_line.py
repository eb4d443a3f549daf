"""One line of a noise ledger: what became of one suspect of one run."""

from __future__ import annotations

from typing import Any
from typing import Literal

from pydantic import Field

from pytest_benchbed.model.base import Model

SCHEMA = "benchbed.noise.v1"


class NoiseLine(Model):
    """A suspect of a candidate run, seen against one baseline."""

    schema_: Literal["benchbed.noise.v1"] = Field(alias="schema", default="benchbed.noise.v1")
    baseline: str
    candidate: str
    benchmark: str
    profile: str
    case: str
    errors: list[dict[str, Any]]
    """Identities: ``kind`` and ``where``."""
    outcome: Literal[
        "wobbled", "confirmed", "confirmed-vary", "unconfirmed", "not-reasked", "withdrawn"
    ]
    """``withdrawn``: scored again, the case is no suspect; 0 attempts."""
    attempts: int
    wrong: int
    at: str
    """UTC time of the verdict."""
