"""Facts about pytest and xdist that this plugin stands on, one a test.

A red test here after an upgrade says what changed under us; the text of the
assertion says what to read.
"""

from __future__ import annotations

import inspect

import pytest


def test_an_item_can_be_made_of_a_function_and_share_its_fixtures() -> None:
    names = set(inspect.signature(pytest.Function.__init__).parameters)

    assert {"callobj", "fixtureinfo"} <= names, "edge/collector.py makes its items this way"


def test_items_keep_what_they_know_of_their_fixtures(pytester: pytest.Pytester) -> None:
    item = pytester.getitem("def test_func(tmp_path): pass")

    assert hasattr(item, "_fixtureinfo"), "edge/collector.py is slower without it, not wrong"


def test_passed_setups_and_teardowns_stand_under_an_empty_key(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        def pytest_terminal_summary(terminalreporter):
            print("kept", len(terminalreporter.stats[""]))
        """
    )
    pytester.makepyfile("def test_one(): pass")

    result = pytester.runpytest("-p", "no:randomly")

    result.stdout.fnmatch_lines(["kept 2"])


def test_the_hooks_of_xdist_have_their_names_and_arguments() -> None:
    newhooks = pytest.importorskip("xdist.newhooks", reason="xdist is not installed")

    arguments = {
        "pytest_xdist_setupnodes": "specs",
        "pytest_configure_node": "node",
        "pytest_xdist_node_collection_finished": "ids",
        "pytest_xdist_make_scheduler": "log",
    }
    for hook, argument in arguments.items():
        assert argument in inspect.signature(getattr(newhooks, hook)).parameters, (
            f"edge/controller.py implements {hook}({argument})"
        )
