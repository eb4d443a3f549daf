"""The digest of a price table: equal for equal prices, and none for no table."""

from __future__ import annotations

from typing import Any

from pytest_benchbed.model.bench_file import ModelPrice
from pytest_benchbed.model.canonical import sha256_hex
from pytest_benchbed.model.prices import prices_digest


def table(**prices: tuple[Any, Any]) -> dict[str, ModelPrice]:
    return {
        model: ModelPrice.from_json({"in": before, "out": after})
        for model, (before, after) in prices.items()
    }


def test_the_digest_is_that_of_the_canonical_table() -> None:
    text = b'{"large":{"in":3,"out":15},"small":{"in":0.15,"out":0.6}}'

    assert prices_digest(table(small=(0.15, 0.6), large=(3, 15))) == sha256_hex(text)


def test_order_and_writing_make_no_other_table() -> None:
    one = prices_digest(table(small=(0.15, 2), large=(3, 15)))

    assert prices_digest(table(large=(3.0, 15.0), small=(0.150, 2.0))) == one
    assert prices_digest(table(large=(3, 15), small=(0.15, 2.01))) != one


def test_no_table_and_an_empty_one_have_no_digest() -> None:
    assert prices_digest(None) is None
    assert prices_digest({}) is None
