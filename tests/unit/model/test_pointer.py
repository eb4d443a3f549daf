from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.model.pointer import look_up
from pytest_benchbed.model.pointer import parse_pointer

# The document and the pointers of RFC 6901, section 5.
DOCUMENT: dict[str, Any] = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_the_examples_of_the_rfc(pointer: str, value: Any) -> None:
    assert look_up(DOCUMENT, pointer) == value


def test_the_escape_of_a_tilde_is_read_last() -> None:
    assert parse_pointer("/~01") == ("~1",)


@pytest.mark.parametrize("pointer", ["foo", "$.foo", "/a~2", "/a~"])
def test_what_is_no_pointer_is_refused(pointer: str) -> None:
    with pytest.raises(ValueError, match="is no JSON pointer: write"):
        parse_pointer(pointer)


@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        ("/answer", "the value is an object with foo, "),
        ("/foo/2", "/foo is a list of 2"),
        ("/foo/-", "/foo is a list of 2"),
        ("/foo/01", "/foo is a list of 2"),
        ("/foo/0/x", "/foo/0 is a str"),
        ("/a~1b/x", "/a~1b is a int"),
    ],
)
def test_where_the_way_ends_is_said(pointer: str, words: str) -> None:
    with pytest.raises(LookupError) as caught:
        look_up(DOCUMENT, pointer)

    text = str(caught.value).replace("/a/b", "/a~1b")
    assert f"{pointer} is not there" in text
    assert words in text
