from __future__ import annotations

import threading

import pytest

from pytest_benchbed.calls.rate import Rate
from pytest_benchbed.calls.rate import SystemClock


def starts(rate: Rate, times: list[float]) -> list[float]:
    """Return when calls start that are ready at ``times``."""
    started = []
    now = 0.0
    for ready in times:
        now = max(now, ready)
        now += rate.wait_s(now)
        rate.take(now)
        started.append(now)
    return started


@pytest.mark.parametrize(
    ("text", "interval_s"), [("60/min", 1.0), ("4/s", 0.25), ("1800/h", 2.0), ("1/s", 1.0)]
)
def test_starts_are_evenly_spaced(text: str, interval_s: float) -> None:
    assert starts(Rate(text), [10.0] * 4) == [10.0 + interval_s * n for n in range(4)]


def test_a_pause_saves_up_no_burst() -> None:
    assert starts(Rate("60/min"), [0.0, 0.0, 50.0, 50.0, 50.0]) == [0.0, 1.0, 50.0, 51.0, 52.0]


def test_without_a_rate_nothing_waits() -> None:
    assert starts(Rate(None), [5.0] * 100) == [5.0] * 100


@pytest.mark.parametrize("text", ["60", "60/day", "0/s", "-1/s", "1.5/s", "/min", "60/min/min"])
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a rate is COUNT"):
        Rate(text)


def test_the_system_clock_goes_on_and_its_waits_end() -> None:
    clock = SystemClock()
    before = clock.now()
    changed = threading.Condition()

    with changed:
        clock.wait(changed, 0.001)

    assert clock.now() > before
