"""The replies of a run, read from ``calls.jsonl`` one at a time.

Only the place of each reply is kept: the replies of a long run need not fit
into memory. What is scored is written by the calls package; this is a lean
reader of the same file for those that only show replies.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.lines import parse_plain

_OUTCOME = b'"kind":"outcome"'


class Predictions(Mapping[str, str]):
    """Case id to the reply as received (JSON text), for cases that were answered.

    The last outcome of the first attempt counts: a case that was technical and
    asked again has the later reply.
    """

    def __init__(self, path: Path, places: Mapping[str, tuple[int, int]]) -> None:
        """``places``: case id to offset and length of its line, in bytes."""
        self._path = path
        self._places = places
        self._file: int | None = None

    @classmethod
    def open(cls, path: Path) -> Predictions:
        """Index ``path``; a missing file has no replies, a torn last line is left out.

        Raises:
            RunError: with file and line, for a damaged line that is not the last.
        """
        places: dict[str, tuple[int, int]] = {}
        offset = 0
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    # Intents need no parsing; inside a string the marker has escaped quotes.
                    if line.endswith(b"\n") and _OUTCOME in line:
                        row = parse_plain(line, f"{path}:{number}")
                        if _is_first_attempt(row):
                            places.pop(row["case"], None)
                            if _has_reply(row):
                                places[row["case"]] = (offset, len(line))
                    offset += len(line)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise RunError(f"{path}: cannot be read: {error.strerror}.") from error
        return cls(path, places)

    def __getitem__(self, case: str) -> str:
        offset, length = self._places[case]
        if self._file is None:
            self._file = os.open(self._path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            weakref.finalize(self, os.close, self._file)
        os.lseek(self._file, offset, os.SEEK_SET)
        line = os.read(self._file, length)
        try:
            # It was read before; the simple reader finds the same text.
            raw = from_json(line, cache_strings="keys")["raw"]
        except (ValueError, TypeError, KeyError):
            raw = None
        if not isinstance(raw, str):
            raise RunError(f"{self._path}: was changed while it was read. Read it again.")
        return raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _is_first_attempt(row: Mapping[str, Any]) -> bool:
    return (
        row.get("kind") == "outcome"
        and isinstance(row.get("case"), str)
        and row.get("attempt") == 1
    )


def _has_reply(row: Mapping[str, Any]) -> bool:
    """A reply kept as base64 was no text, so it is no prediction."""
    return (
        row.get("state") == "ok" and isinstance(row.get("raw"), str) and not row.get("raw_base64")
    )
