"""Each rule of the suite fails for a type that breaks it, and names type, plugin and case."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from fnmatch import fnmatchcase

import pytest

from pytest_benchbed.conformance import isolation
from pytest_benchbed.conformance import outputs
from pytest_benchbed.conformance.nested import run_with_predictions
from tests.conformance.broken import BROKEN
from tests.conformance.broken import class_name
from tests.conformance.broken import write_repository
from tests.plugin.bench import WITHOUT

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

    result = pytester.runpytest_subprocess(*WITHOUT, "-rA", "-k", CHOSEN, timeout=300)

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


@pytest.mark.req("ENV-104", "ENV-105")
def test_a_machinery_that_forgives_and_missing_parts_are_found(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken output is scored, a canary is not seen, fixtures and data are not there."""

    def forgive(subject, folder, *rest):
        cases = next(part for part in rest if isinstance(part, list))
        return run_with_predictions(subject, folder, subject.own, cases)

    monkeypatch.setattr(isolation, "run_with_predictions", forgive)
    monkeypatch.setattr(outputs, "run_adapter", forgive)
    write_repository(pytester.path)
    shutil.rmtree(pytester.path / "fixtures" / "drawn")
    shutil.rmtree(pytester.path / "cases" / "leaking")
    pytester.makepyfile(test_own=SUITE.format(names=("sound", "drawn", "leaking")))

    result = pytester.runpytest_inprocess(
        *WITHOUT,
        "-k",
        "(sound and (canary or broken_output)) or (drawn and json) or (leaking and empty)",
    )

    result.assert_outcomes(failed=9)
    text = result.stdout.str()
    for line in (
        "rule broken: output that is no JSON is a technical failure of the adapter",
        "rule broken: output that holds a case twice is a technical failure of the adapter",
        "rule broken: output that lacks the first case is a technical failure of the adapter",
        "rule broken: output that holds a case not asked is a technical failure of the adapter",
        "rule broken: output that holds null for the first case is a technical failure",
        "  case w-1: scored, not technical",
        "rule broken: a prediction that holds the canary voids the run",
        "  case w-1: run completed, exit status 0",
        "rule broken: a type has fixtures/drawn/correct.json",
        "rule broken: a type has fixtures/drawn/wrong.json",
        "rule broken: a type has a dataset",
        "  by benchmark 'leaking': Leaking (conftest)",
    ):
        assert line in text


def test_an_unknown_type_and_a_broken_registration_are_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own=SUITE.format(names=("soud",)))
    pytester.makeconftest("def pytest_benchbed_benchmarks(registry):\n    registry.add('no:T')\n")

    broken = pytester.runpytest_inprocess(*WITHOUT)
    pytester.makeconftest("")
    unknown = pytester.runpytest_inprocess(*WITHOUT)

    assert broken.ret == unknown.ret == pytest.ExitCode.INTERRUPTED
    broken.stdout.fnmatch_lines(["cannot load benchmark 'no:T'*", "Registered by plugin *"])
    unknown.stdout.fnmatch_lines(["unknown benchmark 'soud'.*"])
    assert "Traceback" not in broken.stdout.str() + unknown.stdout.str()
