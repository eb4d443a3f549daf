"""Strict reading of files that a system under test has written.

The name is one plain segment, the file a regular one of ours with a single
link, opened without following links and read up to a cap; everything else is a
technical failure. A prediction that is a link to an answer, a pipe that blocks,
a device or a file that grows is never followed, waited for or trusted.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

RESULT_NAME = "adapter-result.json"
MAX_STRING = 1_000_000
"""Code points in one string."""
MAX_LIST = 100_000
"""Elements in one list."""

_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_BLOCK = 1024 * 1024


def name_problem(name: str, extension: str = ".json") -> str | None:
    """Return why ``name`` cannot be the file of the predictions; None if it can."""
    if not name:
        return "is empty"
    if not _NAME.fullmatch(name) or name.strip(".") == "":
        return "is no plain file name of letters, digits, '.', '_' and '-'"
    if name.casefold() == RESULT_NAME or _DEVICE.fullmatch(name):
        return "is a reserved name"
    if not name.endswith(extension):
        return f"does not end in {extension}"
    return None


def read_output_file(directory: Path, name: str, cap: int) -> bytes:
    """Return the bytes of ``directory/name``, at most ``cap``.

    Raises:
        TechnicalFailure: ``missing_file``, ``bad_file`` (not a regular file of ours
            with one link; unreadable) or ``too_large``.
    """
    where = f"{directory.name}/{term(name, 80)}"
    try:
        fd = _open(directory, name)
    except FileNotFoundError:
        raise TechnicalFailure("missing_file", "it was not written", where=where) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TechnicalFailure(
            "bad_file", f"it cannot be opened as a regular file ({reason})", where=where
        ) from None
    try:
        problem = _file_problem(os.fstat(fd))
        if problem:
            raise TechnicalFailure("bad_file", problem, where=where)
        return _read(fd, cap)
    except OSError as error:
        raise TechnicalFailure(
            "bad_file", f"it cannot be read ({error.strerror})", where=where
        ) from None
    except OverflowError:
        raise TechnicalFailure("too_large", f"it is longer than {cap} bytes", where=where) from None
    finally:
        os.close(fd)


def parse_output(data: bytes, where: str) -> dict[str, Any]:
    """Read the JSON object a system wrote.

    Raises:
        TechnicalFailure: with the kind of the fault (:class:`MalformedJson`), or
            ``not_object``.
    """
    try:
        value = read_json(data)
    except MalformedJson as error:
        raise TechnicalFailure(error.kind, error.detail, where=where) from None
    if not isinstance(value, dict):
        raise TechnicalFailure("not_object", "it must be one JSON object", where=where)
    return value


def check_sizes(value: Any, where: str = "") -> None:
    """Refuse a prediction with an oversized string or list.

    Raises:
        TechnicalFailure: ``too_large``.
    """
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if len(item) > MAX_STRING:
                raise TechnicalFailure(
                    "too_large", f"a string is longer than {MAX_STRING} characters", where=where
                )
        elif isinstance(item, list):
            if len(item) > MAX_LIST:
                raise TechnicalFailure(
                    "too_large", f"a list has more than {MAX_LIST} elements", where=where
                )
            waiting.extend(item)
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())


def _open(directory: Path, name: str) -> int:
    if sys.platform == "win32" or os.open not in os.supports_dir_fd:
        # Windows: no O_NOFOLLOW; look first, open, and see that it is the same file.
        path = directory / name
        before = path.lstat()
        if not stat.S_ISREG(before.st_mode):
            raise OSError(0, "not a regular file")
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        if not os.path.samestat(before, os.fstat(fd)):
            os.close(fd)
            raise OSError(0, "it was exchanged")
        return fd
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        # O_NONBLOCK: opening a pipe must not wait for a writer.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(name, flags, dir_fd=folder)
    finally:
        os.close(folder)


def _file_problem(status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file"
    if status.st_nlink != 1:
        return "it has a second name (hard link)"
    if status.st_mode & (stat.S_ISUID | stat.S_ISGID):
        return "it has a setuid or setgid bit"
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return "it belongs to somebody else"
    return None


def _read(fd: int, cap: int) -> bytes:
    """Read to the end; ``OverflowError`` above ``cap``, however long it says it is."""
    if os.fstat(fd).st_size > cap:
        raise OverflowError
    parts: list[bytes] = []
    size = 0
    while part := os.read(fd, min(_BLOCK, cap + 1 - size)):
        parts.append(part)
        size += len(part)
        if size > cap:
            raise OverflowError
    return b"".join(parts)
