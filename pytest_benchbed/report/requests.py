"""What the system was shown: inputs and files of single cases, from ``adapter-request.json``.

The file may hold a page of words for each of ten thousand cases. It is walked
once, case by case, and only the places are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchbed.model.errors import RunError

# Keys are sorted, so only "attempt", "benchmark" and "budget_usd" come before,
# and quotes inside their texts are escaped: the first match is the list.
_CASES = re.compile(r'"cases"\s*:\s*\[')
_NEXT = re.compile(r"\s*,?\s*")
_DECODE = json.JSONDecoder().raw_decode


class Requests:
    """The cases of a request by id; a run without the file knows none."""

    def __init__(self, path: Path) -> None:
        """Walk the file.

        Raises:
            RunError: it is no request.
        """
        self._text = ""
        self._places: dict[str, int] = {}
        if not path.exists():
            return
        self._text = path.read_text(encoding="utf-8")
        found = _CASES.search(self._text)
        if found is None:
            raise RunError(f"{path}: holds no list of cases. Make the run again.")
        at = found.end()
        try:
            while True:
                at = _end(_NEXT.match(self._text, at))
                if self._text[at : at + 1] == "]":
                    return
                case, after = _DECODE(self._text, at)
                self._places[case["id"]] = at
                at = after
        except (ValueError, KeyError, TypeError):
            raise RunError(f"{path}: is damaged at character {at}. Make the run again.") from None

    def case(self, case_id: str) -> Mapping[str, Any] | None:
        """Return ``{id, inputs, files, …}`` of one case, None if it was not asked."""
        at = self._places.get(case_id)
        if at is None:
            return None
        case: Mapping[str, Any] = _DECODE(self._text, at)[0]
        return case


def _end(match: re.Match[str] | None) -> int:
    # The pattern matches the empty string too.
    assert match is not None
    return match.end()
