"""Whether a run is partial, and what made it so: by effect, not by option."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.model.escape import term


def what_removed(config: pytest.Config, plan: Plan, selected: Sequence[str]) -> list[str]:
    """Return what removed cases of the scope, as far as known; empty: nothing is missing.

    An option that deselects nothing does not make a run partial.
    """
    if not set(plan.scope) - set(selected):
        return []
    return selecting_options(config, plan) or ["another plugin or option"]


def selecting_options(config: pytest.Config, plan: Plan) -> list[str]:
    """Return the options in force by which a user selects cases."""
    reasons = [f"--bench-select=case={case}" for case in plan.selection.values("case")]
    if config.getoption("keyword", ""):
        reasons.append(f"-k {term(config.getoption('keyword'), 80)}")
    if config.getoption("markexpr", ""):
        reasons.append(f"-m {term(config.getoption('markexpr'), 80)}")
    if any("::" in str(argument) for argument in config.args):
        reasons.append("node ids")
    if config.getoption("lf", False):
        reasons.append("--last-failed")
    if config.getoption("stepwise", False):
        reasons.append("--stepwise")
    if config.getoption("deselect", None):
        reasons.append("--deselect")
    return reasons
