"""From a case file to items: one collector, one item a case, no answers.

The collector is a ``pytest.Module`` with an empty module of its own, so that
module-scoped fixtures of a user's ``conftest.py`` work on cases too.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchbed.edge.activation import CASES
from pytest_benchbed.edge.item import CaseItem
from pytest_benchbed.edge.item import case_function
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.refused import is_worker
from pytest_benchbed.edge.session import SESSION
from pytest_benchbed.edge.session import BenchSession


class CaseFile(pytest.Module):
    """``cases.jsonl`` of one dataset."""

    obj = types.ModuleType("benchbed_cases")

    def collect(self) -> Iterator[CaseItem]:
        """Yield an item for each selected case, in file order."""
        # A fixture may read request.module.__file__.
        self.obj = types.ModuleType("benchbed_cases")
        self.obj.__file__ = str(self.path)
        plan = self.config.stash[SESSION].by_file[self.path.resolve()]
        self._mark(plan)
        shared = None
        for entry in plan.selected():
            # All cases see the same fixtures, as the items of one parametrized function do.
            item = CaseItem.from_parent(
                self, name=entry.id, callobj=case_function, fixtureinfo=shared
            )
            # Not public in pytest; without it each item finds out by itself, more slowly.
            shared = getattr(item, "_fixtureinfo", None)
            item.take(plan, entry)
            yield item

    def _mark(self, plan: Plan) -> None:
        """Mark once, on the file: a marker per item is the largest cost of collecting."""
        self.add_marker(pytest.mark.benchbed(name=plan.name))
        # A rerun would ask again, a time limit would count the wait for the system.
        if self.config.pluginmanager.hasplugin("rerunfailures"):
            self.add_marker(pytest.mark.flaky(reruns=0))
        if self.config.pluginmanager.hasplugin("timeout"):
            self.add_marker(pytest.mark.timeout(0))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return path, no line, and the path as title."""
        return self.path, None, self.nodeid


class Collector:
    """Takes the selected case files, wherever the walk meets them."""

    def __init__(self, session: BenchSession) -> None:
        """``session``: what is selected."""
        self.session = session
        rootpath = session.config.rootpath
        self.outside = [
            (plan.registered.argument_root.resolve(), plan.dataset.root.resolve())
            for plan in session.plans
            if not plan.dataset.root.resolve().is_relative_to(rootpath)
        ]

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> CaseFile | None:
        """Make a collector of a selected case file."""
        if file_path.name != CASES or file_path.resolve() not in self.session.by_file:
            return None
        for argument, root in self.outside:
            if root == file_path.parent.resolve():
                # Left to pytest, the id would begin with whatever path was typed.
                nodeid = (root / CASES).relative_to(argument).as_posix()
                return CaseFile.from_parent(parent, path=file_path, nodeid=nodeid)
        return CaseFile.from_parent(parent, path=file_path)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Below a root that we gave as argument, collect the selected datasets alone."""
        for argument, _ in self.outside:
            if collection_path.is_relative_to(argument):
                wanted = [root for base, root in self.outside if base == argument]
                is_needed = any(
                    root.is_relative_to(collection_path) or collection_path.is_relative_to(root)
                    for root in wanted
                )
                return None if is_needed else True
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self) -> None:
        """Refuse what only the walk could find; in a worker it stays a collection error."""
        problem = self.session.usage_problem
        if problem and not is_worker(self.session.config):
            raise pytest.UsageError(problem)

    def pytest_report_header(self) -> list[str]:
        """Say what will run, against what, by which system."""
        from pytest_benchbed.edge.header import header_lines

        return header_lines(self.session)
