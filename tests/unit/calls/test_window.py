from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.calls.window import look_ahead
from pytest_benchbed.calls.window import may_send_ahead
from pytest_benchbed.calls.window import may_start


@pytest.mark.parametrize(
    ("is_asked", "jobs", "running", "ahead", "is_waiting", "expected"),
    [
        # Nothing in flight: both kinds may start.
        (True, 1, 0, 0, True, True),
        (False, 1, 0, 0, False, True),
        # An item waits: the last place is kept for it.
        (False, 1, 0, 0, True, False),
        (False, 2, 1, 0, True, False),
        (False, 3, 1, 0, True, True),
        (False, 2, 1, 1, True, False),
        (False, 4, 1, 2, True, True),
        (False, 4, 1, 3, True, False),
        # Nobody waits: look-ahead and untaken answers fill the window to the end.
        (False, 4, 0, 3, False, True),
        (False, 4, 0, 4, False, False),
        (False, 4, 2, 4, False, False),
        # Asked calls ignore untaken answers.
        (True, 4, 0, 4, True, True),
        (True, 4, 3, 99, True, True),
        # In flight at most jobs, whoever asks.
        (True, 4, 4, 0, True, False),
        (False, 4, 4, 0, False, False),
        (True, 1, 1, 0, True, False),
    ],
)
def test_the_window(
    is_asked: bool, jobs: int, running: int, ahead: int, is_waiting: bool, expected: bool
) -> None:
    assert (
        may_start(
            is_asked=is_asked,
            jobs=jobs,
            look_ahead=jobs,
            running=running,
            ahead=ahead,
            is_waiting=is_waiting,
        )
        is expected
    )


@pytest.mark.parametrize(
    ("running", "ahead", "is_waiting", "expected"),
    [
        (3, 7, False, True),
        (3, 8, False, False),
        (4, 7, False, False),
        # The last place is kept for an item that waits.
        (3, 3, True, False),
        (2, 3, True, True),
        (2, 7, True, False),
    ],
)
def test_a_session_that_does_not_stop_at_a_failure_looks_further(
    running: int, ahead: int, is_waiting: bool, expected: bool
) -> None:
    assert look_ahead(4, may_stop=True) == 4
    further = look_ahead(4, may_stop=False)

    assert (
        may_start(
            is_asked=False,
            jobs=4,
            look_ahead=further,
            running=running,
            ahead=ahead,
            is_waiting=is_waiting,
        )
        is expected
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"is_paid": False}, True),
        ({"is_paid": True}, False),
        ({"has_budget": True}, False),
        ({"has_rate": True}, False),
        # The session ends at a failure.
        ({"look_ahead": 4}, False),
    ],
)
def test_calls_are_sent_ahead_only_where_none_is_counted(
    changes: dict[str, Any], expected: bool
) -> None:
    usual: dict[str, Any] = {
        "jobs": 4, "look_ahead": 8, "has_budget": False, "has_rate": False, "is_paid": None,
    }  # fmt: skip
    assert may_send_ahead(**{**usual, **changes}) is expected
