"""Simulated runs: thousands of rounds over lines that the unit tests run too."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def without_a_tracer(unmeasured_module: None) -> None:
    """Measured, they would take twice the time."""
