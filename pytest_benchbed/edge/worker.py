"""What an xdist worker does beside running items: ask before each whether it may."""

from __future__ import annotations

import pytest

from pytest_benchbed.edge.activation import is_dry
from pytest_benchbed.edge.item import CaseItem
from pytest_benchbed.edge.session import BenchSession
from pytest_benchbed.edge.transport import Proxy
from pytest_benchbed.edge.user_tests import wanted_cases


class Worker:
    """Ends the worker's session when the controller has stopped the calls."""

    def __init__(self, session: BenchSession) -> None:
        """``session``: with the channel to the broker."""
        self.session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell what user tests ask for, before xdist reports that this worker has collected.

        An executable is asked once, for all of it, when the last worker has.
        """
        wanted = wanted_cases(session.items)
        if wanted and not is_dry(session.config):
            assert isinstance(self.session.asker, Proxy), "a worker has the channel"
            self.session.asker.want(wanted)

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
