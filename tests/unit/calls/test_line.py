from __future__ import annotations

import pytest

from pytest_benchbed.calls.line import OutcomeForm
from pytest_benchbed.calls.line import raw_fields
from pytest_benchbed.calls.line import seal
from pytest_benchbed.calls.line import unseal

COMMON = {
    "kind": "outcome",
    "benchmark": "toy",
    "context": None,
    "attempt": 1,
    "at": "2026-01-02T03:04:05.678Z",
    "state": "ok",
    "error": None,
    "usage": {"cost_usd": 0.25, "cached": False},
    "latency_s": 0.00002,
    "queue_s": 0.0,
    "slot": 0,
}


@pytest.mark.parametrize("raw", [None, '{"a":"ñ \\"x\\""}', "", "\ud800", "\x00", '{"sha256":"1"}'])
@pytest.mark.parametrize("error", [None, {"kind": "crash", "detail": "it died"}])
def test_a_form_seals_as_the_general_way_does(raw: str | None, error: object) -> None:
    common = {**COMMON, "error": error}
    whole = {**common, **raw_fields(raw), "case": "sep-001", "request_sha256": "ab" * 32}

    line = OutcomeForm(common).seal("sep-001", raw, "ab" * 32)

    assert line == seal(whole)[1]
    assert unseal(line)["case"] == "sep-001"
