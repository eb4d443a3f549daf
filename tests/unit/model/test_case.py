from __future__ import annotations

import dataclasses

import pytest

from pytest_benchbed.model.case import Case
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.usage import Usage


@pytest.mark.req("ENV-039", "ENV-042")
def test_a_case_has_no_place_for_an_answer() -> None:
    assert [field.name for field in dataclasses.fields(Case)] == [
        "id",
        "benchmark",
        "inputs",
        "files",
        "context",
        "attempt",
    ]


def test_a_case_is_frozen_and_asked_for_the_first_time() -> None:
    case = Case("sep-001", "table-separators", {})

    assert (case.files, case.context, case.attempt) == ({}, None, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        case.id = "other"  # type: ignore[misc]


def test_an_outcome_costs_nothing_known_until_it_is_said() -> None:
    outcome = Outcome("ok", raw="{}")

    assert outcome.usage == Usage()
    assert not outcome.reported
    assert outcome.retry_after_s is None
