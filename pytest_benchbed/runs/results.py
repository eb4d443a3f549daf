"""Write ``results.jsonl``: one canonical row per case, sorted by case id.

Sorted and canonical, two runs of the same system differ only where they differ:
runs are diffable, shards merge, and pairing walks two files together.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.escape import term
from pytest_benchbed.runs.atomic import write_lines


def write_results(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write the rows, given in any order, and return how many. A hole has no row.

    Raises:
        RunError: a case has two rows, or a row that is no JSON (NaN, a lone
            surrogate), with the case id; or the file cannot be written. The
            old file is unchanged.
    """
    encoded: dict[str, bytes] = {}
    for row in rows:
        case = row["case"]
        if case in encoded:
            raise RunError(f"{path}: case {term(case, 80)!r} has two results. Please report this.")
        try:
            encoded[case] = canonical(row)
        except ValueError as error:
            raise RunError(
                f"{path}: the result of case {term(case, 80)!r} is no JSON: {error}. "
                "Mend the scorer: errors and metrics are finite numbers and valid text."
            ) from None
    return write_lines(path, (encoded[case] for case in sorted(encoded)))
