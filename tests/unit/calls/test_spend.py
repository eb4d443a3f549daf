from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from pytest_benchbed.calls.spend import SpendLedger
from pytest_benchbed.calls.spend import Tally
from pytest_benchbed.calls.spend import priced
from pytest_benchbed.model.bench_file import ModelPrice
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.usage import Usage

PRICES = {"m": ModelPrice.from_json({"in": 3, "out": 15})}


def line(**changes: Any) -> dict[str, Any]:
    row = {
        "case": "c-1",
        "context": None,
        "attempt": 1,
        "state": "ok",
        "error": None,
        "usage": {"cost_usd": None},
    }
    return {**row, **changes}


def costing(*costs: float | None) -> Tally:
    tally = Tally()
    for cost in costs:
        tally.add(line(usage={"cost_usd": cost}))
    return tally


def usage_of(
    usage: Usage | None = None, *, paid: bool | None = None, state: Any = "ok", **words: Any
) -> Usage:
    outcome = Outcome(state, usage=usage or Usage(), reported=usage is not None)
    return priced(outcome, paid=paid, prices=PRICES, model=words.pop("model", None), **words)


def test_a_reported_cost_is_taken_as_it_is() -> None:
    usage = Usage(cost_usd=Decimal("0.5"), model="m", input_tokens=1_000_000)

    assert usage_of(usage, paid=False).cost_usd == Decimal("0.5")


def test_tokens_are_priced_by_the_bench_file() -> None:
    usage = Usage(model="m", input_tokens=1000, output_tokens=200)

    assert usage_of(usage, paid=True).cost_usd == Decimal("0.006")


def test_the_model_of_the_run_prices_a_reply_that_names_none() -> None:
    assert usage_of(Usage(input_tokens=2_000_000), model="m").cost_usd == Decimal(6)


@pytest.mark.parametrize(
    ("named", "asked", "is_known"),
    [
        ("m-2026-01-31", "m", True),
        ("m-0613", "m", True),
        ("m-20260131", "m", True),
        ("m-mini-2026-01-31", "m", False),
        ("m-mini", "m", False),
        ("n-2026-01-31", "m", False),
        ("m-2026-01-31", None, False),
    ],
)
def test_a_dated_model_has_the_price_of_the_one_that_was_asked(
    named: str, asked: str | None, is_known: bool
) -> None:
    """A hosted model answers under the name of its snapshot; another model is another price."""
    usage = usage_of(Usage(model=named, input_tokens=1_000_000), model=asked)

    assert (usage.cost_usd, usage.model) == (Decimal(3) if is_known else None, named)


@pytest.mark.req("ENV-049")
def test_a_paid_adapter_without_a_price_is_unpriced_not_free() -> None:
    usage = usage_of(Usage(model="other", input_tokens=5), paid=True)

    assert usage.cost_usd is None
    assert usage.unpriced_attempts == 1


def test_an_adapter_that_declares_to_be_free_costs_nothing() -> None:
    assert usage_of(paid=False).cost_usd == 0


@pytest.mark.req("ENV-049")
def test_an_adapter_that_says_nothing_is_not_reported() -> None:
    usage = usage_of(paid=None)

    assert usage.cost_usd is None
    assert usage.unpriced_attempts == 0


def test_a_cached_answer_costs_nothing() -> None:
    assert usage_of(Usage(cached=True), paid=True).cost_usd == 0


def test_a_crash_of_a_paid_adapter_is_not_unpriced() -> None:
    """It counts at ``max_cost`` instead: a resumed run could never be unblocked."""
    assert usage_of(paid=True, state="technical").unpriced_attempts == 0


def test_taking_in_a_context_silently_costs_nothing() -> None:
    assert usage_of(paid=True, is_prepare=True).unpriced_attempts == 0
    tally = Tally()
    tally.add(line(case=None, context="doc"))
    assert tally == Tally()


@pytest.mark.req("ENV-053")
def test_reserved_money_counts() -> None:
    """Counting only spent money, 50 calls' budget paid for 57 with a window of 8."""
    ledger = SpendLedger(Decimal("0.50"), None, costing(*[0.01] * 48))

    ledger.reserve("a")
    assert ledger.verdict() == "go"
    ledger.reserve("b")
    assert ledger.verdict() == "wait"
    ledger.release("a")
    ledger.release("b")
    assert ledger.verdict() == "go"


def test_while_no_price_is_known_calls_run_one_at_a_time() -> None:
    ledger = SpendLedger(Decimal(5), None)

    assert ledger.verdict() == "go"
    ledger.reserve("a")
    assert ledger.verdict() == "wait"
    ledger.release("a")
    ledger.tally.add(line(usage={"cost_usd": 1}))
    for call in "abcd":
        assert ledger.verdict() == "go"
        ledger.reserve(call)
    assert ledger.verdict() == "wait"


def test_a_declared_bound_opens_the_window_at_once() -> None:
    ledger = SpendLedger(Decimal(5), Decimal(2))

    ledger.reserve("a")
    assert ledger.verdict() == "go"
    ledger.reserve("b")
    assert ledger.verdict() == "wait"


def test_a_declared_bound_that_was_exceeded_is_no_bound() -> None:
    assert SpendLedger(Decimal(5), Decimal(1), costing(2)).max_cost == 2


def test_a_used_up_budget_is_exhausted() -> None:
    ledger = SpendLedger(Decimal("0.5"), None, costing(*[0.1] * 5))

    assert ledger.verdict() == "exhausted"
    assert ledger.remaining_usd == 0


@pytest.mark.req("ENV-053")
def test_a_budget_of_zero_allows_what_is_free() -> None:
    ledger = SpendLedger(Decimal(0), None)
    ledger.paid = False

    for call in "abc":
        assert ledger.verdict() == "go"
        ledger.reserve(call)
    assert ledger.problem() is None


@pytest.mark.req("ENV-053")
def test_a_cost_above_the_budget_is_a_problem_that_stops() -> None:
    problem = SpendLedger(Decimal(0), None, costing(0.01)).problem()

    assert problem is not None
    assert (problem.kind, problem.stops) == ("over_budget", True)


@pytest.mark.req("ENV-049")
@pytest.mark.parametrize(("budget", "stops"), [(None, False), (Decimal(5), True)])
def test_an_unpriced_attempt_makes_the_spend_unknown(budget: Decimal | None, stops: bool) -> None:
    ledger = SpendLedger(budget, None, costing(0.5))
    ledger.tally.add(line(usage={"cost_usd": None, "unpriced_attempts": 2}))

    problem = ledger.problem()

    assert problem is not None
    assert (problem.kind, problem.stops) == ("unpriced_attempts", stops)
    assert ledger.summary(1).spent_usd is None
    assert ledger.summary(1).unpriced_attempts == 2


@pytest.mark.req("ENV-049")
def test_a_cost_that_is_not_reported_blocks_only_under_a_budget() -> None:
    assert SpendLedger(None, None, costing(None)).problem() is None
    problem = SpendLedger(Decimal(1), None, costing(None)).problem()
    assert problem is not None
    assert (problem.kind, problem.stops) == ("cost_not_reported", True)


def test_a_cost_that_is_not_reported_is_never_shown_as_zero() -> None:
    assert SpendLedger(None, None, costing(0.25, None)).summary(1).spent_usd is None


def test_a_call_without_a_reply_counts_at_the_highest_cost_seen() -> None:
    tally = costing(0.1, 0.3)
    tally.add(line(state="technical", error={"kind": "crash"}))
    ledger = SpendLedger(Decimal(1), None, tally)

    assert ledger.spent == Decimal("0.7")
    assert ledger.remaining_usd == Decimal("0.3")


def test_a_call_without_a_reply_and_without_any_bound_takes_the_whole_budget() -> None:
    tally = Tally()
    tally.add(line(state="technical", error={"kind": "crash"}))

    assert SpendLedger(Decimal(1), None, tally).verdict() == "exhausted"
    assert SpendLedger(Decimal(0), None, tally).verdict() == "go"
    assert SpendLedger(Decimal(1), Decimal("0.4"), tally).verdict() == "go"


@pytest.mark.parametrize("kind", ["retry", "adapter_start"])
def test_what_never_reached_the_system_costs_nothing(kind: str) -> None:
    tally = Tally()
    tally.add(line(state="technical", error={"kind": kind}))

    assert tally == Tally()


def test_a_lost_batch_may_have_cost_all_that_was_left() -> None:
    tally = Tally()
    tally.add(line(case=None, state="technical", error={"kind": "crash"}))

    assert SpendLedger(Decimal(5), None, tally).verdict() == "exhausted"
    assert SpendLedger(None, None, tally).verdict() == "go"


def test_a_batch_is_no_price_of_one_call() -> None:
    tally = Tally()
    tally.add(line(case=None, usage={"cost_usd": 4}))

    assert tally.known == 4
    assert tally.highest is None


def test_reasks_have_a_line_of_their_own() -> None:
    tally = Tally()
    for attempt in (1, 2, 3, 4):
        tally.add(line(attempt=attempt, usage={"cost_usd": 0.5}))

    assert SpendLedger(None, None, tally).summary(repeats=2).reask_usd == 1
    assert SpendLedger(None, None, tally).summary(repeats=4).reask_usd is None


@pytest.mark.parametrize("state", ["no-answer", "technical"])
def test_a_reask_that_could_report_no_cost_counts_at_the_bound(state: str) -> None:
    tally = Tally()
    tally.add(line(attempt=1, usage={"cost_usd": 0.5}))
    tally.add(line(attempt=2, state=state))

    account = SpendLedger(None, None, tally).summary(repeats=1)

    assert (account.spent_usd, account.reask_usd) == (1, Decimal("0.5"))
    assert SpendLedger(None, None, tally).summary(repeats=2).reask_usd is None


def test_sums_are_exact() -> None:
    assert costing(*[0.1] * 10).known == Decimal(1)


def test_a_cached_reply_sets_no_price() -> None:
    tally = Tally()
    tally.add(line(usage={"cost_usd": 0, "cached": True}))

    assert tally.highest is None


def test_what_waits_is_set_aside_at_the_mean_and_only_its_last_at_the_highest() -> None:
    """Spent 6, the re-ask 3, and of three that wait two at 2 and one at 3."""
    for budget, verdict in (("16", "go"), ("15.9", "exhausted")):
        ledger = SpendLedger(Decimal(budget), None, costing(3, 2, 1))
        ledger.unanswered = 3

        assert ledger.verdict(is_reask=True) == verdict
        assert ledger.verdict() == "go"
        # One of them begins: its highest cost is reserved, and given back when it lands.
        ledger.reserve("first")
        assert ledger.waiting == 2
        assert ledger.verdict(is_reask=True) == "wait"
        ledger.release("first")
        ledger.reserve("again", is_reask=True)
        assert ledger.waiting == 3
