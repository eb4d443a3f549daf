"""A seeded flaky system through real sessions: they say what the simulation says of the same draws.

The simulation plays hundreds of systems; here one is recorded, repeated and changed
by pytest itself, so that its rates are those of the sessions a user runs.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.simulation.published import BROKEN
from tests.simulation.verdicts import CANDIDATE
from tests.simulation.verdicts import OLD
from tests.simulation.verdicts import System
from tests.simulation.verdicts import play
from tests.simulation.worlds import Setting

ATTEMPTS = range(1, 7)
CONTROLS = OLD[1:3]


def replies(system: System, run: str) -> dict[str, Any]:
    """Script each attempt of each case as it is drawn."""
    return {
        case: {
            "attempts": [
                [] if system.is_right(run, case, attempt) else ["row"] for attempt in ATTEMPTS
            ]
        }
        for case in system.chances
    }


@pytest.mark.parametrize(
    ("setting", "seed"),
    [(Setting(50, 0.20), "36"), (Setting(50, 0.20, BROKEN), "32")],
    ids=["unchanged", "one case broken"],
)
def test_real_sessions_say_what_the_simulation_says(
    pytester: pytest.Pytester, setting: Setting, seed: str
) -> None:
    system = System(setting, seed)
    expected = play(system)
    # Small, but of every kind: unstable cases, and suspects that a re-ask clears.
    outcomes = [one.outcome for one in expected.gate.suspects]
    assert (expected.gate.D > 3, outcomes.count("wobbled")) == (True, 2)
    bench = Bench(pytester).make(setting.cases)
    for run in (OLD[0], *CONTROLS):
        bench.record(run, replies(system, run), deterministic=False)
    bench.answers(replies(system, CANDIDATE), deterministic=False)

    result = bench.run(
        "--baseline=base", *(f"--bench-control={one}" for one in CONTROLS), "--bench-run=own"
    )

    gate = bench.gates("own")["main"]
    wanted = expected.gate.to_json()
    same = ("status", "rule", "K", "D", "r", "allowed", "unstable", "loo_counts", "false_alarm")
    assert {name: gate[name] for name in same} == {name: wanted[name] for name in same}
    assert [
        (one["case"], one["outcome"], one["attempts"], one["wrong"]) for one in gate["suspects"]
    ] == [(one.case, one.outcome, one.attempts, one.wrong) for one in expected.gate.suspects]
    assert result.ret == expected.is_red
    assert last_line(result).endswith(f": {expected.gate.reason}")
    if setting.change == BROKEN:
        assert f"1 regression confirmed ({system.broken[0]})" in last_line(result)
