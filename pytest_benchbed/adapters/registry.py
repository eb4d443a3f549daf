"""Which adapters have a name: filled by the hook ``pytest_benchbed_adapters``.

An entry is kept as text and looked up only when it is used (:mod:`.locate`):
pytest never imports an adapter.
"""

from __future__ import annotations

import os

from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import CASE_ID_RULE
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.names import unknown_name

HOW_TO_LIST = "pytest --bench-list"


class AdapterRegistry:
    """Names of adapters and their entries, in the order of registration."""

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def add(self, name: str, entry: str | os.PathLike[str]) -> None:
        """Register an adapter.

        ``entry``: ``"module:Class"``, ``"module:function"``, ``"folder/file.py:name"`` or
        the path of an executable. The same name with the same entry may be added again.

        Raises:
            UsageProblem: a name that breaks the rule of ids, an entry that is no
                text, or a name that stands for another entry already.
        """
        if not is_case_id(name):
            raise UsageProblem(
                f"adapter name {str(name)[:80]!a} is not valid: names match {CASE_ID_RULE}."
            )
        if not isinstance(entry, str | os.PathLike) or not (text := os.fspath(entry)).strip():
            raise UsageProblem(
                f"adapter {name!r}: the entry must be text or a path, not {entry!r}.\n"
                f'Register it as registry.add("{name}", "module:Class"); do not import it.'
            )
        known = self._entries.get(name)
        if known is not None and known != text:
            raise UsageProblem(
                f"adapter {name!r} is registered twice: {known!r} and {text!r}.\n"
                "Give one of them another name."
            )
        self._entries[name] = text

    def names(self) -> list[str]:
        """Return the registered names, in order of registration."""
        return list(self._entries)

    def entry(self, name: str) -> str | None:
        """Return the entry of a name; None if it is not registered."""
        return self._entries.get(name)

    def get(self, name: str) -> str:
        """Return the entry of a name.

        Raises:
            UsageProblem: naming the nearest registered adapter.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise UsageProblem(unknown_name("adapter", name, self._entries, HOW_TO_LIST))
        return entry
