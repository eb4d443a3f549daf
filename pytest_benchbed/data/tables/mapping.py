"""Which column is what: as typed, or as the names and values of a table suggest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.tables.pointer import MISSING
from pytest_benchbed.data.tables.pointer import look_up
from pytest_benchbed.data.tables.pointer import short_name
from pytest_benchbed.data.tables.pointer import top_column
from pytest_benchbed.data.tables.read import Table
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import json_term
from pytest_benchbed.model.escape import term

_ID = re.compile(
    r"(.*[ _.-])?(q?id|ids|key|clave|number|n[uú]mero|identificador)"
    r"|case|case[ _-]?id|nr|no|n\.?|n[º°]\.?([ _.-].*)?",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"(.*[ _.-])?(expected|answer|gold|truth|label|target|reference|respuesta|esperad[oa]|etiqueta)"
    r"([ _.-].*)?",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"(file|path|image|pdf|audio|document|archivo|fichero|imagen)s?([ _.-].*)?", re.IGNORECASE
)
_SHOWN = 3


@dataclass(frozen=True)
class Mapping:
    """Columns, or JSON pointers into them, by their part in a case."""

    id: str | None
    """None: cases are numbered."""
    inputs: tuple[str, ...]
    files: tuple[str, ...]
    answers: tuple[str, ...]
    group: str | None = None
    """Cases with one value in it are of one group, and fail together."""

    def names(self) -> list[str]:
        """Return what was named, in order."""
        alone = [name for name in (self.id, self.group) if name]
        return [*alone, *self.inputs, *self.files, *self.answers]

    def mapped(self) -> set[str]:
        """Return every column that is read."""
        return {top_column(name) for name in self.names()}

    def flags(self) -> list[str]:
        """Return the options that say this."""
        return [
            *([f"--id={self.id}"] if self.id else []),
            *(f"--input={name}" for name in self.inputs),
            *(f"--file={name}" for name in self.files),
            *(f"--answer={name}" for name in self.answers),
            *([f"--group={self.group}"] if self.group else []),
        ]


def check_mapping(table: Table, mapping: Mapping) -> None:
    """Refuse columns that the table does not have, and one name for two values.

    Raises:
        UsageProblem: with the nearest column.
    """
    for name in mapping.names():
        if name in table.columns:
            continue
        try:
            top = top_column(name)
        except ValueError as error:
            raise UsageProblem(f"{table.path}: {error}") from None
        if top in table.columns:
            continue
        near = get_close_matches(name, table.columns, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UsageProblem(
            f"{table.path}: has no column {term(name, 80)!r}.{hint}\n"
            f"Its columns: {term(', '.join(table.columns), 400)}"
        )
    for what, names in (("input", (*mapping.inputs, *mapping.files)), ("answer", mapping.answers)):
        short = [short_name(name) for name in names]
        twice = sorted({name for name in short if short.count(name) > 1})
        if twice:
            raise UsageProblem(
                f"two values would be {what} {twice[0]!r}: name columns, or pointers, whose last "
                "parts differ."
            )
    if not mapping.answers:
        raise UsageProblem("which column holds the answer? Name it with --answer=COLUMN.")
    if not mapping.inputs and not mapping.files:
        raise UsageProblem(
            "which columns does the system see? Name them with --input=COLUMN or --file=COLUMN."
        )


def guess(table: Table) -> Mapping:
    """Return the likely mapping: by names, by values that are files, the rest as inputs."""
    columns = table.columns
    ids = [name for name in columns if _ID.fullmatch(name) and _is_unique(table, name)]
    answers = [name for name in columns if _ANSWER.fullmatch(name)]
    files = [
        name
        for name in columns
        if name not in answers and (_FILE.fullmatch(name) or _are_files(table, name))
    ]
    files = [name for name in files if _are_files(table, name)]
    taken = {*ids[:1], *answers, *files}
    return Mapping(
        id=ids[0] if ids else None,
        inputs=tuple(name for name in columns if name not in taken),
        files=tuple(files),
        answers=tuple(answers),
    )


def near_ids(table: Table) -> str:
    """Return why the column that looks like ids is none; ``""`` if there is no such column."""
    for name in table.columns:
        if not _ID.fullmatch(name):
            continue
        seen: dict[str, int] = {}
        for line in table.lines:
            value = str(line.values.get(name) or "").strip()
            shown = f"column {quoted(name)} looks like ids, but"
            if not value:
                return f"{shown} line {line.number} has none"
            if value in seen:
                return f"{shown} {quoted(value)} stands in lines {seen[value]} and {line.number}"
            seen[value] = line.number
    return ""


def parts_read(table: Table, mapping: Mapping) -> list[str]:
    """Return the pointers into columns of which the rest is read by nothing."""
    pointers = [name for name in mapping.names() if name not in table.columns]
    whole = {name for name in mapping.names() if name in table.columns}
    return [name for name in pointers if top_column(name) not in whole]


def examples(table: Table, name: str) -> str:
    """Return a few values of a column, for a person to recognise it."""
    values = [look_up(line.values, name) for line in table.lines[:_SHOWN]]
    return ", ".join("-" if value is MISSING else json_term(value, 40) for value in values)


def _values(table: Table, name: str) -> list[object]:
    return [line.values.get(name) for line in table.lines]


def _is_unique(table: Table, name: str) -> bool:
    values = [str(value) for value in _values(table, name) if value not in (None, "")]
    return len(values) == len(table.lines) and len(set(values)) == len(values)


def _are_files(table: Table, name: str) -> bool:
    """Say whether the first values of a column are files beside the table."""
    values = [value for value in _values(table, name)[:_SHOWN] if isinstance(value, str) and value]
    return bool(values) and all(_is_file(table.path.parent, value) for value in values)


def _is_file(folder: Path, value: str) -> bool:
    try:
        return (folder / value.replace("\\", "/")).is_file()
    except (OSError, ValueError):
        return False


def column_lines(table: Table, mapping: Mapping) -> Sequence[str]:
    """Return a line for each column: what it is taken for, and examples."""
    lines = []
    for name in table.columns:
        roles = [
            role
            for role, names in (
                ("id", (mapping.id,)),
                ("input", mapping.inputs),
                ("file", mapping.files),
                ("answer", mapping.answers),
                ("group", (mapping.group,)),
            )
            if any(one is not None and top_column(one) == name for one in names)
        ]
        role = " and ".join(roles) or "meta"
        lines.append(f"  {term(name, 40):<24} {role:<8} {examples(table, name)}")
    return lines
