"""Rows of JSON Lines files: strict reading of one line, with every fault named."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any
from typing import Generic
from typing import NamedTuple
from typing import TypeVar

from pydantic import ValidationError

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.paths import twin_key
from pytest_benchbed.model.base import Model
from pytest_benchbed.model.base import explain
from pytest_benchbed.model.names import CASE_ID_RULE
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

BOM = b"\xef\xbb\xbf"
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_FAULT = ("is a Git LFS pointer, not the file itself", "Run: git lfs pull")
CHANGED = ("the file changed while it was read", "Start again.")
GIT_ATTRIBUTES = "*.jsonl text eol=lf"
ANSWER_KEYS = frozenset({"answer", "answers", "expected"})
"""Keys that hold a truth; a case row has none of them."""

RowT = TypeVar("RowT", bound=Model)


class RowFaults:
    """Collects the faults of one file."""

    def __init__(self, shown: str) -> None:
        """``shown``: path of the file for messages."""
        self.shown = shown
        self.found: list[Fault] = []
        self.seen: dict[str, tuple[str, int]] = {}
        """Ids as they stand and their first lines, by what is equal for twins."""

    def add(self, line: int | None, case: str | None, cause: str, remedy: str) -> None:
        """Keep one fault."""
        self.found.append(Fault(self.shown, line, case, cause, remedy))

    def check_id(self, row: dict[str, Any], line: int) -> str | None:
        """Return the row's id if it is valid; otherwise keep the fault."""
        name = row.get("id")
        if is_case_id(name):
            return str(name)
        if not isinstance(name, str):
            cause = "the row has no id" if name is None else "the id is not text"
            self.add(line, None, cause, 'Begin the row with {"id": "…".')
            return None
        better = re.sub("[^A-Za-z0-9._-]+", "-", name).strip("-._")[:100]
        hint = f" Rename it, e.g. {quoted(better)}." if better else " Rename it."
        self.add(line, name, "the id is not valid", f"Ids match {CASE_ID_RULE}.{hint}")
        return None


def parse_object(raw: bytes, line: int, faults: RowFaults) -> dict[str, Any] | None:
    """Read one line as a JSON object; otherwise keep the fault and return None."""
    if line == 1 and raw.startswith(LFS_POINTER):
        faults.add(1, None, *LFS_FAULT)
        return None
    if not raw.strip():
        faults.add(line, None, "the line is empty", "Remove it.")
        return None
    try:
        value = read_json(raw)
    except MalformedJson as error:
        if error.kind == "bom":
            remedy = "Save the file as UTF-8 without a byte order mark (BOM)."
        elif error.kind == "not_utf8":
            remedy = "Save the file as UTF-8."
        else:
            remedy = "Write one JSON object on each line."
        faults.add(line, None, f"not readable as JSON: {error.detail}", remedy)
        return None
    if not isinstance(value, dict):
        faults.add(line, None, "the line is no JSON object", "Write one JSON object on each line.")
        return None
    return value


def check_shape(
    row: dict[str, Any], model: type[RowT], line: int, case: str | None, faults: RowFaults
) -> RowT | None:
    """Return the row as ``model``; otherwise keep every fault of its shape and return None."""
    try:
        return model.model_validate(row)
    except ValidationError:
        pass
    known = set(model.model_fields)
    for key in row:
        if key not in known:
            faults.add(line, case, *_unknown_key(key, known))
    try:
        model.model_validate({key: row[key] for key in row if key in known})
    except ValidationError as error:
        faults.add(line, case, explain(error, limit=5), "Correct the field.")
    return None


def _unknown_key(key: str, known: set[str]) -> tuple[str, str]:
    if key.lower() in ANSWER_KEYS and "answer" not in known:
        return (
            f"the row holds an answer (key {quoted(key)})",
            "Answers stand in answers.jsonl alone: the system sees the rows of this file.",
        )
    near = difflib.get_close_matches(key, sorted(known), n=1)
    hint = f"Did you mean {quoted(near[0])}?" if near else f"Known: {', '.join(sorted(known))}."
    return f"unknown key {quoted(key)}", hint


def read_row(raw: bytes, line: int, name: str, model: type[RowT], shown: str) -> RowT:
    """Return the row of case ``name``, read strictly.

    Raises:
        DatasetError: the line has a fault, or is another one's row by now.
    """
    faults = RowFaults(shown)
    data = parse_object(raw, line, faults)
    row = None if data is None else check_shape(data, model, line, name, faults)
    if row is None:
        raise refuse(faults.found)
    if getattr(row, "id", None) != name:
        faults.add(line, name, *CHANGED)
        raise refuse(faults.found)
    return row


class GoodRow(NamedTuple, Generic[RowT]):
    """A row without a fault of its own."""

    line: int
    start: int
    """Offset in the file."""
    raw: bytes
    name: str
    """The id."""
    row: RowT


def good_rows(
    lines: Iterable[bytes], model: type[RowT], faults: RowFaults
) -> Iterator[GoodRow[RowT]]:
    """Yield the rows of a file that have no fault; keep the faults of all others.

    What concerns the whole file (line ends, byte order mark) is told once for
    the file, so that it does not bury the rest.
    """
    start = line = crlf = first_crlf = 0
    raw = b"\n"
    for line, raw in enumerate(lines, start=1):
        text = raw
        if line == 1:
            if _is_another_file(raw, faults):
                return
            if raw.startswith(BOM):
                remedy = "Save the file as UTF-8 without it."
                faults.add(1, None, "the file starts with a byte order mark (BOM)", remedy)
                text = raw[len(BOM) :]
        if raw.endswith(b"\r\n"):
            crlf += 1
            first_crlf = first_crlf or line
        named = _named_row(text, line, model, faults)
        if named is not None:
            yield GoodRow(line, start + len(raw) - len(text), text, *named)
        start += len(raw)
    if crlf:
        lines_end = "1 line ends" if crlf == 1 else f"{crlf} lines end"
        cause = f"{lines_end} in CRLF; the file differs only in line ends from what it must be"
        remedy = f"Write it with LF, and add to .gitattributes: {GIT_ATTRIBUTES}"
        faults.add(first_crlf, None, cause, remedy)
    if not raw.endswith(b"\n"):
        remedy = "End the last line with a line feed, if the file is not cut off."
        faults.add(line, None, "there is no line feed at the end of the file", remedy)


def _is_another_file(first_line: bytes, faults: RowFaults) -> bool:
    """Keep one fault where the lines would give one each."""
    if first_line.startswith(LFS_POINTER):
        faults.add(1, None, *LFS_FAULT)
        return True
    if first_line[:2] in (b"\xff\xfe", b"\xfe\xff"):
        faults.add(1, None, "the file is UTF-16", "Save the file as UTF-8.")
        return True
    return False


def _named_row(
    text: bytes, line: int, model: type[RowT], faults: RowFaults
) -> tuple[str, RowT] | None:
    data = parse_object(text, line, faults)
    if data is None:
        return None
    name = faults.check_id(data, line)
    is_new = True
    if isinstance(data.get("id"), str):
        first, first_line = faults.seen.setdefault(twin_key(data["id"]), (data["id"], line))
        if first_line != line:
            is_new = False
            faults.found.append(twin_fault(faults.shown, line, data["id"], first, first_line))
    if name is None:
        data["id"] = "x"  # told already; the other fields are still to be checked
    row = check_shape(data, model, line, name, faults)
    return (name, row) if row is not None and name is not None and is_new else None


def twin_fault(shown: str, line: int, name: str, first: str, first_line: int) -> Fault:
    """Say that a row has the id of another one, or one that differs only in form."""
    if name == first:
        cause = f"the id stands on line {first_line} already"
    else:
        cause = (
            f"the id differs from {quoted(first)} on line {first_line} only by upper and lower "
            "case or Unicode form"
        )
    return Fault(shown, line, name, cause, "Give each row an id of its own.")
