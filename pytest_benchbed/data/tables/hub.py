"""Rows of a Hugging Face dataset, read by the ``datasets`` library (extra ``hub``).

``hf:OWNER/NAME`` or ``hf:OWNER/NAME:SPLIT``; a folder on this machine works
like an id. Columns of images or sounds are no JSON and are left out.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pytest_benchbed.data.tables.read import Line
from pytest_benchbed.data.tables.read import Table
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term

PREFIX = "hf:"
_SPLITS = ("test", "validation", "train")
"""In the order in which they are taken when none is named."""
MAX_ROWS = 1_000_000


def read_hub(text: str) -> Table:
    """Read a dataset named ``hf:ID`` or ``hf:ID:SPLIT``.

    Raises:
        UsageProblem: the library is not installed, or it cannot load the dataset;
            its own first line is told.
    """
    name, _, split = text.removeprefix(PREFIX).partition(":")
    if find_spec("datasets") is None:
        raise UsageProblem(
            f"{term(text, 80)}: needs the library 'datasets'. Install it with: "
            "pip install 'pytest-benchbed[hub]'"
        )
    import datasets

    try:
        loaded = datasets.load_dataset(name, split=split or None)
    except Exception as error:  # the library raises whatever its loaders raise
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise UsageProblem(
            f"{term(text, 80)}: cannot be loaded: {type(error).__name__}: {term(lines[0], 200)}."
        ) from None
    table = Table(Path(name.rsplit("/", 1)[-1]), [], [])
    if isinstance(loaded, dict):
        taken = next((one for one in _SPLITS if one in loaded), next(iter(loaded)))
        table.notes.append(
            f"of the splits {', '.join(loaded)} {taken} was taken; name one with {text}:SPLIT"
        )
        loaded = loaded[taken]
    if len(loaded) > MAX_ROWS:
        raise UsageProblem(f"{term(text, 80)}: has {len(loaded)} rows, more than {MAX_ROWS}.")
    features = loaded.features
    left_out = [column for column in features if _is_media(features[column])]
    if left_out:
        table.notes.append(f"columns that are no JSON were left out: {', '.join(left_out)}")
        loaded = loaded.remove_columns(left_out)
    table.columns = list(loaded.column_names)
    for number, row in enumerate(loaded, start=1):
        table.lines.append(Line(number, _plain(text, number, row)))
    return table


def _is_media(feature: Any) -> bool:
    return type(feature).__name__ in ("Image", "Audio", "Video", "Pdf")


def _plain(text: str, number: int, row: dict[str, Any]) -> dict[str, Any]:
    try:
        canonical(row)
    except (TypeError, ValueError) as error:
        raise UsageProblem(
            f"{term(text, 80)}: row {number} holds a value that is no JSON: {term(error, 120)}. "
            "Leave its column out of the dataset, or export it as JSON Lines."
        ) from None
    return row
