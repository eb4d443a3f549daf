"""What a session changes in the interpreter is as before when it is over."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from tests.plugin.bench import Bench

MINE = """
import gc
import sys

class Kept:
    pass

kept = {"kept": Kept()}

def test_all_objects_are_seen():
    assert any(one is kept for one in gc.get_objects())
    assert any(one is kept for one in gc.get_referrers(kept["kept"]))

def test_threads_take_turns_sooner():
    assert sys.getswitchinterval() < 0.002
"""
ASIDE = """

def pytest_runtest_teardown():
    import gc
    print("aside", gc.get_freeze_count())
"""
AT_LAST = """

def pytest_configure(config):
    def write():
        import gc
        import sys
        text = f"{gc.get_freeze_count()} {sys.getswitchinterval():g}"
        (config.rootpath / "at-last").write_text(text, encoding="utf-8")

    config.add_cleanup(write)
"""
RAISES = """
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config):
    raise RuntimeError("in its own unconfigure")
"""


@pytest.fixture(autouse=True)
def interpreter() -> Iterator[None]:
    before = sys.getswitchinterval()
    assert (gc.get_freeze_count(), before) == (0, pytest.approx(0.005))
    yield
    gc.unfreeze()
    sys.setswitchinterval(before)


def is_as_before() -> bool:
    return gc.get_freeze_count() == 0 and sys.getswitchinterval() > 0.004


def add_to_conftest(bench: Bench, code: str) -> None:
    conftest = bench.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8") + code, "utf-8")


def test_cases_alone_run_with_the_rest_out_of_sight(bench: Bench) -> None:
    add_to_conftest(bench, ASIDE)

    result = bench.run("--bench-unpaired", "-s")

    assert result.ret == 0
    counts = [int(line.split()[-1]) for line in result.outlines if "aside" in line]
    assert len(counts) == 4
    assert min(counts) > 0
    assert is_as_before()


def test_a_test_of_the_users_sees_all_objects(bench: Bench) -> None:
    (bench.path / "test_mine.py").write_text(MINE, "utf-8")

    result = bench.run("--bench-unpaired", ".")

    result.assert_outcomes(passed=6)
    assert is_as_before()


def test_all_is_undone_though_another_plugin_raises_at_the_end(bench: Bench) -> None:
    add_to_conftest(bench, AT_LAST)
    folder = bench.path / "sub"
    folder.mkdir()
    (folder / "conftest.py").write_text(RAISES, "utf-8")
    (folder / "test_one.py").write_text("def test_one(): pass\n", "utf-8")

    result = bench.run("--bench-run=own", "sub", "cases", subprocess=True)

    result.stderr.fnmatch_lines(["*RuntimeError: in its own unconfigure"])
    assert bench.saved("own").record.counts.scored == 4
    assert (bench.path / "at-last").read_text("utf-8") == "0 0.005"
