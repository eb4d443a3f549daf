"""Read recorded outputs: JSON Lines, CSV, or one JSON object by case id.

Everything that is wrong is a :class:`UsageProblem` with file and line.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from typing import Final

from pytest_benchbed.adapters.prediction_settings import PredictionSettings
from pytest_benchbed.adapters.recorded_text import decode
from pytest_benchbed.model.digits import DIGITS
from pytest_benchbed.model.digits import Ambiguous
from pytest_benchbed.model.digits import read_digits
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.names import valid_id
from pytest_benchbed.model.pointer import look_up
from pytest_benchbed.model.spreadsheet import delimiter_of
from pytest_benchbed.model.spreadsheet import told_delimiter
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

MAX_LINE: Final = 8 * 1024 * 1024
_SIGNED: Final = re.compile(rf"([-+]?)({DIGITS})")
NOTHING: Final = None


@dataclass(frozen=True, slots=True)
class Output:
    """One recorded output."""

    prediction: Any
    """None: nothing was recorded there."""
    cost_usd: Decimal | None
    latency_s: float | None


class _Place:
    """A line of a file, for messages."""

    def __init__(self, path: Path, line: int, decimal: str = ".") -> None:
        self.path = path
        self.line = line
        self.decimal = decimal
        """The decimal sign that a file of this kind usually has; empty: both are usual."""

    def problem(self, text: str) -> UsageProblem:
        return UsageProblem(f"{self.path}:{self.line}: {text}")


def read_outputs(path: Path, settings: PredictionSettings) -> dict[str, Output]:
    """Return the recorded outputs by case id, in the order of the file.

    Raises:
        UsageProblem: with file, line, and what to do.
    """
    text = decode(path, settings.encoding)
    # Of the whole process, which is also the user's.
    limit = csv.field_size_limit(MAX_LINE)
    try:
        return _read(path, text, settings)
    finally:
        csv.field_size_limit(limit)


def _read(path: Path, text: str, settings: PredictionSettings) -> dict[str, Output]:
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv", ".txt"):
        rows = _csv_rows(path, text, settings)
    elif suffix == ".json":
        rows = _object_rows(path, text)
    else:
        rows = _json_rows(path, text)
    found: dict[str, Output] = {}
    lines: dict[str, int] = {}
    for place, row in rows:
        raw = _id(place, row, settings.id)
        # As the import of a table makes ids: both may come from one spreadsheet.
        case = raw if is_case_id(raw) else valid_id(raw)
        if case in found:
            raise place.problem(f"id {raw!a:.60} stands in line {lines[case]} too; keep one.")
        found[case] = _output(place, row, settings)
        lines[case] = place.line
    if not found:
        raise UsageProblem(f"{path}: there is no output in it.")
    return found


def _object_rows(path: Path, text: str) -> Iterator[tuple[_Place, Mapping[str, Any]]]:
    """Yield the members of ``{case id: prediction}``, the file an executable writes."""
    place = _Place(path, 1)
    value = _json(place, text)
    if not isinstance(value, dict):
        raise place.problem("must be an object {case id: prediction}; JSON Lines end in .jsonl.")
    for case, prediction in value.items():
        yield place, {"id": case, "prediction": prediction}


def _json_rows(path: Path, text: str) -> Iterator[tuple[_Place, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        place = _Place(path, number)
        if len(line) > MAX_LINE:
            raise place.problem(
                f"the line has {len(line)} characters, at most {MAX_LINE} are read."
            )
        if line.strip():
            row = _json(place, line)
            if not isinstance(row, dict):
                raise place.problem('must be an object such as {"id": "c-1", "prediction": …}.')
            yield place, row


def _csv_rows(
    path: Path, text: str, settings: PredictionSettings
) -> Iterator[tuple[_Place, Mapping[str, Any]]]:
    told, text = told_delimiter(text)
    by_name = "\t" if path.suffix.lower() == ".tsv" else None
    delimiter = settings.delimiter or told or by_name or delimiter_of(text) or ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(filter(None, reader), [])
        names = [name.strip() for name in header]
        place = _Place(path, max(reader.line_num, 1))
        doubled = [name for name in names if names.count(name) > 1]
        if doubled:
            raise place.problem(f"column {doubled[0]!a:.60} is there twice; rename one.")
        if settings.id not in names:
            raise place.problem(
                f"there is no column {settings.id!a:.40}, only {_names(names)}; name yours with "
                "id=COLUMN."
            )
        # Who separates columns by semicolons or tabs mostly does so for a decimal comma.
        decimal = "." if delimiter == "," else ""
        for cells in reader:
            place = _Place(path, reader.line_num, decimal)
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(names):
                raise place.problem(
                    f"{len(cells)} cells, but the header has {len(names)}; put a text with "
                    f"{delimiter!a} in quotes."
                )
            yield place, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        raise _Place(path, reader.line_num).problem(f"no CSV: {error}.") from None


def _id(place: _Place, row: Mapping[str, Any], column: str) -> str:
    if column not in row:
        raise place.problem(
            f"there is no {column!a:.40}, only {_names(list(row))}; name yours with id=KEY."
        )
    value = row[column]
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise place.problem(f"the id is {value!r:.60}; it must be the id of a case.")
    return value.strip()


def _output(place: _Place, row: Mapping[str, Any], settings: PredictionSettings) -> Output:
    cost = _number(place, row, settings.cost, "cost", settings)
    latency = _number(place, row, settings.latency, "latency", settings)
    try:
        amount = None if cost is None else to_decimal(cost)
    except ValueError:
        raise place.problem(f"cost {cost!r:.60} is no amount of dollars.") from None
    if latency is not None and (not math.isfinite(latency) or latency < 0):
        raise place.problem(f"latency {latency!r:.60} is no time in seconds.")
    prediction = _prediction(place, row, settings)
    if prediction is not NOTHING and settings.key is not None:
        prediction = {settings.key: prediction}
    return Output(prediction, amount, latency)


def _prediction(place: _Place, row: Mapping[str, Any], settings: PredictionSettings) -> Any:
    if isinstance(settings.prediction, str):
        return _value(place, row, settings.prediction, settings.cells)
    found = {
        name: _value(place, row, column, settings.cells)
        for name, column in settings.prediction.items()
    }
    # A column without a value says nothing; a row without any is no output.
    kept = {name: value for name, value in found.items() if value is not NOTHING}
    return kept or NOTHING


def _value(place: _Place, row: Mapping[str, Any], column: str, cells: str) -> Any:
    if column.startswith("/"):
        try:
            return look_up(row, column)
        except LookupError as error:
            raise place.problem(f"{error}.") from None
    if column not in row:
        raise place.problem(
            f"there is no {column!a:.40}, only {_names(list(row))}; name yours with "
            "prediction=COLUMN."
        )
    value = row[column]
    if place.path.suffix.lower() not in (".csv", ".tsv", ".txt"):
        return value
    text = value.strip()
    if not text:
        return NOTHING
    if cells == "json" or (cells == "auto" and text[0] in "{["):
        return _json(place, text)
    return text


def _number(
    place: _Place, row: Mapping[str, Any], column: str, what: str, settings: PredictionSettings
) -> float | None:
    if column not in row:
        is_named = settings.cost_is_named if what == "cost" else settings.latency_is_named
        if is_named:
            raise place.problem(f"there is no {column!a:.40}; correct the option {what}.")
        return None
    value = row[column]
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str):
        try:
            return _decimal(value.strip(), settings.decimal, place.decimal)
        except LookupError as error:
            raise place.problem(
                f"{column} is {value!r:.60}, which is {error}; say the decimal sign of the file: "
                f'decimal="." or decimal=",".'
            ) from None
        except ValueError:
            pass
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise place.problem(f"{column} is {value!r:.60}, no number such as 0.0012.")
    return float(value)


def _decimal(text: str, declared: str | None, usual: str) -> float:
    """Read a number in digits.

    Raises:
        LookupError: it can be read in two ways; names them.
        ValueError: it is none, or none with the declared decimal sign.
    """
    found = _SIGNED.fullmatch(text)
    if found is None:
        # With an exponent, as programs and spreadsheets write small amounts: 1,2E-05.
        return float(text.replace(",", ".") if text.count(",") == 1 else text)
    value = read_digits(found[2], declared).value
    if isinstance(value, Ambiguous) and declared is None:
        if usual and "," not in text:
            value = read_digits(found[2], usual).value
        elif text.count(".") + text.count(",") == 1:
            raise LookupError(f"{text.replace(',', '.')} or {re.sub('[.,]', '', text)}")
    if isinstance(value, Ambiguous):
        raise ValueError(text)
    return float(found[1] + str(value))


def _json(place: _Place, text: str) -> Any:
    try:
        return read_json(text)
    except MalformedJson as error:
        raise place.problem(f"no JSON: {error.detail}.") from None


def _names(names: Sequence[str]) -> str:
    return ", ".join(term(name, 40) for name in names[:12]) or "nothing"
