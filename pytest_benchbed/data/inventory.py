"""Which files lie in a dataset folder."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.paths import RESERVED
from pytest_benchbed.data.paths import check_path
from pytest_benchbed.data.paths import find_twins
from pytest_benchbed.data.paths import is_link

JUNK = (
    ".DS_Store",
    "._*",
    "Thumbs.db",
    "desktop.ini",
    "__pycache__",
    "*.pyc",
    ".git",
    ".gitattributes",
    ".gitignore",
    ".gitkeep",
    ".manifest.json.*.tmp",
)
"""Names that systems and tools leave behind: never pinned, never a fault.

Git's own files belong to the repository, and the last one is what a killed
``benchbed pin`` leaves.
"""


class Inventory(NamedTuple):
    """What a walk through a dataset folder found."""

    files: frozenset[str]
    """Regular files that may be pinned: relative POSIX paths."""
    faults: list[Fault]


def take_inventory(root: Path) -> Inventory:
    """List the files below ``root`` but junk and the dataset's own, and what may not lie there.

    Links, devices, paths that another system would refuse, and twins are faults.
    """
    faults: list[Fault] = []
    files: list[str] = []
    for path in _walk(root, "", faults):
        reason = check_path(path)
        if reason is not None:
            cause = f"the path {quoted(path)} {reason}"
            faults.append(Fault(_shown(root, path), None, None, cause, "Rename the file."))
        else:
            files.append(path)
    for first, other in find_twins([*RESERVED, *files]):
        cause = f"differs from {quoted(first)} only by upper and lower case or Unicode form"
        remedy = "Rename one of them: elsewhere they are one file."
        faults.append(Fault(_shown(root, other), None, None, cause, remedy))
    return Inventory(frozenset(files).difference(RESERVED), faults)


def _walk(root: Path, below: str, faults: list[Fault]) -> Iterator[str]:
    folder = root / below if below else root
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        cause = f"the folder cannot be read ({error.strerror})"
        faults.append(Fault(str(folder), None, None, cause, "Make it readable."))
        return
    for entry in entries:
        if any(fnmatch.fnmatchcase(entry.name, pattern) for pattern in JUNK):
            continue
        path = below + entry.name
        status = entry.stat(follow_symlinks=False)
        if is_link(status):
            remedy = "Put the file itself in its place: what a link leads to is not pinned."
            faults.append(Fault(_shown(root, path), None, None, "is a symbolic link", remedy))
        elif stat.S_ISDIR(status.st_mode):
            yield from _walk(root, f"{path}/", faults)
        elif stat.S_ISREG(status.st_mode):
            yield path
        else:
            cause, remedy = "is not a regular file", "Remove it."
            faults.append(Fault(_shown(root, path), None, None, cause, remedy))


def _shown(root: Path, path: str) -> str:
    return str(root / path)
