"""What decides about a run must stay as it was before the first call.

At level ``process`` nothing hides the dataset or earlier runs from the system.
What it reads there cannot be undone, but what it changes is found: the files
are hashed before the first call and again at the end, and a difference is a
technical failure of the run. It stays one when the run is resumed, because
nothing that is asked again makes it good.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path

from pytest_benchbed.data.answers import ANSWERS_FILE
from pytest_benchbed.data.dataset import CASES_FILE
from pytest_benchbed.data.dataset import CONTEXTS_FILE
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.runs.read import Run


def dataset_digests(root: Path) -> dict[Path, str]:
    """Return the SHA-256 of a dataset's own files; of the others the manifest has it."""
    return _digests(root / name for name in (CASES_FILE, CONTEXTS_FILE, ANSWERS_FILE))


def run_digests(runs: Iterable[Run]) -> dict[Path, str]:
    """Return the SHA-256 of the rows of saved runs."""
    return _digests(run.paths.results for run in runs)


def changed(kind: str, before: Mapping[Path, str]) -> list[TechnicalRecord]:
    """Return a failure for each file that is no longer what it was."""
    now = _digests(before)
    return [
        TechnicalRecord(
            case=None,
            whose="adapter",
            kind=kind,
            detail=f"changed while the run went on: {term(str(path), 160)}",
        )
        for path in before
        if now[path] != before[path]
    ]


def _digests(paths: Iterable[Path]) -> dict[Path, str]:
    return {path: _digest(path) for path in paths}


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file; "" if it cannot be read, which is a difference too."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""
