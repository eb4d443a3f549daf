"""Read ``calls.jsonl`` back: an index of what was asked, and what came of it.

:func:`read_calls` checks every line; an outcome is read from the file when it
is asked for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import Any
from typing import BinaryIO

from pydantic_core import from_json

from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.line import unseal
from pytest_benchbed.calls.places import Place
from pytest_benchbed.calls.places import Places
from pytest_benchbed.calls.places import line_digest
from pytest_benchbed.calls.spend import Tally
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.model.strict import MalformedJson


@dataclass
class CallsRecord:
    """What a run's ``calls.jsonl`` says; an index into the file, not its text."""

    path: Path
    size: int = 0
    """Bytes up to the end of the last whole line."""
    is_torn: bool = False
    """Whether the last line was cut off; it is left out."""
    tally: Tally = field(default_factory=Tally)
    """What the recorded calls cost, every try included; an intent without an outcome is
    ``assumed``, or ``lost_batches``."""
    _places: Places = field(default_factory=Places)

    @property
    def spent(self) -> Decimal:
        """Sum of the known costs, in dollars."""
        return self.tally.known

    def state(self, case: str, attempt: int) -> str | None:
        """Return the state of the last outcome of a call; None if there is none."""
        place = self._places.get(case, attempt)
        return None if place is None else place.state

    @property
    def settled(self) -> Places:
        """Where the outcomes stand that are not asked for again: all but technical ones."""
        return self._places.without("technical")

    def outcome(self, case: str, attempt: int, lines: BinaryIO | None = None) -> Line | None:
        """Return the last outcome of a call, read from the file; None if there is none.

        ``lines``: the file, if it is open already.
        """
        place = self._places.get(case, attempt)
        if place is None:
            return None
        if lines is None:
            with self.path.open("rb") as opened:
                return self.outcome(case, attempt, opened)
        lines.seek(place.offset)
        return parsed(lines.read(place.length))


def read_calls(path: Path) -> CallsRecord:
    """Read and check a whole ``calls.jsonl``; the file stays as it is.

    A file that does not exist has no record. A last line that was cut off is
    left out (``is_torn``).

    Raises:
        RunRefused: a line that is not the last is broken, a line was changed, or the
            file cannot be read.
    """
    record = CallsRecord(path)
    open_intents: Counter[tuple[Any, ...]] = Counter()
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return record
    except OSError as error:
        raise RunRefused(
            f"{path}: cannot be read: {error.strerror}. Check the file and its rights."
        ) from error
    with source:
        broken: str | None = None
        number = 0
        for number, data in enumerate(source, start=1):
            if broken is not None:
                raise RunRefused(broken)
            try:
                if not data.endswith(b"\n"):
                    raise MalformedJson("syntax", "the line has no end")
                row = unseal(data)
            except MalformedJson as error:
                # Only a crash while writing leaves such a line, and only as the last one.
                broken = _refusal(path, number, f"broken record ({error})")
                continue
            except ValueError as error:
                raise RunRefused(_refusal(path, number, str(error))) from None
            _index(record, row, data, open_intents)
    record.is_torn = broken is not None
    for (case, context, attempt), count in open_intents.items():
        record.tally.made_by_attempt[attempt] += 0 if context else count
        if case is None and context is None:
            record.tally.lost_batches += count
        else:
            record.tally.assumed_by_attempt[attempt] += count
    return record


def _refusal(path: Path, number: int, cause: str) -> str:
    return (
        f"{path}:{number}: {cause}. Nothing after it can be trusted.\n"
        "Restore the file from a copy, or start a new run."
    )


def _index(
    record: CallsRecord, row: Line, data: bytes, open_intents: Counter[tuple[Any, ...]]
) -> None:
    offset = record.size
    record.size += len(data)
    key = (row["case"], row["context"] if row["case"] is None else None, row["attempt"])
    if row["kind"] == "intent":
        open_intents[key] += 1
        return
    # The cases of a batch and unsupported cases have no intent and no spend of their own.
    if open_intents[key] > 0:
        open_intents[key] -= 1
        record.tally.add(row)
    if row["case"] is not None:
        place = Place(offset, len(data), row["state"], line_digest(data))
        record._places.put(row["case"], row["attempt"], place)


def parsed(data: bytes) -> Line:
    """Return the record of a line that is as it was written."""
    # The line was read strictly, or written by us; the plain reader is 5 times as fast.
    row: Line = from_json(data, cache_strings="keys")
    return row
