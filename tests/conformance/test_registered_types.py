"""The conformance suite over every type that is registered in this checkout."""

from __future__ import annotations

import pytest

from pytest_benchbed.conformance import Conformance


@pytest.mark.req("ENV-006", "ENV-104", "ENV-105", "ENV-113")
class TestConformance(Conformance):
    """A new type is tested without a new test."""
