"""Questions, look-ahead, stop and close, with hosts that are no processes."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.python_host import PrepareReply
from pytest_benchbed.calls import group
from pytest_benchbed.calls import record
from pytest_benchbed.calls import schedule
from pytest_benchbed.calls import serving
from pytest_benchbed.calls.broker import Broker
from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.model.bench_file import RetryPolicy
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.run import TechnicalRecord
from tests.unit.calls.fakes import LONG_S
from tests.unit.calls.fakes import FakeHost
from tests.unit.calls.fakes import System
from tests.unit.calls.fakes import answer
from tests.unit.calls.fakes import broken
from tests.unit.calls.fakes import broker_of
from tests.unit.calls.fakes import ids
from tests.unit.calls.fakes import lines
from tests.unit.calls.fakes import ok
from tests.unit.calls.fakes import plan_of
from tests.unit.calls.fakes import resumed
from tests.unit.calls.fakes import retry
from tests.unit.calls.fakes import settled


def test_an_answer_is_the_outcome_line_on_disk(tmp_path: Path) -> None:
    system = System(answer=lambda case: ok('{"x":1}', cost="0.25"))

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": ["c-1"]})
        given = broker.predict("words", "c-1")

    intent, outcome = lines(tmp_path)
    assert given == outcome
    assert (intent["kind"], intent["case"], intent["attempt"]) == ("intent", "c-1", 1)
    assert intent["request_sha256"] == outcome["request_sha256"]
    assert {key: outcome[key] for key in ("state", "raw", "error", "usage", "latency_s")} == {
        "state": "ok",
        "raw": '{"x":1}',
        "error": None,
        "usage": {"cost_usd": 0.25},
        "latency_s": 0.25,
    }


def test_the_outcome_is_on_disk_before_the_future_is_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_benchbed.calls import record as record_module

    synced: list[int] = []
    seen: list[int] = []
    monkeypatch.setattr(record_module, "_sync", lambda _: synced.append(len(lines(tmp_path))))

    with broker_of(System(), plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        future = broker.ask("words", "c-1")
        future.add_done_callback(lambda _: seen.extend(synced))
        answer(future)

    assert seen == [2]


def test_a_question_asked_by_many_threads_is_one_call(tmp_path: Path) -> None:
    system = System(holding=threading.Event())
    futures: list[Future[Line]] = []

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": []})

        def ask() -> None:
            for case in ids(5):
                futures.append(broker.ask("words", case))

        threads = [threading.Thread(target=ask) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG_S)
        assert system.holding is not None
        system.holding.set()
        for future in futures:
            answer(future)

    assert sorted(system.cases) == ids(5)
    assert len({id(future) for future in futures}) == 5


def test_a_question_asked_again_later_is_served_without_a_call(tmp_path: Path) -> None:
    system = System()

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": ids(3)})
        first = broker.ask("words", "c-000")
        given = answer(first)
        assert broker.ask("words", "c-000") is first
        del first
        assert broker.predict("words", "c-000") == given

    assert system.cases.count("c-000") == 1


def test_an_answer_that_was_taken_is_not_kept_in_memory(tmp_path: Path) -> None:
    with broker_of(System(), plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": ids(2)})
        assert settled(lambda: len(lines(tmp_path)) == 4)
        for case in ids(2):
            broker.predict("words", case)
        broker.predict("words", "c-009")
        assert broker._book._calls == {}


def test_a_technical_outcome_is_not_asked_again_in_the_session(tmp_path: Path) -> None:
    system = System(answer=lambda case: broken())

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": ["c-1"]})
        first = broker.predict("words", "c-1")
        second = broker.predict("words", "c-1")

    assert first == second
    assert len(system.calls) == 1


def test_attempts_are_questions_of_their_own(tmp_path: Path) -> None:
    system = System()

    with broker_of(system, plan_of(tmp_path, repeats=2)) as broker:
        broker.start({"words": ["c-1"]})
        for attempt in (1, 2, 3):
            assert broker.predict("words", "c-1", attempt)["attempt"] == attempt

    assert system.calls == [("c-1", 1), ("c-1", 2), ("c-1", 3)]


def test_benchmarks_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    plans = [
        plan_of(tmp_path / "a", benchmark="a", spec={"model": "small"}),
        plan_of(tmp_path / "b", benchmark="b", spec={"model": "large"}),
    ]
    system = System(answer=lambda case: ok(f'"{case["benchmark"]}"', cost=1))

    with broker_of(system, *plans) as broker:
        broker.start({"a": ["c-1"], "b": ["c-1"]})
        assert broker.predict("a", "c-1")["raw"] == '"a"'
        assert broker.predict("b", "c-1")["raw"] == '"b"'
        assert broker.spend("a").spent_usd == 1

    assert [line["benchmark"] for line in lines(tmp_path / "a")] == ["a", "a"]
    assert [line["benchmark"] for line in lines(tmp_path / "b")] == ["b", "b"]


@pytest.mark.parametrize(("model", "processes"), [("small", 1), ("large", 2)])
def test_runs_share_processes_only_if_the_adapter_is_equal(
    tmp_path: Path, model: str, processes: int
) -> None:
    (tmp_path / "b").mkdir()
    code = tmp_path / "fake.py"
    first = plan_of(tmp_path, benchmark="a", spec={"model": "small"})
    second = plan_of(tmp_path / "b", benchmark="b", spec={"model": model})
    object.__setattr__(second.spec, "path", code)
    system = System()

    with broker_of(system, first, second, jobs=1) as broker:
        broker.start({"a": ["c-1"], "b": ["c-1"]})
        broker.predict("a", "c-1")
        broker.predict("b", "c-1")

    assert len(system.starts) == processes


def test_look_ahead_goes_in_selection_order_up_to_the_window(tmp_path: Path) -> None:
    system = System()
    cases = ids(20)

    with broker_of(system, plan_of(tmp_path), jobs=3) as broker:
        broker.start({"words": cases})
        assert settled(lambda: len(system.calls) == 3)
        assert sorted(system.cases) == cases[:3]
        broker.predict("words", cases[0])
        assert settled(lambda: len(system.calls) == 4)
        assert system.cases[3] == cases[3]
        assert not settled_soon(lambda: len(system.calls) > 4)


def settled_soon(condition: Any) -> bool:
    pause = threading.Event()
    for _ in range(8):
        if condition():
            return True
        pause.wait(0.005)
    return bool(condition())


def test_look_ahead_asks_the_first_attempt_only(tmp_path: Path) -> None:
    system = System()

    with broker_of(system, plan_of(tmp_path, repeats=3), jobs=4) as broker:
        broker.start({"words": ["c-1"]})
        assert settled(lambda: len(system.calls) == 1)
        assert not settled_soon(lambda: len(system.calls) > 1)

    assert system.calls == [("c-1", 1)]


def test_an_asked_case_far_behind_goes_before_the_look_ahead(tmp_path: Path) -> None:
    system = System(holding=threading.Event())
    cases = ids(20)

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": cases})
        assert settled(lambda: len(system.calls) == 2)
        future = broker.ask("words", "c-019")
        assert system.holding is not None
        system.holding.set()
        answer(future)

    assert system.cases.index("c-019") == 2


def test_asked_cases_go_on_although_nobody_takes_the_look_ahead(tmp_path: Path) -> None:
    """Items of xdist workers come in another order: a full window must not starve them."""
    system = System()
    cases = ids(30)

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": cases})
        assert settled(lambda: len(system.calls) == 2)
        for case in reversed(cases):
            assert broker.predict("words", case)["state"] == "ok"

    assert sorted(system.cases) == cases


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_more_calls_than_jobs_are_in_flight(tmp_path: Path, jobs: int) -> None:
    pause = threading.Event()

    def slowly(case: dict[str, Any]) -> Outcome:
        pause.wait(0.002)
        return ok()

    system = System(answer=slowly)
    with broker_of(system, plan_of(tmp_path), jobs=jobs) as broker:
        broker.start({"words": ids(30)})
        for future in [broker.ask("words", case) for case in ids(30)]:
            answer(future)

    assert system.most == jobs


def test_slots_are_the_smaller_of_jobs_and_what_the_adapter_takes(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=LONG_S)
    system = System(answer=lambda case: (both.wait(), ok())[1])
    system.info = type(system.info)("fake", max_concurrency=2)

    with broker_of(system, plan_of(tmp_path), jobs=4) as broker:
        broker.start({"words": ids(12)})
        for future in [broker.ask("words", case) for case in ids(12)]:
            answer(future)
        assert broker.slots == 2

    assert set(system.starts) == {0, 1}
    assert system.most <= 2


def test_an_async_adapter_has_one_process_with_several_calls(tmp_path: Path) -> None:
    system = System(holding=threading.Event())
    system.info = type(system.info)("fake", max_concurrency=3, is_shared=True)

    with broker_of(system, plan_of(tmp_path), jobs=4) as broker:
        broker.start({"words": ids(6)})
        futures = [broker.ask("words", case) for case in ids(6)]
        assert settled(lambda: system.running == 3)
        assert system.holding is not None
        system.holding.set()
        rows = [answer(future) for future in futures]

    assert system.starts == [0]
    assert system.most == 3
    assert {row["slot"] for row in rows} == {0}


QUICK = AdapterInfo("fake", max_concurrency=4, is_shared=True)


def sent_at_once(folder: Path, info: AdapterInfo, look_ahead: int = 8, **changes: Any) -> int:
    """Return how many calls are in a process that has answered one, and no more after it."""
    gate = threading.Event()
    system = System(info=info)
    system.answer = lambda case: (case["id"] == "c-000" or gate.wait(LONG_S), ok(cost="0.01"))[1]
    plan = plan_of(folder, **changes)
    with broker_of(system, plan, jobs=4, look_ahead=look_ahead) as broker:
        broker.start({"words": ids(20)})
        broker.predict("words", "c-000")
        assert settled(lambda: system.running >= 4 and is_idle(broker))
        found = system.running
        gate.set()
        for case in ids(20):
            assert broker.predict("words", case)["state"] == "ok"
    assert [line["kind"] for line in lines(folder)].count("outcome") == 20
    return found


def is_idle(broker: Broker) -> bool:
    """Say whether nothing may start, with the next cases in sight."""
    with broker._changed:
        broker._dispatcher._look_ahead()
        return isinstance(broker._schedule.choose(broker._clock.now()), schedule.Sleep)


def test_quick_calls_are_sent_to_a_shared_process_before_it_has_a_place(tmp_path: Path) -> None:
    assert sent_at_once(tmp_path, QUICK) == 5


@pytest.mark.parametrize(
    ("info", "changes"),
    [
        (replace(QUICK, is_shared=False), {}),
        (replace(QUICK, fresh_process=True), {}),
        (replace(QUICK, paid=True), {}),
        (QUICK, {"look_ahead": 4}),
        (QUICK, {"rate": "1000/s"}),
        (QUICK, {"budget_usd": Decimal(10), "spec": {"max_cost_usd": Decimal("0.01")}}),
    ],
    ids=["one process a call", "a new one each", "paid", "-x", "rate", "budget"],
)
def test_nothing_is_sent_ahead_where_each_call_counts(
    tmp_path: Path, info: AdapterInfo, changes: dict[str, Any]
) -> None:
    assert sent_at_once(tmp_path, info, **changes) == 4


def test_nothing_is_sent_ahead_of_slow_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "QUICK_S", 0.0)
    assert sent_at_once(tmp_path, QUICK) == 4


def test_nothing_is_sent_ahead_where_a_write_cannot_be_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "CAN_POLL", False)
    assert sent_at_once(tmp_path, QUICK) == 4


def test_with_one_job_one_call_waits_behind_it(tmp_path: Path) -> None:
    gate = threading.Event()
    system = System(info=QUICK)
    system.answer = lambda case: (case["id"] == "c-000" or gate.wait(LONG_S), ok())[1]
    with broker_of(system, plan_of(tmp_path), jobs=1, look_ahead=2) as broker:
        broker.start({"words": ids(6)})
        broker.predict("words", "c-000")
        assert settled(lambda: system.running == 2 and is_idle(broker))
        gate.set()
        assert [broker.predict("words", case)["state"] for case in ids(6)] == ["ok"] * 6


def test_two_runs_share_a_process_and_one_of_them_has_a_budget(tmp_path: Path) -> None:
    system = System(info=QUICK, answer=lambda case: (time.sleep(0.005), ok(cost="0.01"))[1])
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    free = plan_of(tmp_path / "a")
    counted = plan_of(
        tmp_path / "b", benchmark="terms", budget_usd=Decimal(10), spec={"max_cost_usd": Decimal(1)}
    )
    free = replace(free, spec=counted.spec)

    with broker_of(system, free, counted, jobs=4, look_ahead=8) as broker:
        broker.start({"words": ids(40), "terms": ids(40)})
        for name in ("words", "terms"):
            for case in ids(40):
                assert broker.predict(name, case)["state"] == "ok"

    assert system.most <= 4


def test_a_call_that_was_not_made_is_made_now(tmp_path: Path) -> None:
    """Its process ended before it had a place: that is no try of it."""
    left = ["c-001", "c-002"]

    def answer_later(case: dict[str, Any]) -> Outcome:
        if case["id"] in left:
            left.remove(case["id"])
            return broken("not_made")
        return ok()

    with broker_of(System(answer=answer_later), plan_of(tmp_path)) as broker:
        broker.start({"words": ids(4)})
        rows = [broker.predict("words", case) for case in ids(4)]
        assert broker.failures("words") == []

    assert [row["state"] for row in rows] == ["ok"] * 4
    kinds = [line["kind"] for line in lines(tmp_path)]
    assert (kinds.count("intent"), kinds.count("outcome")) == (6, 6)
    tally = read_calls(tmp_path / "calls.jsonl").tally
    assert (tally.made_by_attempt[1], tally.assumed) == (4, 0)


def test_what_was_not_made_takes_no_try_of_a_call(tmp_path: Path) -> None:
    answers = [*[broken("not_made")] * 3, broken("busy"), ok()]
    plan = plan_of(tmp_path, retry=RetryPolicy(attempts=2, on=["busy"]))

    with broker_of(System(answer=lambda case: answers.pop(0)), plan, jobs=1) as broker:
        broker.start({"words": ids(1)})
        assert broker.predict("words", "c-000")["state"] == "ok"

    assert answers == []


@pytest.mark.parametrize("is_all", [True, False])
def test_a_call_that_was_not_made_is_not_made_after_a_stop(tmp_path: Path, is_all: bool) -> None:
    gate = threading.Event()
    system = System(answer=lambda case: (gate.wait(LONG_S), broken("not_made"))[1])

    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": ids(1)})
        future = broker.ask("words", "c-000")
        assert settled(lambda: system.running == 1)
        if is_all:
            broker.stop("enough")
        else:
            record = TechnicalRecord(case=None, whose="system", kind="outage", detail="ten")
            with broker._changed:
                broker._book.stop_run(broker._runs["words"], record)
        gate.set()
        row = answer(future)
        assert settled(lambda: broker._schedule.running == 0)

    assert row["state"] == ("not-run" if is_all else "technical")
    assert len(system.calls) == 1
    assert [line["kind"] for line in lines(tmp_path)] == ["intent", "outcome"]
    tally = read_calls(tmp_path / "calls.jsonl").tally
    assert (tally.made_by_attempt[1], tally.assumed) == (0, 0)


def test_a_context_whose_prepare_was_not_made_is_taken_in_now(tmp_path: Path) -> None:
    not_made = {"kind": "not_made", "where": "", "detail": "", "whose": "adapter"}
    replies = [PrepareReply(error=not_made), PrepareReply()]
    system = System(take_in=lambda context: replies.pop(0))

    with broker_of(system, plan_of(tmp_path, contexts={"c-000": "k"}), jobs=1) as broker:
        broker.start({"words": ["c-000"]})
        assert broker.predict("words", "c-000")["state"] == "ok"

    assert [name for _, name in system.prepares] == ["k", "k"]
    recorded = [(line["kind"], line["case"]) for line in lines(tmp_path)]
    assert (recorded.count(("intent", None)), recorded.count(("outcome", None))) == (2, 2)


def test_a_run_whose_hello_met_the_end_of_the_process_asks_once_more(tmp_path: Path) -> None:
    """Another run shares the process, and a call of it has ended it."""
    system = System()
    said: list[bool | TechnicalFailure] = [TechnicalFailure("not_made", "gone"), True]

    class Host(FakeHost):
        def supports(self, benchmark: str) -> bool:
            found = said.pop(0)
            if isinstance(found, TechnicalFailure):
                raise found
            return found

    system.host = lambda plan, slot, info, jobs: Host(system, slot)  # type: ignore[method-assign]
    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": ids(2)})
        assert broker.predict("words", "c-000")["state"] == "ok"

    assert said == []


def test_replies_that_nobody_waits_for_share_a_wait_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "_GATHER_S", 10 * LONG_S)
    syncs: list[int] = []
    monkeypatch.setattr(record, "_sync", syncs.append)

    with broker_of(System(), plan_of(tmp_path), jobs=4, look_ahead=8) as broker:
        broker.start({"words": ids(8)})
        done = tmp_path / "calls.jsonl"
        assert settled(lambda: done.read_bytes().count(b'"kind":"outcome"') == 8)
        assert syncs == []

        # An item that asks is not kept waiting.
        assert answer(broker.ask("words", "c-000"))["state"] == "ok"
        assert len(syncs) == 1
        assert [broker.predict("words", case)["state"] for case in ids(8)] == ["ok"] * 8
        assert len(syncs) == 1


def test_a_reply_that_decides_what_is_next_is_not_gathered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure may be asked again, and under a budget a cost says whether there is a next."""
    monkeypatch.setattr(serving, "_GATHER_S", 10 * LONG_S)
    plan = plan_of(tmp_path, budget_usd=Decimal(1))
    answers = [retry(), ok(cost="0.1"), ok(cost="0.1")]

    with broker_of(System(answer=lambda case: answers.pop(0)), plan, jobs=2) as broker:
        broker.start({"words": ids(2)})
        # Without a question of an item, one after the other.
        assert settled(lambda: answers == [])


def test_a_full_schedule_wakes_nobody_until_there_is_something_to_do(tmp_path: Path) -> None:
    system = System(holding=threading.Event())
    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": ids(3)})
        assert settled(lambda: system.running == 1)
        notified: list[bool] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(broker._changed, "notify_all", lambda: notified.append(True))
            with broker._changed:
                broker._book.wake()
                assert notified == []
                broker._book.stopped = "enough"
                broker._book.wake()
                broker._book.stopped = None
        assert notified == [True]


def test_stop_answers_every_open_question(tmp_path: Path) -> None:
    system = System(holding=threading.Event())

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": ids(10)})
        futures = [broker.ask("words", case) for case in ids(6)]
        assert settled(lambda: len(system.calls) == 2)
        assert broker.may_start("words", "c-000")
        broker.stop("stopped after failures (-x)")

        answers = [future.result(timeout=0) for future in futures]
        assert [row["state"] for row in answers] == ["not-run"] * 6
        assert answers[0]["reason"] == "stopped after failures (-x)"
        assert not broker.may_start("words", "c-000")
        assert broker.predict("words", "c-009")["state"] == "not-run"

    assert len(system.calls) == 2


def test_calls_in_flight_at_a_stop_are_recorded(tmp_path: Path) -> None:
    system = System(holding=threading.Event())

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": ids(10)})
        assert settled(lambda: len(system.calls) == 2)
        broker.stop("interrupted")
        assert system.holding is not None
        system.holding.set()
        broker.close(LONG_S)

    outcomes = [line for line in lines(tmp_path) if line["kind"] == "outcome"]
    assert sorted(line["case"] for line in outcomes) == ids(2)
    assert system.killed == 0


@pytest.mark.parametrize("jobs", [1, 2, 4, 8])
def test_a_stop_wastes_at_most_jobs_calls(tmp_path: Path, jobs: int) -> None:
    system = System()

    with broker_of(system, plan_of(tmp_path), jobs=jobs) as broker:
        broker.start({"words": ids(60)})
        for case in ids(6):
            broker.predict("words", case)
        broker.stop("stopped after failures (-x)")
        broker.close(LONG_S)

    assert len(system.calls) - 6 <= jobs


def test_an_answer_that_is_there_is_given_after_a_stop(tmp_path: Path) -> None:
    system = System()

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": ids(2)})
        assert settled(lambda: len(lines(tmp_path)) == 4)
        broker.stop("interrupted")
        assert broker.predict("words", "c-001")["state"] == "ok"


def test_a_call_in_flight_at_a_stop_answers_who_asks_for_it_later(tmp_path: Path) -> None:
    """A retry it wants is not made: its last outcome is the answer."""
    system = System(holding=threading.Event(), answer=lambda case: retry())

    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": ids(1)})
        assert settled(lambda: len(system.calls) == 1)
        broker.stop("interrupted")
        future = broker.ask("words", "c-000")
        assert system.holding is not None
        system.holding.set()
        assert answer(future)["error"]["kind"] == "retry"

    assert len(system.calls) == 1


def test_what_hangs_at_the_end_is_killed_and_stays_without_an_outcome(tmp_path: Path) -> None:
    """Its cost is unknown: a resumed run asks it again and counts it at ``max_cost``."""
    system = System(holding=threading.Event())

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": ids(10)})
        assert settled(lambda: len(system.calls) == 2)
        broker.close(0.02)
        broker.close(0.0)

    assert [line["kind"] for line in lines(tmp_path)] == ["intent", "intent"]
    assert system.killed == 2


def test_hosts_are_closed_in_good_order(tmp_path: Path) -> None:
    system = System()

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": ids(2)})
        for case in ids(2):
            broker.predict("words", case)

    assert system.closed == len(system.starts)
    assert system.killed == 0


def test_no_thread_of_ours_is_left(tmp_path: Path) -> None:
    with broker_of(System(), plan_of(tmp_path)) as broker:
        broker.start({"words": ids(5)})
        names = {thread.name for thread in threading.enumerate()}
        assert "benchbed-broker" in names
        broker.predict("words", "c-000")

    assert settled(lambda: not [t for t in threading.enumerate() if t.name.startswith("benchbed-")])


def test_a_broker_that_was_never_started_closes(tmp_path: Path) -> None:
    with broker_of(System(), plan_of(tmp_path)) as broker:
        assert broker.info("words") is None
        assert broker.slots == 1


def test_a_case_that_cannot_be_read_is_technical(tmp_path: Path) -> None:
    with broker_of(System(), plan_of(tmp_path)) as broker:
        broker.start({"words": ["c-1"]})
        row = broker.predict("words", "lost-1")
        assert broker.predict("words", "c-1")["state"] == "ok"

    assert (row["state"], row["error"]["kind"]) == ("technical", "internal")
    assert "cases.jsonl is gone" in row["error"]["detail"]


def test_a_case_that_cannot_be_read_any_more_is_passed_over_by_the_look_ahead(
    tmp_path: Path,
) -> None:
    plan = plan_of(tmp_path)
    gone: list[str] = []

    def view(case: str) -> Any:
        if case in gone:
            raise OSError("cases.jsonl is gone")
        return plan.view(case)

    system = System()
    with broker_of(system, replace(plan, view=view), jobs=1) as broker:
        real = broker._schedule.look_ahead

        def look_ahead(*words: Any) -> None:
            gone.append("c-000")
            real(*words)

        broker._schedule.look_ahead = look_ahead  # type: ignore[method-assign]
        broker.start({"words": ids(2)})
        assert settled(lambda: len(system.calls) == 1)
        row = broker.predict("words", "c-000")

    assert system.cases == ["c-001"]
    assert "cases.jsonl is gone" in row["error"]["detail"]


def test_an_executor_that_breaks_leaves_no_item_waiting(tmp_path: Path) -> None:
    class Breaking:
        name = "breaking"
        slots = 2

        def run(self, batches: Any, call: Any) -> Any:
            next(batches)
            raise ConnectionError("the scheduler is gone")

        def close(self) -> None:
            return

    with broker_of(System(), plan_of(tmp_path), executor=Breaking(), jobs=1) as broker:
        broker.start({"words": []})
        futures = [broker.ask("words", case) for case in ids(3)]
        rows = [answer(future) for future in futures]
        broker._schedule.running = 0

    assert {row["state"] for row in rows} == {"technical"}
    assert "the scheduler is gone" in rows[0]["error"]["detail"]


def test_waiting_for_an_answer_stays_interruptible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wait without a limit cannot be left by Ctrl-C on every system."""
    from pytest_benchbed.calls import broker as broker_module

    monkeypatch.setattr(broker_module, "_POLL_S", 0.001)
    system = System(holding=threading.Event())

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        assert system.holding is not None
        threading.Timer(0.02, system.holding.set).start()
        assert broker.predict("words", "c-1")["state"] == "ok"


def test_a_fault_of_ours_leaves_no_item_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise KeyError("bug")

    with broker_of(System(), plan_of(tmp_path)) as broker:
        monkeypatch.setattr(broker._schedule, "choose", fail)
        broker.start({"words": ids(3)})
        row = broker.predict("words", "c-000")
        later = broker.predict("words", "c-001")

        assert (row["state"], row["error"]["kind"]) == ("technical", "internal")
        assert later["state"] == "technical"
        assert [record.kind for record in broker.failures("words")] == ["internal"]


def test_a_fault_while_taking_in_a_result_is_technical_for_that_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with broker_of(System(), plan_of(tmp_path), jobs=1) as broker:
        real = broker._intake._decide

        def fail_once(*words: Any) -> None:
            monkeypatch.setattr(broker._intake, "_decide", real)
            raise KeyError("bug")

        monkeypatch.setattr(broker._intake, "_decide", fail_once)
        broker.start({"words": ids(2)})
        first = broker.predict("words", "c-000")
        second = broker.predict("words", "c-001")
        assert broker._schedule.running == 0

    assert (first["state"], first["error"]["kind"]) == ("technical", "internal")
    assert second["state"] == "ok"


def test_the_request_is_written_for_a_python_adapter_too(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, contexts={"c-001": "doc"}, spec={"options": {"k": 1}})

    with broker_of(System(), plan) as broker:
        broker.start({"words": ids(2)})

    from pytest_benchbed.model.request import AdapterRequest
    from pytest_benchbed.model.strict import read_json

    request = AdapterRequest.from_json(read_json((tmp_path / "adapter-request.json").read_bytes()))
    assert [case.id for case in request.cases] == ids(2)
    assert [context.id for context in request.contexts] == ["doc"]
    assert (request.run_id, request.options, request.attempt) == ("run-1", {"k": 1}, 1)


def test_a_request_that_cannot_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_benchbed.calls import request as request_module

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(request_module.os, "fsync", full)

    with broker_of(System(), plan_of(tmp_path)) as broker:
        with pytest.raises(RunError, match=r"adapter-request\.json: No space left"):
            broker.start({"words": ["c-1"]})
        monkeypatch.undo()

    assert [path.name for path in tmp_path.iterdir()] == ["calls.jsonl"]


def test_a_run_that_was_begun_before_is_refused(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    (tmp_path / "calls.jsonl").touch()

    with broker_of(System(), plan) as broker, pytest.raises(RunError, match="--bench-resume"):
        broker.start({"words": ["c-1"]})


def test_an_impatient_caller_cannot_cancel_for_the_others(tmp_path: Path) -> None:
    system = System(holding=threading.Event())

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        future = broker.ask("words", "c-1")
        assert not future.cancel()
        assert system.holding is not None
        system.holding.set()
        assert answer(broker.ask("words", "c-1"))["state"] == "ok"


def test_resume_serves_what_is_final_and_asks_the_rest(tmp_path: Path) -> None:
    def first(case: dict[str, Any]) -> Outcome:
        if case["id"] == "c-001":
            return broken()
        if case["id"] == "c-002":
            return Outcome("no-answer", error={"reason": "too dark"})
        return ok('"first"')

    plan = plan_of(tmp_path)
    with broker_of(System(answer=first), plan) as broker:
        broker.start({"words": ids(3)})
        for case in ids(3):
            broker.predict("words", case)
    system = System(answer=lambda case: ok('"second"'))

    with broker_of(system, resumed(plan)) as broker:
        broker.start({"words": ids(4)})
        rows = [broker.predict("words", case) for case in ids(4)]

    assert [row["raw"] for row in rows] == ['"first"', '"second"', None, '"second"']
    assert rows[2]["state"] == "no-answer"
    assert rows[2]["error"]["detail"] == "too dark"
    assert sorted(system.calls) == [("c-001", 1), ("c-003", 1)]
    states = [
        line["state"]
        for line in lines(tmp_path)
        if line.get("case") == "c-001" and line["kind"] == "outcome"
    ]
    assert states == ["technical", "ok"]


def test_a_resume_with_nothing_to_ask_starts_no_adapter(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    with broker_of(System(), plan) as broker:
        broker.start({"words": ids(5)})
        for case in ids(5):
            broker.predict("words", case)
    before = (tmp_path / "calls.jsonl").read_bytes()
    system = System()

    with broker_of(system, resumed(plan)) as broker:
        broker.start({"words": ids(5)})
        assert [broker.predict("words", case)["state"] for case in ids(5)] == ["ok"] * 5
        first = broker.ask("words", "c-000")
        assert broker.ask("words", "c-000") is first

    assert system.starts == []
    assert (tmp_path / "calls.jsonl").read_bytes() == before


def test_a_new_attempt_after_such_a_resume_starts_the_adapter(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    with broker_of(System(), plan) as broker:
        broker.start({"words": ["c-1"]})
        broker.predict("words", "c-1")
    system = System()

    with broker_of(system, resumed(plan)) as broker:
        broker.start({"words": ["c-1"]})
        assert broker.predict("words", "c-1", 2)["state"] == "ok"
        assert broker.info("words") is not None

    assert system.calls == [("c-1", 2)]


def test_a_call_that_was_lost_is_asked_again(tmp_path: Path) -> None:
    system = System(holding=threading.Event())
    plan = plan_of(tmp_path)
    with broker_of(system, plan, jobs=1) as broker:
        broker.start({"words": ids(1)})
        assert settled(lambda: len(system.calls) == 1)
        broker.close(0.0)
    with (tmp_path / "calls.jsonl").open("ab") as file:
        file.write(b'{"torn')
    again = System()

    with broker_of(again, resumed(plan)) as broker:
        broker.start({"words": ids(1)})
        assert broker.predict("words", "c-000")["state"] == "ok"

    assert [line["kind"] for line in lines(tmp_path)] == ["intent", "intent", "outcome"]


def test_a_reply_is_written_before_the_next_call_starts(tmp_path: Path) -> None:
    """What is paid for outlives this process, whatever becomes of the next call."""
    written: list[list[str]] = []

    def look(case: dict[str, Any]) -> Outcome:
        written.append([line["case"] for line in lines(tmp_path) if line["kind"] == "outcome"])
        return ok()

    with broker_of(System(answer=look), plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": ids(4)})
        for case in ids(4):
            broker.predict("words", case)

    assert written == [ids(number) for number in range(4)]


def test_a_reply_is_seen_only_when_it_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_benchbed.calls import record as record_module

    is_synced = threading.Event()
    monkeypatch.setattr(record_module, "_sync", lambda descriptor: is_synced.wait(LONG_S))
    with broker_of(System(), plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": ids(2)})
        future = broker.ask("words", "c-000")
        assert settled(lambda: len(lines(tmp_path)) == 4), "both are written"
        assert not future.done()
        is_synced.set()
        assert answer(future)["state"] == "ok"
