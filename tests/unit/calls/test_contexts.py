"""Contexts: taken in once per process, recorded, and what the system does not produce for them."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.python_host import PrepareReply
from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.model.bench_file import RetryPolicy
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.usage import Usage
from tests.unit.calls.fakes import System
from tests.unit.calls.fakes import answer
from tests.unit.calls.fakes import broken
from tests.unit.calls.fakes import broker_of
from tests.unit.calls.fakes import ids
from tests.unit.calls.fakes import lines
from tests.unit.calls.fakes import ok
from tests.unit.calls.fakes import plan_of
from tests.unit.calls.fakes import resumed

ONE = AdapterInfo("fake", max_concurrency=1)


def failing(kind: str = "exception") -> PrepareReply:
    return PrepareReply(error=broken(kind).error)


def contexts_of(**names: int) -> dict[str, str]:
    """Map ``c-000`` … to contexts: ``doc=3`` gives three cases of ``doc``."""
    flat = [name for name, count in names.items() for _ in range(count)]
    return dict(zip(ids(len(flat)), flat, strict=True))


def test_a_context_is_taken_in_once_per_slot_and_recorded(tmp_path: Path) -> None:
    usage = Usage(cost_usd=2)
    system = System(info=ONE, take_in=lambda context: PrepareReply(usage=usage, reported=True))
    system.answer = lambda case: ok(cost=1)
    plan = plan_of(tmp_path, contexts=contexts_of(doc=3))

    with broker_of(system, plan) as broker:
        broker.start({"words": ids(3)})
        for case in ids(3):
            assert broker.predict("words", case)["state"] == "ok"
        assert broker.spend("words").spent_usd == 5

    assert system.prepares == [(0, "doc")]
    intent, outcome = lines(tmp_path)[:2]
    for line in (intent, outcome):
        assert (line["case"], line["context"]) == (None, "doc")
    assert outcome["usage"] == {"cost_usd": 2}
    assert read_calls(tmp_path / "calls.jsonl").spent == 5


def test_the_context_is_handed_over_in_the_form_of_a_case(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []

    def look(context: dict[str, Any]) -> PrepareReply:
        seen.append(context)
        return PrepareReply()

    plan = plan_of(tmp_path, contexts=contexts_of(doc=1))
    with broker_of(System(info=ONE, take_in=look), plan) as broker:
        broker.start({"words": ids(1)})
        broker.predict("words", "c-000")

    assert seen == [
        {
            "id": "doc",
            "benchmark": "words",
            "inputs": {"of": "doc"},
            "files": {},
            "context": None,
            "attempt": 1,
        }
    ]


def test_each_slot_takes_it_in_for_itself(tmp_path: Path) -> None:
    system = System(info=AdapterInfo("fake", max_concurrency=2), holding=threading.Event())
    plan = plan_of(tmp_path, contexts=contexts_of(doc=4))

    with broker_of(system, plan, jobs=2) as broker:
        broker.start({"words": []})
        futures = [broker.ask("words", case) for case in ids(4)]
        while system.running < 2:
            threading.Event().wait(0.002)
        assert system.holding is not None
        system.holding.set()
        for future in futures:
            answer(future)

    assert sorted(system.prepares) == [(0, "doc"), (1, "doc")]


def test_one_async_process_takes_it_in_once_for_all_its_calls(tmp_path: Path) -> None:
    info = AdapterInfo("fake", max_concurrency=4, is_shared=True)
    entered = threading.Event()

    def slowly(context: dict[str, Any]) -> PrepareReply:
        entered.wait(0.03)
        return PrepareReply()

    system = System(info=info, take_in=slowly)
    plan = plan_of(tmp_path, contexts=contexts_of(doc=4))
    with broker_of(system, plan, jobs=4) as broker:
        broker.start({"words": []})
        for future in [broker.ask("words", case) for case in ids(4)]:
            assert answer(future)["state"] == "ok"

    assert system.prepares == [(0, "doc")]


def test_cases_go_to_the_slot_that_has_their_context(tmp_path: Path) -> None:
    """Two contexts that take turns, two slots: each slot keeps to one."""
    system = System(info=AdapterInfo("fake", max_concurrency=2))
    names = {case: "a" if number % 2 else "b" for number, case in enumerate(ids(20))}
    plan = plan_of(tmp_path, contexts=names)

    with broker_of(system, plan, jobs=2) as broker:
        broker.start({"words": []})
        first = [broker.ask("words", case) for case in ids(2)]
        for future in first:
            answer(future)
        for case in ids(20)[2:]:
            broker.predict("words", case)

    # One slot may have been quick enough to take both of the first two.
    assert len(system.prepares) == 2


def test_a_restarted_process_takes_it_in_again(tmp_path: Path) -> None:
    system = System(info=ONE)
    system.answer = lambda case: broken("crash") if case["id"] == "c-001" else ok()
    plan = plan_of(tmp_path, contexts=contexts_of(doc=3))

    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        states = [broker.predict("words", case)["state"] for case in ids(3)]

    assert states == ["ok", "technical", "ok"]
    assert system.prepares == [(0, "doc"), (0, "doc")]


def test_a_process_that_dies_between_context_and_case_is_replaced(tmp_path: Path) -> None:
    """The intent of the case stands already; it gets no second one."""
    system = System(info=ONE)
    deaths = 0

    plan = plan_of(tmp_path, contexts=contexts_of(doc=1))
    with broker_of(system, plan) as broker:
        real = broker._pool.call

        def die_before(batch: Any) -> Any:
            nonlocal deaths
            if batch.calls[0].case is not None and not deaths:
                deaths += 1
                host = broker._pool.groups[0].slots[0].host
                assert host is not None
                host.is_alive = False  # type: ignore[misc]
            return real(batch)

        broker._pool.call = die_before  # type: ignore[method-assign]
        broker.start({"words": []})
        row = broker.predict("words", "c-000")

    assert (row["state"], deaths) == ("ok", 1)
    assert system.prepares == [(0, "doc"), (0, "doc")]
    assert [(line["kind"], line["case"]) for line in lines(tmp_path)] == [
        ("intent", None),
        ("outcome", None),
        ("intent", "c-000"),
        ("intent", None),
        ("outcome", None),
        ("outcome", "c-000"),
    ]


def test_categories_that_the_system_does_not_produce_are_not_asked(tmp_path: Path) -> None:
    system = System(
        info=ONE, take_in=lambda context: PrepareReply(skipped_categories=frozenset({"voice"}))
    )
    plan = plan_of(
        tmp_path,
        contexts=contexts_of(doc=3),
        categories={"c-000": "text", "c-001": "voice", "c-002": "voice"},
    )

    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        rows = [broker.predict("words", case) for case in ids(3)]

    assert [row["state"] for row in rows] == ["ok", "unsupported", "unsupported"]
    assert "does not produce category 'voice'" in rows[1]["error"]["detail"]
    assert system.cases == ["c-000"]
    again = System(info=ONE)
    with broker_of(again, resumed(plan)) as broker:
        broker.start({"words": ids(3)})
        assert broker.predict("words", "c-001")["state"] == "unsupported"
    assert again.starts == []


def test_the_case_that_had_its_context_taken_in_is_skipped_too(tmp_path: Path) -> None:
    system = System(
        info=ONE, take_in=lambda context: PrepareReply(skipped_categories=frozenset({"voice"}))
    )
    plan = plan_of(tmp_path, contexts=contexts_of(doc=1), categories={"c-000": "voice"})

    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        assert broker.predict("words", "c-000")["state"] == "unsupported"
        assert broker._schedule.running == 0

    assert system.calls == []


def test_skipping_holds_for_the_context_that_said_so(tmp_path: Path) -> None:
    def take_in(context: dict[str, Any]) -> PrepareReply:
        return PrepareReply(skipped_categories=frozenset({"voice"} if context["id"] == "a" else ()))

    plan = plan_of(
        tmp_path, contexts=contexts_of(a=1, b=1), categories=dict.fromkeys(ids(2), "voice")
    )
    with broker_of(System(info=ONE, take_in=take_in), plan) as broker:
        broker.start({"words": []})
        states = [broker.predict("words", case)["state"] for case in ids(2)]

    assert states == ["unsupported", "ok"]


def test_a_context_that_fails_twice_in_a_row_is_given_up(tmp_path: Path) -> None:
    system = System(info=ONE, take_in=lambda context: failing())
    plan = plan_of(tmp_path, contexts=contexts_of(doc=5, other=1))

    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        rows = [broker.predict("words", case) for case in ids(5)]

    assert [row["state"] for row in rows] == ["technical"] * 5
    assert all(row["error"]["where"].startswith("context doc") for row in rows)
    assert system.prepares == [(0, "doc")] * 2
    assert system.calls == []


def test_a_context_that_fails_once_is_tried_for_the_next_case(tmp_path: Path) -> None:
    replies = [failing("crash"), PrepareReply()]
    system = System(info=ONE, take_in=lambda context: replies.pop(0))
    plan = plan_of(tmp_path, contexts=contexts_of(doc=3))

    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        states = [broker.predict("words", case)["state"] for case in ids(3)]

    assert states == ["technical", "ok", "ok"]


def test_taking_in_a_context_is_retried_like_a_call(tmp_path: Path) -> None:
    replies = [failing(), replace(failing("retry"), retry_after_s=0.0), PrepareReply()]
    system = System(info=ONE, take_in=lambda context: replies.pop(0))
    plan = plan_of(
        tmp_path,
        contexts=contexts_of(doc=1),
        retry=RetryPolicy(attempts=3, on=["exception"]),
    )

    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        assert broker.predict("words", "c-000")["state"] == "ok"

    states = [line["state"] for line in lines(tmp_path) if line["kind"] == "outcome"]
    assert states == ["technical", "technical", "ok", "ok"]


def test_fresh_processes_take_it_in_for_every_call(tmp_path: Path) -> None:
    system = System(info=replace(ONE, fresh_process=True))
    plan = plan_of(tmp_path, contexts=contexts_of(doc=2))

    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        for case in ids(2):
            assert broker.predict("words", case)["state"] == "ok"

    assert system.prepares == [(0, "doc")] * 2


@pytest.mark.parametrize("is_asked_before", [True, False])
def test_a_stop_while_a_context_is_taken_in_makes_no_call(
    tmp_path: Path, is_asked_before: bool
) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def slowly(context: dict[str, Any]) -> PrepareReply:
        entered.set()
        go_on.wait(10)
        return PrepareReply()

    system = System(info=ONE, take_in=slowly)
    plan = plan_of(tmp_path, contexts=contexts_of(doc=1))
    with broker_of(system, plan) as broker:
        broker.start({"words": [] if is_asked_before else ["c-000"]})
        if is_asked_before:
            broker.ask("words", "c-000")
        assert entered.wait(10)
        broker.stop("interrupted")
        future = broker.ask("words", "c-000")
        go_on.set()
        assert answer(future)["state"] == "not-run"
        broker.close(10)

    assert system.calls == []
    assert [line["kind"] for line in lines(tmp_path)] == ["intent", "outcome"]


def test_only_failures_in_a_row_give_a_context_up(tmp_path: Path) -> None:
    replies = [failing("crash"), PrepareReply(), failing("crash"), PrepareReply()]
    system = System(info=ONE, take_in=lambda context: replies.pop(0))
    system.answer = lambda case: broken("crash") if case["id"] == "c-001" else ok()
    plan = plan_of(tmp_path, contexts=contexts_of(doc=4))

    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        states = [broker.predict("words", case)["state"] for case in ids(4)]

    assert states == ["technical", "technical", "technical", "ok"]


def test_an_adapter_that_declines_a_context_is_technical(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, contexts=contexts_of(doc=1))
    with broker_of(System(info=ONE), plan) as broker:
        broker._pool.call = lambda batch: [  # type: ignore[method-assign]
            Outcome("no-answer", error={"reason": "x"})
        ]
        broker.start({"words": []})
        row = broker.predict("words", "c-000")

    assert (row["state"], row["error"]["kind"]) == ("technical", "late_no-answer")


def test_two_benchmarks_in_one_process_do_not_share_a_context_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    first = plan_of(tmp_path, benchmark="a", contexts=contexts_of(doc=1))
    second = plan_of(tmp_path / "b", benchmark="b", contexts=contexts_of(doc=1))
    object.__setattr__(second.spec, "path", first.spec.path)
    system = System(info=ONE)

    with broker_of(system, first, second) as broker:
        broker.start({"a": [], "b": []})
        assert broker.predict("a", "c-000")["state"] == "ok"
        assert broker.predict("b", "c-000")["state"] == "ok"

    assert system.starts == [0]
    assert system.prepares == [(0, "doc"), (0, "doc")]


def test_cases_that_wait_are_skipped_too_once_their_context_says_so(tmp_path: Path) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def slowly(context: dict[str, Any]) -> PrepareReply:
        entered.set()
        go_on.wait(10)
        return PrepareReply(skipped_categories=frozenset({"voice"}))

    system = System(info=ONE, take_in=slowly)
    plan = plan_of(tmp_path, contexts=contexts_of(doc=3), categories=dict.fromkeys(ids(3), "voice"))
    with broker_of(system, plan, jobs=2) as broker:
        broker.start({"words": []})
        futures = [broker.ask("words", case) for case in ids(3)]
        assert entered.wait(10)
        go_on.set()
        assert {answer(future)["state"] for future in futures} == {"unsupported"}

    assert (system.calls, len(system.prepares)) == ([], 1)


def test_a_context_that_cannot_be_read_is_technical(tmp_path: Path) -> None:
    def lost(name: str) -> Any:
        raise OSError("contexts.jsonl is gone")

    system = System(info=ONE)
    plan = replace(plan_of(tmp_path, contexts=contexts_of(doc=1)), context_view=lost)
    with broker_of(system, plan) as broker:
        broker.start({"words": []})
        row = broker.predict("words", "c-000")
        assert broker.predict("words", "c-001")["state"] == "ok"

    assert (row["state"], row["error"]["kind"]) == ("technical", "internal")
    assert system.prepares == []
