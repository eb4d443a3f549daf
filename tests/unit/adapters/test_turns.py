"""Places of a host, and the questions that wait for one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_benchbed.adapters.turns import Turn
from pytest_benchbed.adapters.turns import Turns


def turns_of(capacity: int) -> Turns:
    turns = Turns()
    turns.capacity = capacity
    return turns


def test_a_place_goes_to_the_one_that_waits_longest() -> None:
    turns = turns_of(1)
    first, second, third = Turn(), Turn(), Turn()
    for now, turn in enumerate((first, second, third)):
        turns.take(turn, float(now))
    assert (turns.waiting, turns.is_known(third)) == (2, True)

    turns.leave(first, 5.0, sent_at=0.0)
    turns.leave(second, 8.0, sent_at=1.0)

    assert [turn.started_at for turn in (first, second, third)] == [0.0, 5.0, 8.0]
    assert (turns.answering, turns.waiting) == (1, 0)


def test_what_takes_no_place_begins_at_once_and_leaves_none() -> None:
    turns = turns_of(1)
    running, closing, behind = Turn(), Turn(), Turn()
    turns.take(running, 0.0)
    turns.take(behind, 1.0)
    turns.take(closing, 2.0, takes_place=False)
    assert closing.started_at == 2.0

    turns.leave(closing, 3.0, sent_at=2.0)

    assert (behind.started_at, turns.answering) == (None, 1)


def test_a_question_that_is_not_sent_is_not_known() -> None:
    assert not turns_of(1).is_known(Turn())


@given(st.integers(1, 4), st.lists(st.booleans(), max_size=40), st.data())
def test_no_place_is_lost_and_none_given_twice(capacity, sends, data) -> None:
    turns, sent = turns_of(capacity), []
    for now, is_send in enumerate(sends):
        if is_send:
            sent.append(Turn())
            turns.take(sent[-1], float(now))
        elif sent:
            # Also one without a place: a host that has more than it said.
            gone = sent.pop(data.draw(st.integers(0, len(sent) - 1)))
            turns.leave(gone, float(now), sent_at=0.0)
        begun = [turn for turn in sent if turn.started_at is not None]
        assert turns.answering == len(begun) == min(capacity, len(sent))
        assert turns.waiting == len(sent) - len(begun)
