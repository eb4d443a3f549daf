"""Write ``results.jsonl``; its digest goes into ``run.json``, so that an edit shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path

from pytest_benchbed.runs.atomic import write_lines


def write_results(path: Path, lines: Iterable[bytes]) -> str:
    """Write the rows (canonical, by case id, without line ends); return the file's SHA-256.

    The digest is the record's ``results_sha256``.

    Raises:
        RunError: the file cannot be written; the old one is unchanged.
    """
    digest = hashlib.sha256()

    def hashed() -> Iterator[bytes]:
        for line in lines:
            digest.update(line)
            digest.update(b"\n")
            yield line

    write_lines(path, hashed())
    return digest.hexdigest()
