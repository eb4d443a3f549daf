"""Change several files of a dataset as one step, also if the process is killed amid it.

Beside the dataset lies a folder with what was there before, complete before the
first file is touched. The manifest is written last and by itself: as long as it
is the old one everything is put back, by the same process or, after ``kill -9``,
by the next one that wants to change the dataset.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Collection
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pytest_benchbed.data.faults import CUT_SHORT
from pytest_benchbed.data.faults import update_folder
from pytest_benchbed.data.manifest import MANIFEST_FILE
from pytest_benchbed.data.replace import replace_file
from pytest_benchbed.model.errors import UsageProblem

_OLD: Final = "old"
_NOTES: Final = "undo.json"


class Undo:
    """What one change of a dataset would be undone with."""

    def __init__(self, root: Path) -> None:
        """``root``: folder of the dataset."""
        self.root = root
        self.folder = update_folder(root)

    @property
    def is_left(self) -> bool:
        """Whether a change was begun and not ended."""
        return self.folder.exists()

    @property
    def is_done(self) -> bool:
        """Whether the manifest of the change was written."""
        notes = json.loads((self.folder / _NOTES).read_text("utf-8"))
        return bool(notes["manifest_sha256"] != self._manifest_sha256())

    def prepare(self, paths: Collection[str]) -> None:
        """Keep the files that are about to be written, paths below the dataset."""
        spare = self._spare()
        added = []
        spare.mkdir()
        for path in paths:
            if not (self.root / path).exists():
                added.append(path)
                continue
            kept = spare / _OLD / path
            kept.parent.mkdir(parents=True, exist_ok=True)
            replace_file(kept, (self.root / path).read_bytes())
        notes = {"added": added, "manifest_sha256": self._manifest_sha256()}
        replace_file(spare / _NOTES, json.dumps(notes).encode("utf-8"))
        spare.replace(self.folder)

    def roll_back(self) -> None:
        """Put every file back; may be repeated."""
        for path in json.loads((self.folder / _NOTES).read_text("utf-8"))["added"]:
            (self.root / path).unlink(missing_ok=True)
        old = self.folder / _OLD
        for kept in sorted(path for path in old.rglob("*") if path.is_file()):
            replace_file(self.root / kept.relative_to(old), kept.read_bytes())

    def forget(self) -> None:
        """Remove what was kept, and what a killed process was about to keep."""
        # In one step: half of it would put half of the files back.
        self.folder.replace(self._spare())
        for spare in self.root.parent.glob(f".{self.root.name}.*.tmp"):
            shutil.rmtree(spare, ignore_errors=True)

    def _spare(self) -> Path:
        return self.root.with_name(f".{self.root.name}.{secrets.token_hex(4)}.tmp")

    def _manifest_sha256(self) -> str:
        return hashlib.sha256((self.root / MANIFEST_FILE).read_bytes()).hexdigest()


def check_no_update(root: Path) -> None:
    """Refuse to pin what an update left half done.

    Raises:
        UsageProblem: an update was killed, or is still writing.
    """
    if Undo(root).is_left:
        raise UsageProblem(f"{root}: not pinned. {CUT_SHORT}")


@contextmanager
def undone_unless_pinned(root: Path, paths: Collection[str]) -> Iterator[None]:
    """Let files of a dataset be written; put them back unless a new manifest is there at the end.

    Args:
        root: folder of the dataset.
        paths: what is about to be written below it, without the manifest.
    """
    undo = Undo(root)
    undo.prepare(paths)
    try:
        yield
    finally:
        if not undo.is_done:
            undo.roll_back()
        undo.forget()
