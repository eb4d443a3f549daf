"""The two digests of a dataset: what the system sees, and what it is compared with.

Each is the SHA-256 of one canonical JSON object (RFC 8785), fed row by row, so
that no dataset is held in memory. The order of rows in a file, the order of
keys and the blanks between them change nothing; every value does.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from pytest_benchbed.data.dataset import unpinned_fault
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.index import LineIndex
from pytest_benchbed.data.rows import CHANGED
from pytest_benchbed.data.rows import RowFaults
from pytest_benchbed.data.rows import parse_object
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.dataset import PinnedFile

_FILES = re.compile(rb'"files":\["([^]]*)"\]')


def inputs_digest(
    cases: LineIndex,
    contexts: LineIndex | None,
    pins: Mapping[str, PinnedFile],
    *,
    is_plain: bool = False,
) -> str:
    """Return the digest of cases, contexts and the files they name.

    Args:
        cases: rows of the cases.
        contexts: rows of the contexts, if the dataset has any.
        pins: of the manifest, by path; those that no row names are left out.
        is_plain: the rows are parsed plainly, to be compared with a digest of rows that
            were parsed strictly.

    Raises:
        DatasetError: a row has a fault, or names a file that is not pinned.
        ValueError: a row that was parsed plainly has a fault.
    """
    used: dict[str, str] = {}
    sha = hashlib.sha256(b'{"cases":[')
    _feed(sha, _noting_files(cases, pins, used, is_plain))
    sha.update(b'],"contexts":[')
    if contexts is not None:
        _feed(sha, _noting_files(contexts, pins, used, is_plain))
    return _with_files(sha, used)


def inputs_are(
    digest: str, cases: LineIndex, contexts: LineIndex | None, pins: Mapping[str, PinnedFile]
) -> bool:
    """Say whether ``digest`` is that of the inputs (raises as :func:`inputs_digest` does).

    Rows that are written in canonical form, as ``benchbed`` and its generators
    write them, are hashed as they stand; else they are parsed plainly. Nothing
    is taken on trust: a row that is not what was pinned gives another hash, and
    then the rows are parsed strictly, to name the fault.
    """
    used: dict[str, str] = {}
    sha = hashlib.sha256(b'{"cases":[')
    _feed_as_written(sha, cases, pins, used)
    sha.update(b'],"contexts":[')
    if contexts is not None:
        _feed_as_written(sha, contexts, pins, used)
    if _with_files(sha, used) == digest:
        return True
    with contextlib.suppress(ValueError):
        if inputs_digest(cases, contexts, pins, is_plain=True) == digest:
            return True
    return inputs_digest(cases, contexts, pins) == digest


def answers_digest(answers: LineIndex, *, is_plain: bool = False) -> str:
    """Return the digest of the answers; ``is_plain`` as in :func:`inputs_digest`.

    Raises:
        DatasetError: a row has a fault.
        ValueError: a row that was parsed plainly has a fault.
    """
    sha = hashlib.sha256(b'{"answers":[')
    _feed(sha, (row for _, row in (_plain_rows(answers) if is_plain else _rows(answers))))
    sha.update(b"]}")
    return sha.hexdigest()


def answers_are(digest: str, answers: LineIndex) -> bool:
    """Say whether ``digest`` is that of the answers, as :func:`inputs_are` does."""
    sha = hashlib.sha256(b'{"answers":[')
    _feed_as_written(sha, answers, {}, {})
    sha.update(b"]}")
    if sha.hexdigest() == digest:
        return True
    with contextlib.suppress(ValueError):
        if answers_digest(answers, is_plain=True) == digest:
            return True
    return answers_digest(answers) == digest


def _with_files(sha: Any, used: Mapping[str, str]) -> str:
    sha.update(b'],"files":[')
    _feed(sha, ([path, used[path]] for path in sorted(used)))
    sha.update(b"]}")
    return str(sha.hexdigest())


def _feed(sha: Any, values: Iterable[Any]) -> None:
    comma = b""
    for value in values:
        sha.update(comma + canonical(value))
        comma = b","


def _feed_as_written(
    sha: Any, index: LineIndex, pins: Mapping[str, PinnedFile], used: dict[str, str]
) -> None:
    comma = b""
    for _, raw in index.by_id():
        sha.update(comma + raw.rstrip(b"\n"))
        comma = b","
        match = _FILES.search(raw) if pins else None
        for path in match.group(1).decode("utf-8", "replace").split('","') if match else ():
            pin = pins.get(path)
            if pin is not None:
                used[pin.path] = pin.sha256


def _noting_files(
    index: LineIndex, pins: Mapping[str, PinnedFile], used: dict[str, str], is_plain: bool
) -> Iterator[dict[str, Any]]:
    for position, row in _plain_rows(index) if is_plain else _rows(index):
        files = row.get("files")
        for path in files if isinstance(files, list) else ():
            pin = pins.get(path) if isinstance(path, str) else None
            if pin is None:
                line, name = index.line(position), index.ids[position]
                file = Path(index.shown).name
                raise refuse([unpinned_fault(index.root, file, line, name, str(path))])
            used[pin.path] = pin.sha256
        yield row


def _plain_rows(index: LineIndex) -> Iterator[tuple[int, dict[str, Any]]]:
    for position, raw in index.by_id():
        row = from_json(raw, allow_inf_nan=False, cache_strings="keys")
        if not isinstance(row, dict) or row.get("id") != index.ids[position]:
            raise ValueError("not the row that was indexed")
        yield position, row


def _rows(index: LineIndex) -> Iterator[tuple[int, dict[str, Any]]]:
    for position, raw in index.by_id():
        line, name = index.line(position), index.ids[position]
        faults = RowFaults(index.shown)
        row = parse_object(raw, line, faults)
        if row is not None and row.get("id") != name:
            faults.add(line, name, *CHANGED)
        if row is None or faults.found:
            raise refuse(faults.found)
        yield position, row
