"""Each rule of the suite fails for a type that breaks it, and names type, plugin and case."""

from __future__ import annotations

import re
from collections import defaultdict
from fnmatch import fnmatchcase

import pytest

from tests.conformance.broken import BROKEN
from tests.conformance.broken import class_name
from tests.conformance.broken import write_repository

# Rules that start processes or runs are asked of the types whose fault could show there.
RUNS = "seed or canary or broken_output or reaches or report or table"
CHOSEN = (
    f"sound or not ({RUNS}) or (seed and (unsorted or counting-calls)) or ((reaches or report "
    "or table) and (never-worse or leaking or drawn or loose-errors or odd-raising))"
)
SUITE = """
from pytest_benchbed.conformance import Conformance


class TestWords(Conformance):
    benchmarks = {names!r}
"""
ITEM = re.compile(r"^(PASSED|FAILED) test_own\.py::TestWords::(\w+)\[(\S+)\]", re.MULTILINE)


@pytest.mark.req("ENV-105", "ENV-107")
def test_each_broken_type_fails_exactly_its_rule(pytester: pytest.Pytester) -> None:
    """One session over all of them: a session for each would cost a minute."""
    write_repository(pytester.path)
    pytester.makepyfile(test_own=SUITE.format(names=("sound", *BROKEN)))

    result = pytester.runpytest_subprocess(
        "-rA", "-p", "no:randomly", "-p", "no:cacheprovider", "-k", CHOSEN, timeout=300
    )

    text = result.stdout.str()
    rules = defaultdict(set)
    for outcome, rule, name in ITEM.findall(text):
        rules[outcome, _type(name)].add(rule)
    assert len(rules["PASSED", "sound"]) == 16, text
    failed = {name: found for (outcome, name), found in rules.items() if outcome == "FAILED"}
    assert failed == {name: {broken.rule} for name, broken in BROKEN.items()}, text
    plugin = pytester.path / "conftest.py"
    for name, broken in BROKEN.items():
        lines = _failure_of(text, name)
        assert f"{class_name(name)} (conftest), plugin '{plugin}'" in lines[1]
        assert any(fnmatchcase(line, f"  {broken.says}") for line in lines), "\n".join(lines)
        assert lines[-1].startswith("  what to do: ")


def _type(ident: str) -> str:
    """Return the type of a test's id, which may also name a fault."""
    return next(name for name in ("sound", *BROKEN) if name in ident)


def _failure_of(text: str, name: str) -> list[str]:
    """Return the lines of the failure that speaks of a type."""
    for block in text.split("rule broken: ")[1:]:
        lines = block.splitlines()
        if f"by benchmark {name!r}:" in lines[1]:
            last = next(at for at, line in enumerate(lines) if "what to do: " in line)
            return lines[: last + 1]
    raise AssertionError(f"nothing is said of {name}")
