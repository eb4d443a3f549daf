"""Whole verdicts over systems with known chances: saved rows, re-asks, and ``decide``.

The other half of the simulation judges counts alone. Here every case of every run
has its row, the candidate is asked again as a session asks, and the verdict is the
one that a user reads.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_benchbed.compare.confirm import confirmation
from pytest_benchbed.compare.confirm import may_ask
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.old_code import noise_before
from pytest_benchbed.compare.outcome import suspected
from pytest_benchbed.compare.ruling import Noise
from pytest_benchbed.model.gate import GateResult
from tests.simulation.published import BROKEN
from tests.simulation.published import WORSE
from tests.simulation.worlds import Case
from tests.simulation.worlds import Setting
from tests.simulation.worlds import chances
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import reask
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

JUDGE = ErrorsDecide()
OLD = ("base", "control-1", "control-2", "control-3")
"""Runs of the old code; a verdict takes the first three, two controls are the advice."""
CANDIDATE = "candidate"


class System:
    """A seeded flaky system before and after a change; each attempt of each run is a draw."""

    def __init__(self, setting: Setting, seed: str) -> None:
        self.seed = f"{setting.name}/{seed}"
        every = chances(setting, random.Random(self.seed))
        self.chances = {f"t-{number:03}": pair for number, pair in enumerate(every, start=1)}

    @property
    def broken(self) -> list[str]:
        """The cases that were always right and are always wrong now."""
        return [case for case, pair in self.chances.items() if pair == (1.0, 0.0)]

    def is_right(self, run: str, case: str, attempt: int = 1) -> bool:
        before, after = self.chances[case]
        chance = after if run == CANDIDATE else before
        if chance in (0.0, 1.0):
            return chance == 1.0
        return random.Random(f"{self.seed}/{run}/{case}/{attempt}").random() < chance

    def world(self) -> list[Case]:
        """The same draws for the rules alone, as :mod:`tests.simulation.judged` takes them."""
        cases = []
        for case in self.chances:
            is_right = [self.is_right(run, case) for run in (CANDIDATE, *OLD)]
            attempts = itertools.count(2)
            again = functools.partial(self._again, case, attempts)
            cases.append(Case(case, is_right, again))
        return cases

    def _again(self, case: str, attempts: Iterator[int]) -> bool:
        return self.is_right(CANDIDATE, case, next(attempts))

    def rows(self, run: str) -> dict[str, Mapping[str, Any]]:
        return {case: _row(case, self.is_right(run, case)) for case in self.chances}


@functools.cache
def _row(case: str, is_right: bool) -> Mapping[str, Any]:
    return row(case, "" if is_right else "a")


@dataclass(frozen=True)
class Verdict:
    """What the gate said of a system's change."""

    gate: GateResult
    broken: list[str]

    @property
    def is_red(self) -> bool:
        return self.gate.status != "passed"

    @property
    def names_what_broke(self) -> bool:
        """Whether exactly the broken cases are confirmed."""
        wrong = [one.case for one in self.gate.suspects if one.outcome == "confirmed"]
        return wrong == self.broken

    @property
    def calls(self) -> int:
        return sum(one.attempts - 1 for one in self.gate.suspects)


def play(system: System) -> Verdict:
    """Record a baseline and two controls, change the system, judge it."""
    base, *controls = [run_of(system.rows(run), run) for run in OLD[:3]]
    _, seen = noise_before(
        "auto", base, controls, profile=PROFILE, judge=JUDGE, is_deterministic=False
    )
    rows = system.rows(CANDIDATE)
    suspects = 0
    for case in rows:
        suspect = suspected(
            rows[case], base.rows[case], [control.rows[case] for control in controls],
            profile=PROFILE, is_target=False, judge=JUDGE,
        )  # fmt: skip
        if suspect is not None:
            suspects += 1
            if may_ask(suspects, seen.allowed):
                rows[case] = {**rows[case], "reasks": _asked(system, suspect, seen)}
    gate = decide(
        run_of(rows, CANDIDATE),
        base,
        controls,
        profile=PROFILE,
        decides=True,
        rule="auto",
        rule_source="auto",
        targets=(),
        judge=JUDGE,
    )
    return Verdict(gate, system.broken)


def _asked(system: System, suspect: Any, seen: Noise) -> list[dict[str, Any]]:
    drawn: list[dict[str, Any]] = []
    while confirmation(
        suspect, drawn, rechecks=seen.rechecks, profile=PROFILE, judge=JUDGE
    ).is_open:
        attempt = len(drawn) + 2
        is_right = system.is_right(CANDIDATE, suspect.case, attempt)
        drawn.append(reask("" if is_right else "a", attempt))
    return drawn


@dataclass(frozen=True)
class Played:
    """What became of many systems of one kind."""

    runs: int
    status: Counter[str]
    named: int
    """Verdicts in which exactly the broken cases are confirmed."""
    calls: int

    @property
    def red(self) -> int:
        return self.runs - self.status["passed"]

    def text(self) -> str:
        return (
            f"red {self.red} of {self.runs} ({100 * self.red / self.runs:.1f} %), "
            f"{self.calls / self.runs:.1f} re-asks a run"
        )


def play_many(setting: Setting, runs: int, seed: int = 1) -> Played:
    """Play so many systems of a setting; the same seed gives the same verdicts."""
    verdicts = [play(System(setting, f"{seed}-{number}")) for number in range(runs)]
    return Played(
        runs=runs,
        status=Counter(one.gate.status for one in verdicts),
        named=sum(one.names_what_broke for one in verdicts),
        calls=sum(one.calls for one in verdicts),
    )


@dataclass(frozen=True)
class Goal:
    """What the gate is to do with a kind of system."""

    setting: Setting
    text: str
    is_met: Callable[[Played], bool]


def _is_rarely_red(played: Played) -> bool:
    return 100 * played.red <= 6 * played.runs


def _is_always_red(played: Played) -> bool:
    return played.status == {"failed": played.runs}


def _is_mostly_red(played: Played) -> bool:
    return 100 * played.status["failed"] >= 85 * played.runs


GOALS = (
    Goal(Setting(50, 0.10), "red in at most 6 %", _is_rarely_red),
    Goal(Setting(100, 0.10), "red in at most 6 %", _is_rarely_red),
    Goal(Setting(200, 0.10), "red in at most 6 %", _is_rarely_red),
    Goal(Setting(50, 0.10, BROKEN), "failed in all", _is_always_red),
    Goal(Setting(100, 0.10, BROKEN), "failed in all", _is_always_red),
    Goal(Setting(200, 0.10, BROKEN), "failed in all", _is_always_red),
    Goal(Setting(200, 0.10, WORSE), "failed in at least 85 %", _is_mostly_red),
)
