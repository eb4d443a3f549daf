"""Retries, rates, dead hosts, outages: what the broker does when calls go wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import WorkerLost
from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.model.bench_file import RetryPolicy
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.usage import Usage
from tests.unit.calls.fakes import LONG_S
from tests.unit.calls.fakes import FakeClock
from tests.unit.calls.fakes import FakeHost
from tests.unit.calls.fakes import System
from tests.unit.calls.fakes import answer
from tests.unit.calls.fakes import broken
from tests.unit.calls.fakes import broker_of
from tests.unit.calls.fakes import ids
from tests.unit.calls.fakes import lines
from tests.unit.calls.fakes import ok
from tests.unit.calls.fakes import plan_of
from tests.unit.calls.fakes import retry


def script(*outcomes: Outcome) -> Callable[[dict[str, Any]], Outcome]:
    """Answer each case by the outcomes in turn; the last one stays."""
    turns: dict[str, list[Outcome]] = {}
    lock = threading.Lock()

    def answer(case: dict[str, Any]) -> Outcome:
        with lock:
            left = turns.setdefault(case["id"], list(outcomes))
            return left.pop(0) if len(left) > 1 else left[0]

    return answer


def test_every_try_of_a_retry_is_an_intent_and_an_outcome(tmp_path: Path) -> None:
    clock = FakeClock()
    system = System(answer=script(retry(5.0), retry(7.0), ok('"third"', cost="0.5")))

    with broker_of(system, plan_of(tmp_path), clock=clock) as broker:
        broker.start({"words": ["c-1"]})
        row = broker.predict("words", "c-1")
        waited = clock.time - 1000.0

    assert row["raw"] == '"third"'
    assert waited >= 12.0
    records = [(line["kind"], line.get("state"), line["attempt"]) for line in lines(tmp_path)]
    assert records == [
        ("intent", None, 1),
        ("outcome", "technical", 1),
        ("intent", None, 1),
        ("outcome", "technical", 1),
        ("intent", None, 1),
        ("outcome", "ok", 1),
    ]
    assert read_calls(tmp_path / "calls.jsonl").tally.assumed == 0


def test_attempts_count_all_tries(tmp_path: Path) -> None:
    system = System(answer=lambda case: retry())
    plan = plan_of(tmp_path, retry=RetryPolicy(attempts=2))

    with broker_of(system, plan) as broker:
        broker.start({"words": ["c-1"]})
        row = broker.predict("words", "c-1")

    assert (row["state"], row["error"]["kind"]) == ("technical", "retry")
    assert len(system.calls) == 2


def test_a_retry_waits_at_most_the_limit_of_a_call(tmp_path: Path) -> None:
    clock = FakeClock()
    system = System(answer=script(retry(1e9), ok()))

    with broker_of(system, plan_of(tmp_path, timeout_s=60.0), clock=clock) as broker:
        broker.start({"words": ["c-1"]})
        assert broker.predict("words", "c-1")["state"] == "ok"
        assert clock.time - 1000.0 < 61.0


@pytest.mark.parametrize(
    ("on", "outcome", "calls"),
    [
        (["exception"], broken("exception", "ValueError: no"), 3),
        ([], broken("exception", "ValueError: no"), 1),
        (["timeout"], broken("exception", "ValueError: no"), 1),
        (["connection"], broken("exception", "ConnectionResetError: peer"), 3),
        (["connection"], broken("exception", "ReadTimeout: slow"), 3),
        (["exception"], ok(), 1),
        (["no-answer"], Outcome("no-answer", error={"reason": "dark"}), 1),
    ],
)
def test_only_the_declared_kinds_are_asked_again(
    tmp_path: Path, on: list[str], outcome: Outcome, calls: int
) -> None:
    """Never a scored outcome: a retry must not become a better score."""
    system = System(answer=lambda case: outcome)

    with broker_of(system, plan_of(tmp_path, retry=RetryPolicy(attempts=3, on=on))) as broker:
        broker.start({"words": ["c-1"]})
        broker.predict("words", "c-1")

    assert len(system.calls) == calls


def test_others_use_the_slot_while_a_retry_waits(tmp_path: Path) -> None:
    clock = FakeClock()
    system = System()

    def once(case: dict[str, Any]) -> Outcome:
        first = system.cases.count("c-000") == 1
        return retry(50.0) if case["id"] == "c-000" and first else ok()

    system.answer = once
    with broker_of(system, plan_of(tmp_path), jobs=1, clock=clock) as broker:
        broker.start({"words": []})
        futures = [broker.ask("words", case) for case in ids(3)]
        assert [answer(future)["state"] for future in futures] == ["ok"] * 3

    assert system.cases == ["c-000", "c-001", "c-002", "c-000"]


def test_a_stop_ends_the_retries(tmp_path: Path) -> None:
    system = System(answer=lambda case: retry(3600.0))

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        future = broker.ask("words", "c-1")
        pause = threading.Event()
        while not system.calls:
            pause.wait(0.002)
        broker.stop("interrupted")
        assert answer(future)["state"] == "not-run"

    assert len(system.calls) == 1


def test_a_rate_spaces_the_calls_of_all_slots(tmp_path: Path) -> None:
    clock = FakeClock()
    started: list[float] = []

    def note(case: dict[str, Any]) -> Outcome:
        started.append(clock.time)
        return ok()

    with broker_of(
        System(answer=note), plan_of(tmp_path, rate="60/min"), jobs=4, clock=clock
    ) as broker:
        broker.start({"words": []})
        for future in [broker.ask("words", case) for case in ids(5)]:
            answer(future)

    assert clock.time - 1000.0 >= 4.0
    assert len(started) == 5


def test_a_dead_host_is_restarted_for_the_next_case(tmp_path: Path) -> None:
    system = System()
    system.answer = lambda case: broken("crash") if case["id"] == "c-001" else ok()

    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": []})
        states = [broker.predict("words", case)["state"] for case in ids(3)]

    assert states == ["ok", "technical", "ok"]
    assert system.starts == [0, 0]


def test_one_failed_start_is_tried_again_at_once(tmp_path: Path) -> None:
    system = System(start_failures=1)

    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": ["c-1"]})
        assert broker.predict("words", "c-1")["state"] == "ok"
        assert broker.failures("words") == []


def test_an_adapter_that_cannot_start_stops_the_run_before_any_call(tmp_path: Path) -> None:
    system = System(start_failures=99)

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": ids(50)})
        rows = [broker.predict("words", case) for case in ids(3)]
        (failure,) = broker.failures("words")

    assert {row["error"]["kind"] for row in rows} == {"adapter_start"}
    assert (failure.kind, failure.whose, failure.case) == ("adapter_start", "adapter", None)
    assert "no module named product" in failure.detail
    assert len(system.starts) == 2
    assert lines(tmp_path) == []


def test_a_host_that_dies_twice_on_restart_stops_the_run(tmp_path: Path) -> None:
    system = System()

    def die(case: dict[str, Any]) -> Outcome:
        system.start_failures = 99
        return broken("crash")

    system.answer = die
    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": []})
        kinds = [broker.predict("words", case)["error"]["kind"] for case in ids(5)]
        failures = [record.kind for record in broker.failures("words")]

    assert kinds == ["crash"] + ["adapter_start"] * 4
    assert failures == ["adapter_start"]
    assert system.starts == [0, 0, 0]
    assert len(system.calls) == 1


def test_an_outage_stops_the_run_instead_of_failing_every_case(tmp_path: Path) -> None:
    system = System(answer=lambda case: broken("exception", "ConnectError: refused"))

    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": []})
        kinds = [broker.predict("words", case)["error"]["kind"] for case in ids(15)]
        (failure,) = broker.failures("words")

    assert kinds == ["connection"] * 10 + ["outage"] * 5
    assert len(system.calls) == 10
    assert (failure.kind, failure.whose) == ("outage", "system")
    assert "10 calls in a row ended in 'connection'" in failure.detail
    recorded = {line["case"] for line in lines(tmp_path)}
    assert recorded == set(ids(10)), "the rest can be asked by a resumed run"


@pytest.mark.parametrize(
    "interrupt", [ok(), broken("exception", "ValueError: no"), broken("timeout")]
)
def test_only_errors_of_one_kind_in_a_row_are_an_outage(tmp_path: Path, interrupt: Outcome) -> None:
    system = System(deadly=frozenset())
    system.answer = lambda case: interrupt if case["id"] == "c-005" else broken("crash")

    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": []})
        for case in ids(14):
            broker.predict("words", case)
        assert broker.failures("words") == []


def test_wrong_cases_are_no_outage(tmp_path: Path) -> None:
    system = System(answer=lambda case: broken("not_json"))

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": []})
        for case in ids(30):
            broker.predict("words", case)
        assert broker.failures("words") == []

    assert len(system.calls) == 30


def test_a_fault_of_the_host_object_is_technical(tmp_path: Path) -> None:
    def fail(case: dict[str, Any]) -> Outcome:
        raise RuntimeError("bug in the host")

    with broker_of(System(answer=fail), plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        row = broker.predict("words", "c-1")

    assert (row["state"], row["error"]["kind"]) == ("technical", "internal")


@pytest.mark.req("ENV-048")
def test_unresolved_execution_failures_make_the_case_technical(tmp_path: Path) -> None:
    system = System(answer=lambda case: replace(ok(), usage=Usage(execution_failures=2)))

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        row = broker.predict("words", "c-1")

    assert (row["state"], row["error"]["kind"]) == ("technical", "execution_failures")
    assert row["usage"]["execution_failures"] == 2


def test_an_adapter_that_says_unsupported_too_late_is_technical(tmp_path: Path) -> None:
    """Otherwise it could skip its hard cases."""
    with broker_of(System(answer=lambda case: Outcome("unsupported")), plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        row = broker.predict("words", "c-1")

    assert (row["state"], row["error"]["kind"]) == ("technical", "late_unsupported")


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_benchmark_that_is_not_supported_is_recorded_without_a_call(
    tmp_path: Path, repeats: int
) -> None:
    system = System(supports=False)
    plan = plan_of(tmp_path, repeats=repeats)

    with broker_of(system, plan) as broker:
        broker.start({"words": ids(3)})
        row = broker.predict("words", "c-000")
        other = broker.predict("words", "not-selected")

    assert row["state"] == other["state"] == "unsupported"
    assert "does not support" in row["error"]["detail"]
    assert system.calls == []
    states = [(line["kind"], line["state"]) for line in lines(tmp_path)]
    assert states == [("outcome", "unsupported")] * (3 * repeats + 1)
    assert len({line["request_sha256"] for line in lines(tmp_path)}) == 3 * repeats + 1


def test_an_outcome_that_cannot_be_stored_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_benchbed.calls import record as record_module

    system = System()

    def fill_the_disk(case: dict[str, Any]) -> Outcome:
        def full(*_: Any) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(record_module.os, "write", full)
        return ok()

    system.answer = fill_the_disk
    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": []})
        row = broker.predict("words", "c-000")
        later = broker.predict("words", "c-001")
        (failure,) = broker.failures("words")
        monkeypatch.undo()

    assert (row["state"], row["error"]["kind"]) == ("technical", "storage")
    assert later["error"]["kind"] == "storage"
    assert failure.kind == "storage"
    assert len(system.calls) == 1


def test_outcomes_that_wait_for_one_sync_fail_together_and_cost_what_they_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_benchbed.calls import record as record_module

    all_asked = threading.Barrier(3, timeout=LONG_S)

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    def answer_all(case: dict[str, Any]) -> Outcome:
        all_asked.wait()
        return ok(cost="0.5")

    with broker_of(System(answer=answer_all), plan_of(tmp_path), jobs=3) as broker:
        broker.start({"words": []})
        monkeypatch.setattr(record_module, "_sync", fail)
        futures = [broker.ask("words", f"c-{number}") for number in range(3)]
        rows = [answer(future) for future in futures]
        later = broker.predict("words", "c-9")
        spend = broker.spend("words")
        monkeypatch.undo()

    assert [row["error"]["kind"] for row in (*rows, later)] == ["storage"] * 4
    assert spend.spent_usd == Decimal("1.5")


@pytest.mark.parametrize("cases", [[], ["c-000"]], ids=["asked", "selected"])
def test_a_skip_that_cannot_be_stored_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: list[str]
) -> None:
    from pytest_benchbed.calls import record as record_module

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    with broker_of(System(supports=False), plan_of(tmp_path)) as broker:
        monkeypatch.setattr(record_module.os, "write", full)
        broker.start({"words": cases})
        row = broker.predict("words", "c-000")
        kinds = {record.kind for record in broker.failures("words")}
        monkeypatch.undo()

    assert (row["state"], row["error"]["kind"]) == ("technical", "storage")
    assert kinds == {"storage"}


def test_a_host_that_cannot_be_closed_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(host: FakeHost) -> None:
        raise RuntimeError("bug in close")

    monkeypatch.setattr(FakeHost, "close", fail)
    system = System()

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        broker.predict("words", "c-000")

    assert system.killed == 1


def test_runs_that_share_an_adapter_stop_together_when_it_cannot_start(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    first = plan_of(tmp_path, benchmark="a")
    second = plan_of(tmp_path / "b", benchmark="b")
    object.__setattr__(second.spec, "path", first.spec.path)
    system = System()

    def die(case: dict[str, Any]) -> Outcome:
        if case["id"] == "c-000":
            return ok()
        system.start_failures = 99
        return broken("crash")

    system.answer = die
    with broker_of(system, first, second, jobs=1) as broker:
        broker.start({"a": [], "b": []})
        for benchmark in ("a", "b"):
            assert broker.predict(benchmark, "c-000")["state"] == "ok"
        assert broker.predict("b", "c-001")["error"]["kind"] == "crash"
        assert broker.predict("a", "c-002")["error"]["kind"] == "adapter_start"
        kinds = [[record.kind for record in broker.failures(benchmark)] for benchmark in ("a", "b")]

    assert kinds == [["adapter_start"], ["adapter_start"]]


def test_without_an_intent_on_record_there_is_no_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_benchbed.calls import record as record_module

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    system = System()
    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        monkeypatch.setattr(record_module.os, "write", full)
        row = broker.predict("words", "c-000")
        monkeypatch.undo()

    assert row["error"]["kind"] == "storage"
    assert system.calls == []


class Losing:
    """An executor whose worker dies under some batches."""

    name = "losing"
    slots = 4

    def __init__(self, lose: Callable[[Batch], bool]) -> None:
        self.lose = lose
        self.carried: list[str | None] = []

    def run(self, batches: Iterator[Batch], call: Any) -> Iterator[tuple[Batch, Any]]:
        for batch in batches:
            self.carried.append(batch.calls[0].case)
            yield batch, WorkerLost("node-7 is gone") if self.lose(batch) else call(batch)

    def close(self) -> None:
        return


@pytest.mark.parametrize(
    ("paid", "on", "tries"),
    [(False, [], 2), (None, ["worker_lost"], 2), (None, [], 1), (True, [], 1)],
)
def test_a_lost_worker_is_replaced_once_and_only_if_that_may_cost_nothing(
    tmp_path: Path, paid: bool | None, on: list[str], tries: int
) -> None:
    system = System()
    system.info = replace(system.info, paid=paid)
    executor = Losing(lambda batch: True)
    plan = plan_of(tmp_path, retry=RetryPolicy(attempts=9, on=on))

    with broker_of(system, plan, executor=executor) as broker:
        broker.start({"words": []})
        row = broker.predict("words", "c-1")

    assert row["error"]["kind"] == "worker_lost"
    assert executor.carried == ["c-1"] * tries


def test_a_case_that_lost_its_worker_is_asked_alone(tmp_path: Path) -> None:
    system = System()
    system.info = replace(system.info, paid=False)
    lost: list[str] = []

    def lose(batch: Batch) -> bool:
        case = batch.calls[0].case
        is_first = case == "c-000" and not lost
        lost.extend(["c-000"] * is_first)
        return is_first

    together: list[int] = []
    with broker_of(system, plan_of(tmp_path), executor=Losing(lose)) as broker:
        system.answer = lambda case: (
            together.append(broker._schedule.running) if case["id"] == "c-000" else None,
            ok(),
        )[1]
        broker.start({"words": []})
        futures = [broker.ask("words", case) for case in ids(4)]
        assert [answer(future)["state"] for future in futures] == ["ok"] * 4

    assert together == [1]


def test_a_new_process_for_each_call_if_the_adapter_wants_it(tmp_path: Path) -> None:
    system = System()
    system.info = replace(system.info, fresh_process=True)

    with broker_of(system, plan_of(tmp_path), jobs=1) as broker:
        broker.start({"words": []})
        for case in ids(3):
            broker.predict("words", case)

    assert system.starts == [0, 0, 0]
    assert system.closed == 3


def test_fresh_processes_of_an_async_adapter_take_one_call_each(tmp_path: Path) -> None:
    """Ending the process after one call would take the others with it."""
    system = System(holding=threading.Event())
    system.info = replace(system.info, fresh_process=True, is_shared=True, max_concurrency=2)

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": []})
        futures = [broker.ask("words", case) for case in ids(4)]
        while system.running < 2:
            threading.Event().wait(0.002)
        assert system.holding is not None
        system.holding.set()
        assert {answer(future)["state"] for future in futures} == {"ok"}

    assert set(system.starts) == {0, 1}
    assert len(system.starts) == 4


def test_the_bench_file_decides_about_fresh_processes(tmp_path: Path) -> None:
    system = System()

    with broker_of(system, plan_of(tmp_path, spec={"fresh_process": True}), jobs=1) as broker:
        broker.start({"words": []})
        for case in ids(3):
            broker.predict("words", case)

    assert system.starts == [0, 0, 0]


def test_a_host_that_starts_while_all_are_killed_is_killed_too(tmp_path: Path) -> None:
    system = System()
    entered, go_on = threading.Event(), threading.Event()
    real = FakeHost.start

    def slow_start(host: FakeHost) -> Any:
        if system.starts:
            entered.set()
            go_on.wait(10)
        return real(host)

    with broker_of(system, plan_of(tmp_path), jobs=2) as broker:
        broker.start({"words": []})
        system.holding = threading.Event()
        monkey = pytest.MonkeyPatch()
        monkey.setattr(FakeHost, "start", slow_start)
        broker.ask("words", "c-000")
        broker.ask("words", "c-001")
        assert entered.wait(10)
        closer = threading.Thread(target=broker.close, args=(0.0,))
        closer.start()
        while not system.killed:
            threading.Event().wait(0.002)
        go_on.set()
        closer.join(10)
        monkey.undo()

    assert system.starts == [0, 1]
    assert system.killed == 2


def test_what_was_not_made_ends_no_outage(tmp_path: Path) -> None:
    """Where every call ends its process, some are always not made: ten in a row all the same."""
    run = RunState(plan_of(tmp_path, max_outage=3))
    found = []
    for number in range(3):
        found.append(run.watch(broken("crash"), 0, 2.0 * number, 2.0 * number + 1))
        found.append(run.watch(broken("not_made"), 0, 2.0 * number, 2.0 * number + 1))

    assert [record is not None for record in found] == [False] * 4 + [True, False]
