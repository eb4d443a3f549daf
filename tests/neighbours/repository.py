"""A repository with habits: a conftest.py, unit tests, and a benchmark beside them."""

from __future__ import annotations

from tests.plugin.bench import Bench

CONFTEST = """

@pytest.fixture(scope="session", autouse=True)
def shared_folder(tmp_path_factory):
    yield tmp_path_factory.mktemp("shared")

@pytest.fixture(scope="module", autouse=True)
def whole_file(request):
    assert request.module.__file__
    assert request.module.__name__
    yield

@pytest.fixture(autouse=True)
def no_database(monkeypatch):
    import sqlite3

    def blocked(*words, **options):
        raise RuntimeError("database access is not allowed")

    monkeypatch.setattr(sqlite3, "connect", blocked)

@pytest.fixture(autouse=True)
def folder_of_its_own(tmp_path, monkeypatch, capsys, request):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HABIT", request.node.name)
    print("noise of a fixture")
    yield
    capsys.readouterr()

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.slow)

def pytest_runtest_setup(item):
    assert item.function.__name__
    assert item.originalname
    assert item.cls is None or isinstance(item.cls, type)
    assert item.module.__file__
    assert list(item.fixturenames)
"""

UNIT = """
import unittest

import pytest

@pytest.mark.parametrize("number", [1, 2])
def test_numbers(number, tmp_path):
    assert number

class TestClass:
    def test_method(self, capsys):
        print("text")
        assert capsys.readouterr().out.endswith("text\\n")

class Old(unittest.TestCase):
    def test_old(self):
        self.assertTrue(True)
"""

UNIT_TESTS = 2 + 1 + 1 + 1

INI = """
[pytest]
addopts = {addopts}
markers =
    slow: every test here
bench_adapter = toy_adapter:Toy
{ini}
"""


def make(bench: Bench, *, addopts: str = "", ini: str = "") -> Bench:
    """Write the habits around ``bench``; its base run knows the error of t-001, t-002 is new."""
    bench.record("base", {"t-001": ["cell"]})
    conftest = bench.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8") + CONFTEST, "utf-8")
    bench.pytester.makeini(INI.format(addopts=addopts, ini=ini))
    bench.pytester.mkdir("tests").joinpath("test_unit.py").write_text(UNIT, "utf-8")
    (bench.dataset.parent / "test_beside.py").write_text("def test_beside(): pass\n", "utf-8")
    return bench.answers({"t-001": ["cell"], "t-002": ["row"]}, max_concurrency=4)
