from __future__ import annotations

from collections.abc import Sequence

from pytest_benchbed.scoring.bands import align
from pytest_benchbed.scoring.bands import true_band


def places(
    count: int, got_count: int, pairs: Sequence[tuple[int | None, int]]
) -> list[dict[str, object]]:
    """Return where each error is; ``pairs`` are (true band, predicted band) per word."""
    alignment = align(
        "rows", count, got_count, [true for true, _ in pairs], [got for _, got in pairs]
    )
    return [dict(error.where) for error in alignment.errors]


def test_equal_bands_have_no_error() -> None:
    assert places(3, 3, [(0, 0), (1, 1), (2, 2)]) == []


def test_two_bands_in_one_miss_the_separator_after_the_first() -> None:
    assert places(3, 2, [(0, 0), (1, 0), (2, 1)]) == [
        {"axis": "rows", "fault": "missing", "after": 0, "nth": 1}
    ]


def test_a_band_lost_near_the_top_leaves_the_ones_below_unblamed() -> None:
    pairs = [(band, max(0, band - 1)) for band in range(10)]

    assert len(places(10, 9, pairs)) == 1


def test_two_lost_separators_contain_the_error_of_each() -> None:
    """Mending one of two must not look like a new mistake."""
    both = places(4, 2, [(0, 0), (1, 0), (2, 0), (3, 1)])
    one = places(4, 3, [(0, 0), (1, 0), (2, 1), (3, 2)])

    assert len(both) == 2
    assert all(place in both for place in one)


def test_a_band_that_is_cut_has_an_extra_one_inside() -> None:
    assert places(2, 3, [(0, 0), (0, 0), (0, 1), (1, 2)]) == [
        {"axis": "rows", "fault": "extra", "inside": 0, "nth": 1}
    ]


def test_where_a_band_is_cut_plays_no_part() -> None:
    early = places(2, 3, [(0, 0), (0, 1), (0, 1), (1, 2)])
    late = places(2, 3, [(0, 0), (0, 0), (0, 1), (1, 2)])

    assert early == late


def test_an_empty_band_too_many_is_named_by_the_band_before_it() -> None:
    assert places(2, 3, [(0, 0), (1, 2)]) == [
        {"axis": "rows", "fault": "extra", "after": 0, "nth": 1}
    ]


def test_empty_bands_at_the_ends_are_counted() -> None:
    assert places(2, 4, [(0, 1), (1, 2)]) == [
        {"axis": "rows", "fault": "extra", "after": -1, "nth": 1},
        {"axis": "rows", "fault": "extra", "after": 1, "nth": 1},
    ]


def test_a_second_extra_band_at_one_place_is_an_error_of_its_own() -> None:
    numbers = [place["nth"] for place in places(2, 4, [(0, 0), (1, 3)])]

    assert numbers == [1, 2]


def test_a_true_band_without_words_must_be_there() -> None:
    assert places(3, 2, [(0, 0), (2, 1)]) == [
        {"axis": "rows", "fault": "missing", "after": 0, "nth": 1}
    ]


def test_an_empty_band_on_the_wrong_side_is_missing_and_extra() -> None:
    """The number of bands is right; their order is not."""
    assert places(4, 4, [(0, 0), (2, 1), (3, 3)]) == [
        {"axis": "rows", "fault": "missing", "after": 0, "nth": 1},
        {"axis": "rows", "fault": "extra", "after": 2, "nth": 1},
    ]


def test_words_of_spanning_cells_do_not_vote() -> None:
    assert places(2, 2, [(0, 0), (None, 1), (None, 1), (1, 1)]) == []


def test_a_table_without_words_is_compared_by_its_size() -> None:
    assert len(places(3, 1, [])) == 2
    assert places(1, 1, []) == []


def test_on_a_tie_the_home_is_the_band_that_is_filled_with_the_larger_share() -> None:
    alignment = align("rows", 2, 2, [0, 0, 0, 1, 1], [0, 0, 0, 0, 1])

    assert alignment.homes == (0, 1)


def test_a_span_is_mapped_over_a_lost_separator() -> None:
    alignment = align("columns", 4, 3, [0, 1, 2, 3], [0, 1, 1, 2])

    assert true_band(alignment, 1, 1) == (1, 2)
    assert true_band(alignment, 2, 1) == (3, 1)


def test_a_span_that_leaves_the_grid_keeps_its_excess() -> None:
    alignment = align("columns", 3, 3, [0, 1, 2], [0, 1, 2])

    assert true_band(alignment, 1, 2) == (1, 2)
    assert true_band(alignment, 1, 5) == (1, 5)
    assert true_band(alignment, 7, 1) is None


def test_bands_without_words_get_the_place_behind_their_neighbour() -> None:
    alignment = align("rows", 4, 4, [0, 3], [0, 3])

    assert alignment.homes == (0, 1, 2, 3)


def test_the_first_band_without_words_stands_first() -> None:
    assert align("rows", 2, 2, [1], [1]).homes == (0, 1)


def test_a_band_without_words_inside_a_merged_one_is_there_too() -> None:
    assert align("rows", 3, 1, [0, 2], [0, 0]).homes == (0, 0, 0)
