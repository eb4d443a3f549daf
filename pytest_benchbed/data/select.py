"""Which cases of a dataset are asked for."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

from pytest_benchbed.data.dataset import CaseEntry
from pytest_benchbed.model.dataset import FACETS
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name

KEYS = ("case", "tag", "group", "category", "context", *FACETS)


@dataclass(frozen=True)
class Selection:
    """Wanted values by key: a case must match every key, and one value of each."""

    wanted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Selection:
        """Read ``KEY=VALUE`` texts; the same key again adds a value.

        Raises:
            UsageProblem: a text without ``=`` or value, or an unknown key.
        """
        wanted: dict[str, dict[str, None]] = {}
        for text in texts:
            key, equals, value = text.partition("=")
            if not equals or not value:
                raise UsageProblem(
                    f"--bench-select={term(text, 80)}: it must be KEY=VALUE.\n"
                    f"Keys: {', '.join(KEYS)}"
                )
            if key not in KEYS:
                raise UsageProblem(
                    f"--bench-select={term(text, 80)}: {unknown_name('key', key, KEYS, '')}\n"
                    f"Keys: {', '.join(KEYS)}"
                )
            wanted.setdefault(key, {})[value] = None
        return cls({key: tuple(values) for key, values in wanted.items()})

    @property
    def is_empty(self) -> bool:
        """Whether every case is wanted."""
        return not self.wanted

    def values(self, key: str) -> tuple[str, ...]:
        """Return the values asked for under a key, in the order of asking."""
        return self.wanted.get(key, ())

    def matches(self, entry: CaseEntry) -> bool:
        """Say whether the case is selected."""
        return all(_has(entry, key, values) for key, values in self.wanted.items())

    def scope_matches(self, entry: CaseEntry) -> bool:
        """Say whether the case belongs to the scope: all keys but ``case`` count."""
        return all(_has(entry, key, values) for key, values in self.wanted.items() if key != "case")

    def to_json(self) -> dict[str, list[str]]:
        """Return every key with its values, in the order of asking."""
        return {key: list(values) for key, values in self.wanted.items()}

    def scope_json(self) -> dict[str, list[str]]:
        """Return the scope for the run record: without ``case``, values sorted."""
        return {key: sorted(values) for key, values in self.wanted.items() if key != "case"}


def _has(entry: CaseEntry, key: str, values: Collection[str]) -> bool:
    if key == "case":
        return entry.id in values
    if key == "tag":
        return any(tag in values for tag in entry.tags)
    if key in FACETS:
        return entry.facets.get(key) in values
    return getattr(entry, key) in values
