"""A suspect is asked again inside its item, so that the item's outcome is final.

Re-asks are attempts N+1 and up of the same case. They clear an alarm or
confirm it; score, latency and cost of the case stay those of attempt 1.
"""

from __future__ import annotations

from typing import Any
from typing import NamedTuple

from pytest_benchbed.compare.confirm import Confirmation
from pytest_benchbed.compare.confirm import confirmation
from pytest_benchbed.compare.outcome import suspected
from pytest_benchbed.edge.asking import Asker
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.evaluate.case import Answer
from pytest_benchbed.model.errors import TechnicalFailure


class Asked(NamedTuple):
    """What was done about a case that may be a suspect."""

    rule: str = "strict"
    """By what it is judged; of a case that is no suspect it does not matter."""
    state: Confirmation | None = None
    """What the re-asks show; None: it was not asked again."""
    failure: str = ""
    """Why nobody can say what they show: the type broke over one of them."""


NOTHING = Asked()


def ask_again(asker: Asker | None, plan: Plan, row: dict[str, Any], first: Answer) -> Asked:
    """Ask again if the case is a suspect, and the rule wants it; the row gets its ``reasks``.

    ``first``: the outcome that the row is of.
    """
    case = row["case"]
    if plan.baseline is None or plan.unpaired or plan.settings.rule == "strict" or asker is None:
        return NOTHING
    try:
        suspect = suspected(
            row,
            plan.baseline_rows.get(case),
            [rows.get(case) for rows in plan.control_rows],
            profile=plan.profile,
            is_target=case in plan.targets,
            judge=plan.benchmark,
        )
    except TechnicalFailure:
        # The outcome says so.
        return NOTHING
    if suspect is None:
        return NOTHING
    rule, rechecks, _ = asker.rechecking(plan.name)
    if rule != "confirm":
        return Asked(rule)
    reasks: list[dict[str, Any]] = []
    attempt = plan.settings.repeats
    failure = ""
    while True:
        try:
            state = confirmation(
                suspect, reasks, rechecks=rechecks, profile=plan.profile, judge=plan.benchmark
            )
        except TechnicalFailure as broken:
            # They are on record all the same, and block the verdict.
            state, failure = Confirmation("unconfirmed"), str(broken)
            break
        if not state.is_open:
            break
        attempt += 1
        if not asker.may_reask(plan.name, case, attempt):
            state = state._replace(outcome="not-reasked")
            break
        answer = asker.predict(plan.name, case, attempt)
        if answer["state"] == "not-run":
            break
        answer = {**plan.scorer.checked(answer), "attempt": attempt}
        reasks.append(plan.scorer.reask(case, answer, first))
    if reasks:
        row["reasks"] = reasks
    return Asked(rule, state, failure)
