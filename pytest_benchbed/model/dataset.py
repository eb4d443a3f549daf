"""The files of a dataset: manifest, case rows, context rows, answer rows."""

from __future__ import annotations

from typing import Annotated
from typing import Any
from typing import ClassVar
from typing import Literal

from pydantic import Field

from pytest_benchbed.model.base import Model

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
DATASET_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?$"
FACETS = ("suite", "variant", "scenario")
Loader = Literal["jsonl", "case-folder", "corpus-member"]


class PinnedFile(Model):
    """One file of the dataset, pinned by size and content."""

    path: str
    """Relative POSIX path below the dataset folder."""
    size: Annotated[int, Field(ge=0)]
    """Bytes."""
    sha256: Sha256


class Retired(Model):
    """A case that is no longer asked; it changes no digest."""

    id: str
    reason: Annotated[str, Field(pattern=r"\S")]
    since: str
    """Version of the dataset from which it is retired."""


class Digests(Model):
    """What the system sees, and what it is compared with."""

    inputs: Sha256
    answers: Sha256


class Manifest(Model):
    """``manifest.json``."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"title", "store"})

    schema_: Literal["benchbed.manifest.v1"] = Field(alias="schema", default="benchbed.manifest.v1")
    id: Annotated[str, Field(pattern=DATASET_ID)]
    version: Annotated[str, Field(min_length=1)]
    benchmark: Annotated[str, Field(min_length=1)]
    visibility: Literal["public", "private"]
    license: str = "unspecified"
    title: str | None = None
    store: str | None = None
    loader: Loader = "jsonl"
    files: list[PinnedFile] = []
    retired: list[Retired] = []
    digests: Digests


class CaseRow(Model):
    """One line of ``cases.jsonl``."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset(
        {"files", "category", "tags", "group", "context", "facets", "meta"}
    )

    id: str
    inputs: dict[str, Any]
    files: list[str] | None = None
    category: str | None = None
    tags: list[str] | None = None
    group: str | None = None
    context: str | None = None
    facets: dict[Literal["suite", "variant", "scenario"], str] | None = None
    meta: dict[str, Any] | None = None
    """Shown in reports, never sent to the system."""


class ContextRow(Model):
    """One line of ``contexts.jsonl``: material that several cases share."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"files"})

    id: str
    inputs: dict[str, Any] = {}
    files: list[str] | None = None


class AnswerRow(Model):
    """One line of ``answers.jsonl``."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"canary"})

    id: str
    answer: Any
    canary: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
