"""Measure, print a table, and say which marks hold: ``python -m tests.perf``.

``--strict`` makes a missed mark an exit status; ``--cases=N`` takes fewer
cases than the marks are about (the ratios then hold the start of a session),
``--rounds=1`` measures once instead of three times.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.perf.cost import ROUNDS
from tests.perf.figures import Figure
from tests.perf.figures import figures


def main() -> int:
    """Print one line a figure, as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m tests.perf", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    os.environ[ROUNDS] = str(options.rounds)
    best = f"best of {options.rounds}"
    print(f"{options.cases} cases; CPU of the process tree and peak memory, {best}")
    print(f"{'figure':<44}{'measured':>12}{'mark':>12}  holds")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="benchbed-perf-") as folder:
        for figure in figures(Path(folder), options.cases):
            print(line(figure), flush=True)
            missed += not figure.holds
    print(f"{missed} marks are missed" if missed else "all marks hold")
    return 1 if missed and options.strict else 0


def line(figure: Figure) -> str:
    """Return one row of the table."""
    measured = f"{figure.value:.2f} {figure.unit}"
    mark = f"<= {figure.mark:g} {figure.unit}"
    holds = "yes" if figure.holds else "NO"
    return f"{figure.name:<44}{measured:>12}{mark:>12}  {holds:<4}{figure.note}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
