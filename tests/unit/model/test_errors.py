from __future__ import annotations

import pytest

from pytest_benchbed.model import errors


@pytest.mark.parametrize("kind", [errors.UsageProblem, errors.DatasetError, errors.RunError])
def test_mistakes_of_a_user_are_one_family(kind: type[Exception]) -> None:
    assert issubclass(kind, errors.BenchbedError)


@pytest.mark.req("ENV-051")
@pytest.mark.parametrize("kind", [errors.TechnicalFailure, errors.NoAnswer, errors.Retry])
def test_what_a_system_does_is_no_assertion_and_no_mistake_of_the_user(kind: type) -> None:
    assert not issubclass(kind, AssertionError | errors.BenchbedError)


def test_a_technical_failure_says_whose_it_is_and_cuts_its_detail() -> None:
    failure = errors.TechnicalFailure("shape", "x" * 500, where="case a", whose="system")

    assert (failure.kind, failure.where, failure.whose) == ("shape", "case a", "system")
    assert failure.detail == "x" * 200
    assert str(failure) == f"shape: case a: {'x' * 200}"
    assert str(errors.TechnicalFailure("crashed")) == "crashed"


def test_retry_keeps_seconds_and_reason() -> None:
    assert (errors.Retry().after_s, errors.Retry().reason) == (0.0, "")
    assert errors.Retry(2.5, "429").after_s == 2.5
