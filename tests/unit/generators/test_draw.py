from __future__ import annotations

import pytest

from pytest_benchbed.generators.draw import Draw


def test_equal_keys_give_equal_streams_and_others_do_not() -> None:
    def stream(*key: str | int) -> list[int]:
        draw = Draw(*key)
        return [draw.below(1000) for _ in range(20)]

    assert stream("a", 1) == stream("a", 1)
    assert stream("a", 1) != stream("a", 2)


def test_the_stream_is_the_same_everywhere() -> None:
    """Pinned numbers: a changed stream would change every generated case."""
    draw = Draw("pinned")

    assert [draw.below(100) for _ in range(6)] == PINNED


PINNED = [55, 54, 51, 0, 53, 96]


def test_bounds_are_included() -> None:
    draw = Draw("bounds")

    assert {draw.between(3, 5) for _ in range(60)} == {3, 4, 5}


def test_a_sample_has_no_doubles_and_is_short_where_items_are_few() -> None:
    draw = Draw("sample")

    assert sorted(draw.sample("abcdef", 6)) == list("abcdef")
    assert len(set(draw.sample("abcdef", 3))) == 3
    assert sorted(draw.sample("ab", 5)) == ["a", "b"]


def test_chance_is_a_percentage() -> None:
    draw = Draw("chance")

    assert not any(draw.chance(0) for _ in range(50))
    assert all(draw.chance(100) for _ in range(50))


@pytest.mark.parametrize(
    ("number", "places", "text"),
    [(5, 3, "0.005"), (1234, 1, "123.4"), (0, 2, "0.00"), (-7, 1, "-0.7"), (42, 0, "42")],
)
def test_a_decimal_is_written_with_its_places(number: int, places: int, text: str) -> None:
    assert Draw("decimal").decimal(number, number, places) == text
