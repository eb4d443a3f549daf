"""The rows of a table as rows of a dataset: cases, answers and files to copy.

Everything that is wrong is found before the first file is written, and named by
line and column.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping as Map
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from pathlib import PurePosixPath
from typing import Any

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.paths import check_path
from pytest_benchbed.data.tables.mapping import Mapping
from pytest_benchbed.data.tables.pointer import MISSING
from pytest_benchbed.data.tables.pointer import look_up
from pytest_benchbed.data.tables.pointer import short_name
from pytest_benchbed.data.tables.read import Line
from pytest_benchbed.data.tables.read import Table
from pytest_benchbed.model.names import NOT_ID
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.names import valid_id
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

FILES = "files"
"""Folder of the copied files."""
_OTHER_ID = "column id"
"""In meta: a column called ``id`` that the cases do not go by; ``id`` there is the old one."""


@dataclass
class Imported:
    """What a table comes to."""

    cases: list[dict[str, Any]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    copies: dict[str, Path] = field(default_factory=dict)
    """Path in the dataset to the file it is a copy of."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Id as it stood in the table to the id of the case, where they differ."""
    without_answer: list[int] = field(default_factory=list)
    """Lines that were left out because they have no answer."""
    meta: list[str] = field(default_factory=list)
    """Columns that were not mapped."""
    lines: list[int] = field(default_factory=list)
    """Of each case, where its row starts."""
    blank: dict[str, list[int]] = field(default_factory=dict)
    """By column of an answer that has others: lines where it says that there is nothing."""
    digests: dict[str, str] = field(default_factory=dict)
    """Path in the dataset to the SHA-256 of the copied content."""


def import_rows(
    table: Table,
    mapping: Mapping,
    *,
    may_skip: bool = False,
    is_plain: bool = False,
    kept: Map[str, str] | None = None,
) -> Imported:
    """Make cases and answers of a table.

    Args:
        table: the rows.
        mapping: which column is what; checked.
        may_skip: rows without an answer are left out instead of refused.
        is_plain: a single answer is the answer itself, be it an object or not.
        kept: files that stay in the dataset, by path, with their digests: no copy takes
            the place of another content.

    Raises:
        DatasetError: what is wrong, up to ten rows with line and column.
    """
    return _Importer(table, mapping, may_skip, is_plain, kept or {}).run()


class _Importer:
    def __init__(
        self,
        table: Table,
        mapping: Mapping,
        may_skip: bool,
        is_plain: bool,
        kept: Map[str, str],
    ) -> None:
        self._table = table
        self._mapping = mapping
        self._may_skip = may_skip
        self._is_plain = is_plain
        self._faults: list[Fault] = []
        self._made = Imported()
        self._ids: dict[str, int] = {}
        """Id of a case, ignoring case, to the line it came from."""
        self._raw: dict[str, int] = {}
        self._names = {path.casefold(): digest for path, digest in kept.items()}
        """Path of a copy, ignoring case, to the digest of its content."""

    def run(self) -> Imported:
        mapped = self._mapping.mapped()
        self._made.meta = [name for name in self._table.columns if name not in mapped]
        for line in self._table.lines:
            self._add(line)
        if self._faults:
            raise refuse(self._faults)
        if not self._made.cases:
            fault = self._table.fault(None, None, "no row has an answer", "Fill in the answers.")
            raise refuse([fault])
        return self._made

    def _fault(self, line: Line, column: str | None, cause: str, remedy: str) -> None:
        self._faults.append(self._table.fault(line.number, column, cause, remedy))

    def _add(self, line: Line) -> None:
        answer = self._answer(line)
        if answer is None:
            return
        case_id, raw = self._id(line)
        inputs = {}
        for name in self._mapping.inputs:
            value = look_up(line.values, name)
            inputs[short_name(name)] = None if value is MISSING else value
        files: list[str] = []
        for name in self._mapping.files:
            paths = self._files(line, name, case_id)
            files += paths
            inputs[short_name(name)] = paths[0] if len(paths) == 1 else paths
        row: dict[str, Any] = {"id": case_id, "inputs": inputs}
        if files:
            row["files"] = list(dict.fromkeys(files))
        group = self._group(line)
        if group:
            row["group"] = group
        meta = {
            _OTHER_ID if name == "id" else name: line.values[name]
            for name in self._made.meta
            if name in line.values
        }
        if raw is not None and raw != case_id:
            meta["id"] = raw
            self._made.renamed[raw] = case_id
        if meta:
            row["meta"] = meta
        self._made.cases.append(row)
        self._made.answers.append({"id": case_id, "answer": answer})
        self._made.lines.append(line.number)

    def _answer(self, line: Line) -> Any:
        """Return the answer; None, with a fault or a note, if there is none."""
        names = self._mapping.answers
        found = {name: _parsed(look_up(line.values, name)) for name in names}
        empty = [name for name, value in found.items() if _is_empty(value)]
        # Beside others, null says that there is nothing; alone, that nobody filled it in.
        if len(empty) == len(names) or (len(names) == 1 and found[names[0]] in (None, {})):
            if self._may_skip:
                self._made.without_answer.append(line.number)
            else:
                remedy = "Fill it in, or leave such rows out with --skip-empty."
                self._fault(line, names[0], "the answer is empty", remedy)
            return None
        if len(names) == 1 and (self._is_plain or isinstance(found[names[0]], dict)):
            return found[names[0]]
        for name in empty:
            self._made.blank.setdefault(name, []).append(line.number)
        return {short_name(name): None if name in empty else value for name, value in found.items()}

    def _id(self, line: Line) -> tuple[str, str | None]:
        """Return the id of a case, and what stood in the table."""
        name = self._mapping.id
        if name is None:
            return self._free(f"case-{len(self._made.cases) + 1:04}", line.number), None
        value = look_up(line.values, name)
        if isinstance(value, bool | list | dict):
            self._fault(line, name, "the id is no text and no number", "Give the row such an id.")
            return "", None
        raw = "" if value is MISSING or value is None else str(value).strip()
        if not raw:
            self._fault(line, name, "the id is empty", "Give the row an id of its own.")
            return "", None
        if raw in self._raw:
            cause = f"id {quoted(raw)} stands in line {self._raw[raw]} too"
            self._fault(line, name, cause, "Ids are unique: rename one of them.")
            return "", None
        self._raw[raw] = line.number
        return self._free(raw if is_case_id(raw) else valid_id(raw), line.number), raw

    def _group(self, line: Line) -> str:
        """Return the group of a case, ``""`` if it has none."""
        name = self._mapping.group
        value = MISSING if name is None else look_up(line.values, name)
        if isinstance(value, bool | list | dict):
            self._fault(
                line, name, "the group is no text and no number", "Write one name, or none."
            )
        return "" if value is MISSING or value is None else str(value).strip()

    def _free(self, case_id: str, number: int) -> str:
        """Return the id, or one near it that no other case has, upper and lower case alike."""
        made, at = case_id, 2
        while made.casefold() in self._ids:
            made, at = f"{case_id[:95]}-{at}", at + 1
        self._ids[made.casefold()] = number
        return made

    def _files(self, line: Line, name: str, case_id: str) -> list[str]:
        value = look_up(line.values, name)
        texts = value if isinstance(value, list) else [value]
        if value is MISSING or value in (None, "", []):
            return []
        return [path for text in texts if (path := self._file(line, name, text, case_id))]

    def _file(self, line: Line, name: str, text: Any, case_id: str) -> str | None:
        if not isinstance(text, str):
            self._fault(line, name, "is no path", "A file is named by its path, as text.")
            return None
        source = self._table.path.parent / text.replace("\\", "/")
        try:
            data = source.read_bytes()
        except (OSError, ValueError):
            remedy = f"Paths are read from {self._table.path.parent}: correct it, or add the file."
            self._fault(line, name, f"the file {quoted(text)} cannot be read", remedy)
            return None
        digest = hashlib.sha256(data).hexdigest()
        path = self._place(PurePosixPath(text.replace("\\", "/")).name, digest, case_id)
        self._made.copies[path] = source
        self._made.digests[path] = digest
        return path

    def _place(self, name: str, digest: str, case_id: str) -> str:
        """Return where a copy goes: by its own name if that is valid and free."""
        stem, dot, suffix = name.rpartition(".")
        plain = f"{valid_id(stem if dot else name)}{dot}{NOT_ID.sub('', suffix) if dot else ''}"
        for candidate in (name, plain, f"{case_id}-{plain}", f"{digest[:16]}-{plain}"):
            path = f"{FILES}/{candidate}"
            if check_path(path) is None and self._names.get(path.casefold(), digest) == digest:
                self._names[path.casefold()] = digest
                return path
        raise AssertionError("unreachable: a name made of a digest is free")


def _is_empty(value: Any) -> bool:
    return value is MISSING or (isinstance(value, str) and not value.strip())


def _parsed(value: Any) -> Any:
    """Return a cell of text that is a JSON object or list as that; anything else as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return read_json(value)
        except MalformedJson:
            return value
    return value
