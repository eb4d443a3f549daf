"""Drill: kill a run ten times at random moments, resume it each time, compare with a quiet run.

``python -m tests.drills.kill_ten_times [--kills=10] [--cases=40] [--seed=1]``
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.crash.sessions import Session
from tests.crash.sessions import open_intents
from tests.crash.sessions import outcomes
from tests.crash.sessions import stable_rows
from tests.drills.repository import repository
from tests.plugin.bench import Bench

DELAY_S = 0.03
JOBS = 2


@dataclass(frozen=True)
class Drill:
    """What came of it."""

    kills: int
    cases: int
    asked: int
    repeated: int
    """Calls beyond one a case."""
    in_flight: int
    """Calls that a kill cut off."""
    lost: list[str]
    """Cases whose outcome was on disk and that were asked again all the same."""
    left: list[str]
    is_equal: bool
    last_line: str

    @property
    def is_good(self) -> bool:
        """Whether nothing was lost, paid twice, left running or different."""
        return (
            self.is_equal
            and not self.lost
            and not self.left
            and self.repeated <= self.in_flight
            and self.asked == self.cases + self.repeated
        )


def drill(kills: int, cases: int, seed: int, say: Callable[[str], None]) -> Drill:
    """Do it; ``say`` gets a line a kill."""
    moments = random.Random(seed)
    wrong = {f"t-{number:03}": ["cell"] for number in range(1, cases + 1, 7)}
    with repository(cases, wrong, max_concurrency=JOBS, delay=DELAY_S) as bench:
        Session(bench, "--bench-run=quiet", "--bench-unpaired", f"--bench-jobs={JOBS}").end()
        bench.log.unlink()
        in_flight = Counter[str]()
        lost: list[str] = []
        left: list[str] = []
        say("kill   after outcomes   on disk   in flight   asked again")
        for number in range(1, kills + 1):
            before = outcomes(bench)
            asked = len(bench.calls())
            session = _begin(bench, is_first=number == 1)
            wanted = len(before) + moments.randint(0, max(1, (cases - len(before)) // 4))
            session.wait_for(_is_at(bench, wanted))
            session.kill()
            again = [case for case in bench.calls()[asked:] if case in before]
            cut = open_intents(bench) - in_flight
            in_flight += cut
            lost += again
            left += session.left()
            say(
                f"{number:>4}   {wanted:>14}   {len(outcomes(bench)):>7}   {sum(cut.values()):>9}"
                f"   {len(again):>11}"
            )
        end = _begin(bench, is_first=kills == 0).end()
        calls = Counter(bench.calls())
        return Drill(
            kills=kills,
            cases=cases,
            asked=sum(calls.values()),
            repeated=sum(calls.values()) - len(calls),
            in_flight=sum(in_flight.values()),
            lost=lost,
            left=[*left, *end.left()],
            is_equal=stable_rows(bench) == stable_rows(bench, "quiet"),
            last_line=end.last_line,
        )


def _begin(bench: Bench, *, is_first: bool) -> Session:
    run = "--bench-run=own" if is_first else "--bench-resume=own"
    return Session(bench, run, "--bench-unpaired", f"--bench-jobs={JOBS}")


def _is_at(bench: Bench, wanted: int) -> Callable[[], bool]:
    path = bench.path / "runs" / "own" / "run.json"
    return lambda: path.exists() and len(outcomes(bench)) >= wanted and bool(bench.calls())


def main() -> int:
    """Print what happened; 0 if all of it was as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    done = drill(options.kills, options.cases, options.seed, print)
    rows = "equal" if done.is_equal else "DIFFERENT"
    print(f"killed {done.kills} times; {done.cases} cases, {done.asked} calls")
    print(f"outcomes on disk asked again: {len(done.lost)}")
    print(f"calls asked again: {done.repeated}, cut off by a kill: {done.in_flight}")
    print(f"processes left: {len(done.left)}")
    print(f"results beside those of an undisturbed run, times left out: {rows}")
    print(done.last_line)
    return 0 if done.is_good else 1


if __name__ == "__main__":
    raise SystemExit(main())
