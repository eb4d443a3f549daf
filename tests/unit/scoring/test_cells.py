from __future__ import annotations

from pytest_benchbed.model.error import Error
from pytest_benchbed.scoring.cells import SHOWN_WORDS
from pytest_benchbed.scoring.cells import cell_errors
from pytest_benchbed.scoring.cells import cell_f1
from pytest_benchbed.scoring.grid import Cell


def compare(true: list[Cell], got: list[Cell]) -> list[Error]:
    texts = [f"w{number}" for number in range(len(true))]
    return cell_errors(true, got, texts, expected=lambda cell: cell)


def names(errors: list[Error]) -> list[tuple[str, dict[str, object]]]:
    return [(error.kind, dict(error.where)) for error in errors]


def test_words_in_their_cells_have_no_error() -> None:
    cells = [(0, 0), (0, 1), (1, 0)]

    assert compare(cells, cells) == []


def test_two_cells_in_one_are_merged_and_both_texts_are_shown() -> None:
    (error,) = compare([(0, 0), (0, 1)], [(0, 0), (0, 0)])

    assert (error.kind, dict(error.where)) == ("merged", {"cell": [0, 1], "with": [0, 0]})
    assert error.expected == ["w0", "w1"]
    assert error.got == "w0 w1"


def test_a_block_of_merged_cells_has_the_errors_of_each_lost_separator() -> None:
    """Mending the row separator must not look like a new mistake in the columns."""
    true = [(0, 0), (0, 1), (1, 0), (1, 1)]
    both = compare(true, [(0, 0)] * 4)
    column_only = compare(true, [(0, 0), (0, 0), (1, 0), (1, 0)])

    assert len(both) == 4
    assert set(column_only) < set(both)


def test_merged_cells_that_share_neither_row_nor_column_are_still_an_error() -> None:
    assert names(compare([(0, 0), (1, 1)], [(0, 0), (0, 0)])) == [
        ("merged", {"cell": [1, 1], "with": [0, 0]})
    ]


def test_a_cell_whose_words_lie_apart_is_split_and_the_pieces_are_shown() -> None:
    (error,) = compare([(0, 0), (0, 0), (0, 2)], [(0, 0), (0, 1), (0, 2)])

    assert (error.kind, dict(error.where)) == ("split", {"cell": [0, 0], "axis": "columns"})
    assert error.got == ["w0", "w1"]


def test_a_cell_can_be_split_in_both_directions() -> None:
    errors = compare([(0, 0), (0, 0)], [(0, 0), (1, 1)])

    assert [error.where["axis"] for error in errors] == ["rows", "columns"]


def test_a_word_in_a_neighbour_is_taken_and_not_split() -> None:
    (error,) = compare([(0, 0), (0, 0), (0, 1)], [(0, 0), (0, 1), (0, 1)])

    assert error.kind == "taken"
    assert error.where == {"word": 1, "from": [0, 0], "by": [0, 1]}


def test_of_two_cells_that_could_have_taken_a_word_the_nearer_is_blamed() -> None:
    true = [(0, 0), (0, 1), (2, 2), (2, 2)]
    errors = compare(true, [(0, 0), (0, 0), (1, 1), (0, 0)])

    assert [error.where["by"] for error in errors if error.kind == "taken"] == [[0, 1]]


def test_on_a_tie_the_home_is_where_the_cell_is_alone() -> None:
    """One word joined the cell to the left: that one is taken, no cells are merged."""
    errors = compare([(0, 0), (0, 1), (0, 1)], [(0, 0), (0, 0), (0, 1)])

    assert [error.kind for error in errors] == ["taken"]


def test_a_whole_cell_in_an_empty_place_is_moved() -> None:
    (error,) = compare([(0, 0), (1, 1)], [(0, 0), (0, 1)])

    assert (error.kind, dict(error.where)) == ("moved", {"cell": [1, 1]})
    assert (error.expected, error.got) == ([1, 1], [0, 1])


def test_a_cell_whose_place_cannot_be_said_is_not_moved() -> None:
    assert cell_errors([(1, 1)], [(0, 1)], ["w"], expected=lambda _: None) == []


def test_an_error_shows_a_bounded_part_of_a_huge_cell() -> None:
    count = SHOWN_WORDS + 5
    errors = compare([(row, 0) for row in range(count)], [(0, 0)] * count)

    assert errors[0].got.endswith("w11 and 5 more")


def test_cell_f1_is_two_hits_over_true_and_predicted_cells() -> None:
    true = [(0, 0), (0, 1), (1, 0), (1, 1)]

    assert cell_f1(true, true) == (8, 8)
    assert cell_f1(true, [(0, 0), (0, 0), (1, 0), (1, 1)]) == (4, 7)


def test_cell_f1_asks_for_content_not_for_position() -> None:
    true = [(0, 0), (1, 0), (2, 0)]

    assert cell_f1(true, [(1, 0), (2, 0), (3, 0)]) == (6, 6)


def test_cell_f1_of_a_table_without_words_is_none() -> None:
    assert cell_f1([], []) is None
