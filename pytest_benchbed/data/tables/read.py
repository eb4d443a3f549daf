"""Read a table that somebody exported: JSON Lines, or CSV in whatever dialect it came.

Spreadsheets write a byte order mark, semicolons, Windows-1252. What had to be
assumed is a note for the user, never a silent guess; what is broken is named by
its line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.spreadsheet import delimiter_of
from pytest_benchbed.model.spreadsheet import encoding_of
from pytest_benchbed.model.spreadsheet import told_delimiter
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

JSONL = frozenset({".jsonl", ".ndjson"})
CSV = frozenset({".csv", ".tsv", ".txt"})
MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table."""

    number: int
    """1-based line of the file where it starts."""
    values: Mapping[str, Any]
    """By column; of a CSV file all are text."""


@dataclass
class Table:
    """A table, read whole: a dataset is made of all of it or of nothing."""

    path: Path
    columns: list[str]
    """In the order of the file; of JSON Lines, in the order of first sight."""
    lines: list[Line]
    notes: list[str] = field(default_factory=list)
    """What was assumed while reading."""

    def fault(self, line: int | None, column: str | None, cause: str, remedy: str) -> Fault:
        """Return a fault of a row, with its column."""
        where = cause if column is None else f"column {quoted(column)}: {cause}"
        return Fault(str(self.path), line, None, where, remedy)


def read_table(path: Path) -> Table:
    """Read a table of JSON Lines or CSV, by the name of the file.

    Raises:
        UsageProblem: the file is not there, or is neither.
        DatasetError: a row or the header is broken; the text names up to ten.
    """
    suffix = path.suffix.lower()
    if suffix not in JSONL | CSV:
        raise UsageProblem(
            f"{path}: is neither JSON Lines (.jsonl) nor CSV (.csv, .tsv). Save it as one of them."
        )
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UsageProblem(f"{path}: has {size} bytes, more than 2 GiB. Split it.")
        table = _read_jsonl(path) if suffix in JSONL else _read_csv(path)
    except OSError as error:
        raise UsageProblem(f"{path}: cannot be read: {error.strerror}.") from error
    if not table.lines:
        raise refuse([table.fault(None, None, "holds no row", "Give it a row for each case.")])
    return table


def _read_jsonl(path: Path) -> Table:
    table = Table(path, [], [])
    faults: list[Fault] = []
    columns: dict[str, None] = {}
    with path.open("rb") as file:
        number = 0
        while data := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(data) > MAX_LINE_BYTES:
                raise refuse([*faults, _too_long(table, number)])
            if number == 1 and data.startswith(b"\xef\xbb\xbf"):
                data = data[3:]
                table.notes.append("the file starts with a byte order mark, which was left out")
            if not data.strip():
                continue
            try:
                value = read_json(data)
            except MalformedJson as error:
                remedy = "Each line is one JSON object, UTF-8."
                faults.append(table.fault(number, None, f"is no JSON: {error.detail}", remedy))
                continue
            if not isinstance(value, dict):
                remedy = "Each line is one JSON object."
                faults.append(table.fault(number, None, "is no JSON object", remedy))
                continue
            columns.update(dict.fromkeys(value))
            table.lines.append(Line(number, value))
    if faults:
        raise refuse(faults)
    table.columns = list(columns)
    return table


def _too_long(table: Table, number: int) -> Fault:
    cause = f"is longer than {MAX_LINE_BYTES // 1024 // 1024} MiB"
    return table.fault(
        number, None, cause, "Put large texts into files, and name them in a column."
    )


def _read_csv(path: Path) -> Table:
    table = Table(path, [], [])
    text = _decoded(table, path.read_bytes())
    told, text = told_delimiter(text)
    if told is not None:
        # A line for Excel, which is no row.
        table.notes.append(f"the first line says that columns are separated by {told!r}")
    delimiter = told or _delimiter(table, text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    before = csv.field_size_limit(MAX_LINE_BYTES)
    try:
        faults = list(_fill(table, reader))
    except csv.Error as error:
        number = reader.line_num
        if "field larger" in str(error):
            raise refuse([_too_long(table, number)]) from None
        remedy = "Put quotes around cells with the delimiter, and double the quotes inside them."
        raise refuse([table.fault(number, None, f"is no CSV: {error}", remedy)]) from None
    finally:
        csv.field_size_limit(before)
    if faults:
        raise refuse(faults)
    return table


def _decoded(table: Table, data: bytes) -> str:
    encoding = encoding_of(data)
    if encoding == "utf-16":
        table.notes.append("the file is UTF-16, and was read so")
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            cause = f"is cut off or broken: byte {error.start} is not UTF-16"
            raise refuse([table.fault(None, None, cause, "Save it again, as UTF-8.")]) from None
    if data.startswith(b"\xef\xbb\xbf"):
        table.notes.append("the file starts with a byte order mark, which was left out")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        table.notes.append(
            f"the file is not UTF-8 (line {line}); it was read as Windows-1252: look at its accents"
        )
        return data.decode("cp1252", "replace")


def _delimiter(table: Table, text: str) -> str:
    if table.path.suffix.lower() == ".tsv":
        return "\t"
    found = delimiter_of(text) or ","
    if found != ",":
        table.notes.append(f"columns are separated by {_NAMES[found]}")
    return found


def _fill(table: Table, reader: Any) -> Iterator[Fault]:
    """Put header and rows into the table; yield what is wrong with them."""
    for number, cells in _rows(reader):
        if not table.columns:
            table.columns = [cell.strip() for cell in cells]
            yield from _header_faults(table, number)
            continue
        if len(cells) != len(table.columns):
            cause = f"the row has {len(cells)} cells, the header {len(table.columns)} columns"
            yield table.fault(number, None, cause, "Add or remove cells, or quote a cell.")
            continue
        for name, cell in zip(table.columns, cells, strict=True):
            if "\0" in cell:
                yield table.fault(number, name, "has a NUL character", "Remove it.")
        table.lines.append(Line(number, dict(zip(table.columns, cells, strict=True))))


def _rows(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield rows with the line where each starts; blank lines are passed over."""
    start = 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield start, cells
        start = reader.line_num + 1


def _header_faults(table: Table, number: int) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, name in enumerate(table.columns, start=1):
        if not name:
            yield table.fault(number, None, f"column {place} has no name", "Name it in the header.")
        elif name in seen:
            yield table.fault(number, name, "stands twice in the header", "Rename one of them.")
        seen.add(name)
