from __future__ import annotations

from datetime import UTC
from datetime import datetime
from datetime import timedelta
from datetime import timezone

import pytest

from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.runs.ids import check_run_id
from pytest_benchbed.runs.ids import is_default_id
from pytest_benchbed.runs.ids import new_run_id


def test_the_default_id_has_benchmark_moment_and_four_digits() -> None:
    run_id = new_run_id("table-separators", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))

    assert run_id[:-4] == "table-separators-20260102-030405-"
    assert set(run_id[-4:]) <= set("0123456789abcdef")


def test_the_default_id_is_in_utc_wherever_the_clock_stands() -> None:
    mexico = timezone(timedelta(hours=-6))

    assert "20260103-020000" in new_run_id("x", datetime(2026, 1, 2, 20, 0, tzinfo=mexico))


def test_two_ids_of_one_second_differ() -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)

    assert len({new_run_id("x", now) for _ in range(20)}) > 1


def test_the_id_of_a_long_name_is_still_valid() -> None:
    run_id = new_run_id("b" * 100)

    assert is_case_id(run_id)
    assert is_default_id(run_id)


@pytest.mark.parametrize(
    "text",
    [
        "base",
        "table-separators",
        "x-20260102-030405",
        "x-20260102-030405-WXYZ",
        "set/x-20260102-030405-0a1b",
        "",
    ],
)
def test_a_chosen_id_is_no_default_id(text: str) -> None:
    assert not is_default_id(text)


@pytest.mark.parametrize("text", ["base", "2026.03_run-1", "a" * 100])
def test_a_valid_id_is_returned(text: str) -> None:
    assert check_run_id(text) == text


@pytest.mark.parametrize("text", ["", "..", "../x", "a/b", "-x", "año", "a b", "a" * 101, "a\n"])
def test_an_id_that_could_leave_the_runs_directory_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem, match="is not valid"):
        check_run_id(text)


def test_a_refused_id_comes_with_a_valid_one_near_it() -> None:
    with pytest.raises(UsageProblem, match=r"Try --bench-run=my-run$"):
        check_run_id("my run!")
