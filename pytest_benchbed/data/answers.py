"""The answers of a dataset: the only module that opens them.

The request side of the program (adapters, calls) may not import it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.index import LineIndex
from pytest_benchbed.data.index import Source
from pytest_benchbed.model.dataset import AnswerRow
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.names import unknown_name

ANSWERS_FILE = "answers.jsonl"


def answer_source(root: Path) -> Source:
    """Return the open answer file of the dataset at ``root``.

    Raises:
        FileProblem: there is none, or it is no regular file.
    """
    return Source(root, ANSWERS_FILE)


def answer_index(root: Path) -> LineIndex:
    """Return an index of the answer rows.

    Raises:
        DatasetError: the file is missing, or a row has no id of its own.
    """
    return LineIndex.build(Source.open(root, ANSWERS_FILE))


class Answers:
    """Answers by case id, read when they are asked for."""

    def __init__(self, index: LineIndex) -> None:
        """Use :meth:`open`."""
        self.index = index
        self.ids = index.ids
        """Case ids in file order, retired ones included."""

    @classmethod
    def open(cls, dataset_root: str | Path) -> Answers:
        """Index the answers of the dataset at ``dataset_root``.

        Raises:
            DatasetError: the file is missing, or a row has no id of its own.
        """
        return cls(answer_index(Path(dataset_root)))

    def __contains__(self, case_id: object) -> bool:
        """Say whether the case has an answer."""
        return isinstance(case_id, str) and self.index.position(case_id) is not None

    def row(self, case_id: str) -> AnswerRow:
        """Return the row of a case.

        Raises:
            DatasetError: the case has no answer, or its line has a fault.
        """
        return self.index.row(self._position(case_id), AnswerRow)

    def answer(self, case_id: str) -> Any:
        """Return the answer of a case (raises as :meth:`row` does)."""
        return self.row(case_id).answer

    def known(self, case_id: str) -> Any:
        """Return the answer of a case, once ``verify_digests`` let the file through.

        Raises:
            DatasetError: the case has no answer, or the file was changed since.
        """
        return self.index.known_row(self._position(case_id)).get("answer")

    def all_known(self) -> Iterator[Any]:
        """Yield every answer in file order, retired ones too (as :meth:`known` reads them)."""
        for _, _, row in self.index.known_rows():
            yield row.get("answer")

    def _position(self, case_id: str) -> int:
        index = self.index
        position = index.position(case_id)
        if position is None:
            raise DatasetError(f"{index.shown}: {unknown_name('answer', case_id, index.ids, '')}")
        return position

    @cached_property
    def canary(self) -> str | None:
        """The token that stands in every row, or None if the dataset has none.

        Raises:
            DatasetError: rows have different tokens, or only some have one.
        """
        canaries = Canaries(self.index.shown)
        for line, name, row in self.index.known_rows():
            canaries.see(line, name, row.get("canary"))
        if canaries.faults:
            raise refuse(canaries.faults)
        return canaries.token


class Canaries:
    """Watches that all rows have one token, the same, or none."""

    def __init__(self, shown: str) -> None:
        """``shown``: path of the answer file for messages."""
        self.token: str | None = None
        self.faults: list[Fault] = []
        self._shown = shown
        self._is_first = True

    def see(self, line: int, case: str, token: str | None) -> None:
        """Take in the token of a row; the first that differs is a fault, no other is told."""
        if self._is_first:
            self._is_first = False
            self.token = token
        elif token != self.token and not self.faults:
            cause = "the canary differs from that of the first row"
            if token is None:
                cause = "the row has no canary, the first row has one"
            elif self.token is None:
                cause = "the row has a canary, the first row has none"
            remedy = "A dataset has one token, the same in every row."
            self.faults.append(Fault(self._shown, line, case, cause, remedy))
