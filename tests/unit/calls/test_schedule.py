"""The order of calls, without threads: what `choose` gives for a state of the schedule."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.calls.call import Call
from pytest_benchbed.calls.group import HostGroup
from pytest_benchbed.calls.group import Slot
from pytest_benchbed.calls.schedule import Schedule
from pytest_benchbed.calls.schedule import Sleep
from pytest_benchbed.calls.schedule import Start
from pytest_benchbed.calls.state import RunState
from tests.unit.calls.fakes import System
from tests.unit.calls.fakes import plan_of


class Desk:
    """A schedule with one run and as many slots as jobs."""

    def __init__(self, folder: Path, jobs: int, **changes: Any) -> None:
        plan = plan_of(folder, **changes)
        self.schedule = Schedule(jobs, look_ahead=jobs)
        self.run = RunState(plan)
        self.run.group = HostGroup(plan, System().host, jobs)
        self.run.group.slots = [Slot(index, 1) for index in range(jobs)]

    def call(self, case: str, *, is_asked: bool = True) -> Call:
        made = Call(self.run, self.run.plan.view(case), 1, is_asked=is_asked, now=0.0)
        self.schedule.add(made)
        return made

    def begin(self, now: float = 0.0) -> Call:
        choice = self.schedule.choose(now)
        assert isinstance(choice, Start)
        self.schedule.begin(choice, now)
        return choice.call

    def end(self, call: Call) -> None:
        self.schedule.landed(call)
        self.schedule.answered(call)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, jobs=4)


def test_asked_calls_go_in_the_order_of_asking_before_the_look_ahead(desk: Desk) -> None:
    desk.call("ahead", is_asked=False)
    for case in ("b", "a"):
        desk.call(case)

    assert [desk.begin().case for _ in range(3)] == ["b", "a", "ahead"]


def test_a_lone_call_waits_until_nothing_runs_and_nothing_starts_beside_it(desk: Desk) -> None:
    other = desk.call("other")
    desk.begin()
    lone = desk.call("lone")
    lone.is_alone = True
    desk.call("third")

    assert desk.schedule.choose(0.0) == Sleep(None)
    desk.end(other)
    assert desk.begin() is lone
    assert desk.schedule.choose(0.0) == Sleep(None)
    desk.end(lone)
    assert desk.begin().case == "third"


def test_a_call_that_is_asked_again_waits_for_its_time_and_gives_its_slot_back(desk: Desk) -> None:
    call = desk.call("a")
    desk.begin()
    desk.schedule.landed(call)
    desk.schedule.again(call, due=5.0)

    assert call.slot is None
    assert desk.schedule.choose(2.0) == Sleep(3.0)
    assert desk.begin(5.0) is call


def test_an_asked_call_that_is_due_again_goes_before_newer_ones(desk: Desk) -> None:
    call = desk.call("old")
    desk.begin()
    desk.schedule.landed(call)
    desk.schedule.again(call, due=5.0)
    desk.call("new")

    assert desk.begin(5.0) is call


def test_the_shorter_of_rate_and_retry_ends_the_sleep(tmp_path: Path) -> None:
    desk = Desk(tmp_path, jobs=4, rate="60/min")
    call = desk.call("a")
    desk.begin(0.0)
    desk.schedule.landed(call)
    desk.schedule.again(call, due=9.0)
    desk.call("b")

    assert desk.schedule.choose(0.25) == Sleep(0.75)


def test_an_answer_that_is_taken_makes_room_for_the_look_ahead(tmp_path: Path) -> None:
    desk = Desk(tmp_path, jobs=1)
    first = desk.call("a", is_asked=False)
    desk.begin()
    desk.end(first)
    desk.call("b", is_asked=False)

    assert desk.schedule.choose(0.0) == Sleep(None)
    desk.schedule.ask(first)
    assert desk.begin().case == "b"


def test_the_counts_return_to_nothing(desk: Desk) -> None:
    schedule = desk.schedule
    calls = [desk.call("a"), desk.call("b", is_asked=False), desk.call("c")]
    for _ in calls:
        desk.begin()
    schedule.ask(calls[1])
    for call in calls:
        desk.end(call)
        desk.end(call)

    assert (schedule.running, schedule.ahead) == (0, 0)
    assert desk.run.group is not None
    assert [slot.running for slot in desk.run.group.slots] == [0, 0, 0, 0]


def test_a_dropped_run_leaves_the_others(tmp_path: Path, desk: Desk) -> None:
    other = Desk(tmp_path, jobs=4)
    other.schedule = desk.schedule
    kept = other.call("kept")
    gone = [desk.call("a"), desk.call("b", is_asked=False)]

    assert desk.schedule.drop(desk.run) == gone
    assert desk.begin() is kept


def test_the_next_call_does_not_wait_until_a_reply_is_on_the_disk(tmp_path: Path) -> None:
    desk = Desk(tmp_path, jobs=1)
    first, second = desk.call("a"), desk.call("b")
    desk.begin()
    assert isinstance(desk.schedule.choose(0.0), Sleep)

    desk.schedule.arrived(first, 1.0)

    assert desk.begin() is second
    desk.end(first)
    assert isinstance(desk.schedule.choose(0.0), Sleep)
    assert desk.schedule.running == 1


def test_an_item_that_waits_for_a_call_in_flight_takes_no_place_of_the_look_ahead(
    tmp_path: Path,
) -> None:
    """Its call is asked for already: a session that stops has not paid for it in vain."""
    desk = Desk(tmp_path, jobs=2)
    calls = [desk.call(case, is_asked=False) for case in ("a", "b", "c", "d")]
    first, second = desk.begin(), desk.begin()
    assert [first, second] == calls[:2]

    desk.schedule.ask(first)
    assert isinstance(desk.schedule.choose(0.0), Sleep)
    desk.schedule.arrived(second, 1.0)

    assert desk.begin() is calls[2]
    desk.schedule.arrived(calls[2], 1.0)
    assert isinstance(desk.schedule.choose(0.0), Sleep)


class Shared(Desk):
    """Two slots: one process that takes two calls at once, and one for one call."""

    def __init__(self, folder: Path, *, jobs: int = 3, spare: int = 1) -> None:
        super().__init__(folder, jobs)
        self.schedule = Schedule(jobs, look_ahead=2 * jobs)
        self.both, self.single = Slot(0, 2), Slot(0, 1)
        self.both.spare, self.both.is_quick = spare, True
        assert self.run.group is not None
        self.run.group.slots = [self.both]
        self.other = RunState(self.run.plan)
        self.other.group = HostGroup(self.run.plan, System().host, jobs)
        self.other.group.slots = [self.single]

    def call(self, case: str, *, is_asked: bool = True, is_other: bool = False) -> Call:
        run = self.other if is_other else self.run
        made = Call(run, run.plan.view(case), 1, is_asked=is_asked, now=0.0)
        self.schedule.add(made)
        return made


def test_a_quick_call_is_sent_before_there_is_a_place_for_it(tmp_path: Path) -> None:
    desk = Shared(tmp_path, jobs=2)
    calls = [desk.call(case, is_asked=False) for case in ("a", "b", "c", "d")]

    assert [desk.begin() for _ in range(3)] == calls[:3]
    assert desk.schedule.is_full
    assert desk.schedule.choose(0.0) == Sleep(None)

    desk.schedule.arrived(calls[0], 0.05)
    assert not desk.schedule.is_full
    assert desk.begin() is calls[3]
    for call in calls:
        desk.end(call)
    assert (desk.both.in_flight, desk.both.running, desk.schedule._asking) == (0, 0, 0)


def test_a_slow_call_is_not(tmp_path: Path) -> None:
    desk = Shared(tmp_path, jobs=2)
    calls = [desk.call(case, is_asked=False) for case in ("a", "b", "c", "d", "e")]
    for _ in range(3):
        desk.begin()

    desk.schedule.arrived(calls[0], 0.6)

    assert desk.schedule.is_full
    assert desk.schedule.choose(0.0) == Sleep(None)
    desk.schedule.arrived(calls[1], 0.6)
    assert desk.begin() is calls[3]


def test_what_is_sent_ahead_never_makes_more_calls_at_once(tmp_path: Path) -> None:
    """Two systems share the jobs: the one with a spare place has them not alone."""
    desk = Shared(tmp_path, jobs=2)
    first = desk.call("a")
    other = desk.call("b", is_other=True)
    assert [desk.begin(), desk.begin()] == [first, other]

    # A place is free in its process, and none in the session: it would begin at once.
    later = desk.call("c")
    assert desk.schedule.choose(0.0) == Sleep(None)
    desk.end(other)
    assert desk.begin() is later


def test_nothing_is_sent_ahead_while_an_item_waits_for_a_place_elsewhere(tmp_path: Path) -> None:
    """It would take the next place, and the one after that, and the item waits for ever."""
    desk = Shared(tmp_path, jobs=2)
    calls = [desk.call(case, is_asked=False) for case in ("a", "b", "c", "d")]
    assert [desk.begin(), desk.begin()] == calls[:2]
    waited_for = desk.call("e", is_other=True)

    assert desk.schedule.choose(0.0) == Sleep(None)
    desk.end(calls[0])
    assert desk.begin() is waited_for


def test_a_call_that_waits_for_a_place_elsewhere_is_not_overtaken_for_ever(tmp_path: Path) -> None:
    """Each younger one would be sent ahead, have the next place, and leave it to the next."""
    desk = Shared(tmp_path, jobs=2)
    busy = [desk.call(case) for case in ("a", "b")]
    assert [desk.begin(), desk.begin()] == busy
    old = desk.call("old", is_other=True)
    young = desk.call("young")

    assert desk.schedule.choose(0.0) == Sleep(None)
    desk.schedule.arrived(busy[0], 0.05)
    assert desk.begin() is old
    desk.schedule.arrived(busy[1], 0.05)
    assert desk.begin() is young


def test_taking_in_a_context_says_nothing_of_the_calls(tmp_path: Path) -> None:
    desk = Shared(tmp_path, jobs=2, spare=1)
    desk.both.is_quick = False
    call = desk.call("a")
    desk.begin()
    call.is_preparing = True

    desk.schedule.arrived(call, 0.001)

    assert not desk.both.is_quick


def test_a_call_whose_slot_takes_its_context_in_waits_for_that(tmp_path: Path) -> None:
    """Two that lost their process both keep their slot: one takes the context in again."""
    desk = Shared(tmp_path, jobs=2)
    call = desk.call("a")
    call.context, call.slot = ("words", "k"), desk.both
    desk.both.preparing.add(("words", "k"))

    assert desk.schedule.choose(0.0) == Sleep(None)
    desk.both.preparing.clear()
    assert desk.begin() is call


def test_a_call_given_up_in_flight_leaves_its_place_when_it_is_back(tmp_path: Path) -> None:
    desk = Shared(tmp_path, jobs=2)
    call = desk.call("a")
    desk.begin()
    desk.schedule.answered(call)
    assert desk.both.in_flight == 1

    desk.schedule.landed(call)

    assert (desk.both.in_flight, desk.schedule.running) == (0, 0)


def test_what_arrived_unasked_still_fills_the_look_ahead(tmp_path: Path) -> None:
    """Or a session that stops has paid for more than it may."""
    desk = Desk(tmp_path, jobs=2)
    for case in ("a", "b", "c"):
        desk.call(case, is_asked=False)
    first, _ = desk.begin(), desk.begin()

    desk.schedule.arrived(first, 1.0)

    assert isinstance(desk.schedule.choose(0.0), Sleep)


def test_a_reply_on_its_way_to_the_disk_keeps_its_money_reserved(tmp_path: Path) -> None:
    desk = Desk(tmp_path, jobs=2, budget_usd=Decimal("1"), spec={"max_cost_usd": Decimal("1")})
    first = desk.call("a")
    desk.call("b")
    desk.begin()

    desk.schedule.arrived(first, 1.0)

    assert isinstance(desk.schedule.choose(0.0), Sleep)
