"""Latency and cost beside the verdict, as they are read: one line a measure, or none."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.compare.deltas import deltas
from pytest_benchbed.report.deltas import delta_lines
from pytest_benchbed.report.deltas import delta_warnings
from pytest_benchbed.report.deltas import read_deltas
from pytest_benchbed.report.deltas import shown_deltas
from tests.unit.compare.builders import gate
from tests.unit.compare.test_deltas import NEW
from tests.unit.compare.test_deltas import OLD
from tests.unit.compare.test_deltas import call
from tests.unit.compare.test_deltas import made


def shown(now: Any, before: Any) -> list[str]:
    """Return lines and warnings, read from the file as every reader does."""
    found = read_deltas({"deltas": deltas(now, before).to_json()})
    return [*delta_lines(found), *delta_warnings(found)]


def test_measured_alike_there_is_a_line_for_each_measure_and_a_warning_where_it_rose() -> None:
    now = made([call(2.5, 0.0032), call(2.7, 0.0032)])
    before = made([call(1, 0.0016), call(1, 0.0016)], "base")

    assert shown(now, before) == [
        "  latency \u00d72.60: 2.60 s, the baseline 1.00 s (median of 2 cases measured in both)",
        "  cost \u00d72.00: $0.0032, the baseline $0.0016 (median of 2 cases measured in both)",
        "latency rose to \u00d72.60: 2.60 s, was 1.00 s (median)",
        "cost rose to \u00d72.00: $0.0032, was $0.0016 (median)",
    ]


def test_another_price_table_has_usage_and_prices_apart() -> None:
    before = made([call(None, 0.003, tokens=(1000, 500))], "base", prices=OLD)
    now = made([call(None, 0.009, tokens=(1500, 750))], prices=NEW)
    old, new = before.record.spend.prices_sha256, now.record.spend.prices_sha256
    assert old is not None
    assert new is not None

    assert shown(now, before) == [
        f"  cost not compared: price table {new[:12]}, the baseline has price table {old[:12]} · "
        "usage \u00d71.50 at the baseline's prices (1 case) · "
        "prices \u00d72.00 for the same tokens (1 case)"
    ]


def test_an_amount_over_nothing_has_no_factor_and_a_tiny_factor_is_not_nothing() -> None:
    assert shown(made([call(None, 0.5)]), made([call(None, 0)], "base")) == [
        "  cost $0.50, the baseline $0.00 (median of 1 case measured in both)",
        "cost rose to $0.50, was $0.00 (median)",
    ]
    (line,) = shown(made([call(None, 0.001)]), made([call(None, 2)], "base"))
    assert line.startswith("  cost below \u00d70.01: $0.001, the baseline $2.00")


@pytest.mark.req("ENV-051")
def test_a_blocked_run_shows_no_number() -> None:
    now, before = made([call(9, what="!technical"), call(9)]), made([call(1), call(1)], "base")
    found = deltas(now, before)

    assert shown_deltas(gate(now, before), found) is None
    assert shown_deltas(gate(before, now), found) is found


def test_without_a_baseline_and_in_older_runs_there_is_nothing() -> None:
    for metrics in ({}, {"deltas": None}):
        assert read_deltas(metrics) is None
    assert delta_lines(None) == delta_warnings(None) == []
