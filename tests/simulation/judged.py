"""Judge a world by the rules of the gate: the same functions that judge a saved run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pytest_benchbed.compare.confirm import Confirmation
from pytest_benchbed.compare.confirm import confirmation
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.ruling import Noise
from pytest_benchbed.compare.ruling import noise_of
from pytest_benchbed.compare.ruling import rule_on
from pytest_benchbed.compare.ruling import state_under
from pytest_benchbed.compare.tally import Tally
from pytest_benchbed.compare.tally import suspects_of_old
from pytest_benchbed.compare.tally import tally
from tests.simulation.worlds import CONTROLS
from tests.simulation.worlds import Case

PROFILE = "p"
JUDGE = ErrorsDecide()
RIGHT: dict[str, Any] = {"errors": {PROFILE: []}, "metrics": {}}
WRONG: dict[str, Any] = {"errors": {PROFILE: [{"kind": "wrong", "where": {}}]}, "metrics": {}}
ALONE_RECHECKS = 3
"""Re-asks of the column that has no allowance."""

TOLERANCE = 200
"""By how much a mean may fall before a build is red, in 1/10,000."""

RULES = ("band", "S1", "S2", "S3", "Conf", "Allow", "C1", "C2", "C3")


def judge(world: Sequence[Case], cases: int) -> dict[str, bool]:
    """Rule to whether its gate fails; ``calls`` and ``asked`` are numbers.

    ``cases``: how many there are, with those that are the same in all runs.

    ``calls``: re-asks of C2 were every suspect asked r times; ``asked``: those made.
    """
    by_id = {case.id: case for case in world}
    result: dict[str, Any] = {"band": mean_fell(world, cases)}
    for controls in range(1, CONTROLS + 1):
        differing = [_rows(case, controls) for case in world if _differs(case, controls)]
        found = tally(differing, profile=PROFILE, judge=JUDGE)
        unstable = len(found.unstable)
        counts = suspects_of_old(found, controls + 1, profile=PROFILE, judge=JUDGE)
        offline = {one.case: state_under("strict") for one in found.suspects}
        result[f"S{controls}"] = _fails("strict", offline, noise_of("strict", unstable, controls))
        seen = noise_of("confirm", unstable, controls, counts)
        states = _asked(found, seen, by_id)
        result[f"C{controls}"] = _fails("confirm", states, seen)
        if controls == 2:
            result["calls"] = seen.rechecks * len(states)
            result["asked"] = sum(state.attempts - 1 for state in states.values())
            alone = replace(seen, rechecks=ALONE_RECHECKS, counts=None, allowed=None)
            result["Conf"] = _fails("confirm", _asked(found, alone, by_id), alone)
            left = {one.case: state_under("allowance") for one in found.suspects}
            seen = noise_of("allowance", unstable, controls, counts)
            result["Allow"] = _fails("allowance", left, seen)
    return result


def mean_fell(world: Sequence[Case], cases: int) -> bool:
    """Whether the mean falls by more than a tolerance, or than one control differs.

    What teams build first. Means are whole numbers of 1/10,000; cases that are the
    same in all runs move none of them.
    """
    candidate, baseline, control = (
        round(10_000 * sum(case.is_right[run] for case in world) / cases) for run in range(3)
    )
    return baseline - candidate > max(TOLERANCE, abs(baseline - control))


def _rows(case: Case, controls: int) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
    mine, *old = [RIGHT if one else WRONG for one in case.is_right[: controls + 2]]
    return case.id, mine, old


def _differs(case: Case, controls: int) -> bool:
    return len(set(case.is_right[: controls + 2])) > 1


def _asked(found: Tally, seen: Noise, by_id: dict[str, Case]) -> dict[str, Confirmation]:
    """Ask every suspect again while it is open, as a session does."""
    states = {}
    for suspect in found.suspects:
        reasks: list[dict[str, Any]] = []
        while True:
            state = confirmation(
                suspect, reasks, rechecks=seen.rechecks, profile=PROFILE, judge=JUDGE
            )
            if not state.is_open:
                break
            drawn = RIGHT if by_id[suspect.case].reask(len(reasks)) else WRONG
            reasks.append({**drawn, "attempt": len(reasks) + 2, "outcome": "scored"})
        states[suspect.case] = state
    return states


def _fails(rule: str, states: dict[str, Confirmation], seen: Noise) -> bool:
    ruling = rule_on(rule, states, seen)
    assert ruling.status != "incomplete", "every suspect is asked, and there are controls"
    return ruling.status == "failed"
