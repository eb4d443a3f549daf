"""Score answers of many fields alone: ``python -m tests.perf.fields COUNT``.

Prints one JSON object: the CPU seconds of ``COUNT`` cases of 12 fields, one
field in four written otherwise than in the answer and one in twenty wrong.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from pytest_benchbed.benchmarks.generic.make import make_type
from pytest_benchbed.benchmarks.score import score
from pytest_benchbed.benchmarks.score import validate_prediction
from pytest_benchbed.model.case import Case
from tests.perf.inside import least

FIELDS = 12
SCORING = {
    "locale": "es",
    "fields": {
        "total": {"compare": "number", "tolerance": 0.01},
        "tax": "number",
        "on": "date",
        "due": "date",
        "title": {"compare": "text", "at_least": 0.9},
        "tags": "set",
    },
}


def answer(number: int) -> dict[str, Any]:
    """Return the answer of a case."""
    return {
        "total": f"1.{number % 900 + 100},{number % 90 + 10} €",
        "tax": number % 21,
        "on": f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}",
        "due": f"{number % 28 + 1} de noviembre de 2024",
        "title": f"Suministro de material de oficina, lote {number}",
        "tags": ["urgente", "papel", f"lote-{number % 7}"],
        "supplier": f"Papelería Núñez {number % 50} S.L.",
        "number": f"INV-2024-{number:05}",
        "city": "Donostia-San Sebastián",
        "country": "España",
        "status": "pagada",
        "note": None,
    }


def prediction(number: int) -> dict[str, Any]:
    """Return what a system says of it."""
    said = answer(number)
    others = {
        "total": said["total"].replace(" €", " euros"),
        "due": f"{number % 28 + 1:02}/11/2024",
        "supplier": said["supplier"].upper(),
    }
    if number % 5 == 0:
        others |= {"tax": -1, "city": "Bilbao", "note": "ninguna"}
    return {**said, **others}


def fields_s(count: int) -> float:
    """Return the CPU seconds of validating and scoring ``count`` cases."""
    benchmark = make_type("fields", "fields", SCORING)
    pairs = [(answer(number), prediction(number)) for number in range(count)]
    case = Case("case", "fields", {})
    assert all(len(one) == FIELDS for pair in pairs for one in pair)

    def work() -> None:
        wrong = 0
        for expected, got in pairs:
            validate_prediction(benchmark, got)
            wrong += bool(score(benchmark, case, expected, got)["default"].errors)
        assert wrong == len(range(0, count, 5))

    return least(work, time.process_time)


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"fields_s": fields_s(int(sys.argv[1]))}) + "\n")
