"""Checked copies of the input files, for the system to read.

Copies, never links: a symbolic link shows the dataset's path, a hard link lets
the system change the dataset's own file. Each file is copied and hashed in one
pass, compared with its pin, and hashed again after the run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path

from pytest_benchbed.data.dataset import CASES_FILE
from pytest_benchbed.data.dataset import CONTEXTS_FILE
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.dataset import unpinned_fault
from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.paths import FileProblem
from pytest_benchbed.data.pins import changed_fault
from pytest_benchbed.data.pins import content_faults
from pytest_benchbed.data.pins import read_blocks
from pytest_benchbed.data.pins import read_facts
from pytest_benchbed.model.dataset import PinnedFile
from pytest_benchbed.model.errors import BenchbedError

_READ_ONLY = 0o444


class Stage:
    """A folder with the files of selected cases and their contexts, below their paths."""

    def __init__(self, dataset: Dataset, directory: Path, staged: Mapping[str, PinnedFile]) -> None:
        """Use :meth:`make`."""
        self.directory = directory
        self._dataset = dataset
        self._staged = staged

    @classmethod
    def make(cls, dataset: Dataset, case_ids: Iterable[str], destination: Path) -> Stage:
        """Copy what the cases name to ``destination``, which is made if it is not there.

        Raises:
            DatasetError: a file is missing or is not the pinned one, or a row
                has a fault. Told before anything is asked or spent.
            BenchbedError: the copies cannot be written.
        """
        faults: list[Fault] = []
        wanted = _wanted(dataset, case_ids, faults)
        if faults:
            raise refuse(faults)
        try:
            destination.mkdir(parents=True, exist_ok=True)
            for path, case in wanted.items():
                _copy(dataset, dataset.pins[path], case, destination, faults)
        except OSError as error:
            raise BenchbedError(
                f"cannot copy the input files to {destination}: {error.strerror or error}.\n"
                "Make room, or set TMPDIR to a folder that can be written."
            ) from None
        if faults:
            raise refuse(faults)
        return cls(dataset, destination, {path: dataset.pins[path] for path in wanted})

    @property
    def paths(self) -> list[str]:
        """Paths of all copies below :attr:`directory`."""
        return list(self._staged)

    def of(self, paths: Iterable[str]) -> list[PinnedFile]:
        """Return the pins of staged files, such as ``files`` of a row."""
        return [self._staged[path] for path in paths]

    def files(self, case_id: str) -> list[PinnedFile]:
        """Return the files of a case; their paths are below :attr:`directory`."""
        return self.of(self._dataset.row(case_id).files or ())

    def context_files(self, context_id: str) -> list[PinnedFile]:
        """Return the files of a context; their paths are below :attr:`directory`."""
        return self.of(self._dataset.context(context_id).files or ())

    def tampered(self) -> list[str]:
        """Return the paths of copies that are no longer the pinned files, sorted."""
        changed = []
        for path, pin in self._staged.items():
            try:
                is_same = read_facts(self.directory, path).pin == pin
            except FileProblem:
                is_same = False
            if not is_same:
                changed.append(path)
        return sorted(changed)


def _wanted(
    dataset: Dataset, case_ids: Iterable[str], faults: list[Fault]
) -> dict[str, str | None]:
    """Return the files to copy, each with the first case that names it (None: a context)."""
    wanted: dict[str, str | None] = {}
    contexts: dict[str, None] = {}
    if not dataset.pins and dataset.context_index is None:
        # Nothing to copy, and a file that a row names all the same was refused before.
        return wanted
    for case_id in case_ids:
        row = dataset.known_row(case_id)
        if row.get("context") is not None:
            contexts[row["context"]] = None
        for path in row.get("files") or ():
            if path in dataset.pins:
                wanted.setdefault(path, case_id)
            else:
                line = dataset.line(case_id)
                faults.append(unpinned_fault(dataset.root, CASES_FILE, line, case_id, path))
    for context_id in contexts:
        context = dataset.context(context_id)
        for path in context.files or ():
            if path in dataset.pins:
                wanted.setdefault(path, None)
            else:
                fault = unpinned_fault(dataset.root, CONTEXTS_FILE, None, context_id, path)
                faults.append(fault)
    return wanted


def _copy(
    dataset: Dataset, pin: PinnedFile, case: str | None, destination: Path, faults: list[Fault]
) -> None:
    target = destination.joinpath(*pin.path.split("/"))
    target.parent.mkdir(parents=True, exist_ok=True)
    sha = hashlib.sha256()
    size = 0
    # O_EXCL: a twin of another file would overwrite it on some file systems.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(target, flags, 0o600), "wb") as copy:
        try:
            for block in read_blocks(dataset.root, pin.path):
                sha.update(block)
                size += len(block)
                copy.write(block)
        except FileProblem as problem:
            cause = f"pinned in manifest.json, but {problem}"
            shown = str(dataset.root / pin.path)
            faults.append(Fault(shown, None, case, cause, "Restore the file."))
            return
    target.chmod(_READ_ONLY)
    if (size, sha.hexdigest()) != (pin.size, pin.sha256):
        found = read_facts(dataset.root, pin.path)
        pointer = list(content_faults(dataset.root, found, case))
        faults += pointer or [changed_fault(dataset.root, pin, found.pin, case)]
