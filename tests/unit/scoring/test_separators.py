from __future__ import annotations

import pytest

from pytest_benchbed.scoring.grid import Grid
from pytest_benchbed.scoring.grid import Span
from pytest_benchbed.scoring.grid import Word
from pytest_benchbed.scoring.separators import TOLERANCE_PX
from pytest_benchbed.scoring.separators import geometric
from pytest_benchbed.scoring.separators import logical
from tests.unit.scoring.grids import drawn
from tests.unit.scoring.grids import found
from tests.unit.scoring.grids import grid
from tests.unit.scoring.grids import kinds

HEADER = Span(0, 1, 1, 2)


def test_the_truth_has_no_error_in_either_profile() -> None:
    truth, words = drawn("a | b c | d", "e | f | g")

    assert logical(truth, words, truth.grid).metrics == {"exact": (1, 1), "cell_f1": (12, 12)}
    assert geometric(truth, truth.grid).metrics == {
        "exact": (1, 1),
        "separator_precision": (3, 3),
        "separator_recall": (3, 3),
        "mean_offset_px": 0.0,
    }


@pytest.mark.req("ENV-008", "ENV-111")
def test_a_lost_row_merges_its_cells_and_makes_the_grid_too_small() -> None:
    truth, words = drawn("a | b", "c | d", "e | f")

    score = logical(truth, words, grid([40], [100]))

    assert found(score) == [
        ("grid", {"axis": "rows", "fault": "missing", "after": 1, "nth": 1}),
        ("merged", {"cell": [2, 0], "with": [1, 0]}),
        ("merged", {"cell": [2, 1], "with": [1, 1]}),
    ]
    assert score.metrics == {"exact": (0, 1), "cell_f1": (4, 10)}


def test_rows_that_share_no_column_are_an_error_although_no_cells_merge() -> None:
    truth, words = drawn("a |", "| b")

    assert kinds(logical(truth, words, grid([], [100]))) == {"grid"}


def test_a_separator_through_a_cell_splits_it() -> None:
    truth, words = drawn("a b | c", "d e | f")

    score = logical(truth, words, grid([40], [33, 100]))

    assert found(score) == [
        ("grid", {"axis": "columns", "fault": "extra", "inside": 0, "nth": 1}),
        ("split", {"cell": [0, 0], "axis": "columns"}),
        ("split", {"cell": [1, 0], "axis": "columns"}),
    ]


def test_a_separator_set_too_early_gives_a_word_to_the_neighbour() -> None:
    truth, words = drawn("a b | c", "d | e")

    assert found(logical(truth, words, grid([40], [33]))) == [
        ("taken", {"word": 1, "from": [0, 0], "by": [0, 1]})
    ]


def test_a_value_that_slips_into_an_empty_cell_is_moved() -> None:
    truth, words = drawn("a | h", "b |", "c |")
    words[-1] = Word("c", 70, words[-1].y)  # right-aligned, and longer than the others

    assert found(logical(truth, words, grid([40, 80], [60]))) == [("moved", {"cell": [2, 0]})]


def test_a_position_in_the_gap_is_right_and_ink_that_is_cut_is_not() -> None:
    truth, words = drawn("a | b", "c | d")
    in_gap, in_ink = grid([30], [109]), grid([40], [77])

    assert not logical(truth, words, in_gap).errors
    assert not geometric(truth, in_gap).errors
    assert not logical(truth, words, in_ink).errors
    assert kinds(geometric(truth, in_ink)) == {"misplaced"}


def test_a_lost_span_is_an_error_even_if_its_words_stay_together() -> None:
    truth, words = drawn("a | g |", "b | c | d", spans=[HEADER])

    assert not logical(truth, words, truth.grid).errors
    assert found(logical(truth, words, grid([40], [100, 200]))) == [
        ("span", {"cell": [0, 1], "fault": "missing"})
    ]


def test_words_of_a_lost_span_may_lie_in_the_middle_of_it_without_a_second_error() -> None:
    truth, words = drawn("a | g h i j |", "b | c | d", spans=[HEADER])
    words[1:5] = [Word(word.text, word.x + 100, word.y) for word in words[1:5]]

    assert kinds(logical(truth, words, grid([40], [100, 200]))) == {"span"}


@pytest.mark.parametrize(
    ("spans", "fault"),
    [
        ([Span(0, 1, 1, 3)], "size"),
        ([Span(0, 1, 2, 2)], "size"),
        ([HEADER, Span(1, 0, 1, 2)], "extra"),
        ([HEADER, Span(0, 1, 2, 2)], "extra"),
        ([HEADER, Span(7, 7, 1, 2)], "outside"),
    ],
)
def test_spans_of_wrong_extent_or_place_are_errors(spans: list[Span], fault: str) -> None:
    truth, words = drawn("a | g | |", "b | | d | e", spans=[HEADER])

    faults = [
        place["fault"]
        for kind, place in found(logical(truth, words, grid([40], [100, 200, 300], spans)))
        if kind == "span"
    ]

    assert faults == [fault]


def test_a_span_of_one_cell_says_nothing() -> None:
    truth, words = drawn("a | b", "c | d")

    assert not logical(truth, words, grid([40], [100], [Span(0, 0), Span(9, 9)])).errors


def test_a_span_that_mends_a_cut_column_is_no_error_but_the_cut_is() -> None:
    truth, words = drawn("a b | c", "d e | f")
    mended = [Span(0, 0, 1, 2), Span(1, 0, 1, 2)]

    assert found(logical(truth, words, grid([40], [33, 100], mended))) == [
        ("grid", {"axis": "columns", "fault": "extra", "inside": 0, "nth": 1})
    ]


def test_a_span_beyond_a_lost_column_is_still_the_right_one() -> None:
    truth, words = drawn("x | a | g |", "y | b | c | d", spans=[Span(0, 2, 1, 2)])

    assert kinds(logical(truth, words, grid([40], [200, 300], [Span(0, 1, 1, 2)]))) == {
        "grid",
        "merged",
    }


@pytest.mark.parametrize("profile", ["logical", "geometric"])
def test_an_empty_prediction_passes_for_one_cell_only(profile: str) -> None:
    def errors(*rows: str) -> int:
        truth, words = drawn(*rows)
        score = logical(truth, words, Grid()) if profile == "logical" else geometric(truth, Grid())
        return len(score.errors)

    assert errors("a b") == 0
    assert errors("a | b") > 0
    assert errors("a", "b") > 0
    assert errors("|", "|") > 0


def test_a_table_of_one_cell_has_no_ratio_over_separators() -> None:
    truth, _ = drawn("a")

    assert geometric(truth, Grid()).metrics == {
        "exact": (1, 1),
        "separator_precision": None,
        "separator_recall": None,
        "mean_offset_px": None,
    }


def test_missing_misplaced_and_extra_separators_are_told_apart() -> None:
    truth, _ = drawn("a | b | c", "d | e | f", "g | h | i")

    score = geometric(truth, grid([40], [100, 105, 230, 260]))

    assert found(score) == [
        ("missing", {"axis": "rows", "separator": 1}),
        ("extra", {"axis": "columns", "band": 2, "nth": 1}),
        ("extra", {"axis": "columns", "separator": 0, "nth": 1}),
        ("misplaced", {"axis": "columns", "separator": 1}),
    ]
    assert score.metrics["separator_precision"] == (2, 5)
    assert score.metrics["separator_recall"] == (2, 4)


def test_the_tolerance_ends_where_it_says() -> None:
    truth, _ = drawn("a | b")
    low, high = truth.column_gaps[0]

    assert TOLERANCE_PX == 2, "part of the scoring version: raise that too"
    for inside in (low - 2, high + 2):
        assert not geometric(truth, grid([], [inside])).errors
    for outside in (low - 2.01, high + 2.01):
        assert kinds(geometric(truth, grid([], [outside]))) == {"misplaced"}


def test_separators_outside_the_crop_are_errors_in_both_profiles() -> None:
    truth, words = drawn("a | b", "c | d")
    got = grid([-500, 40, 9000], [100])

    assert len(logical(truth, words, got).errors) == 2
    assert len(geometric(truth, got).errors) == 2


def test_a_double_of_a_separator_is_extra_and_improves_no_metric() -> None:
    """The farthest of a gap counts: a second guess beside the first cannot win."""
    truth, words = drawn("a | b")
    one, two = grid([], [105]), grid([], [100, 105])

    assert geometric(truth, one).metrics["mean_offset_px"] == 5
    assert geometric(truth, two).metrics["mean_offset_px"] == 5
    assert geometric(truth, two).metrics["separator_precision"] == (1, 2)
    assert kinds(geometric(truth, two)) == {"extra"}
    assert kinds(logical(truth, words, two)) == {"grid"}


def test_a_double_of_a_separator_does_not_stand_for_an_empty_column() -> None:
    truth, words = drawn("a | | b", "c | | d")

    double = logical(truth, words, grid([40], [100, 100]))

    assert found(double) == [("grid", {"axis": "columns", "fault": "double", "nth": 1})]
    assert not logical(truth, words, grid([40], [100, 190])).errors


def test_the_mean_offset_is_over_both_axes() -> None:
    truth, _ = drawn("a | b", "c | d")

    assert geometric(truth, grid([43], [99])).metrics["mean_offset_px"] == 2


def test_a_stray_separator_is_charged_to_one_true_separator_only() -> None:
    truth, _ = drawn("a | b | c")

    assert found(geometric(truth, grid([], [150]))) == [
        ("missing", {"axis": "columns", "separator": 0}),
        ("misplaced", {"axis": "columns", "separator": 1}),
    ]
