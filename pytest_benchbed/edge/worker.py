"""What an xdist worker does beside running items: ask before each whether it may."""

from __future__ import annotations

import pytest

from pytest_benchbed.edge.activation import is_dry
from pytest_benchbed.edge.item import CaseItem
from pytest_benchbed.edge.session import BenchSession


class Worker:
    """Ends the worker's session when the controller has stopped the calls."""

    def __init__(self, session: BenchSession) -> None:
        """``session``: with the channel to the broker."""
        self.session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Ask before a case begins.

        xdist puts its shutdown behind the items already queued in a worker, so
        those would run, and spend, after a stop (pytest-xdist#868).
        """
        if not isinstance(item, CaseItem) or self.session.asker is None or is_dry(item.config):
            return None
        if self.session.asker.may_start(item.plan.name, item.name):
            return None
        item.session.shouldstop = "benchbed: the run was stopped"
        return True
