"""What a wanted false-alarm rate costs: controls once, re-asks in every run."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from pytest_benchbed.compare import noise

MOST_CONTROLS = 8


class NoisePlan(NamedTuple):
    """One number of controls under rule ``confirm``, and what comes of it."""

    controls: int
    rechecks: int
    """r, chosen as the gate chooses it."""
    false_alarm: float
    """Chance that a run without a change is red."""
    control_calls: int
    """Calls for all the controls, once."""
    recheck_calls: float
    """Re-asks to expect in a run without a change: a right answer ends them early."""


def noise_plans(
    flaky: Fraction, calls: int, *, most_controls: int = MOST_CONTROLS
) -> list[NoisePlan]:
    """Return the plans for 1, 2, ... controls.

    Args:
        flaky: estimated number of flaky cases; where none was seen, its 95 % limit.
        calls: calls of a whole run.
        most_controls: the last plan's controls.
    """
    plans = []
    for controls in range(1, most_controls + 1):
        rechecks, _ = noise.rechecks_for(flaky, controls)
        # The j-th re-ask is made of a flaky case that was wrong in all before it.
        asked = sum(
            flaky * noise.false_alarm_per_flaky_case(controls, earlier)
            for earlier in range(rechecks)
        )
        plans.append(
            NoisePlan(
                controls=controls,
                rechecks=rechecks,
                false_alarm=noise.alarm_of(flaky, controls, rechecks),
                control_calls=controls * calls,
                recheck_calls=round(float(asked), 9),
            )
        )
    return plans


def cheapest_plan(plans: Iterable[NoisePlan], wanted: float) -> NoisePlan | None:
    """Return the plan of fewest controls with no more false alarms than wanted, if there is one."""
    return next((plan for plan in plans if plan.false_alarm <= wanted), None)


def flaky_limit(unstable: int, controls: int) -> Fraction | None:
    """Return the flaky cases to plan for: the estimate, or its limit where none was seen.

    None without controls: then noise is unknown, and the first control tells.

    >>> flaky_limit(3, 2), flaky_limit(0, 2)
    (Fraction(6, 1), Fraction(6, 1))
    """
    if unstable or not controls:
        return noise.flaky_estimate(unstable, controls)
    return Fraction(noise.LIMIT_CASES * (controls + 2), controls)
