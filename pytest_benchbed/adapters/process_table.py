"""Which processes descend from which, read from ``/proc``.

Standard library only, for the supervisor process. Where there is no ``/proc``
(macOS, Windows) the table is empty and killing falls back to process groups.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

SWEEPS = 50
SWEEP_PAUSE_S = 0.01


class Entry(NamedTuple):
    """One process."""

    pid: int
    parent: int
    session: int
    is_zombie: bool


def read_table(root: str = "/proc") -> list[Entry]:
    """Return all processes that can be seen; one that ends meanwhile is left out."""
    entries = []
    with contextlib.suppress(OSError):
        for name in os.listdir(root):  # noqa: PTH208 -- hundreds of names, twice a kill
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    entries.append(parse_stat(_read(f"{root}/{name}/stat")))
    return entries


def _read(path: str, size: int = 4096) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, size)
    finally:
        os.close(fd)


def parse_stat(line: bytes) -> Entry:
    """Read one ``/proc/PID/stat``; the command name in it may hold blanks and brackets."""
    pid = int(line[: line.index(b" ")])
    rest = line[line.rindex(b")") + 2 :].split()
    return Entry(pid, int(rest[1]), int(rest[3]), rest[0] == b"Z")


def descendants(table: Sequence[Entry], root: int) -> list[Entry]:
    """Return the children of ``root``, theirs, and so on; without ``root`` itself."""
    children: dict[int, list[Entry]] = {}
    for entry in table:
        children.setdefault(entry.parent, []).append(entry)
    found: list[Entry] = []
    waiting = [root]
    while waiting:
        for entry in children.pop(waiting.pop(), []):
            found.append(entry)
            waiting.append(entry.pid)
    return found


def kill_marked(session: int, variable: str, root: str = "/proc") -> None:
    """Kill what has a session, or a variable (``NAME=value``) in its environment.

    The last resort when the supervisor was killed: then its descendants have
    another parent. A process that hides both escapes; nothing but confinement
    stops that.
    """
    mark = os.fsencode(variable)
    for _ in range(SWEEPS):
        # Again until nothing is found: one may have had a child since the table was read.
        if not _kill_once(session, mark, root):
            return
        time.sleep(SWEEP_PAUSE_S)


def _kill_once(session: int, mark: bytes, root: str) -> bool:
    """Kill what is there now; say whether there was anything."""
    found = False
    for entry in read_table(root):
        if entry.is_zombie or entry.pid == os.getpid():
            continue
        with contextlib.suppress(OSError):
            is_ours = entry.session == session or mark in _read(
                f"{root}/{entry.pid}/environ", 1024 * 1024
            ).split(b"\0")
            if sys.platform != "win32" and is_ours:
                found = True
                os.kill(entry.pid, signal.SIGKILL)
    return found
