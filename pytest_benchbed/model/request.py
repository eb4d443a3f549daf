"""What crosses the line to an executable adapter, and what comes back."""

from __future__ import annotations

from typing import Annotated
from typing import Any
from typing import ClassVar
from typing import Literal

from pydantic import Field

from pytest_benchbed.model.base import Model
from pytest_benchbed.model.base import Money
from pytest_benchbed.model.dataset import PinnedFile


class RequestContext(Model):
    """Shared material of several cases."""

    id: str
    inputs: dict[str, Any]
    files: list[PinnedFile]


class RequestCase(Model):
    """The input-only view of a case: no category, tag, group or facet."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"context"})

    id: str
    inputs: dict[str, Any]
    context: str | None = None
    files: list[PinnedFile]
    """Paths are below ``files_dir``."""


class AdapterRequest(Model):
    """``adapter-request.json``."""

    schema_: Literal["benchbed.adapter-request.v1"] = Field(
        alias="schema", default="benchbed.adapter-request.v1"
    )
    run_id: str
    benchmark: str
    format: str
    """Result format the predictions must have."""
    model: str | None
    budget_usd: Money | None
    options: dict[str, Any]
    attempt: int
    files_dir: str
    """Absolute path of the staged copies."""
    contexts: list[RequestContext]
    cases: list[RequestCase]


class CandidateSystem(Model):
    """The one system that answered."""

    role: Literal["candidate"]
    model: str
    cost_usd: Annotated[float, Field(ge=0)]
    execution_failures: Annotated[int, Field(ge=0)]
    unpriced_attempts: Annotated[int, Field(ge=0)]


class AdapterResult(Model):
    """``adapter-result.json``; it has no ``schema``, the source fixes its shape."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"adapter", "adapter_version"})

    id: str
    """Id of the benchmark."""
    status: Literal["completed"]
    format: str
    data: str
    """File name of the predictions, in the output folder."""
    systems: Annotated[list[CandidateSystem], Field(min_length=1, max_length=1)]
    adapter: str | None = None
    adapter_version: str | None = None
