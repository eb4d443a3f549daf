"""Which rows differ from the committed ones.

A manifest has one digest of all rows, so it can say that something changed but
not what. Where the folder lies in a Git repository and the manifest is the
committed one, the rows of that commit are those it was made of.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import IO
from typing import NamedTuple

from pytest_benchbed.data.index import LineIndex
from pytest_benchbed.data.manifest import MANIFEST_FILE
from pytest_benchbed.data.rows import RowFaults
from pytest_benchbed.data.rows import parse_object
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

_TIMEOUT_S = 60


class Changes(NamedTuple):
    """Names (ids of rows, paths of files), each list sorted."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def committed_digests(root: Path) -> object:
    """Return the ``digests`` of the committed manifest, or None if there is none."""
    with tempfile.TemporaryFile() as file:
        if not _committed(root, MANIFEST_FILE, file):
            return None
        try:
            data = read_json(file.read())
        except MalformedJson:
            return None
    return data.get("digests") if isinstance(data, dict) else None


def is_committed(path: Path) -> bool:
    """Say whether the last commit has this file with the content it has now."""
    with tempfile.TemporaryFile() as file:
        return _committed(path.parent, path.name, file) and file.read() == path.read_bytes()


def row_changes(root: Path, name: str, now: LineIndex) -> Changes | None:
    """Compare the rows of ``root/name`` with the committed ones; None if there are none.

    Rows are compared in their canonical form, and held as digests alone.
    """
    with tempfile.TemporaryFile() as file:
        if not _committed(root, name, file):
            return None
        before = dict(_digests(enumerate(file)))
    return changes_of(before, dict(_digests(now.stream())))


def changes_of(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    """Compare two maps of names to digests."""
    return Changes(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(
            sorted(name for name in after.keys() & before.keys() if after[name] != before[name])
        ),
    )


def _digests(rows: Iterable[tuple[int, bytes]]) -> Iterator[tuple[str, str]]:
    for position, raw in rows:
        row = parse_object(raw, position + 1, RowFaults(""))
        if row is not None:
            yield str(row.get("id")), digest(row)


def _committed(root: Path, name: str, file: IO[bytes]) -> bool:
    """Write the committed content of ``root/name`` to ``file`` and rewind it."""
    git = shutil.which("git")
    if git is None:
        return False
    # cat-file gives the bytes as committed: no filter, no text conversion, no pager.
    command = [git, "-C", str(root), "cat-file", "blob", f"HEAD:./{name}"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    file.seek(0)
    return done.returncode == 0
