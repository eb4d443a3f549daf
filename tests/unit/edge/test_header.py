"""Who limits the calls at once, as the line says it when they begin."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_benchbed.edge.header import calls_line


def line(at_once: int, *, asked: int | None = None, rate: str | None = None, **seen: Any) -> str:
    """Return the line of a benchmark ``toy``."""
    settings = SimpleNamespace(jobs=asked, rate=rate)
    plan: Any = SimpleNamespace(name="toy", settings=settings)
    return calls_line(plan, at_once, **{"jobs": 4, "executor": "local", "slots": 4, **seen})


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (line(4), "4: see --bench-jobs"),
        (line(3), "3: the adapter takes no more, see its max_concurrency"),
        (line(2, slots=2), "2: executor local carries no more"),
        (line(8, asked=16, jobs=16, slots=8, executor="grid\x1b[31m"),
         "8, not 16: executor grid\\x1b[31m carries no more"),
        (line(4, rate="9/s"), "4: see --bench-jobs · no more than 9/s begun: "
                              "rate in the bench file"),
    ],
)  # fmt: skip
def test_the_line_names_what_limits_the_calls(found: str, said: str) -> None:
    assert found == f"benchbed: toy · calls at once {said}"
