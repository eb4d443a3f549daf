"""What a process measures inside itself: ``python -m tests.perf.inside FOLDER RUN COUNT``.

Prints one JSON object. A process of its own, so that the one that starts the
measured sessions stays small: on Linux a child's peak counts from its parent's.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pytest_benchbed.compare.bootstrap import Unit
from pytest_benchbed.compare.bootstrap import interval
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.keys import CaseKeys
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.rows import SavedRows
from tests.crash.hostile import case
from tests.crash.hostile import make_host
from tests.perf.cost import rounds
from tests.unit.compare.builders import PROFILES as TWO_PROFILES
from tests.unit.compare.builders import ExampleType
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import record
from tests.unit.compare.builders import row

CALLS = 1_000
PROFILES = ("first", "second", "third", "fourth")
CONTROLS = 3


class FourProfiles(ExampleType):
    """The type of the gate's examples, judged in four ways."""

    profiles = PROFILES


def host_ms(folder: Path) -> float:
    """Return the milliseconds of a call of 200 bytes to an adapter that has no work of its own."""
    host = make_host(folder, "def predict(case):\n    return {}\n")
    host.start()
    question = case(text="x" * 200)
    try:

        def calls() -> None:
            for _ in range(CALLS):
                assert host.predict(question, 10.0).state == "ok"

        return least(calls, time.perf_counter) / CALLS * 1000
    finally:
        host.close()


def gate_s(count: int, rule: str = "strict") -> float:
    """Return the CPU seconds of the verdicts of ``count`` cases, one case in ten wrong.

    Under another rule than strict one case in twenty wobbles in the old code, so that
    the noise has to be worked out.
    """
    keys = CaseKeys(FourProfiles())
    names = [f"case-{number:06}" for number in range(count)]

    def facts(run: str) -> RunFacts:
        rows = {}
        for number, name in enumerate(names):
            wobbles = rule != "strict" and run == "base" and number % 20 == 1
            made = row(name, "" if number % 10 and not wobbles else "a", profiles=PROFILES)
            rows[name] = {**made, "keys": keys.of(name, made["key_parts"])}
        counts = {"scope": count, "selected": count}
        return RunFacts(record(run, counts=counts, benchmark={"profiles": list(PROFILES)}), rows)

    candidate, baseline = facts("candidate"), facts("base")
    controls = [facts(f"control-{number}") for number in range(CONTROLS)]

    def verdicts() -> None:
        for profile in PROFILES:
            verdict = decide(
                candidate,
                baseline,
                controls,
                profile=profile,
                decides=True,
                rule=rule,
                rule_source="option",
                targets=(),
                judge=Judging(),
            )
            unstable = count // 20 if rule != "strict" else 0
            assert len(verdict.unstable) == unstable
            assert verdict.status == "passed", verdict.reason

    return least(verdicts, time.process_time)


def bootstrap_s(count: int) -> float:
    """Return the CPU seconds of 1,000 resamples of ``count`` cases, of the slowest kind."""
    draw = random.Random("kinds")
    kinds: list[list[Unit]] = [
        [(float(draw.random() < 0.9), 1.0, float(draw.random() < 0.9), 1.0) for _ in range(count)],
        [(draw.randrange(4) / 3, 1.0) for _ in range(count)],
        [(draw.random(), 1.0) for _ in range(count)],
        [(draw.random(), 1.0) for _ in range(250)],
    ]
    return max(least(partial(interval, units, draw.random), time.process_time) for units in kinds)


def pair_us(folder: Path, count: int) -> float:
    """Return the CPU microseconds a case of the verdict over two runs with the same results."""
    names = [f"case-{number:06}" for number in range(count)]
    runs = []
    for number, run in enumerate(("candidate", "base")):
        path = folder / f"{run}.jsonl"
        rows = (row(name, "" if at % 10 else "a") for at, name in enumerate(names))
        # Of two runs no two times are equal.
        lines = (canonical({**one, "x": {**one["x"], "latency_s": number + 0.5}}) for one in rows)
        digest = write_results(path, lines)
        counts = {"scope": count, "selected": count}
        saved = SavedRows.open(path, digest, run=run, profiles=TWO_PROFILES)
        runs.append(RunFacts(record(run, counts=counts), saved))

    candidate, baseline = runs

    def verdict() -> None:
        found = decide(
            candidate,
            baseline,
            profile="logical",
            decides=True,
            rule="strict",
            rule_source="option",
            targets=(),
            judge=Judging(),
        )
        assert found.status == "passed", found.reason
        assert found.coverage.compared == count

    return least(verdict, time.process_time) / count * 1e6


def open_s(run: Path) -> float:
    """Return the CPU seconds of reading a saved run for a comparison."""
    return least(lambda: Run.open(run).facts(), time.process_time)


def least(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return the least of several times: noise only adds."""
    times = []
    for _ in range(rounds()):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


if __name__ == "__main__":
    scratch, saved, cases = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    measured = {
        "host_ms": host_ms(scratch),
        "gate_s": gate_s(cases),
        "confirm_s": gate_s(cases, "confirm"),
        "bootstrap_s": bootstrap_s(cases),
        "pair_us": pair_us(scratch, cases),
        "open_s": open_s(saved),
    }
    sys.stdout.write(json.dumps(measured) + "\n")
