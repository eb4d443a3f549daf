"""How far the broker may look ahead: the arithmetic alone.

A call that an item waits for is *asked*; any other is *look-ahead*. What is
answered but not yet asked for fills the look-ahead too, so that a session that
stops has paid for at most so many calls it did not use.
"""

from __future__ import annotations


def look_ahead(jobs: int, *, may_stop: bool) -> int:
    """Return how many calls may be made or answered that no item has asked for.

    ``may_stop``: the session ends at a failure, and what it has not used was paid in
    vain: then ``jobs`` (with workers also what their items had asked for). Any other
    session uses them all, and so many more let every place stay in use while answers
    wait for an item that is slow.
    """
    return jobs if may_stop else 2 * jobs


def may_send_ahead(
    *, jobs: int, look_ahead: int, has_budget: bool, has_rate: bool, is_paid: bool | None
) -> bool:
    """Say whether quick calls may be sent to a process before it has a place for them.

    What is sent cannot be taken back: not where each call has its price or its moment,
    and not where the session ends at a failure (:func:`look_ahead`).
    """
    return look_ahead > jobs and not has_budget and not has_rate and is_paid is not True


def may_start(
    *, is_asked: bool, jobs: int, look_ahead: int, running: int, ahead: int, is_waiting: bool
) -> bool:
    """Say whether one more call may start.

    ``running``: calls that systems are at. ``ahead``: look-ahead calls in flight plus
    those answered that no item has asked for yet. ``is_waiting``: some item
    waits for a call that is not in flight; its turn comes first, so one place
    is kept free.

    Asked calls ignore ``ahead``: else answers that nobody asks for yet fill the
    window and every item waits for ever (items of xdist workers come in another
    order than the selection).
    """
    if is_asked:
        return running < jobs
    return running < jobs - is_waiting and ahead < look_ahead - is_waiting
