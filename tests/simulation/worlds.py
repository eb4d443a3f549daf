"""Systems whose every case is right with a chance that is known, and what changes in them.

A world is one such system before and after a change. A flaky case is right with a
chance drawn from (0, 1); of the others nine in ten are always right and one is always
wrong. Runs draw each case anew. Only cases that are not the same in all runs are kept:
the gate leaves the others out too.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field

CONTROLS = 3
"""Control runs that are drawn; a rule with fewer takes the first."""

ALWAYS_RIGHT = 0.9
WORSE = 0.95


@dataclass(frozen=True)
class Setting:
    """One line of the table: how large, how flaky, and what the candidate changes."""

    cases: int
    flaky: float
    """Share of flaky cases."""
    change: str = "none"

    @property
    def name(self) -> str:
        return f"{self.cases}, {self.flaky:.0%}, {self.change}"


@dataclass
class Case:
    """A case in which some run may differ."""

    id: str
    is_right: list[bool]
    """In the candidate, the baseline and the controls."""
    again: Callable[[], bool]
    """Draws the candidate once more."""
    reasks: list[bool] = field(default_factory=list)
    """Draws of the candidate made so far, shared by all rules that ask for them."""

    def reask(self, number: int) -> bool:
        while len(self.reasks) <= number:
            self.reasks.append(self.again())
        return self.reasks[number]


def chances(setting: Setting, draw: random.Random) -> Iterator[tuple[float, float]]:
    """The chance of each case to be right, before and after the change."""
    before = []
    for _ in range(setting.cases):
        if draw.random() < setting.flaky:
            before.append(draw.random())
        else:
            before.append(1.0 if draw.random() < ALWAYS_RIGHT else 0.0)
    after = list(before)
    sound = [number for number, chance in enumerate(before) if chance == 1.0]
    if setting.change == "1 case broken":
        after[sound[0]] = 0.0
    elif setting.change == "3 cases become coin flips":
        for number in sound[:3]:
            after[number] = 0.5
    elif setting.change == "every case 5 % worse":
        after = [chance * WORSE for chance in after]
    else:
        assert setting.change == "none"
    return zip(before, after, strict=True)


def world(setting: Setting, seed: int) -> list[Case]:
    """One system and its runs, without the cases that are the same in all of them."""
    draw = random.Random(f"{setting.name}/{seed}")
    cases = []
    for number, (before, after) in enumerate(chances(setting, draw)):
        if before == after and before in (0.0, 1.0):
            continue

        def again(chance: float = after) -> bool:
            return draw.random() < chance

        old = [draw.random() < before for _ in range(1 + CONTROLS)]
        is_right = [again(), *old]
        if any(is_right) and not all(is_right):
            cases.append(Case(f"c{number:03}", is_right, again))
    return cases
