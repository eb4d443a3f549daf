"""Faults of a dataset: where, what, and what to do."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.escape import term

CUT_SHORT = (
    "An update was cut short here: repeat it (benchbed init NAME --update …), "
    "which puts the former files back first."
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a dataset folder."""

    file: str
    """Path as the user can open it."""
    line: int | None
    """1-based, where the file has lines and one of them is at fault."""
    case: str | None
    """Case id, where one case is at fault."""
    cause: str
    """A statement, without a full stop."""
    remedy: str
    """A sentence: what to do."""

    def __str__(self) -> str:
        place = term(self.file, 500) + ("" if self.line is None else f":{self.line}")
        case = "" if self.case is None else f" case {quoted(self.case)}:"
        return f"{place}:{case} {self.cause}. {self.remedy}"


def quoted(text: str) -> str:
    """Return foreign text for a message: in quotes, escaped, at most 80 characters."""
    return f"'{term(text, 80)}'"


def update_folder(root: Path) -> Path:
    """Return where the former files of a dataset lie while an update writes new ones."""
    return root.with_name(f".{root.name}.update")


def pin_remedy(root: Path, options: str = "") -> str:
    """Return the sentence that tells to pin the dataset at ``root``.

    Where an update was killed amid its writing nothing of it may be pinned.
    """
    if update_folder(root).exists():
        return CUT_SHORT
    return f"Run: benchbed pin {shlex.quote(str(root))}{options}"


def refuse(faults: Sequence[Fault], shown: int = 10) -> DatasetError:
    """Return an error that names the first faults, one on a line, and how many more there are."""
    lines = [str(fault) for fault in faults[:shown]]
    if len(faults) > shown:
        lines.append(f"… and {len(faults) - shown} more faults")
    return DatasetError("\n".join(lines))
