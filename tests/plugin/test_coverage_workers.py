"""Coverage where xdist workers run the cases: what only they can lose or rename."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

CRASH = """
import os

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    if item.name in ("t-002", "t-003") and hasattr(item.config, "workerinput"):
        os._exit(7)
"""
ONLY_IN_CONTROLLER = """
def pytest_collection_modifyitems(config, items):
    if not hasattr(config, "workerinput"):
        items.clear()
"""
ONLY_IN_WORKERS = """
def pytest_collection_modifyitems(config, items):
    if hasattr(config, "workerinput"):
        del items[0]
"""
GROUPS = """
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xdist_group("one"))
"""


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """Six cases, and a saved run that is right everywhere."""
    bench = Bench(pytester).make(6)
    bench.record("base")
    return bench


@pytest.mark.parametrize("ceiling", [[], ["--max-worker-restart=0"]], ids=["default", "ceiling"])
def test_cases_that_kill_their_worker_are_holes_with_and_without_a_ceiling(
    bench: Bench, ceiling: list[str]
) -> None:
    bench.extend(CRASH)

    result = bench.run("-n2", "--baseline=base", "--bench-run=own", *ceiling)

    assert result.ret != 0
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: "), result.stdout.str()
    record = bench.saved("own").record
    holes = {hole.case: hole.reason for hole in record.holes}
    assert {"t-002", "t-003"} <= holes.keys()
    assert "its worker crashed" in holes.values()
    assert record.counts.scored == 6 - len(holes)
    assert (record.status, record.partial) == ("interrupted", [])
    assert f"compared {6 - len(holes)} of 6" in last_line(result)
    assert bench.gate_code("own") == 4


@pytest.mark.parametrize(
    ("hook", "words", "end", "compared"),
    [
        (ONLY_IN_WORKERS, [], "INCOMPLETE: 1 case not selected, compared 5 of 6", 5),
        (ONLY_IN_CONTROLLER, [], "PASSED: no regression on stable cases, compared 6 of 6", 6),
        (GROUPS, ["--dist=loadgroup"], "PASSED: no regression on stable cases, compared 6 of 6", 6),
    ],
    ids=["workers", "controller", "groups"],
)
def test_what_the_workers_collected_is_what_counts(
    bench: Bench, hook: str, words: list[str], end: str, compared: int
) -> None:
    bench.extend(hook)

    result = bench.run("-n2", "--baseline=base", "--bench-run=own", *words)

    assert last_line(result) == f"benchbed: gate {end}"
    assert result.ret == 0
    assert bench.saved("own").record.counts.scored == compared
    assert len(bench.calls()) == compared
