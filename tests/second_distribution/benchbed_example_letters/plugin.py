"""The registrations of this distribution, found by its entry point."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def pytest_benchbed_benchmarks(registry):
    registry.add("benchbed_example_letters.letters:Letters")


def pytest_benchbed_datasets(registry):
    registry.add(HERE / "cases")
    registry.add_fixtures(HERE / "fixtures")


def pytest_benchbed_adapters(registry):
    registry.add("ascii-letters", "benchbed_example_letters.reader:Reader")
