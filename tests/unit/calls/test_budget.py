"""Money in a running broker: reservation, exhaustion, unpriced and silent replies, resume."""

from __future__ import annotations

import threading
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.model.bench_file import ModelPrice
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


@pytest.mark.req("ENV-053")
@pytest.mark.parametrize("declared", [None, Decimal("0.01")])
def test_a_budget_of_50_calls_with_a_window_of_8_pays_for_exactly_50(
    tmp_path: Path, declared: Decimal | None
) -> None:
    pause = threading.Event()

    def paid(case: dict[str, Any]) -> Outcome:
        pause.wait(0.001)
        return ok(cost="0.01")

    system = System(answer=paid)
    plan = plan_of(tmp_path, budget_usd=Decimal("0.50"), spec={"max_cost_usd": declared})

    with broker_of(system, plan, jobs=8) as broker:
        broker.start({"words": ids(80)})
        rows = [answer(future) for future in [broker.ask("words", case) for case in ids(80)]]
        account = broker.spend("words")
        (failure,) = broker.failures("words")

    assert len(system.calls) == 50
    assert account.spent_usd == Decimal("0.5")
    assert sum(row["state"] == "ok" for row in rows) == 50
    refused = [row for row in rows if row["state"] == "technical"]
    assert {row["error"]["kind"] for row in refused} == {"budget_exhausted"}
    assert failure.kind == "budget_exhausted"
    assert len({line["case"] for line in lines(tmp_path)}) == 50


@pytest.mark.req("ENV-053")
def test_reported_spend_above_the_budget_is_a_failure_of_the_run(tmp_path: Path) -> None:
    system = System(answer=lambda case: ok(cost=3))

    with broker_of(system, plan_of(tmp_path, budget_usd=Decimal(2)), jobs=4) as broker:
        broker.start({"words": ids(10)})
        first = broker.predict("words", "c-000")
        second = broker.predict("words", "c-001")
        kinds = [record.kind for record in broker.failures("words")]

    assert first["state"] == "ok", "what was paid for is kept"
    assert second["error"]["kind"] == "over_budget"
    assert kinds == ["over_budget"]
    assert len(system.calls) == 1


@pytest.mark.req("ENV-053")
@pytest.mark.parametrize("paid", [False, None])
def test_a_budget_of_zero_works_with_what_is_free(tmp_path: Path, paid: bool | None) -> None:
    system = System(answer=lambda case: ok(cost=None if paid is False else 0))
    system.info = replace(system.info, paid=paid)

    with broker_of(system, plan_of(tmp_path, budget_usd=Decimal(0)), jobs=4) as broker:
        broker.start({"words": ids(10)})
        rows = [broker.predict("words", case) for case in ids(10)]
        assert broker.spend("words").spent_usd == 0
        assert broker.failures("words") == []

    assert {row["state"] for row in rows} == {"ok"}
    assert {row["usage"]["cost_usd"] for row in rows} == {0}


@pytest.mark.req("ENV-049")
def test_under_a_budget_the_first_silent_reply_stops_the_run(tmp_path: Path) -> None:
    with broker_of(System(), plan_of(tmp_path, budget_usd=Decimal(5)), jobs=4) as broker:
        broker.start({"words": ids(10)})
        first, second = (broker.predict("words", case) for case in ids(2))
        account = broker.spend("words")
        (failure,) = broker.failures("words")

    assert first["state"] == "ok"
    assert second["error"]["kind"] == failure.kind == "cost_not_reported"
    assert "paid = False" in failure.detail
    assert account.spent_usd is None


@pytest.mark.req("ENV-049")
def test_unpriced_calls_block_the_run_and_go_on_without_a_budget(tmp_path: Path) -> None:
    system = System()
    system.info = replace(system.info, paid=True)

    with broker_of(system, plan_of(tmp_path)) as broker:
        broker.start({"words": ids(3)})
        rows = [broker.predict("words", case) for case in ids(3)]
        account = broker.spend("words")
        kinds = [record.kind for record in broker.failures("words")]

    assert {row["state"] for row in rows} == {"ok"}
    assert kinds == ["unpriced_attempts"]
    assert (account.spent_usd, account.unpriced_attempts) == (None, 3)


def test_without_a_word_on_cost_and_without_a_budget_nothing_is_blocked(tmp_path: Path) -> None:
    with broker_of(System(), plan_of(tmp_path)) as broker:
        broker.start({"words": ids(3)})
        for case in ids(3):
            broker.predict("words", case)
        assert broker.failures("words") == []
        assert broker.spend("words").spent_usd is None


def test_prices_of_the_bench_file_fill_in_the_cost(tmp_path: Path) -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000)
    system = System(answer=lambda case: Outcome("ok", raw="1", usage=usage, reported=True))
    system.info = replace(system.info, paid=True)
    prices = {"m": ModelPrice.from_json({"in": 3, "out": 15})}

    with broker_of(system, plan_of(tmp_path, prices=prices, spec={"model": "m"})) as broker:
        broker.start({"words": []})
        row = broker.predict("words", "c-1")
        assert broker.spend("words").spent_usd == Decimal("4.5")

    assert row["usage"]["cost_usd"] == 4.5


def test_former_tries_count_in_a_resumed_run(tmp_path: Path) -> None:
    first = System(answer=lambda case: replace(broken(), usage=Usage(cost_usd=Decimal(1))))
    plan = plan_of(tmp_path, budget_usd=Decimal(3))
    with broker_of(first, plan, jobs=1) as broker:
        broker.start({"words": ids(2)})
        for case in ids(2):
            broker.predict("words", case)
    second = System(answer=lambda case: ok(cost=1))

    with broker_of(second, resumed(plan), jobs=1) as broker:
        broker.start({"words": ids(2)})
        rows = [broker.predict("words", case) for case in ids(2)]
        assert broker.spend("words").spent_usd == 3

    assert [row["state"] for row in rows] == ["ok", "technical"]
    assert rows[1]["error"]["kind"] == "budget_exhausted"


def test_a_lost_call_counts_at_the_declared_bound_in_a_resumed_run(tmp_path: Path) -> None:
    hung = System(holding=threading.Event())
    plan = plan_of(tmp_path, budget_usd=Decimal(3), spec={"max_cost_usd": Decimal(1)})
    with broker_of(hung, plan, jobs=1) as broker:
        broker.start({"words": ids(4)})
        while not hung.calls:
            threading.Event().wait(0.002)
        broker.close(0.0)
    system = System(answer=lambda case: ok(cost=1))

    with broker_of(system, resumed(plan), jobs=4) as broker:
        broker.start({"words": ids(4)})
        rows = [broker.predict("words", case) for case in ids(4)]
        assert broker.spend("words").spent_usd == 3

    assert len(system.calls) == 2
    assert [row["state"] for row in rows].count("ok") == 2


def test_a_run_that_is_over_its_budget_asks_nothing_when_resumed(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    with broker_of(System(answer=lambda case: ok(cost=3)), plan, jobs=1) as broker:
        broker.start({"words": ids(1)})
        broker.predict("words", "c-000")
    system = System()

    with broker_of(system, resumed(plan, budget_usd=Decimal(1))) as broker:
        broker.start({"words": ids(2)})
        assert broker.predict("words", "c-000")["state"] == "ok"
        assert broker.predict("words", "c-001")["error"]["kind"] == "over_budget"

    assert (system.calls, system.starts) == ([], [])


def test_reasks_have_a_line_of_their_own(tmp_path: Path) -> None:
    with broker_of(System(answer=lambda case: ok(cost=1)), plan_of(tmp_path)) as broker:
        broker.start({"words": []})
        for attempt in (1, 2, 3):
            broker.predict("words", "c-1", attempt)
        account = broker.spend("words")

    assert (account.spent_usd, account.reask_usd, account.reask_calls) == (3, 2, 2)


@pytest.mark.parametrize(
    ("budget", "paid_reasks"), [("4", 0), ("4.9", 0), ("5", 1), ("6.5", 2), ("40", 6)]
)
@pytest.mark.parametrize("jobs", [1, 3])
def test_re_asks_are_paid_from_what_the_first_questions_leave(
    tmp_path: Path, budget: str, paid_reasks: int, jobs: int
) -> None:
    """The first two of four cases are asked again at once, as often as it goes."""
    plan = plan_of(tmp_path, budget_usd=Decimal(budget))
    with broker_of(System(answer=lambda case: ok(cost=1)), plan, jobs=jobs) as broker:
        broker.start({"words": ids(4)})
        reasks = []
        for case in ids(4)[:2]:
            assert broker.predict("words", case)["state"] == "ok"
            reasks += [broker.predict("words", case, attempt) for attempt in (2, 3, 4)]
        rest = [broker.predict("words", case) for case in ids(4)[2:]]
        failures = broker.failures("words")

    assert [row["state"] for row in rest] == ["ok", "ok"]
    assert [row["state"] for row in reasks].count("ok") == paid_reasks
    kinds = {row["error"]["kind"] for row in reasks if row["state"] != "ok"}
    assert kinds == ({"budget_exhausted"} if paid_reasks < 6 else set())
    assert failures == [], "a re-ask that is not paid blocks nothing"


def test_while_no_price_is_known_first_questions_go_first(tmp_path: Path) -> None:
    usage = Usage(cost_usd=Decimal(0), cached=True)
    system = System(answer=lambda case: Outcome("ok", raw="1", usage=usage, reported=True))

    with broker_of(system, plan_of(tmp_path, budget_usd=Decimal(5)), jobs=1) as broker:
        broker.start({"words": ids(3)})
        states = [
            broker.predict("words", case, attempt)["state"]
            for case, attempt in [("c-000", 1), ("c-000", 2), ("c-001", 1), ("c-002", 1)]
        ]
        # Nothing is left that goes before it.
        states.append(broker.predict("words", "c-002", 2)["state"])

    assert states == ["ok", "technical", "ok", "ok", "ok"]
