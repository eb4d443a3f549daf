from __future__ import annotations

import random
from pathlib import Path

import pytest

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.results import write_results
from tests.unit.runs.builders import SPANISH
from tests.unit.runs.builders import result
from tests.unit.runs.builders import wrong


@pytest.mark.req("ENV-097")
def test_rows_are_canonical_and_sorted_by_case(tmp_path: Path) -> None:
    rows = [result("b"), wrong("a", "merged"), result("A"), result("a-1")]

    assert write_results(tmp_path / "results.jsonl", rows) == 4

    by_case = sorted(rows, key=lambda row: row["case"])
    expected = b"".join(canonical(row) + b"\n" for row in by_case)
    assert (tmp_path / "results.jsonl").read_bytes() == expected


def test_the_order_of_the_rows_does_not_matter(tmp_path: Path) -> None:
    rows = [result(f"sep-{number:03}") for number in range(40)]
    shuffled = random.Random(7).sample(rows, len(rows))

    write_results(tmp_path / "1", rows)
    write_results(tmp_path / "2", shuffled)

    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_text_is_kept_as_it_is(tmp_path: Path) -> None:
    write_results(tmp_path / "results.jsonl", [result("a", reason=SPANISH)])

    assert SPANISH in (tmp_path / "results.jsonl").read_text(encoding="utf-8")


def test_a_run_without_results_has_an_empty_file(tmp_path: Path) -> None:
    assert write_results(tmp_path / "results.jsonl", []) == 0
    assert (tmp_path / "results.jsonl").read_bytes() == b""


def test_two_results_of_one_case_are_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write_results(path, [result("old")])
    before = path.read_bytes()

    with pytest.raises(RunError, match="case 'a' has two results"):
        write_results(path, [result("a"), result("a")])

    assert path.read_bytes() == before


@pytest.mark.parametrize("value", [float("nan"), "\ud800", 2**60, {1: 2}, object()])
def test_a_row_that_is_no_json_is_named_by_its_case(tmp_path: Path, value: object) -> None:
    row = wrong("sep-001", "merged")
    row["errors"]["logical"][0]["got"] = value

    with pytest.raises(RunError, match=r"the result of case 'sep-001' is no JSON"):
        write_results(tmp_path / "results.jsonl", [row])

    assert list(tmp_path.iterdir()) == []
