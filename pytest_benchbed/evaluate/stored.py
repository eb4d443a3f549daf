"""What a saved run has on disk to be scored again from: its rows, and the outcomes of its calls."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import ExitStack
from contextlib import suppress
from typing import Any
from typing import BinaryIO
from typing import Self

from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.compare.keys import PARTS
from pytest_benchbed.evaluate.case import Answer
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.rows import SavedRows

Row = dict[str, Any]

RETIRED = "retired"
"""``what`` of the history line that keeps ``key_parts`` of cases whose rows went."""


def stored_rows(run: Run) -> tuple[dict[str, Row], bool]:
    """Return the rows by case, and whether they are those that the record is of.

    A scoring that was cut short leaves rows of its own beside the old record, and
    people edit files. Where the replies are at hand, all rows are made again; what
    can be read of those that stand there shows what is changed by it, no more.

    Raises:
        RunError: the rows are not those of the record, and there are no replies; or
            a row does not say what its keys are made of.
    """
    try:
        rows = run.rows()
    except RunError:
        if not run.paths.calls.exists():
            raise
    else:
        for case, row in rows.items():
            if not _has_parts(row):
                raise RunError(
                    f"{run.paths.results}: case {term(case, 80)!r}: field key_parts: is not whole. "
                    "Restore the file, or make the run again."
                )
        return rows, True
    with suppress(RunError):
        found = SavedRows.open(run.paths.results, None, run=run.id).read()
        return {row["case"]: row for row in found if _has_parts(row)}, False
    return {}, False


def _has_parts(row: Row) -> bool:
    parts = row.get("key_parts")
    return isinstance(parts, dict) and all(isinstance(parts.get(name), str) for name in PARTS)


def retired_parts(record: RunRecord) -> dict[str, Mapping[str, str]]:
    """Return ``key_parts`` of the cases of a run that were retired since it was made.

    Such a case may come back, but not with other inputs: the reply is to the old ones.
    """
    return {
        case: parts
        for entry in record.history
        if entry.what == RETIRED and isinstance(entry.from_, dict)
        for case, parts in entry.from_.get("key_parts", {}).items()
    }


class Outcomes(ExitStack):
    """The stored outcomes of a run, read from a file that is open as long as this is entered."""

    def __init__(self, run: Run) -> None:
        """Read what there is.

        Raises:
            RunRefused: a line was changed.
        """
        super().__init__()
        self._run = run
        self._calls = read_calls(run.paths.calls)
        self._repeats = run.record.repeats
        self._lines: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self._calls.path.exists():
            self._lines = self.enter_context(self._calls.path.open("rb"))
        return super().__enter__()

    def of(self, case: str) -> Iterator[Answer]:
        """Yield those of attempts 1 to N; a case that failed was asked once."""
        for attempt in range(1, self._repeats + 1):
            outcome = self._calls.outcome(case, attempt, self._lines)
            if outcome is None:
                return
            yield outcome
            if attempt == 1 and outcome["state"] in ("technical", "unsupported"):
                return

    def reasks_of(self, case: str) -> Iterator[Answer]:
        """Yield those of the re-asks of a suspect, in order."""
        attempt = self._repeats + 1
        while (outcome := self._calls.outcome(case, attempt, self._lines)) is not None:
            yield outcome
            attempt += 1

    def check_all_there(self, cases: Iterable[str]) -> None:
        """Refuse if the replies alone do not give all the rows that the record counts.

        Raises:
            RunError: how many are missing.
        """
        counts = self._run.record.counts
        expected = counts.scored + counts.technical + counts.skipped
        there = sum(self._calls.state(case, 1) is not None for case in cases)
        if there < expected:
            raise self.refusal(f"calls.jsonl has replies of {there} of {expected} cases only")

    def of_another_call(self, case: str) -> RunRefused:
        """Return the refusal of a reply that is not the one a row was made of."""
        return RunRefused(
            f"{self._calls.path}: its reply to case {term(case)} is of another call than the row "
            f"in results.jsonl. Restore the folder of run {self._run.id!r}, or make it again."
        )

    def refusal(self, what: str) -> RunError:
        """Return the refusal to make rows again that are not those of the record."""
        return RunError(
            f"{self._run.paths.results}: is not the file that run.json is of, and {what}. "
            "Restore the run's folder, or make the run again."
        )
