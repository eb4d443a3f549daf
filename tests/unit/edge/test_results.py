from __future__ import annotations

import json

import pytest

from pytest_benchbed.edge.results import Results
from pytest_benchbed.edge.results import result_text
from pytest_benchbed.model.canonical import canonical
from tests.unit.runs.builders import SPANISH
from tests.unit.runs.builders import result
from tests.unit.runs.builders import wrong

FAILURE = {"case": "a", "whose": "system", "kind": "crash", "detail": SPANISH}


@pytest.fixture
def results():
    results = Results("toy")
    yield results
    results.close()


def keep(results, *rows):
    for row in rows:
        results.put(row["case"], result_text("toy", row, []))


@pytest.mark.req("ENV-097")
def test_the_lines_are_canonical_and_sorted_by_case(results: Results) -> None:
    rows = [result("b"), wrong("a", "merged"), result("A"), result("a-1", reason=SPANISH)]

    by_case = sorted(rows, key=lambda row: row["case"])

    keep(results, *rows)

    assert list(results.lines()) == [canonical(row) for row in by_case]


def test_what_travels_is_ascii_and_says_all() -> None:
    row = wrong("a", "merged", reason=f"{SPANISH} \U0001f600")

    text = result_text("toy", row, [FAILURE])

    assert text.isascii()
    assert json.loads(text) == {"benchmark": "toy", "row": row, "technical": [FAILURE]}


def test_a_row_is_read_as_it_was_made(results: Results) -> None:
    row = wrong("a", "merged", reason=SPANISH)

    keep(results, row)

    assert dict(results) == {"a": row}
    assert "a" in results
    assert "b" not in results
    assert len(results) == 1


@pytest.mark.parametrize("reason", ["plain", SPANISH, 'a text that ends ,"technical":[]}'])
def test_failures_come_with_their_row(results: Results, reason: str) -> None:
    row = result("a", state="technical", reason=reason)

    assert results.put("a", result_text("toy", row, [FAILURE])) == [FAILURE]
    assert results["a"] == row
    assert list(results.lines()) == [canonical(row)]


@pytest.mark.parametrize("value", [float("nan"), "\ud800", 2**60, {1: 2}, object()])
def test_a_row_that_is_no_json_is_refused(value: object) -> None:
    row = wrong("sep-001", "merged")
    row["errors"]["logical"][0]["got"] = value

    with pytest.raises(ValueError, match=r"canonical JSON|surrogates"):
        result_text("toy", row, [])


def test_all_rows_come_in_order_without_the_keys_that_nobody_compares(results: Results) -> None:
    rows = [result("b"), wrong("a", "merged")]
    keep(results, *rows)

    assert results.rows(with_keys=True) == {row["case"]: row for row in rows}
    assert list(results.rows(with_keys=False)) == ["a", "b"]
    assert results.rows(with_keys=False)["a"] == {**rows[1], "keys": {}, "key_parts": {}}


def test_closing_forgets_and_may_be_done_again(results: Results) -> None:
    keep(results, result("a"))

    results.close()
    results.close()

    assert list(results) == []
