"""The controller's side of re-asks: the rule of each run, and how many suspects there are.

Workers see their own items only; whether there are more suspects than the old
code explains is known here alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from pytest_benchbed.compare.before import Rechecking
from pytest_benchbed.compare.before import rechecking
from pytest_benchbed.compare.confirm import may_ask
from pytest_benchbed.compare.rules import choose_rule
from pytest_benchbed.edge.plan import Plan


class Rechecks:
    """Rules and suspects of the runs of this session."""

    def __init__(self, is_deterministic: Callable[[str], bool]) -> None:
        """``is_deterministic`` says of a benchmark what its system declares."""
        self._is_deterministic = is_deterministic
        self._plans: dict[str, Plan] = {}
        self._known: dict[str, Rechecking] = {}
        self._suspects: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def add(self, plan: Plan) -> None:
        """Take in a run; what it is compared with has been read."""
        self._plans[plan.name] = plan
        self._suspects[plan.name] = set()

    def of(self, benchmark: str) -> Rechecking:
        """Return the rule of a run; the runs of the old code are gone through at the first."""
        with self._lock:
            if benchmark not in self._known:
                self._known[benchmark] = self._rule(self._plans[benchmark])
            return self._known[benchmark]

    def _rule(self, plan: Plan) -> Rechecking:
        return rechecking(
            choose_rule(plan.settings.rule, plan.settings.rule_source),
            [plan.baseline_rows, *plan.control_rows],
            plan.scope,
            is_deterministic=self._is_deterministic(plan.name),
            profile=plan.profile,
            judge=plan.benchmark,
            targets=plan.targets,
        )

    def may_ask(self, benchmark: str, case: str) -> bool:
        """Count a suspect; say whether it is worth another call."""
        allowed = self.of(benchmark).allowed
        with self._lock:
            self._suspects[benchmark].add(case)
            return may_ask(len(self._suspects[benchmark]), allowed)
