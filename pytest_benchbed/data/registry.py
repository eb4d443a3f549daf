"""Which datasets there are: names and manifests, no rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.manifest import MANIFEST_FILE
from pytest_benchbed.data.manifest import read_manifest
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import UsageProblem

Origin = Literal["wheel", "hook", "paths"]
_RANK: dict[Origin, int] = {"wheel": 0, "hook": 1, "paths": 2}
_PACKAGED = Path(__file__).resolve().parent.parent / "packaged"
_CASES_FOLDER = "cases"


@dataclass(frozen=True)
class RegisteredDataset:
    """A dataset that can be named."""

    id: str
    version: str
    benchmark: str
    root: Path
    """Absolute."""
    argument_root: Path
    """The folder that holds ``cases/``: what pytest collects of a dataset outside its root."""
    origin: Origin


class DatasetRegistry:
    """Datasets by id.

    What a hook registers replaces a dataset of the same id that this package
    brings, and what lies below the bench paths replaces both. One id from two
    places of one kind is a mistake; the same folder twice is not.
    """

    def __init__(self) -> None:
        self._by_id: dict[str, RegisteredDataset] = {}
        self._by_root: dict[Path, RegisteredDataset] = {}
        self._fixtures: list[tuple[Path, Origin]] = []
        self.problems: list[DatasetError] = []
        """Manifests that cannot be read, in folders that were looked through."""

    def add(
        self,
        directory: str | Path,
        benchmark: str | None = None,
        loader: str | None = None,
        *,
        origin: Origin | None = None,
    ) -> None:
        """Register a dataset's folder, or the datasets one or two levels below a folder.

        Args:
            directory: a folder with a ``manifest.json``, or one above such
                folders (``<benchmark>/<dataset>``).
            benchmark: benchmark id; default: what each manifest names.
            loader: how the folder is read; default: what each manifest says.
            origin: where the call comes from; default: the packaged copies are
                the wheel's, everything else is a hook's.

        Raises:
            UsageProblem: there is no such folder, the loader is not built, or
                an id is registered from another place already.
            DatasetError: ``directory`` itself is a dataset and its manifest
                has a fault. Such a manifest further down is kept in
                :attr:`problems`: it must not stop another benchmark.
        """
        folder = Path(directory).resolve()
        if not folder.is_dir():
            raise UsageProblem(
                f"a dataset folder is registered that does not exist: {folder}.\n"
                "Correct the path in pytest_benchbed_datasets (hook or conftest.py)."
            )
        if loader not in (None, "jsonl"):
            raise UsageProblem(
                f"dataset folder {folder}: the loader {quoted(str(loader))} is not built yet.\n"
                "Use the loader 'jsonl'."
            )
        if origin is None:
            origin = "wheel" if folder.is_relative_to(_PACKAGED) else "hook"
        if (folder / MANIFEST_FILE).is_file():
            self._add(folder, _argument_root(folder), benchmark, origin)
            return
        for root in _datasets_below(folder):
            try:
                self._add(root, folder.parent, benchmark, origin)
            except DatasetError as error:
                self.problems.append(error)

    def add_found(self, directory: str | Path) -> RegisteredDataset:
        """Register one dataset folder that lies below the bench paths or is named by its path.

        Raises:
            DatasetError: its manifest is missing or has a fault.
            UsageProblem: its id is registered from another such place already.
        """
        folder = Path(directory).resolve()
        return self._add(folder, _argument_root(folder), None, "paths")

    def add_fixtures(self, directory: str | Path, *, origin: Origin | None = None) -> None:
        """Register a folder of prediction fixtures, ``<benchmark>/{correct,wrong}.json``.

        Raises:
            UsageProblem: there is no such folder.
        """
        folder = Path(directory).resolve()
        if not folder.is_dir():
            raise UsageProblem(
                f"a folder of fixtures is registered that does not exist: {folder}.\n"
                "Correct the path in pytest_benchbed_datasets (hook or conftest.py)."
            )
        if origin is None:
            origin = "wheel" if folder.is_relative_to(_PACKAGED) else "hook"
        self._fixtures.append((folder, origin))

    def fixtures(self, benchmark: str) -> Path | None:
        """Return the folder of the fixtures of a benchmark, or None if nobody has any."""
        found = [
            (_RANK[origin], folder / benchmark)
            for folder, origin in self._fixtures
            if (folder / benchmark).is_dir()
        ]
        return max(found, key=lambda item: item[0])[1] if found else None

    def all(self) -> list[RegisteredDataset]:
        """Return every dataset, by benchmark and id."""
        return sorted(self._by_id.values(), key=lambda entry: (entry.benchmark, entry.id))

    def for_benchmark(self, name: str) -> list[RegisteredDataset]:
        """Return the datasets of a benchmark, by id."""
        return [entry for entry in self.all() if entry.benchmark == name]

    def get(self, dataset_id: str) -> RegisteredDataset | None:
        """Return the dataset of that id, or None."""
        return self._by_id.get(dataset_id)

    def at(self, directory: str | Path) -> RegisteredDataset | None:
        """Return the dataset registered from that folder, or None; also one that was replaced."""
        return self._by_root.get(Path(directory).resolve())

    def find(self, name_or_path: str | Path) -> RegisteredDataset | None:
        """Return the dataset of that id, else the one registered from that folder, else None."""
        return self.get(str(name_or_path)) or self.at(name_or_path)

    def _add(
        self, root: Path, argument_root: Path, benchmark: str | None, origin: Origin
    ) -> RegisteredDataset:
        manifest = read_manifest(root)
        entry = RegisteredDataset(
            manifest.id,
            manifest.version,
            benchmark or manifest.benchmark,
            root,
            argument_root,
            origin,
        )
        known = self._by_id.get(entry.id)
        if known is not None and known.root != root and _RANK[known.origin] == _RANK[origin]:
            raise UsageProblem(
                f"dataset id {quoted(entry.id)} stands for two folders: {known.root} and {root}.\n"
                "Give one of them another id: benchbed pin PATH --id=NAME"
            )
        self._by_root[root] = entry
        if known is None or _RANK[origin] > _RANK[known.origin]:
            self._by_id[entry.id] = entry
        return self._by_id[entry.id] if known is not None and known.root == root else entry


def _argument_root(dataset: Path) -> Path:
    for folder in dataset.parents:
        if folder.name == _CASES_FOLDER:
            return folder.parent
    return dataset.parent.parent


def _datasets_below(folder: Path) -> Iterator[Path]:
    """Yield dataset folders one or two levels down; other tools have manifests too."""
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        if _is_ours(inner):
            yield inner
            continue
        for root in sorted(path for path in inner.iterdir() if path.is_dir()):
            if _is_ours(root):
                yield root


def _is_ours(folder: Path) -> bool:
    try:
        with (folder / MANIFEST_FILE).open("rb") as file:
            return b'"benchbed.manifest.' in file.read()
    except OSError:
        return False
