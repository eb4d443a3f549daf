"""Latency and cost beside a verdict, against the baseline: information, never a verdict.

A ratio of medians over the cases that both runs measured. Answers from a cache
are left out: nobody waited or paid for them. Runs that were made under other
conditions are not compared: another executor, another number of calls at once,
or, for the cost, another price table. Source: GATE page, cost and latency; the
limits of the warnings are those of DOS-045, and reaching one exactly is no
warning.

Not part of :func:`~pytest_benchbed.compare.gate.decide`, which looks only at
rows that differ: here every row is read once.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from statistics import median
from typing import NamedTuple

from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.judge import Row
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.model.deltas import Change
from pytest_benchbed.model.deltas import CostDelta
from pytest_benchbed.model.deltas import Delta
from pytest_benchbed.model.deltas import Deltas
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.prices import price_of
from pytest_benchbed.model.prices import token_cost
from pytest_benchbed.model.run import CONCURRENCY
from pytest_benchbed.model.run import RunRecord


class Limit(NamedTuple):
    """What a rise must exceed, in both ways, to be worth a warning."""

    ratio: Decimal
    rise: Decimal


LATENCY = Limit(Decimal("1.5"), Decimal(1))
"""Seconds."""
COST = Limit(Decimal("1.2"), Decimal("0.001"))
"""Dollars."""

_Value = Callable[[Row], Decimal | None]


class _Paired(NamedTuple):
    """The rows of the cases that both runs scored, and measured anew."""

    mine: list[Row]
    theirs: list[Row]


def deltas(candidate: RunFacts, baseline: RunFacts) -> Deltas:
    """Return latency and cost of a run against its baseline.

    Both have passed :func:`~pytest_benchbed.compare.refuse.check_comparable`.
    """
    paired = _paired(candidate.rows, baseline.rows)
    unlike = _unlike(candidate.record, baseline.record)
    return Deltas(
        latency_s=_latency(paired, unlike), cost_usd=_cost(candidate, baseline, paired, unlike)
    )


def _paired(candidate: Mapping[str, Row], baseline: Mapping[str, Row]) -> _Paired:
    mine, theirs = [], []
    for case in sorted(candidate):
        if case not in baseline:
            continue
        row, other = candidate[case], baseline[case]
        if _is_drawn(row) and _is_drawn(other) and _asked(row) == _asked(other):
            mine.append(row)
            theirs.append(other)
    return _Paired(mine, theirs)


def _is_drawn(row: Row) -> bool:
    usage = row["x"].get("usage") or {}
    return row["state"] == "scored" and not usage.get("cached")


def _asked(row: Row) -> tuple[str, str]:
    """Return what the system was asked; another answer does not change what it took."""
    parts = row["key_parts"]
    return parts["inputs"], parts["files"]


def _unlike(candidate: RunRecord, baseline: RunRecord) -> str:
    """Return why times and costs of two runs say nothing about each other, or ""."""
    for record in (candidate, baseline):
        if any(entry.what == CONCURRENCY for entry in record.history):
            return f"run {term(record.id, 120)} went on with another number of calls at once"
    if candidate.adapter.kind != baseline.adapter.kind:
        batch, single = "asked all cases in one batch", "asked each case alone"
        is_batch = candidate.adapter.kind == "executable"
        first, second = (batch, single) if is_batch else (single, batch)
        return f"this run {first}, the baseline {second}"
    mine, theirs = candidate.executor, baseline.executor
    if mine.name != theirs.name:
        return f"executor {term(mine.name, 60)}, the baseline's {term(theirs.name, 60)}"
    # What really ran at once: ``jobs`` is how much was allowed.
    if mine.slots != theirs.slots:
        return f"{count(mine.slots, 'call')} at once, the baseline {theirs.slots}"
    return ""


def _latency(paired: _Paired, unlike: str) -> Delta | None:
    return _delta(paired, _seconds, LATENCY, unlike or _unlike_clocks(paired))


def _seconds(row: Row) -> Decimal | None:
    value = row["x"].get("latency_s")
    return None if value is None else Decimal(str(value))


def _unlike_clocks(paired: _Paired) -> str:
    """Times that came with recorded outputs were measured elsewhere, nobody knows how."""
    here, there = (
        any((row["x"].get("usage") or {}).get("latency_s") is not None for row in rows)
        for rows in paired
    )
    if here == there:
        return ""
    which = "this run's" if here else "the baseline's"
    return f"{which} times came with recorded outputs"


def _cost(
    candidate: RunFacts, baseline: RunFacts, paired: _Paired, unlike: str
) -> CostDelta | None:
    usage = price = None
    why_not = unlike or _no_table(candidate.record, baseline.record)
    if not why_not and (why_not := _unlike_prices(candidate.record, baseline.record)):
        usage, price = _parts(candidate.record, baseline.record, paired)
        if usage is None and price is None:
            why_not += "; without tokens priced by them, usage and prices cannot be told apart"
    delta = _delta(paired, _dollars, COST, why_not or _unknown(candidate, baseline))
    if delta is None:
        return None
    return CostDelta(**delta.model_dump(), usage=usage, price=price)


def _dollars(row: Row) -> Decimal | None:
    value = row["x"].get("cost_usd")
    return None if value is None else to_decimal(value)


def _no_table(candidate: RunRecord, baseline: RunRecord) -> str:
    for name, record in (("this run", candidate), ("the baseline", baseline)):
        if record.spend.prices is None:
            return f"an older version made {name}, and its price table is not on record"
    return ""


def _unlike_prices(candidate: RunRecord, baseline: RunRecord) -> str:
    mine, theirs = candidate.spend, baseline.spend
    if mine.prices_sha256 == theirs.prices_sha256:
        return ""
    return f"{_table(mine.prices_sha256)}, the baseline has {_table(theirs.prices_sha256)}"


def _table(digest: str | None) -> str:
    return "no price table" if digest is None else f"price table {term(digest[:12])}"


def _unknown(candidate: RunFacts, baseline: RunFacts) -> str:
    for name, run in (("this run", candidate), ("the baseline", baseline)):
        if calls := run.record.spend.unpriced_attempts:
            return f"{count(calls, 'call')} of {name} without a price"
    return ""


def _delta(paired: _Paired, value: _Value, limit: Limit, why_not: str) -> Delta | None:
    """Return the change of one measure; None: no run has it, or it is 0 everywhere."""
    mine, theirs = ([value(row) for row in rows] for rows in paired)
    if not any(mine) and not any(theirs):
        return None
    both = [
        (own, old)
        for own, old in zip(mine, theirs, strict=True)
        if own is not None and old is not None
    ]
    if not both and not why_not:
        why_not = _unmeasured(mine, theirs)
    if why_not:
        return Delta(
            n=len(both), value=None, baseline=None, ratio=None, warns=False, why_not=why_not
        )
    now, before = median(own for own, _ in both), median(old for _, old in both)
    return Delta(
        n=len(both),
        value=float(now),
        baseline=float(before),
        ratio=_ratio(now, before),
        warns=now > limit.ratio * before and now - before > limit.rise,
        why_not=None,
    )


def _unmeasured(mine: Sequence[Decimal | None], theirs: Sequence[Decimal | None]) -> str:
    if all(value is None for value in mine):
        return "this run has none of each case"
    if all(value is None for value in theirs):
        return "the baseline has none of each case"
    return "no case has one in both runs"


def _parts(
    candidate: RunRecord, baseline: RunRecord, paired: _Paired
) -> tuple[Change | None, Change | None]:
    """Tell the change of usage from that of prices, over cases whose tokens are known in both.

    A cost that a reply reported itself was not made of tokens and a table: such
    a case is left out.
    """
    before: list[Decimal] = []
    same_prices: list[Decimal] = []
    priced: list[tuple[Decimal, Decimal]] = []
    for row, other in zip(*paired, strict=True):
        was = _at_prices_of(baseline, baseline, other)
        as_before = _at_prices_of(baseline, candidate, row)
        if was is None or as_before is None or not _is_made_of(was, other):
            continue
        before.append(was)
        same_prices.append(as_before)
        now = _at_prices_of(candidate, candidate, row)
        if now is not None and _is_made_of(now, row):
            priced.append((now, as_before))
    return (
        _change(same_prices, before),
        _change((now for now, _ in priced), [same for _, same in priced]),
    )


def _at_prices_of(table: RunRecord, run: RunRecord, row: Row) -> Decimal | None:
    """Return what the tokens of a row cost by a run's table; None: not known, or no price."""
    usage = row["x"].get("usage") or {}
    tokens = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    price = price_of(table.spend.prices or {}, usage.get("model"), run.adapter.model)
    return token_cost(price, *tokens) if price is not None and any(tokens) else None


def _is_made_of(dollars: Decimal, row: Row) -> bool:
    return _dollars(row) == to_decimal(dollars)


def _change(now: Iterable[Decimal], before: Sequence[Decimal]) -> Change | None:
    ratio = _ratio(median(now), median(before)) if before else None
    return None if ratio is None else Change(n=len(before), ratio=ratio)


def _ratio(now: Decimal, before: Decimal) -> float | None:
    # As a fraction: exact, and so the same however the decimals are written.
    return float(Fraction(now) / Fraction(before)) if before else None
