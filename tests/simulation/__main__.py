"""Print the table of false alarms and misses: ``python -m tests.simulation``.

Below each row stands the published one; a column that is further off than chance
makes it is named. ``--runs=N`` takes more or fewer runs, ``--seed=N`` others.
"""

from __future__ import annotations

import argparse
import sys

from tests.simulation.measured import COLUMNS
from tests.simulation.measured import TABLE
from tests.simulation.measured import measure


def main() -> int:
    """Print a row as soon as it is known; exit 1 if one is far off."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--runs", type=int, default=800)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"share of {options.runs} runs in which the gate fails, in %; published values below")
    print(line("cases, flaky, change", [*COLUMNS, "asked"]))
    wrong = 0
    for setting, published in TABLE.items():
        found = measure(setting, options.runs, options.seed)
        print(line(setting.name, [*map(number, found.shown()), f"{found.asked:.1f}"]), flush=True)
        print(line("", [f"{one:g}" for one in published]))
        for text in found.far_off():
            print(f"    far off: {text}")
            wrong += 1
    print(f"{wrong} figures are far off" if wrong else "all figures are where they were published")
    return 1 if wrong else 0


def line(name: str, cells: list[str]) -> str:
    """One row of the table."""
    return f"{name:<36}" + "".join(f"{cell:>7}" for cell in cells)


def number(value: float) -> str:
    """One digit below ten, as a percentage is printed elsewhere."""
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


if __name__ == "__main__":
    sys.exit(main())
