"""What was expected, what is on record, and why the rest is not.

Lives in the controlling process alone. A crash, a stop or a fixture that
failed leaves no record; the difference is what tells the gate.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.results import Results
from pytest_benchbed.model.escape import term


class RunLedger:
    """The results of one run, as they arrive."""

    def __init__(self, plan: Plan) -> None:
        """Nothing is expected yet."""
        self.plan = plan
        self.expected: list[str] = []
        self.rows = Results(plan.name)
        self.technical: list[dict[str, Any]] = []
        self.reasons: dict[str, str] = {}
        """Why a case has no result, where a report said so."""
        self.stopped = ""
        """Why the session ended before its last item, if it did."""

    def holes(self) -> list[dict[str, str]]:
        """Return the expected cases without a record, in selection order."""
        rest = f"not run: {self.stopped}" if self.stopped else "no result"
        return [
            {"case": case, "reason": self.reasons.get(case, rest)}
            for case in self.expected
            if case not in self.rows
        ]


class Ledger:
    """Collects results from test reports: one method an event."""

    def __init__(self, plans: Iterable[Plan], find_plan: Callable[[str], Plan | None]) -> None:
        """``find_plan``: from the path part of a node id to its plan."""
        self.runs = {plan.name: RunLedger(plan) for plan in plans}
        self._find_plan = cache(find_plan)

    def close(self) -> None:
        """Forget the results; safe to call again."""
        for run in self.runs.values():
            run.rows.close()

    def stop(self, why: str) -> None:
        """Remember why the items without a report were not run."""
        for run in self.runs.values():
            run.stopped = term(why, 200)

    def expect(self, node_ids: Iterable[str]) -> None:
        """Take the ids that pytest will run; those that are no cases are left out.

        An item that runs twice (``--keep-duplicates``) is one case.
        """
        for node_id in node_ids:
            run, case = self._locate(node_id)
            if run is not None:
                run.expected.append(case)
        for run in self.runs.values():
            run.expected = list(dict.fromkeys(run.expected))

    def progress(self) -> tuple[int, int]:
        """Return the cases that have a result, and those that will."""
        runs = self.runs.values()
        return sum(len(run.rows) for run in runs), sum(len(run.expected) for run in runs)

    def record(self, report: pytest.TestReport) -> tuple[RunLedger, str] | None:
        """Take one report; return the run and the case if it brought a new result."""
        text = getattr(report, "benchbed", None)
        if text == "" and report.passed:
            # The report of a setup or a teardown, two of three.
            return None
        run, case = self._locate(report.nodeid)
        if run is None or case in run.rows:
            # In rows already: a rerun plugin got through, and the first result stands.
            return None
        if text:
            # pytest keeps every report to its end; the text is in the rows from here on.
            report.benchbed = ""  # type: ignore[attr-defined]
            run.technical += run.rows.put(case, text)
            return run, case
        # xdist makes such a report itself when a worker dies.
        if str(report.when) == "???":
            run.reasons[case] = "its worker crashed"
        elif report.when == "setup" and report.failed:
            run.reasons[case] = "fixture error"
        elif report.skipped and text is not None:
            run.reasons[case] = _skip_reason(report)
        elif report.failed and report.when == "call":
            run.reasons[case] = "the item failed before it had a result"
        return None

    def _locate(self, node_id: str) -> tuple[RunLedger | None, str]:
        path, _, case = node_id.partition("::")
        plan = self._find_plan(path)
        # --dist=loadgroup puts the name of a group behind an "@"; no case id has one. Interned:
        # the id is kept as expected, as recorded, and in the index of the dataset.
        return (self.runs[plan.name] if plan else None), sys.intern(case.partition("@")[0])


def _skip_reason(report: pytest.TestReport) -> str:
    longrepr = report.longrepr
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return term(text.removeprefix("Skipped: "))
