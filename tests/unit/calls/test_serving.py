"""Results on their way in: executors of other packages, and faults of our own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.calls import intake as intake_module
from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import Carry
from pytest_benchbed.calls.executors import WorkerLost
from pytest_benchbed.calls.pool import UNPREPARED
from pytest_benchbed.model.outcome import Outcome
from tests.unit.calls.fakes import LONG_S
from tests.unit.calls.fakes import System
from tests.unit.calls.fakes import answer
from tests.unit.calls.fakes import broken
from tests.unit.calls.fakes import broker_of
from tests.unit.calls.fakes import ids
from tests.unit.calls.fakes import lines
from tests.unit.calls.fakes import ok
from tests.unit.calls.fakes import plan_of
from tests.unit.calls.fakes import settled

Results = Iterator[tuple[Batch, list[Outcome] | WorkerLost]]


class Other:
    """An executor whose ``run`` is a function of the test."""

    name = "other"
    slots = 4

    def __init__(self, run: Callable[[Iterator[Batch], Carry], Results]) -> None:
        self.run = run

    def close(self) -> None:
        pass


def elsewhere(batches: Iterator[Batch], call: Carry) -> Results:
    for batch in batches:
        yield batch, [ok(f'"{batch.calls[0].case}"')]


def twice(batches: Iterator[Batch], call: Carry) -> Results:
    for result in elsewhere(batches, call):
        yield result
        yield result


def here_and_twice(batches: Iterator[Batch], call: Carry) -> Results:
    for batch in batches:
        outcomes = call(batch)
        yield batch, outcomes
        yield batch, outcomes


@pytest.mark.parametrize("run", [elsewhere, twice, here_and_twice])
def test_each_result_is_taken_in_once(
    tmp_path: Path, run: Callable[[Iterator[Batch], Carry], Results]
) -> None:
    plan = plan_of(tmp_path)
    with broker_of(System(), plan, executor=Other(run), jobs=2) as broker:
        broker.start({"words": ids(6)})
        rows = [broker.predict("words", case) for case in ids(6)]
        assert broker.failures("words") == []

    assert [row["raw"] for row in rows] == [f'"{case}"' for case in ids(6)]
    recorded = [line["case"] for line in lines(tmp_path) if line["kind"] == "outcome"]
    assert sorted(recorded) == ids(6)


def test_an_executor_that_ends_early_leaves_no_item_waiting(tmp_path: Path) -> None:
    def run(batches: Iterator[Batch], call: Carry) -> Results:
        batch = next(batches)
        yield batch, call(batch)

    with broker_of(System(), plan_of(tmp_path), executor=Other(run), jobs=1) as broker:
        broker.start({"words": ids(3)})
        rows = [broker.predict("words", case) for case in ids(3)]
        (failure,) = broker.failures("words")

    assert [row["state"] for row in rows] == ["ok", "technical", "technical"]
    assert "executor other ended before the calls did" in failure.detail


def test_what_comes_after_the_executor_broke_is_still_recorded_and_paid(tmp_path: Path) -> None:
    is_broken, may_end = threading.Event(), threading.Event()
    late: list[threading.Thread] = []

    def run(batches: Iterator[Batch], call: Carry) -> Results:
        batch = next(batches)
        late.append(threading.Thread(target=call, args=(batch,)))
        late[0].start()
        assert settled(lambda: is_broken.is_set())
        yield from ()
        raise OSError("the cluster is gone")

    def slow(case: dict[str, Any]) -> Outcome:
        is_broken.set()
        assert may_end.wait(LONG_S)
        return ok(cost="0.5")

    with broker_of(System(answer=slow), plan_of(tmp_path), executor=Other(run), jobs=1) as broker:
        broker.start({"words": ids(1)})
        row = broker.predict("words", "c-000")
        may_end.set()
        late[0].join(LONG_S)
        assert settled(lambda: broker.spend("words").spent_usd == Decimal("0.5"))
        assert broker._schedule.running == 0

    assert (row["state"], row["error"]["kind"]) == ("technical", "internal")
    assert [line["kind"] for line in lines(tmp_path)] == ["intent", "outcome"]


def test_a_result_that_we_cannot_receive_counts_as_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_row(*_: Any) -> dict[str, Any]:
        raise KeyError("bug")

    monkeypatch.setattr(intake_module, "outcome_row", broken_row)
    system = System(answer=lambda case: ok(cost=1))
    plan = plan_of(tmp_path, budget_usd=Decimal(2), spec={"max_cost_usd": Decimal(1)})

    with broker_of(system, plan, jobs=1) as broker:
        broker.start({"words": ids(5)})
        kinds = [broker.predict("words", case)["error"]["kind"] for case in ids(5)]
        spend = broker.spend("words")

    assert kinds == ["internal"] * 2 + ["budget_exhausted"] * 3
    assert (len(system.calls), spend.spent_usd) == (2, 2)


def test_a_call_that_lost_its_context_after_a_stop_is_answered(tmp_path: Path) -> None:
    is_asked, may_end = threading.Event(), threading.Event()

    def run(batches: Iterator[Batch], call: Carry) -> Results:
        for batch in batches:
            if batch.calls[0].case is None:
                yield batch, call(batch)
            else:
                is_asked.set()
                assert may_end.wait(LONG_S)
                yield batch, [UNPREPARED]

    plan = plan_of(tmp_path, contexts={"c-000": "k"})
    with broker_of(System(), plan, executor=Other(run), jobs=1) as broker:
        broker.start({"words": ["c-000"]})
        assert is_asked.wait(LONG_S)
        broker.stop("enough")
        may_end.set()
        assert settled(lambda: broker._schedule.running == 0)

        assert answer(broker.ask("words", "c-000"))["state"] == "not-run"


def test_a_case_that_ends_a_shared_process_is_no_outage(tmp_path: Path) -> None:
    """All calls in that process fail, which says as much as one of them."""
    all_asked = threading.Barrier(12, timeout=LONG_S)

    def crash(case: dict[str, Any]) -> Outcome:
        if case["id"] < "c-012":
            all_asked.wait()
            return broken("crash")
        return ok()

    info = AdapterInfo("fake", max_concurrency=12, is_shared=True)
    with broker_of(System(answer=crash, info=info), plan_of(tmp_path), jobs=12) as broker:
        broker.start({"words": []})
        first = [broker.ask("words", case) for case in ids(12)]
        kinds = [answer(future)["error"]["kind"] for future in first]
        later = broker.predict("words", "c-012")
        assert broker.failures("words") == []

    assert kinds == ["crash"] * 12
    assert later["state"] == "ok"
