"""What an adapter says about itself: its class attributes, and its version at ``hello``.

Written by the child process (:mod:`.loading`), read here by the parent, which
trusts none of it: every field is checked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from typing import TYPE_CHECKING
from typing import Any

if TYPE_CHECKING:
    from pytest_benchbed.adapters.spec import AdapterSpec

NETWORKS = ("none", "all")
ALLOWS = ("unix-sockets", "shm", "gpu")
KEYS = frozenset(
    {
        "name", "version", "paid", "fresh_process", "deterministic", "max_concurrency",
        "shared", "env", "network", "reads", "allow",
    }
)  # fmt: skip
"""Of the reply to ``describe`` and ``hello``."""


@dataclass(frozen=True, slots=True)
class AdapterInfo:
    """The declarations of one adapter."""

    name: str
    version: str = ""
    """Version of the system; "" when it has none or was not asked yet."""
    paid: bool | None = None
    """With no cost reported: True unpriced, False it cost nothing, None not reported."""
    fresh_process: bool = False
    deterministic: bool = False
    max_concurrency: int = 1
    is_shared: bool = False
    """One process takes up to ``max_concurrency`` calls at once."""
    env: tuple[str, ...] = ()
    network: str = "none"
    reads: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()

    def places(self, jobs: int | None) -> int:
        """Return how many calls it gets at once (:func:`places`)."""
        return places(self.max_concurrency, jobs)

    @property
    def grants(self) -> tuple[Any, ...]:
        """What a process has to be given at its start."""
        return (self.env, self.network, self.reads, self.allow)

    @classmethod
    def from_reply(cls, row: Any) -> AdapterInfo:
        """Read what the child sent.

        Raises:
            ValueError: naming the first field that is not as it must be.
        """
        if not isinstance(row, dict):
            raise ValueError("the description of the adapter is no object")
        if set(row) != KEYS:
            raise ValueError("the description of the adapter has other keys than it must have")
        problem = declaration_problem(row)
        if problem:
            raise ValueError(problem)
        if type(row["shared"]) is not bool or not isinstance(row["version"], str):
            raise ValueError("shared must be true or false and version text")
        return cls(
            name=row["name"],
            version=row["version"],
            paid=row["paid"],
            fresh_process=row["fresh_process"],
            deterministic=row["deterministic"],
            max_concurrency=row["max_concurrency"],
            is_shared=row["shared"],
            env=tuple(row["env"]),
            network=row["network"],
            reads=tuple(row["reads"]),
            allow=tuple(row["allow"]),
        )

    def with_bench_file(self, spec: AdapterSpec) -> AdapterInfo:
        """Return the declarations with what the bench file says instead."""
        changed: dict[str, Any] = {
            field: getattr(spec, field)
            for field in ("env", "network", "reads", "allow", "deterministic", "fresh_process")
            if getattr(spec, field) is not None
        }
        return replace(self, **changed)


def places(max_concurrency: int, jobs: int | None) -> int:
    """Return how many calls an adapter gets at once; ``jobs`` None: as many as it takes."""
    return max_concurrency if jobs is None else max(1, min(jobs, max_concurrency))


def declaration_problem(row: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the declared attributes, in the adapter author's words."""
    name = row["name"]
    if not isinstance(name, str) or not name.strip() or len(name) > 200:
        return f"name must be text, not {name!r}"[:200]
    for key in ("fresh_process", "deterministic", "thread_safe"):
        if type(row.get(key, False)) is not bool:
            return f"{key} must be True or False, not {row[key]!r}"[:200]
    if row["paid"] is not None and type(row["paid"]) is not bool:
        return f"paid must be True, False or None, not {row['paid']!r}"[:200]
    jobs = row["max_concurrency"]
    if type(jobs) is not int or not 1 <= jobs <= 10_000:
        return f"max_concurrency must be a whole number from 1, not {jobs!r}"[:200]
    if row["network"] not in NETWORKS:
        return f'network must be "none" or "all", not {row["network"]!r}'[:200]
    for key in ("env", "reads", "allow"):
        values = row[key]
        if not isinstance(values, list | tuple) or not all(
            isinstance(value, str) and value for value in values
        ):
            return f"{key} must be a list of texts, not {values!r}"[:200]
    strange = [value for value in row["allow"] if value not in ALLOWS]
    if strange:
        return f"allow takes {', '.join(ALLOWS)}, not {strange[0]!r}"[:200]
    return None
