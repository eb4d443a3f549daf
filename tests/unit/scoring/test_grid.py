from __future__ import annotations

from pytest_benchbed.scoring.grid import Grid
from pytest_benchbed.scoring.grid import Span
from pytest_benchbed.scoring.grid import Word


def test_a_word_lies_in_the_cell_that_holds_its_centre() -> None:
    grid = Grid((40.0,), (100.0, 200.0))

    assert grid.place(Word("a", 99, 39)) == (0, 0)
    assert grid.place(Word("a", 201, 41)) == (1, 2)


def test_a_centre_on_a_separator_belongs_to_the_cell_before_it() -> None:
    assert Grid((40.0,), (100.0,)).place(Word("a", 100, 40)) == (0, 0)


def test_without_separators_there_is_one_cell() -> None:
    assert Grid().size == (1, 1)
    assert Grid().place(Word("a", 5, 5)) == (0, 0)


def test_order_of_separators_and_spans_plays_no_part() -> None:
    spans = [
        {"row": 1, "column": 0, "rows": 1, "columns": 2},
        {"row": 0, "column": 0, "rows": 1, "columns": 2},
    ]
    one = Grid.from_json({"rows": [40, 80], "columns": [100], "spans": spans})
    other = Grid.from_json({"rows": [80, 40], "columns": [100], "spans": spans[::-1]})

    assert one == other


def test_doubled_separators_are_kept_and_doubled_spans_are_one() -> None:
    span = {"row": 0, "column": 0, "rows": 1, "columns": 2}
    grid = Grid.from_json({"rows": [40, 40], "columns": [100], "spans": [span, dict(span)]})

    assert grid.size == (3, 2)
    assert grid.spans == (Span(0, 0, 1, 2),)


def test_a_spanning_cell_gathers_its_grid_cells_and_the_first_of_two_counts() -> None:
    grid = Grid((40.0,), (100.0, 200.0), (Span(0, 0, 1, 2), Span(0, 1, 2, 2)))

    assert grid.anchor((0, 1)) == (0, 0)
    assert grid.anchor((1, 2)) == (0, 1)
    assert grid.anchor((1, 0)) == (1, 0)
