"""What of the suite is measured for coverage: the processes that run tests, not all they start."""

from __future__ import annotations

import pytest

from tests.arch import tree
from tests.plugin.bench import WITHOUT

SUITE = """
import os
import sys
import pytest

def test_processes_are_not_measured():
    assert "COVERAGE_OF_THE_SUITE" not in os.environ

def test_processes_are_measured(processes_are_measured):
    assert os.environ["COVERAGE_OF_THE_SUITE"] == "on"

def test_and_again_they_are_not():
    assert "COVERAGE_OF_THE_SUITE" not in os.environ

def test_no_line_is_measured(unmeasured):
    import coverage
    assert coverage.Coverage.current() is None

def test_no_line_of_the_file_is_measured(unmeasured_module):
    import coverage
    assert coverage.Coverage.current() is None
"""


@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["in-process", "n1"])
def test_only_what_asks_for_it_is_measured_in_processes_of_its_own(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: list[str]
) -> None:
    pytester.makeconftest((tree.ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(SUITE)
    monkeypatch.setenv("COVERAGE_OF_THE_SUITE", "on")

    result = pytester.runpytest_inprocess(*WITHOUT, *workers)

    result.assert_outcomes(passed=5)
