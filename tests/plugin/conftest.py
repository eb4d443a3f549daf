"""Fixtures of the tests that run pytest from outside."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """A repository with a toy benchmark of four cases, whose system is right everywhere."""
    return Bench(pytester).make()


@pytest.fixture(params=[[], ["-n2"]], ids=["in-process", "n2"])
def workers(request: pytest.FixtureRequest) -> list[str]:
    """Arguments for a session without and with xdist workers."""
    return list(request.param)
