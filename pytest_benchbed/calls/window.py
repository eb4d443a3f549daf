"""How far the broker may look ahead: the arithmetic alone.

A call that an item waits for is *asked*; any other is *look-ahead*. What is
answered but not yet asked for fills the window too, so that a session that
stops has paid for at most ``jobs`` calls it did not use.
"""

from __future__ import annotations


def may_start(*, is_asked: bool, jobs: int, running: int, ahead: int, is_waiting: bool) -> bool:
    """Say whether one more call may start.

    ``running``: calls in flight. ``ahead``: look-ahead calls in flight plus
    those answered that no item has asked for yet. ``is_waiting``: some item
    waits for a call that is not in flight; its turn comes first, so one place is kept free.

    Asked calls ignore ``ahead``: else answers that nobody asks for yet fill the
    window and every item waits for ever (items of xdist workers come in another
    order than the selection).
    """
    if running >= jobs:
        return False
    return is_asked or ahead < jobs - is_waiting
