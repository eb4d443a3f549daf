"""What stands beside the headline measures: how sure they are."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.runs.intervals import headline_intervals


def rows(values: list[Any], group: int = 1) -> list[dict[str, Any]]:
    """Cases with these values of ``m``, ``group`` of them in each document."""
    return [
        {
            "case": f"c{number:03}",
            "metrics": {"main": {} if value is None else {"m": value}},
            **({"group": f"doc-{number // group}"} if group > 1 else {}),
        }
        for number, value in enumerate(values)
    ]


def beside(now: list[Any], *old: list[Any], group: int = 1, **more: Any) -> dict[str, Any]:
    """The intervals of a mean, or of a pooled share."""

    def total(values: list[Any]) -> float | None:
        parts = [value if isinstance(value, list) else [value, 1] for value in values]
        bottom = sum(part[1] for part in parts)
        return sum(part[0] for part in parts) / bottom if bottom else None

    value, before = total([one for one in now if one is not None]), None
    if old:
        both = [pair for pair in zip(now, old[0], strict=True) if None not in pair]
        now_, old_ = total([one for one, _ in both]), total([one for _, one in both])
        before = None if now_ is None or old_ is None else now_ - old_
    return headline_intervals(
        "main",
        "m",
        rows(now, group),
        [{row["case"]: row for row in rows(values, group)} for values in old],
        **{
            "value": value,
            "change": before,
            "is_continuous": False,
            "lower_is_better": False,
            **more,
        },
    )


def test_the_change_is_paired() -> None:
    """Half of the cases are wrong in both runs: that is no spread of the change."""
    found = beside([1, 0] * 50, [1, 0] * 50)

    low, high = found["interval"]
    assert low == pytest.approx(0.4, abs=0.03)
    assert high == pytest.approx(0.6, abs=0.03)
    assert found["standard_error"] == pytest.approx(0.05, abs=0.001)
    assert found["change_interval"] == [0, 0]


def test_cases_of_one_document_are_resampled_together() -> None:
    values = [1] * 50 + [0] * 50
    alone, shared = beside(values), beside(values, group=10)

    assert shared["interval"][1] - shared["interval"][0] > 2 * (
        alone["interval"][1] - alone["interval"][0]
    )


def test_a_pooled_share_weighs_its_cases() -> None:
    found = beside([[9, 10], [0, 90], [5, 100]] * 20)

    low, high = found["interval"]
    assert low < 14 / 200 < high


def test_a_metric_that_is_no_mean_has_no_interval() -> None:
    found = beside([1, 0, 1], value=0.1)

    assert found["interval"] is None
    assert found["standard_error"] is None


@pytest.mark.parametrize("now", [[], [None, None], [1]])
def test_too_few_cases_say_nothing(now: list[Any]) -> None:
    found = beside(now, value=None if None in now or not now else 1.0)

    assert found["interval"] is None


def test_of_cases_that_only_one_run_measured_there_is_no_change() -> None:
    found = beside([1, 0, None, 1], [None, 0, 1, 1])

    assert found["change_interval"] == [0, 0]


def test_a_continuous_measure_has_its_relabelling_test() -> None:
    worse = beside([0.5] * 8, [0.9] * 8, [0.9] * 8, is_continuous=True)
    same = beside([0.9] * 8, [0.9] * 8, [0.9] * 8, is_continuous=True)
    risen = beside([0.9] * 8, [0.5] * 8, [0.5] * 8, is_continuous=True, lower_is_better=True)

    # Each case has one chance in three to be the low one of its three runs.
    assert worse["relabelling_p"] == pytest.approx(3.0**-8)
    assert risen["relabelling_p"] == pytest.approx(3.0**-8)
    assert same["relabelling_p"] == 1.0
    assert beside([0.5] * 8, [0.9] * 8)["relabelling_p"] is None


def test_equal_rows_have_equal_intervals() -> None:
    values = [0.1 * (number % 7) for number in range(60)]
    assert beside(values, values[::-1]) == beside(values, values[::-1])
