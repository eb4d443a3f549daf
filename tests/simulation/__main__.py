"""Print the table of false alarms and misses: ``python -m tests.simulation``.

Below each row stands the published one; a column that is further off than chance
makes it is named. ``--runs=N`` takes more or fewer runs, ``--seed=N`` others.
``--save`` stores the figures, ``--pictures`` draws the pictures of docs/noise.md
from the stored ones, ``--verdicts=N`` plays whole verdicts of unchanged and changed
systems: saved rows, re-asks, and what the gate says of them.
"""

from __future__ import annotations

import argparse
import sys

from tests.simulation.measured import COLUMNS
from tests.simulation.measured import TABLE
from tests.simulation.measured import measure
from tests.simulation.measured import save
from tests.simulation.pictures import draw
from tests.simulation.verdicts import GOALS
from tests.simulation.verdicts import play_many


def main() -> int:
    """Do what is asked for; exit 1 if a figure is far off."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--runs", type=int, default=800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--verdicts", type=int, metavar="N")
    options = parser.parse_args()
    if options.pictures:
        for path in draw():
            print(f"written: {path}")
        return 0
    if options.verdicts:
        return verdicts(options.verdicts, options.seed)
    return table(options.runs, options.seed, is_saved=options.save)


def table(runs: int, seed: int, *, is_saved: bool) -> int:
    """Print a row as soon as it is known."""
    print(f"share of {runs} runs in which the gate fails, in %; published values below")
    print(line("cases, flaky, change", [*COLUMNS, "asked"]))
    wrong = 0
    every = []
    for setting, published in TABLE.items():
        found = measure(setting, runs, seed)
        every.append(found)
        print(line(setting.name, [*map(number, found.shown()), f"{found.asked:.1f}"]), flush=True)
        print(line("", [f"{one:g}" for one in published]))
        for text in found.far_off():
            print(f"    far off: {text}")
            wrong += 1
    if is_saved:
        save(every)
    print(f"{wrong} figures are far off" if wrong else "all figures are where they were published")
    return 1 if wrong else 0


def verdicts(runs: int, seed: int) -> int:
    """Print what became of so many systems of each kind."""
    print(f"{runs} systems of each kind, 2 controls, verdicts of rule auto")
    missed = 0
    for goal in GOALS:
        played = play_many(goal.setting, runs, seed)
        is_met = goal.is_met(played)
        missed += not is_met
        print(f"{goal.setting.name}: {played.text()}; wanted: {goal.text}"
              f"{'' if is_met else ' - MISSED'}", flush=True)  # fmt: skip
    return 1 if missed else 0


def line(name: str, cells: list[str]) -> str:
    """One row of the table."""
    return f"{name:<36}" + "".join(f"{cell:>7}" for cell in cells)


def number(value: float) -> str:
    """One digit below ten, as a percentage is printed elsewhere."""
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


if __name__ == "__main__":
    sys.exit(main())
