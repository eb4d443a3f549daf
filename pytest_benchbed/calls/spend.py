"""Dollars: what a call cost, what a run has spent, and whether it may go on.

Cost has three states: *reported* (also by tokens and the bench file's prices),
*$0 declared* (``Adapter.paid = False``), and *not reported*, which is never
shown as $0. A call whose price is unknown although money was paid is
*unpriced*: the spend of the run is unknown and the run is blocked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from decimal import Decimal
from typing import Any
from typing import Literal

from pytest_benchbed.adapters.conversation import NOT_MADE
from pytest_benchbed.model.bench_file import ModelPrice
from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.prices import price_of
from pytest_benchbed.model.prices import token_cost
from pytest_benchbed.model.run import Spend
from pytest_benchbed.model.usage import Usage

ZERO = Decimal(0)
_NO_WORK = frozenset({"adapter_start", "retry", NOT_MADE})
"""Kinds that say that the system has not begun: not started, not asked, or asks to be asked
again."""


def priced(
    outcome: Outcome,
    *,
    paid: bool | None,
    prices: Mapping[str, ModelPrice] | None,
    model: str | None,
    is_prepare: bool = False,
) -> Usage:
    """Return the usage of a call with its cost filled in where it can be known.

    ``model`` is the run's, for replies that name none. A cost that stays None
    is unpriced if ``unpriced_attempts`` is above 0, else not reported. Taking
    in a context without a word on cost is taken to have cost nothing: it
    mostly loads what the calls then pay for.
    """
    usage = outcome.usage
    if usage.cost_usd is not None or usage.unpriced_attempts:
        return usage
    if usage.cached or paid is False:
        return replace(usage, cost_usd=ZERO)
    price = price_of(prices or {}, usage.model, model)
    if price is not None and (usage.input_tokens or usage.output_tokens):
        cost = token_cost(price, usage.input_tokens, usage.output_tokens)
        return replace(usage, cost_usd=to_decimal(cost))
    if paid and outcome.state == "ok" and not is_prepare:
        return replace(usage, unpriced_attempts=1)
    return usage


@dataclass
class Tally:
    """What the calls of one run cost so far; the same from memory and from ``calls.jsonl``."""

    known: Decimal = ZERO
    """Sum of the costs that are known, every try included."""
    by_attempt: dict[int, Decimal] = field(default_factory=dict)
    """The same by attempt number."""
    highest: Decimal | None = None
    """Highest cost of one call; None before the first."""
    unpriced: int = 0
    """Attempts whose price is unknown."""
    silent: int = 0
    """Replies whose cost nobody reported."""
    assumed_by_attempt: Counter[int] = field(default_factory=Counter)
    """Calls that ended without a reply that could carry a cost, by attempt number: each counts
    at ``max_cost``."""
    made_by_attempt: Counter[int] = field(default_factory=Counter)
    """Calls that were made, tries again and those without a reply included, by attempt number."""
    lost_batches: int = 0
    """Batches that ended without a result: each may have cost all that was left."""

    @property
    def assumed(self) -> int:
        """Calls that count at ``max_cost``."""
        return self.assumed_by_attempt.total()

    def add(self, line: Mapping[str, Any]) -> None:
        """Count the outcome line of one call (of a batch: the line without a case)."""
        is_prepare = line["context"] is not None
        is_batch = line["case"] is None and not is_prepare
        usage, kind = line["usage"], (line["error"] or {}).get("kind")
        if not is_prepare and kind not in _NO_WORK:
            self.made_by_attempt[line["attempt"]] += 1
        self.unpriced += usage.get("unpriced_attempts", 0)
        cost = usage.get("cost_usd")
        if cost is not None:
            amount = to_decimal(cost)
            self.known += amount
            attempt = line["attempt"]
            self.by_attempt[attempt] = self.by_attempt.get(attempt, ZERO) + amount
            if not is_batch and not usage.get("cached"):
                self.highest = amount if self.highest is None else max(self.highest, amount)
        elif usage.get("unpriced_attempts"):
            return
        elif line["state"] == "ok":
            self.silent += not is_prepare
        elif is_batch:
            self.lost_batches += 1
        elif kind not in _NO_WORK:
            # NoAnswer, an exception or a crash cannot report a usage.
            self.assumed_by_attempt[line["attempt"]] += 1

    def lose(self, attempt: int) -> None:
        """Count a call that was made and whose outcome nobody knows."""
        self.made_by_attempt[attempt] += 1
        self.assumed_by_attempt[attempt] += 1


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the money of a run blocks it."""

    kind: Literal["unpriced_attempts", "cost_not_reported", "over_budget"]
    detail: str
    stops: bool
    """Whether no further call may start."""


class SpendLedger:
    """The one account of a run; the broker asks it before every call.

    Not thread-safe: the broker holds its lock.
    """

    def __init__(
        self, budget_usd: Decimal | None, max_cost_usd: Decimal | None, tally: Tally | None = None
    ) -> None:
        """``max_cost_usd``: declared bound of one call; ``tally``: of the calls on record."""
        self.budget_usd = budget_usd
        self.paid: bool | None = None
        """``Adapter.paid``, once the adapter said hello."""
        self.tally = tally or Tally()
        self.unanswered = 0
        """First questions (no re-asks) without an answer, those in flight included."""
        self._declared = max_cost_usd
        self._reserved: dict[object, Decimal] = {}
        self._first_in_flight: set[object] = set()

    @property
    def max_cost(self) -> Decimal | None:
        """What the next call may cost: declared, else the highest seen; None: unknown.

        A declared bound that was exceeded is no bound: the higher one counts.
        """
        known = [amount for amount in (self._declared, self.tally.highest) if amount is not None]
        if known:
            return max(known)
        return ZERO if self.paid is False else None

    @property
    def spent(self) -> Decimal | None:
        """Known costs plus ``max_cost`` for each call without a reply; None: no bound is known."""
        tally, bound = self.tally, self.max_cost
        if tally.lost_batches:
            return None
        if tally.assumed and bound is None:
            return None
        return tally.known + tally.assumed * (bound or ZERO)

    @property
    def remaining_usd(self) -> Decimal | None:
        """What is left of the budget, 0 if unknown; None without a budget."""
        if self.budget_usd is None:
            return None
        spent = self.spent
        return ZERO if spent is None else max(ZERO, self.budget_usd - spent)

    def verdict(self, *, is_reask: bool = False) -> Literal["go", "wait", "exhausted"]:
        """Say whether the next call may start, may start later, or never.

        Allowed iff spent + reserved + ``max_cost`` <= budget. While no price is
        known calls run one at a time, each with all that is left reserved. A
        re-ask has what the first questions leave: :meth:`_set_aside`.
        """
        if self.budget_usd is None:
            return "go"
        spent, bound = self.spent, self.max_cost
        if spent is None and self.budget_usd > 0:
            fits = False
        elif bound is None:
            if self._reserved:
                return "wait"
            fits = (spent or ZERO) <= self.budget_usd and not (is_reask and self.waiting)
        else:
            taken = (spent or ZERO) + sum(self._reserved.values())
            aside = self._set_aside(bound) if is_reask else ZERO
            fits = taken + bound + aside <= self.budget_usd
        if fits:
            return "go"
        return "wait" if self._reserved else "exhausted"

    @property
    def waiting(self) -> int:
        """First questions that are not even begun."""
        return max(0, self.unanswered - len(self._first_in_flight))

    def _set_aside(self, bound: Decimal) -> Decimal:
        """Return what the first questions that wait will take, by the mean of the calls so far.

        The last of them starts only if ``bound`` is left. To reserve the highest
        cost for all would leave re-asks of most runs nothing, although much is left
        at the end.
        """
        if not self.waiting:
            return ZERO
        made = self.tally.made_by_attempt.total()
        mean = self.tally.known / made if made else bound
        return (self.waiting - 1) * mean + bound

    def reserve(self, call: object, *, is_reask: bool = False) -> None:
        """Set aside ``max_cost`` for a call that starts now."""
        bound = self.max_cost
        self._reserved[call] = (self.remaining_usd or ZERO) if bound is None else bound
        if not is_reask:
            self._first_in_flight.add(call)

    def release(self, call: object) -> None:
        """Give back what was set aside; its real cost is added to ``tally``."""
        self._reserved.pop(call, None)
        self._first_in_flight.discard(call)

    def problem(self) -> Problem | None:
        """Return what blocks the run, the worst first; None if nothing does."""
        tally, budget = self.tally, self.budget_usd
        if budget is not None and tally.known > budget:
            return Problem(
                "over_budget", f"{tally.known} USD were spent, the budget is {budget} USD", True
            )
        if tally.unpriced:
            detail = f"{tally.unpriced} attempts have no known price, so the spend is unknown"
            return Problem("unpriced_attempts", detail, budget is not None)
        if tally.silent and budget is not None:
            detail = (
                "the adapter reports no cost, so a budget cannot be kept: return a Usage, declare "
                "paid = False, or set prices in the bench file"
            )
            return Problem("cost_not_reported", detail, True)
        return None

    def summary(self, repeats: int) -> Spend:
        """Return the account for ``run.json``; attempts above ``repeats`` are re-asks."""
        tally = self.tally
        is_unknown = bool(tally.unpriced or tally.silent)
        reasks = [cost for attempt, cost in tally.by_attempt.items() if attempt > repeats]
        lost = sum(
            number for attempt, number in tally.assumed_by_attempt.items() if attempt > repeats
        )
        if lost and self.max_cost is not None:
            reasks.append(lost * self.max_cost)
        return Spend(
            budget_usd=self.budget_usd,
            spent_usd=None if is_unknown else self.spent,
            reask_usd=sum(reasks, ZERO) if reasks else None,
            reask_calls=sum(
                number for attempt, number in tally.made_by_attempt.items() if attempt > repeats
            ),
            unpriced_attempts=tally.unpriced,
        )
