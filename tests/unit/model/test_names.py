from __future__ import annotations

import pytest

from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.names import unknown_name


@pytest.mark.parametrize("text", ["a", "sep-001", "A.b_c-9", "0", "x" * 100])
def test_a_case_id_is_a_plain_word(text: str) -> None:
    assert is_case_id(text)


@pytest.mark.parametrize(
    "text",
    ["", "-a", ".a", "_a", "a b", "a/b", "a::b", "a[1]", "é", "x" * 101, "a\n", "a\x00", None, 3],
)
def test_anything_else_is_none(text: object) -> None:
    assert not is_case_id(text)


def test_the_nearest_name_is_given_and_how_to_list() -> None:
    assert unknown_name("benchmark", "tabel", ["table", "text"], "pytest --bench-list") == (
        "unknown benchmark 'tabel'. Did you mean 'table'?\nList them with: pytest --bench-list"
    )


def test_without_a_near_one_a_short_list_is_given_whole() -> None:
    assert unknown_name("tier", "zzz", ["site", "document"], "") == (
        "unknown tier 'zzz'. Known: document, site."
    )


def test_a_long_list_is_not_given() -> None:
    names = [f"name-{number}" for number in range(13)]

    assert unknown_name("case", "zzz", names, "") == "unknown case 'zzz'."


def test_nothing_registered_is_said() -> None:
    assert unknown_name("adapter", "x", [], "") == "unknown adapter 'x'. No adapter is registered."


def test_a_name_is_cut_and_escaped() -> None:
    text = unknown_name("case", "\x1b[31m" + "x" * 200, ["y"], "")

    assert "\x1b" not in text
    assert len(text) < 160
