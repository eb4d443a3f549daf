"""What ``pytest --pyargs pytest_benchbed.conformance`` collects: every registered type."""

from __future__ import annotations

from pytest_benchbed.conformance.suite import Conformance


class TestConformance(Conformance):
    """All rules over all registered types; ``-k NAME`` takes one type or one rule."""
