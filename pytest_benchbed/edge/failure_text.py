"""The text of a failing case: profile, error, expected, got, and how to run it again.

Bounded and escaped: it goes to terminals, JUnit files, IDEs and xdist pipes.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from pytest_benchbed.compare.outcome import ItemOutcome
from pytest_benchbed.edge.commands import rerun_command
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.evaluate.case import Evaluation
from pytest_benchbed.model.error import error_key
from pytest_benchbed.model.escape import json_term
from pytest_benchbed.model.escape import term

MAX_BYTES = 2_000
"""Of one profile's errors."""


def hides_texts(config: pytest.Config, visibility: str) -> bool:
    """Say whether texts of a dataset (``public`` or ``private``) stay out of what is printed.

    Rule ``auto``: shown on the user's own terminal, hidden where ``CI`` is set.
    """
    rule = config.getini("bench_private")
    if visibility == "public" or rule == "show":
        return False
    return rule == "hide" or bool(os.environ.get("CI"))


def failure_text(
    config: pytest.Config, plan: Plan, evaluation: Evaluation, outcome: ItemOutcome
) -> str:
    """Return the lines for one case; the gate profile comes first."""
    row = evaluation.row
    known = {error_key(error) for error in _baseline_errors(plan, row["case"])}
    hidden = hides_texts(config, plan.dataset.visibility)
    lines = [f"{plan.name} {row['case']}: {term(outcome.reason)}"]
    if row["reason"]:
        lines.append(f"  declined: {term(row['reason']) if not hidden else '(private text)'}")
    profiles = [plan.profile, *(name for name in plan.benchmark.profiles if name != plan.profile)]
    for profile in profiles:
        errors = row["errors"].get(profile) or []
        if not errors:
            continue
        role = " (gate)" if profile == plan.profile else ""
        lines.append(f"  {term(profile)}{role}: {_count(len(errors), 'error')}")
        size = 0
        for shown, error in enumerate(errors):
            mark = ""
            if profile == plan.profile and plan.baseline is not None:
                mark = "known " if error_key(error) in known else "new "
            line = f"    {mark}{_error_line(error, hidden)}"
            size += len(line.encode("utf-8", "replace")) + 1
            if size > MAX_BYTES:
                lines.append(f"    … {_count(len(errors) - shown, 'more error')}")
                break
            lines.append(line)
    lines.append(f"  again: {rerun_command(config, plan, row['case'])}")
    return "\n".join(lines)


def _baseline_errors(plan: Plan, case: str) -> list[dict[str, Any]]:
    errors: list[dict[str, Any]] = []
    row = plan.baseline_rows.get(case)
    if row is not None:
        errors = row.get("errors", {}).get(plan.profile) or []
    return errors


def _error_line(error: dict[str, Any], hidden: bool) -> str:
    where = " ".join(f"{term(key)}={json_term(value, 80)}" for key, value in error["where"].items())
    line = f"{term(error['kind'], 60)} {where}".rstrip()
    if hidden:
        return line
    for name in ("expected", "got"):
        if name in error:
            line += f" · {name} {json_term(error[name], 160)}"
    if error.get("note"):
        line += f" · {term(error['note'], 160)}"
    return line


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
