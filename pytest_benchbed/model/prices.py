"""The price table of a bench file: what tokens cost, and which table it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from pytest_benchbed.model.bench_file import ModelPrice
from pytest_benchbed.model.canonical import digest

Prices = Mapping[str, ModelPrice]
"""Model to its price."""

_MILLION = Decimal(1_000_000)
_DATED = re.compile(r"-\d{4}(?:-?\d{2}){0,2}")


def prices_digest(prices: Prices | None) -> str | None:
    """Return the SHA-256 of a table as canonical JSON; None for no table or an empty one."""
    if not prices:
        return None
    return digest({model: price.to_json() for model, price in prices.items()})


def price_of(prices: Prices, named: str | None, asked: str | None) -> ModelPrice | None:
    """Return the price of the model that a reply names, else of the one that was asked.

    A reply names ``m-2026-01-31`` where ``m`` was asked: a dated ``m`` has its price.
    """
    found = prices.get(named or asked or "")
    if found is None and named and asked and _DATED.fullmatch(named.removeprefix(asked)):
        found = prices.get(asked)
    return found


def token_cost(price: ModelPrice, input_tokens: int, output_tokens: int) -> Decimal:
    """Return the dollars of these tokens, not rounded."""
    return (price.in_ * input_tokens + price.out * output_tokens) / _MILLION
