"""Facts about pytest and xdist that this plugin stands on, one a test.

A red test here after an upgrade says what changed under us; the text of the
assertion says what to read.
"""

from __future__ import annotations

import inspect
from fnmatch import fnmatch

import pytest

from tests.plugin.bench import WITHOUT


@pytest.fixture
def pytester(pytester: pytest.Pytester) -> pytest.Pytester:
    """Pytester without the neighbours: these facts are about pytest alone."""
    pytester.makeini(f"[pytest]\naddopts = {' '.join(WITHOUT)}\n")
    return pytester


def test_an_item_can_be_made_of_a_function_and_share_its_fixtures() -> None:
    names = set(inspect.signature(pytest.Function.__init__).parameters)

    assert {"callobj", "fixtureinfo"} <= names, "edge/collector.py makes its items this way"


def test_such_an_item_runs_with_the_fixtures_of_everything_around_it(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest(
        """
        import types
        import pytest

        class File(pytest.Module):
            obj = types.ModuleType("empty")

            def collect(self):
                def ours():
                    self.config.ran = True
                yield pytest.Function.from_parent(self, name="one", callobj=ours)

        def pytest_collect_file(file_path, parent):
            if file_path.suffix == ".jsonl":
                return File.from_parent(parent, path=file_path)

        @pytest.fixture(scope="module", autouse=True)
        def whole_file(request):
            print("module", request.module.__name__)

        @pytest.fixture(autouse=True)
        def each(tmp_path):
            print("folder", tmp_path.exists())

        def pytest_unconfigure(config):
            print("ran", getattr(config, "ran", False))
        """
    )
    pytester.makefile(".jsonl", rows="{}")

    result = pytester.runpytest("-s")

    result.assert_outcomes(passed=1)
    reason = "edge/collector.py and edge/item.py; docs/architecture.md, step 2 Collect"
    for line in ("*module empty", "folder True", "ran True"):
        assert any(fnmatch(shown, line) for shown in result.outlines), f"{line}: {reason}"


def test_items_keep_what_they_know_of_their_fixtures(pytester: pytest.Pytester) -> None:
    item = pytester.getitem("def test_func(tmp_path): pass")

    assert hasattr(item, "_fixtureinfo"), "edge/collector.py is slower without it, not wrong"


def test_passed_reports_stand_under_an_empty_key_and_may_be_swapped(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest(
        """
        import pytest

        class Swap:
            @pytest.hookimpl(wrapper=True, tryfirst=True)
            def pytest_terminal_summary(self, terminalreporter):
                self.kept = terminalreporter.stats[""]
                terminalreporter.stats[""] = []
                return (yield)

        class Restore:
            @pytest.hookimpl(tryfirst=True)
            def pytest_terminal_summary(self, terminalreporter):
                print("kept", sorted(report.when for report in swap.kept))
                terminalreporter.stats[""] = swap.kept

        swap = Swap()

        def pytest_configure(config):
            config.pluginmanager.register(swap)
            config.pluginmanager.register(Restore())
        """
    )
    pytester.makepyfile("def test_one(): pass\ndef test_two(): assert False")

    result = pytester.runpytest("--durations=0", "-vv", "-k", "test_")

    text = result.stdout.str()
    reason = "edge/terminal.py (SummarySwap, SummaryRestore) keeps the failure summary linear"
    assert "kept ['setup', 'setup', 'teardown', 'teardown']" in text, reason
    assert "s setup    test_" in text, f"the durations are gone: {reason}"
    assert "def test_two()" in text, f"the failure is gone: {reason}"


def test_arguments_edited_while_configuring_are_what_is_collected(
    pytester: pytest.Pytester,
) -> None:
    for name in ("chosen", "other"):
        pytester.mkdir(name).joinpath(f"test_{name}.py").write_text("def test_it(): pass\n")
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(trylast=True)
        def pytest_configure(config):
            assert config.args_source is pytest.Config.ArgsSource.ARGS
            config.args[:] = [str(config.rootpath / "chosen")]
        """
    )

    result = pytester.runpytest("other", "--collect-only", "-q")

    assert [line for line in result.outlines if "::" in line] == [
        "chosen/test_chosen.py::test_it"
    ], "edge/session.py edits config.args; docs/architecture.md, step 2 Collect"


def test_a_skipped_report_with_wasxfail_is_an_expected_failure_whatever_the_options(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(wrapper=True, trylast=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if report.when == "call":
                report.outcome = "skipped"
                report.wasxfail = "known"
            return report
        """
    )
    pytester.makepyfile("def test_one(): assert False")

    result = pytester.runpytest("--runxfail", "-o", "xfail_strict=true")

    counts = result.parseoutcomes()
    assert counts == {"xfailed": 1}, "edge/item.py (ItemReports) decides outcomes this way"


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
