"""Options of the adapter ``predictions``, checked before anything is asked."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import Final

from pytest_benchbed.adapters.option_reader import OptionReader

OPTIONS: Final = (
    "path", "id", "prediction", "key", "cost", "latency", "cells", "missing", "encoding",
    "delimiter", "decimal", "paid",
)  # fmt: skip
DECIMALS: Final = (".", ",")


@dataclass(frozen=True, slots=True)
class PredictionSettings:
    """Where the outputs are, and which column is what."""

    path: Path
    id: str
    prediction: str | Mapping[str, str]
    """A column or pointer, or several by the name they get."""
    key: str | None
    cost: str
    cost_is_named: bool
    latency: str
    latency_is_named: bool
    cells: str
    """How a cell of a CSV file is read: ``auto``, ``text``, ``json``."""
    missing: str
    """What a case without a row is: ``technical`` or ``no-answer``."""
    encoding: str | None
    delimiter: str | None
    decimal: str | None
    """The decimal sign of costs and latencies; None: what can be read in two ways is refused."""
    paid: bool | None
    """False: no output cost anything; None: what a column says, else not reported."""

    @classmethod
    def read(cls, given: Mapping[str, Any], folders: Sequence[Path]) -> PredictionSettings:
        """Check all options; ``folders`` as of :attr:`.Adapter.folders`.

        Raises:
            UsageProblem: naming the option and what to do.
        """
        options = OptionReader("predictions", given, OPTIONS)
        encoding = options.text("encoding")
        if encoding is not None:
            try:
                codecs.lookup(encoding)
            except LookupError:
                raise options.problem(
                    "encoding", f"is {encoding!a:.40}, which is none; try utf-8 or cp1252."
                ) from None
        delimiter = given.get("delimiter")
        if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
            raise options.problem("delimiter", f"must be one character, not {delimiter!r:.40}.")
        decimal = given.get("decimal")
        if decimal is not None and decimal not in DECIMALS:
            raise options.problem("decimal", f"must be '.' or ',', not {decimal!r:.40}.")
        paid = options.flag("paid")
        if paid:
            raise options.problem(
                "paid", "can only be false: what was paid is in the column of cost."
            )
        return cls(
            path=options.file("path", options.required("path", "outputs.jsonl"), folders),
            id=options.text("id", "id") or "id",
            prediction=_columns(options),
            key=options.text("key"),
            cost=options.text("cost", "cost_usd") or "",
            cost_is_named="cost" in given,
            latency=options.text("latency", "latency_s") or "",
            latency_is_named="latency" in given,
            cells=options.choice("cells", ("auto", "text", "json")),
            missing=options.choice("missing", ("technical", "no-answer")),
            encoding=encoding,
            delimiter=delimiter,
            decimal=decimal,
            paid=paid,
        )


def _columns(options: OptionReader) -> str | dict[str, str]:
    value = options.options.get("prediction")
    if value is None:
        return "prediction"
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and value and all(isinstance(name, str) for name in value):
        return {name: name for name in value}
    if isinstance(value, Mapping) and value and all(isinstance(c, str) for c in value.values()):
        return dict(value)
    raise options.problem(
        "prediction",
        f'must be a column, a list of them, or {{"field": "column"}}, not {value!r:.40}.',
    )
