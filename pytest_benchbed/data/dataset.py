"""A dataset as the system may see it: cases, contexts and pinned files, never answers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any
from typing import NamedTuple

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import pin_remedy
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.index import LineIndex
from pytest_benchbed.data.index import Source
from pytest_benchbed.data.manifest import read_manifest
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.dataset import CaseRow
from pytest_benchbed.model.dataset import ContextRow
from pytest_benchbed.model.dataset import Manifest
from pytest_benchbed.model.dataset import PinnedFile
from pytest_benchbed.model.dataset import Retired
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.names import unknown_name

CASES_FILE = "cases.jsonl"
CONTEXTS_FILE = "contexts.jsonl"


_NO_FACETS: Mapping[str, str] = MappingProxyType({})


class CaseEntry(NamedTuple):
    """What collection and selection need to know of a case."""

    id: str
    line: int
    """1-based line in ``cases.jsonl``."""
    category: str | None
    tags: tuple[str, ...]
    group: str | None
    context: str | None
    facets: Mapping[str, str]
    """Values of ``suite``, ``variant`` and ``scenario``, where the case has them."""


class Dataset:
    """Pinned cases of one benchmark. Rows are read when they are asked for."""

    root: Path
    manifest: Manifest
    ids: tuple[str, ...]
    """Ids of the cases that are not retired, in file order."""
    retired: Mapping[str, Retired]

    def __init__(
        self, root: Path, manifest: Manifest, cases: LineIndex, contexts: LineIndex | None
    ) -> None:
        """Use :meth:`open`."""
        self.root = root
        self.manifest = manifest
        self.case_index = cases
        self.context_index = contexts
        self.retired = {entry.id: entry for entry in manifest.retired}
        self.is_verified = False
        """Whether the rows were compared with the manifest's digests."""
        self.ids = cases.ids
        if self.retired:
            self.ids = tuple(name for name in cases.ids if name not in self.retired)

    @classmethod
    def open(cls, path: str | Path, manifest: Manifest | None = None) -> Dataset:
        """Read the manifest and index the cases of the folder ``path``.

        Pins and digests are not compared here: see ``verify_digests`` and
        ``Stage.make``. ``manifest``: taken instead of the one in the folder.

        Raises:
            DatasetError: a file is missing or has a fault.
        """
        root = Path(path)
        manifest = manifest or read_manifest(root)
        cases = LineIndex.build(Source.open(root, CASES_FILE))
        return cls(root, manifest, cases, open_contexts(root))

    @property
    def id(self) -> str:
        """Dataset id, ``name`` or ``publisher/name``."""
        return self.manifest.id

    @property
    def version(self) -> str:
        """Version of the manifest."""
        return self.manifest.version

    @property
    def benchmark(self) -> str:
        """Id of the benchmark that the manifest names."""
        return self.manifest.benchmark

    @property
    def visibility(self) -> str:
        """``public`` or ``private``."""
        return self.manifest.visibility

    @property
    def case_file(self) -> Path:
        """Path of ``cases.jsonl``."""
        return self.root / CASES_FILE

    @cached_property
    def identity(self) -> str:
        """SHA-256 of id, version and both digests: equal for equal revisions alone."""
        return identity_of(self.manifest)

    @cached_property
    def pins(self) -> Mapping[str, PinnedFile]:
        """Pinned files by path."""
        return {pin.path: pin for pin in self.manifest.files}

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, case_id: object) -> bool:
        """Say whether there is a case of that id that is not retired."""
        return (
            isinstance(case_id, str)
            and case_id not in self.retired
            and self.case_index.position(case_id) is not None
        )

    def __repr__(self) -> str:
        return f"Dataset({self.id!r}, version={self.version!r}, cases={len(self)})"

    def entries(self) -> Iterator[CaseEntry]:
        """Yield the cases that are not retired, in file order; the file is streamed.

        Raises:
            DatasetError: a line has a fault.
        """
        if self.is_verified:
            yield from (entry for entry, _ in self.known_entries())
            return
        for line, name, checked in self.case_index.rows(CaseRow):
            if name not in self.retired:
                yield _entry(line, name, vars(checked))

    def known_entries(self) -> Iterator[tuple[CaseEntry, dict[str, Any]]]:
        """Yield :meth:`entries` with their rows, once ``verify_digests`` let the file through.

        Raises:
            DatasetError: the file was changed since.
        """
        for line, name, row in self.case_index.known_rows():
            if name not in self.retired:
                yield _entry(line, name, row), row

    def row(self, case_id: str) -> CaseRow:
        """Return the row of a case, a retired one too.

        Raises:
            DatasetError: there is none of that id, or its line has a fault.
        """
        return self.case_index.row(self._position(case_id), CaseRow)

    def known_row(self, case_id: str) -> dict[str, Any]:
        """Return the row of a case as plain values, once ``verify_digests`` let the file through.

        Raises:
            DatasetError: there is none of that id, or the file was changed since.
        """
        return self.case_index.known_row(self._position(case_id))

    def line(self, case_id: str) -> int:
        """Return the 1-based line of a case in ``cases.jsonl`` (raises as :meth:`row` does)."""
        return self.case_index.line(self._position(case_id))

    def context(self, context_id: str) -> ContextRow:
        """Return the row of a context.

        Raises:
            DatasetError: there is none of that id, or its line has a fault.
        """
        index = self.context_index
        position = None if index is None else index.position(context_id)
        if index is None or position is None:
            known = () if index is None else index.ids
            raise DatasetError(
                f"{self.root / CONTEXTS_FILE}: {unknown_name('context', context_id, known, '')}"
            )
        return index.row(position, ContextRow)

    def case(self, case_id: str, files_dir: Path | None = None, attempt: int = 1) -> Case:
        """Return the input-only view of a case.

        Args:
            case_id: id of the case.
            files_dir: folder with copies of its files; None: the dataset itself.
            attempt: number of the asking, from 1.

        Raises:
            DatasetError: there is no such case, its line has a fault, or it
                names a file that is not pinned.
        """
        row = self.row(case_id)
        return self.view(case_id, row.inputs, row.files or (), row.context, files_dir, attempt)

    def view(
        self,
        case_id: str,
        inputs: Mapping[str, Any],
        paths: Iterable[str],
        context: str | None,
        files_dir: Path | None = None,
        attempt: int = 1,
    ) -> Case:
        """Return :meth:`case` made of the parts of a row that was read already.

        Raises:
            DatasetError: the row names a file that is not pinned.
        """
        base = self.root if files_dir is None else files_dir
        files = {}
        for path in paths:
            if path not in self.pins:
                line = self.line(case_id)
                raise refuse([unpinned_fault(self.root, CASES_FILE, line, case_id, path)])
            files[path] = base.joinpath(*path.split("/"))
        return Case(case_id, self.benchmark, inputs, files, context, attempt)

    def cases(self) -> Iterator[Case]:
        """Yield the cases that are not retired, in file order (raises as :meth:`case` does)."""
        return (self.case(name) for name in self.ids)

    def _position(self, case_id: str) -> int:
        index = self.case_index
        position = index.position(case_id)
        if position is None:
            raise DatasetError(f"{index.shown}: {unknown_name('case', case_id, index.ids, '')}")
        return position


def _entry(line: int, name: str, row: Mapping[str, Any]) -> CaseEntry:
    get = row.get
    tags, facets = get("tags"), get("facets")
    return CaseEntry(
        name,
        line,
        get("category"),
        tuple(tags) if tags else (),
        get("group"),
        get("context"),
        facets or _NO_FACETS,
    )


def identity_of(manifest: Manifest) -> str:
    """Return the SHA-256 of the canonical {id, version, inputs, answers}."""
    digests = manifest.digests.to_json()
    return digest({"id": manifest.id, "version": manifest.version, **digests})


def open_contexts(root: Path) -> LineIndex | None:
    """Index the contexts of the dataset at ``root``; None if it has none.

    Raises:
        DatasetError: the file has a fault.
    """
    if not os.path.lexists(root / CONTEXTS_FILE):
        return None
    return LineIndex.build(Source.open(root, CONTEXTS_FILE))


def unpinned_fault(root: Path, file: str, line: int | None, name: str, path: str) -> Fault:
    """Say that a row of ``file`` names a file that the manifest does not pin."""
    cause = f"the file {quoted(path)} is not pinned"
    return Fault(str(root / file), line, name, cause, pin_remedy(root))
