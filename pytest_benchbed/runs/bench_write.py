"""Write a bench file: one adapter's entry changes, every other byte stays as people wrote it.

The new file replaces the old one as one step. Who writes holds a lock on the
folder, and the file must still be the one that was read: of two promotions at
one moment one wins, and the other changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.runs.atomic import write_atomic
from pytest_benchbed.runs.lock import RunLock
from pytest_benchbed.runs.lock import try_lock_folder

ADAPTERS = "adapters"
_SPACE = re.compile(r"[ \t\n\r]*")
_INDENT = re.compile(r"\{\s*\n([ \t]+)\"")
_DEFAULT_INDENT = "  "
_Span = tuple[int, int]


def lock_bench(folder: Path) -> RunLock:
    """Take the bench file of ``folder`` for this process; the folder need not exist yet.

    Raises:
        RunRefused: another process has it.
        RunError: the file system has no locks.
    """
    nearest = next(path for path in (folder, *folder.parents) if path.is_dir())
    try:
        lock = try_lock_folder(nearest)
    except OSError as error:
        raise RunError(
            f"{nearest}: cannot be locked: {error.strerror}. Keep bench files on a file system "
            "with locks."
        ) from error
    if lock is None:
        raise RunRefused(
            f"{folder}: another promotion is at work there, so nothing was changed. Wait for its "
            "end, look at the bench file, and try again."
        )
    return lock


def read_bench_bytes(path: Path) -> bytes | None:
    """Return the bytes of a bench file, None if there is none.

    Raises:
        RunError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}.") from error


def write_bench_file(path: Path, before: bytes | None, text: str) -> None:
    """Replace the bench file that held ``before`` (None: there was none) by ``text``.

    Raises:
        RunRefused: somebody has changed it since it was read.
        RunError: it cannot be written; the old one is unchanged.
    """
    path = path.resolve()
    if read_bench_bytes(path) != before:
        raise RunRefused(
            f"{path}: was changed by somebody else meanwhile, so nothing was changed. Look at it, "
            "and try again."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{path.parent}: cannot be created: {error.strerror}.") from error
    write_atomic(path, text.encode("utf-8"))


def new_text(fields: Mapping[str, Any]) -> str:
    """Return a bench file with these fields in their order."""
    return json.dumps(fields, ensure_ascii=False, indent=_DEFAULT_INDENT) + "\n"


def with_entry(text: str, name: str, entry: Mapping[str, Any]) -> str:
    """Return a bench file's text with the entry of one adapter put in or replaced.

    ``text`` is one JSON object without doubled keys, as the strict reader takes it.
    """
    if "\r\n" in text:
        # Line ends stay as people wrote them; inside strings they are escaped.
        return with_entry(text.replace("\r\n", "\n"), name, entry).replace("\n", "\r\n")
    begin = text.index("{")
    found = _INDENT.match(text, begin)
    indent = found[1] if found else _DEFAULT_INDENT
    top = _members(text, begin)
    if ADAPTERS not in top:
        return _put(text, _whole(text, begin), ADAPTERS, {name: entry}, indent, 1)
    start, end = top[ADAPTERS]
    inner = _members(text, start)
    if name not in inner:
        return _put(text, (start, end), name, entry, indent, 2)
    first, last = inner[name]
    return text[:first] + _dumped(entry, indent, 2) + text[last:]


def _whole(text: str, start: int) -> _Span:
    return start, json.JSONDecoder().raw_decode(text, start)[1]


def _members(text: str, start: int) -> dict[str, _Span]:
    """Return where the value of each key of the object at ``start`` begins and ends."""
    decoder = json.JSONDecoder()
    spans: dict[str, _Span] = {}
    place = _after_space(text, start + 1)
    while text[place] != "}":
        key, place = decoder.raw_decode(text, place)
        begin = _after_space(text, _after_space(text, place) + 1)
        _, end = decoder.raw_decode(text, begin)
        spans[key] = (begin, end)
        place = _after_space(text, end)
        if text[place] == ",":
            place = _after_space(text, place + 1)
    return spans


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    assert found is not None, "an empty match is one"
    return found.end()


def _put(text: str, span: _Span, key: str, value: Any, indent: str, depth: int) -> str:
    """Add a member at the end of the object in ``span``."""
    start, end = span
    head = text[: end - 1].rstrip()
    comma = "" if len(head) == start + 1 else ","
    name = json.dumps(key, ensure_ascii=False)
    member = f"{indent * depth}{name}: {_dumped(value, indent, depth)}"
    return f"{head}{comma}\n{member}\n{indent * (depth - 1)}{text[end - 1 :]}"


def _dumped(value: Any, indent: str, depth: int) -> str:
    """Return a value as JSON whose later lines stand below its key."""
    lines = json.dumps(value, ensure_ascii=False, indent=indent).split("\n")
    return f"\n{indent * depth}".join(lines)
