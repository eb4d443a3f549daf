"""The controller's side of re-asks: the rule of each run, and how many suspects there are.

Workers see their own items only; whether there are more suspects than the old
code explains is known here alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from pytest_benchbed.compare.confirm import may_ask
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.old_code import noise_before
from pytest_benchbed.compare.tally import cluster
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.model.errors import TechnicalFailure


class Rechecking(NamedTuple):
    """By what rule suspects are judged."""

    rule: str
    """``strict``, ``confirm`` or ``allowance``."""
    rechecks: int
    """r: how often a suspect is asked again at most."""
    allowed: int | None
    """Suspects above which none is asked again; None: no limit."""


class Rechecks:
    """Rules and suspects of the runs of this session."""

    def __init__(self, is_deterministic: Callable[[str], bool]) -> None:
        """``is_deterministic`` says of a benchmark what its system declares."""
        self._is_deterministic = is_deterministic
        self._plans: dict[str, Plan] = {}
        self._known: dict[str, Rechecking] = {}
        self._suspects: dict[str, set[str]] = {}
        self._by_case: dict[str, dict[str, str]] = {}
        self._lock = threading.Lock()

    def add(self, plan: Plan) -> None:
        """Take in a run; what it is compared with has been read."""
        self._plans[plan.name] = plan
        self._suspects[plan.name] = set()

    def of(self, benchmark: str) -> Rechecking:
        """Return the rule of a run; the runs of the old code are gone through at the first."""
        with self._lock:
            if benchmark not in self._known:
                try:
                    self._known[benchmark] = self._rule(self._plans[benchmark])
                except TechnicalFailure:
                    # The type's is_worse broke: the verdict is blocked by it.
                    self._known[benchmark] = Rechecking("strict", 0, None)
            return self._known[benchmark]

    def _rule(self, plan: Plan) -> Rechecking:
        assert plan.baseline is not None, "without a baseline nothing is suspected"
        rule, noise = noise_before(
            plan.settings.rule,
            RunFacts(plan.baseline.record, plan.baseline_rows),
            [
                RunFacts(control.record, rows)
                for control, rows in zip(plan.controls, plan.control_rows, strict=True)
            ],
            profile=plan.profile,
            judge=plan.benchmark,
            is_deterministic=self._is_deterministic(plan.name),
            cases=plan.scope,
            targets=plan.targets,
            groups=self._groups(plan),
        )
        return Rechecking(rule, noise.rechecks, noise.allowed)

    def may_ask(self, benchmark: str, case: str, *, is_known: bool = False) -> bool:
        """Count a suspect; say whether it is worth another call, or needs none.

        ``is_known``: the answer is on record. A run that is gone on with may meet its
        suspects in another order: what was asked before is used all the same.
        """
        allowed = self.of(benchmark).allowed
        with self._lock:
            suspects = self._suspects[benchmark]
            suspects.add(cluster(case, self._groups(self._plans[benchmark])))
            return is_known or may_ask(len(suspects), allowed)

    def _groups(self, plan: Plan) -> dict[str, str]:
        if plan.name not in self._by_case:
            self._by_case[plan.name] = {
                entry.id: entry.group for entry in plan.entries if entry.group is not None
            }
        return self._by_case[plan.name]
