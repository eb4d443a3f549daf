"""Simulate settings, and hold the figures beside the published ones."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.simulation.judged import RULES
from tests.simulation.judged import judge
from tests.simulation.published import COLUMNS
from tests.simulation.published import RUNS
from tests.simulation.published import STATED_ERROR
from tests.simulation.published import TABLE
from tests.simulation.worlds import Setting
from tests.simulation.worlds import world

STORED = Path(__file__).with_name("figures.json")
"""What ``python -m tests.simulation --save`` measured; the pictures are drawn from it."""


@dataclass(frozen=True)
class Figures:
    """What was measured of one setting."""

    setting: Setting
    runs: int
    red: dict[str, int]
    """Rule to the runs in which it failed."""
    calls: float
    """Re-asks a run, were every suspect asked r times."""
    asked: float
    """Re-asks a run."""

    def percent(self, rule: str) -> float:
        return 100 * self.red[rule] / self.runs

    def shown(self) -> list[float]:
        return [*(self.percent(rule) for rule in RULES), self.calls]

    def far_off(self) -> list[str]:
        """The columns that are not where the published ones are.

        Both were drawn: a share of p in n runs is within 2.6 standard errors of its
        chance in 99 of 100 cases. The published error is the least that is granted.
        """
        wrong = []
        for rule, published in zip(RULES, TABLE[self.setting], strict=False):
            here = self.percent(rule)
            chance = min(max((here + published) / 200, 0.005), 0.995)
            spread = 100 * math.sqrt(chance * (1 - chance) * (1 / self.runs + 1 / RUNS))
            # Published as whole percent, mostly: half a point is rounding.
            if abs(here - published) > max(STATED_ERROR, 2.6 * spread + 0.5):
                wrong.append(f"{rule}: {here:.1f} % here, {published} % published")
        return wrong


def measure(setting: Setting, runs: int, seed: int = 1) -> Figures:
    """Judge so many worlds of a setting; the same seed gives the same figures."""
    red = dict.fromkeys(RULES, 0)
    calls = asked = 0
    for number in range(runs):
        found = judge(world(setting, seed * 1_000_000 + number), setting.cases)
        for rule in RULES:
            red[rule] += found[rule]
        calls += found["calls"]
        asked += found["asked"]
    return Figures(setting, runs, red, calls / runs, asked / runs)


def save(every: Iterable[Figures]) -> None:
    """Store figures, one setting a line, as :func:`stored` reads them."""
    lines = [
        json.dumps(
            {
                "setting": [one.setting.cases, one.setting.flaky, one.setting.change],
                "runs": one.runs,
                "red": one.red,
                "calls": one.calls,
                "asked": one.asked,
            }
        )
        for one in every
    ]
    STORED.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8", newline="\n")


def stored() -> dict[Setting, Figures]:
    """Return the stored figures of every setting."""
    found = {}
    for line in json.loads(STORED.read_text("utf-8")):
        setting = Setting(*line.pop("setting"))
        found[setting] = Figures(setting, **line)
    return found


__all__ = ["COLUMNS", "STORED", "TABLE", "Figures", "measure", "save", "stored"]
