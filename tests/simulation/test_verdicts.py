"""Verdicts of whole runs do what the rules do alone; ``--verdicts=N`` plays more of them."""

from __future__ import annotations

import pytest

from tests.simulation.judged import judge
from tests.simulation.published import BROKEN
from tests.simulation.published import WORSE
from tests.simulation.verdicts import GOALS
from tests.simulation.verdicts import System
from tests.simulation.verdicts import play
from tests.simulation.verdicts import play_many
from tests.simulation.worlds import Setting


@pytest.mark.parametrize(
    "setting",
    [Setting(50, 0.10), Setting(100, 0.10), Setting(200, 0.10), Setting(100, 0.10, WORSE)],
    ids=lambda setting: setting.name,
)
def test_the_verdict_of_whole_runs_is_that_of_the_rule_alone(setting):
    """So the measured rates of false alarms are those that a user gets."""
    red = 0
    for number in range(60):
        system = System(setting, f"same-{number}")
        verdict = play(system)
        alone = judge(system.world(), setting.cases)

        assert verdict.gate.rule == "confirm"
        assert verdict.is_red == alone["C2"], verdict.gate.reason
        # Above the allowance asking stops; the rule alone asks all of them.
        assert verdict.calls <= alone["asked"]
        assert verdict.calls <= verdict.gate.r * (verdict.gate.allowed + 1)
        red += verdict.is_red
    assert red > (30 if setting.change == WORSE else 0)


def test_one_broken_case_fails_every_time_and_is_the_one_that_is_named():
    played = play_many(Setting(50, 0.10, BROKEN), 200)

    assert played.status == {"failed": 200}
    # Where another case is named too, or none is, a flaky one was a false alarm as well.
    assert played.named >= 180


def test_the_same_seed_gives_the_same_verdicts():
    setting = Setting(50, 0.10)
    assert play(System(setting, "1")).gate == play(System(setting, "1")).gate
    assert play_many(setting, 20) != play_many(setting, 20, seed=2)


def test_a_goal_that_is_missed_is_named():
    quiet = next(goal for goal in GOALS if goal.setting == Setting(50, 0.10))
    loud = next(goal for goal in GOALS if goal.setting == Setting(50, 0.10, BROKEN))
    broken = play_many(loud.setting, 10)

    assert loud.is_met(broken)
    assert not quiet.is_met(broken)
    assert broken.text().startswith("red 10 of 10 (100.0 %), ")
