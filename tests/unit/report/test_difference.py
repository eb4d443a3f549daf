"""The structural difference: where two values differ, line by line."""

from __future__ import annotations

from pytest_benchbed.report.difference import MAX_ITEMS
from pytest_benchbed.report.difference import compact
from pytest_benchbed.report.difference import difference
from pytest_benchbed.report.difference import is_same


def marks(expected: object, got: object) -> list[tuple[str, str, str]]:
    return [(line.mark, line.expected, line.got) for line in difference(expected, got)[0]]


def test_equal_values_are_one_line() -> None:
    assert marks({"b": [1, 2], "a": None}, {"a": None, "b": [1, 2.0]}) == [
        ("same", '{"b": [1, 2], "a": null}', '{"b": [1, 2], "a": null}')
    ]


def test_keys_are_matched_and_their_order_means_nothing() -> None:
    assert marks({"a": 1, "b": 2, "c": 3}, {"d": 4, "c": 3, "a": 0}) == [
        ("same", "{", "{"),
        ("changed", '"a": 1', '"a": 0'),
        ("missing", '"b": 2', ""),
        ("same", '"c": 3', '"c": 3'),
        ("extra", "", '"d": 4'),
        ("same", "}", "}"),
    ]


def test_an_item_put_in_front_does_not_move_all_others() -> None:
    assert marks([20, 40, 60], [10, 20, 40, 60]) == [
        ("same", "[", "["),
        ("extra", "", "10"),
        ("same", "20", "20"),
        ("same", "40", "40"),
        ("same", "60", "60"),
        ("same", "]", "]"),
    ]


def test_many_equal_items_are_folded() -> None:
    lines = marks([*range(10), "x"], [*range(10), "y"])

    assert ("same", "… 8 equal items …", "… 8 equal items …") in lines
    assert lines[-2] == ("changed", '"x"', '"y"')


def test_items_that_differ_inside_are_opened() -> None:
    assert marks([{"row": 1, "text": "a"}], [{"row": 1, "text": "b"}])[2:4] == [
        ("same", '"row": 1', '"row": 1'),
        ("changed", '"text": "a"', '"text": "b"'),
    ]


def test_a_missing_item_is_told_from_a_null() -> None:
    assert ("missing", "null", "") in marks([1, None], [1])
    assert ("changed", "null", "0") in marks([1, None], [1, 0])


def test_true_is_no_one_and_a_whole_float_is_its_integer() -> None:
    assert not is_same(True, 1)
    assert is_same(1.0, 1)
    assert marks({"a": True}, {"a": 1})[1][0] == "changed"


def test_long_lists_are_matched_by_position_in_linear_time() -> None:
    expected = list(range(MAX_ITEMS + 1))

    lines, _ = difference(expected, [*expected[1:], "new"], max_lines=10_000)

    assert [line.mark for line in lines].count("changed") == MAX_ITEMS + 1


def test_too_many_lines_are_cut_and_it_is_said() -> None:
    lines, is_cut = difference(list(range(0, 100, 2)), list(range(1, 101, 2)), max_lines=10)

    assert len(lines) == 10
    assert is_cut
    assert not difference([1], [2])[1]


def test_a_long_value_is_cut_and_it_is_said() -> None:
    assert compact("x" * 50, 10) == '"xxxxxxxxx…'
    assert compact({"a": [1]}) == '{"a": [1]}'
