"""What every executor must keep, and what the registry refuses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import Executor
from pytest_benchbed.calls.executors import ExecutorConfig
from pytest_benchbed.calls.executors import ExecutorRegistry
from pytest_benchbed.calls.executors import LocalExecutor
from pytest_benchbed.calls.executors import View
from pytest_benchbed.calls.executors import WorkerLost
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.outcome import Outcome
from tests.unit.calls.fakes import LONG_S
from tests.unit.calls.fakes import settled

SPEC = AdapterSpec(name="fake", kind="class", entry="fake:Fake", path=Path("fake.py"))


def batch(number: int) -> Batch:
    view = View("words", f"c-{number}", None, {"id": f"c-{number}"}, None, 1.0)
    return Batch(number, SPEC, 0, (view,))


def echo(one: Batch) -> list[Outcome]:
    return [Outcome("ok", raw=view.case) for view in one.calls]


def executors(slots: int) -> list[Executor]:
    config = ExecutorConfig(jobs=slots)
    registry = ExecutorRegistry()
    return [registry.create(name, config) for name in registry.names()]


@pytest.mark.parametrize("executor", executors(3), ids=lambda executor: executor.name)
def test_every_batch_is_carried_once(executor: Executor) -> None:
    results = list(executor.run(iter([batch(n) for n in range(50)]), echo))

    assert sorted(one.number for one, _ in results) == list(range(50))
    for one, outcomes in results:
        assert isinstance(outcomes, list)
        assert outcomes[0].raw == f"c-{one.number}"


def with_spare(slots: int, spare: int) -> LocalExecutor:
    executor = LocalExecutor(slots)
    executor.spare = spare
    return executor


@pytest.mark.parametrize(
    ("executor", "most"),
    [*((executor, 3) for executor in executors(3)), (with_spare(3, 2), 5)],
    ids=lambda value: getattr(value, "name", value),
)
def test_it_pulls_at_most_its_slots_ahead(executor: Executor, most: int) -> None:
    """Pulling is the permission to spend: a batch pulled early is money spent early."""
    pulled = 0
    done = 0
    ahead: list[int] = []
    gate = threading.Semaphore(0)

    def batches() -> Iterator[Batch]:
        nonlocal pulled
        for number in range(12):
            pulled += 1
            ahead.append(pulled - done)
            yield batch(number)

    def call(one: Batch) -> list[Outcome]:
        nonlocal done
        assert gate.acquire(timeout=LONG_S)
        done += 1
        return echo(one)

    results: list[Batch] = []

    def drain() -> None:
        results.extend(one for one, _ in executor.run(batches(), call))

    thread = threading.Thread(target=drain)
    thread.start()
    assert settled(lambda: pulled == most)
    for _ in range(12):
        gate.release()
    thread.join(LONG_S)

    assert len(results) == 12
    assert max(ahead) <= most
    executor.close()


@pytest.mark.parametrize("executor", executors(3), ids=lambda executor: executor.name)
def test_as_many_calls_run_at_once_as_there_are_slots(executor: Executor) -> None:
    together = threading.Barrier(executor.slots, timeout=LONG_S)

    def call(one: Batch) -> list[Outcome]:
        together.wait()
        return echo(one)

    results = list(executor.run(iter([batch(n) for n in range(executor.slots)]), call))

    assert all(isinstance(outcomes, list) for _, outcomes in results)


@pytest.mark.parametrize("executor", executors(2), ids=lambda executor: executor.name)
def test_a_call_that_raises_is_a_lost_worker_and_the_others_go_on(executor: Executor) -> None:
    def call(one: Batch) -> list[Outcome]:
        if one.number == 1:
            raise SystemExit("gone")
        return echo(one)

    results = list(executor.run(iter([batch(n) for n in range(4)]), call))

    lost = {one.number: result for one, result in results if isinstance(result, WorkerLost)}
    assert lost == {1: WorkerLost("SystemExit: gone")}
    assert len(results) == 4


def test_a_silent_one_gives_what_nobody_else_has() -> None:
    def call(one: Batch) -> list[Outcome]:
        if one.number == 1:
            raise SystemExit("gone")
        return echo(one)

    executor = LocalExecutor(2)
    executor.is_silent = True

    results = list(executor.run(iter([batch(n) for n in range(4)]), call))

    ((one, result),) = results
    assert (one.number, result) == (1, WorkerLost("SystemExit: gone"))


def test_a_fault_of_the_batches_reaches_who_iterates() -> None:
    def batches() -> Iterator[Batch]:
        yield batch(0)
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        list(LocalExecutor(2).run(batches(), echo))


def test_its_threads_are_daemons_of_ours() -> None:
    names: set[tuple[str, bool]] = set()

    def call(one: Batch) -> list[Outcome]:
        thread = threading.current_thread()
        names.add((thread.name[:14], thread.daemon))
        return echo(one)

    list(LocalExecutor(2).run(iter([batch(0)]), call))

    assert names == {("benchbed-call-", True)}


def test_another_executor_is_registered_by_name() -> None:
    registry = ExecutorRegistry()
    registry.add("cluster", lambda config: LocalExecutor(config.jobs * 2))

    assert registry.names() == ["cluster", "local"]
    assert registry.create("cluster", ExecutorConfig(jobs=3)).slots == 6


def test_a_name_is_registered_once() -> None:
    with pytest.raises(UsageProblem, match="'local' is registered twice"):
        ExecutorRegistry().add("local", lambda config: LocalExecutor(1))


def test_an_unknown_executor_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageProblem, match="Did you mean 'local'"):
        ExecutorRegistry().create("locale", ExecutorConfig(jobs=1))
