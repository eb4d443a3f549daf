"""One reading of a dataset folder that collects every structural fault.

``validate`` and ``pin`` both start from it, so that they agree on what a
dataset is: what ``pin`` accepts, ``validate`` finds nothing to say about.
"""

from __future__ import annotations

import difflib
from array import array
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pytest_benchbed.data.answers import ANSWERS_FILE
from pytest_benchbed.data.answers import Canaries
from pytest_benchbed.data.answers import answer_source
from pytest_benchbed.data.dataset import CASES_FILE
from pytest_benchbed.data.dataset import CONTEXTS_FILE
from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.index import LineIndex
from pytest_benchbed.data.index import Source
from pytest_benchbed.data.index import file_fault
from pytest_benchbed.data.inventory import take_inventory
from pytest_benchbed.data.manifest import MANIFEST_FILE
from pytest_benchbed.data.manifest import ManifestText
from pytest_benchbed.data.paths import FileProblem
from pytest_benchbed.data.paths import check_path
from pytest_benchbed.data.pins import Use
from pytest_benchbed.data.rows import GoodRow
from pytest_benchbed.data.rows import RowFaults
from pytest_benchbed.data.rows import good_rows
from pytest_benchbed.model.base import Model
from pytest_benchbed.model.dataset import AnswerRow
from pytest_benchbed.model.dataset import CaseRow
from pytest_benchbed.model.dataset import ContextRow
from pytest_benchbed.model.dataset import Manifest

RowT = TypeVar("RowT", bound=Model)


class Survey:
    """What lies in a dataset folder, without a look at the manifest."""

    def __init__(self, root: Path) -> None:
        """Read everything once."""
        self.root = root
        found = take_inventory(root)
        self.files = found.files
        """Files that can be pinned: relative POSIX paths."""
        self.uses: dict[str, Use] = {}
        """Files that rows name."""
        self.token: str | None = None
        """The canary of the answers."""
        self._answers = RowFaults(str(root / ANSWERS_FILE))
        self._cases = RowFaults(str(root / CASES_FILE))
        self._contexts = RowFaults(str(root / CONTEXTS_FILE))
        self.answers = self._read_answers()
        self.contexts = self._read_contexts()
        self.cases = self._read_cases()
        """The good rows; None: the file is missing."""
        self.case_lines = {name: line for name, line in self._cases.seen.values()}
        """Every case id that stands in the file, with its line; the row may have a fault."""
        self._compare_ids()
        self.faults: list[Fault] = [
            *self._cases.found,
            *self._contexts.found,
            *self._answers.found,
            *found.faults,
        ]

    @property
    def has_whole_rows(self) -> bool:
        """Whether cases, contexts and answers can be read without a fault."""
        return not (self._cases.found or self._contexts.found or self._answers.found)

    def _read_answers(self) -> LineIndex | None:
        canaries = Canaries(self._answers.shown)

        def see(good: GoodRow[AnswerRow]) -> None:
            canaries.see(good.line, good.name, good.row.canary)

        index = self._index(answer_source, AnswerRow, self._answers, see)
        self._answers.found += canaries.faults
        self.token = canaries.token
        return index

    def _read_contexts(self) -> LineIndex | None:
        def see(good: GoodRow[ContextRow]) -> None:
            self._check_row(good, good.row.files, self._contexts, None)

        if not (self.root / CONTEXTS_FILE).is_file():
            return None
        return self._index(_contexts_source, ContextRow, self._contexts, see)

    def _read_cases(self) -> LineIndex | None:
        known = {name for name, _ in self._contexts.seen.values()}

        def see(good: GoodRow[CaseRow]) -> None:
            self._check_row(good, good.row.files, self._cases, good.name)
            context = good.row.context
            if context is not None and context not in known:
                cause = f"the context {quoted(context)} is not in {CONTEXTS_FILE}"
                self._cases.add(good.line, good.name, cause, "Add its row, or correct the name.")

        return self._index(_cases_source, CaseRow, self._cases, see)

    def _index(
        self,
        source_of: Callable[[Path], Source],
        model: type[RowT],
        faults: RowFaults,
        see: Callable[[GoodRow[RowT]], None],
    ) -> LineIndex | None:
        """Read a file to its end; index the good rows."""
        try:
            source = source_of(self.root)
        except FileProblem as problem:
            faults.found.append(file_fault(self.root, Path(faults.shown).name, problem))
            return None
        ids: list[str] = []
        starts, lines = array("Q"), array("I")
        end = 0
        for good in good_rows(source.lines(), model, faults):
            ids.append(good.name)
            starts.append(good.start)
            lines.append(good.line)
            end = good.start + len(good.raw)
            see(good)
        starts.append(end)
        return LineIndex(source, ids, starts, lines)

    def _check_row(
        self, good: GoodRow[RowT], files: list[str] | None, faults: RowFaults, case: str | None
    ) -> None:
        if self.token is not None and self.token.encode("ascii") in good.raw:
            cause = "the canary of the answers stands in this row"
            faults.add(good.line, case, cause, "Take the answers out of it.")
        named: set[str] = set()
        for path in files or ():
            reason = check_path(path)
            if reason is not None:
                cause = f"the path {quoted(path)} {reason}"
                faults.add(good.line, case, cause, "Name a file of the dataset folder.")
            elif path in named:
                faults.add(good.line, case, f"{quoted(path)} is named twice", "Name it once.")
            else:
                named.add(path)
                self.uses.setdefault(path, Use(faults.shown, good.line, case))

    def _compare_ids(self) -> None:
        """Every case has an answer, and every answer a case; retired ones too."""
        cases = self.case_lines
        answers = {name: line for name, line in self._answers.seen.values()}
        if self.cases is not None and not cases and not self._cases.found:
            self._cases.add(None, None, "the dataset has no case", "Write a row for each case.")
        if self.answers is not None and not answers and not self._answers.found and cases:
            cause = "the file has no row"
            self._answers.add(None, None, cause, "Write a row for each case.")
        # A file that cannot be read at all would give a fault for each row of the other.
        if not cases or not answers:
            return
        for name, line in cases.items():
            if name not in answers:
                remedy = f"Add its row to {ANSWERS_FILE}."
                self._cases.add(line, name, "the case has no answer", remedy)
        for name, line in answers.items():
            if name not in cases:
                remedy = f"Remove the row, or add the case to {CASES_FILE}."
                self._answers.add(line, name, "the answer has no case", remedy)


def retirement_faults(survey: Survey, manifest: Manifest, text: ManifestText) -> Iterator[Fault]:
    """Tell of retired cases that do not exist, and of a dataset without another case."""
    cases = survey.cases
    if cases is None:
        return
    shown = str(survey.root / MANIFEST_FILE)
    for entry in manifest.retired:
        if entry.id not in survey.case_lines:
            near = difflib.get_close_matches(entry.id, cases.ids, n=1)
            hint = f"Did you mean {quoted(near[0])}?" if near else "Remove the entry."
            cause = f"the retired case is not in {CASES_FILE}, where it must stay"
            yield Fault(shown, text.line_of(entry.id), entry.id, cause, hint)
    if cases.ids and {entry.id for entry in manifest.retired}.issuperset(cases.ids):
        yield Fault(shown, None, None, "every case is retired", "Add a case.")


def _cases_source(root: Path) -> Source:
    return Source(root, CASES_FILE)


def _contexts_source(root: Path) -> Source:
    return Source(root, CONTEXTS_FILE)
