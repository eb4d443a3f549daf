from __future__ import annotations

import hashlib
import json

import pytest
import rfc8785
from hypothesis import example
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.model.canonical import MAX_INTEGER
from pytest_benchbed.model.canonical import ascii_json
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.canonical import number
from pytest_benchbed.model.canonical import sha256_hex

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
INTEGERS = st.integers(-MAX_INTEGER, MAX_INTEGER)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def values(numbers: st.SearchStrategy) -> st.SearchStrategy:
    return st.recursive(
        st.none() | st.booleans() | numbers | TEXT,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
        max_leaves=20,
    )


VALUES = values(INTEGERS | FLOATS)
# A float from 2^53 to 1e21 is written in digits alone and comes back as an integer out of range.
VALUES_TO_READ = values(INTEGERS | st.floats(-1e15, 1e15))


@settings(max_examples=200, deadline=None)
@given(VALUES)
@example({"é": 1, "z": 2, "\ufb33": 3, "\U0001f600": 4})
@example([0.0001, 0.00009999, 1e15, 999999999999999.9, 1e21, -0.0, 5e-324, 1.5, 100.0])
@example({"b": [1.0, {"a": 2.0}], "a": '\x00\x1f\x7f\u2028"\\/'})
def test_the_bytes_are_those_of_rfc_8785(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_written_as_rfc_8785_writes_it(value: float) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@settings(max_examples=200, deadline=None)
@given(INTEGERS | FLOATS | st.floats(1e-7, 1e-3))
@example(-0.0)
@example(0.0001)
@example(0.00009999)
@example(1e15)
def test_one_number_is_written_as_rfc_8785_writes_it(value: float) -> None:
    assert number(value) == rfc8785.dumps(value).decode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), MAX_INTEGER + 1, -MAX_INTEGER - 1])
def test_a_number_that_is_no_json_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no canonical JSON"):
        number(value)


@settings(max_examples=100, deadline=None)
@given(VALUES_TO_READ)
def test_reading_the_canonical_form_back_changes_nothing_canonical(value: object) -> None:
    once = canonical(value)

    assert canonical(json.loads(once)) == once


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(TEXT, VALUES, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_keys_is_irrelevant(value: dict, random) -> None:
    items = list(value.items())
    random.shuffle(items)

    assert canonical(dict(items)) == canonical(value)


def test_the_argument_is_not_changed() -> None:
    value = {"b": 1.0, "a": [2.0, {"c": 3.0}], "t": (4.0,)}

    assert canonical(value) == b'{"a":[2,{"c":3}],"b":1,"t":[4]}'
    assert json.dumps(value) == '{"b": 1.0, "a": [2.0, {"c": 3.0}], "t": [4.0]}'


def test_unicode_is_not_normalised() -> None:
    assert canonical("é") != canonical("e\u0301")


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        MAX_INTEGER + 1,
        -MAX_INTEGER - 1,
        "\ud800",
        {"\udfff": 1},
        {1: 2},
        {None: 2},
        {1, 2},
        pytest.param(object(), id="object"),
        b"bytes",
        [{"deep": {"nan": float("nan")}}],
    ],
    ids=repr,
)
def test_what_is_no_json_has_no_canonical_form(value: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        canonical(value)


def test_a_subclass_of_text_is_written_as_text() -> None:
    assert canonical([Text("a")]) == b'["a"]'


@pytest.mark.parametrize("value", [MAX_INTEGER, -MAX_INTEGER, 0, True, None, "", [], {}, ()])
def test_edge_values_have_one(value: object) -> None:
    assert canonical(value) == json.dumps(value, separators=(",", ":")).encode()


def test_a_digest_is_the_sha256_of_the_canonical_form() -> None:
    expected = hashlib.sha256(b'{"a":1,"b":2}').hexdigest()

    assert digest({"b": 2.0, "a": 1}) == expected
    assert sha256_hex(b'{"a":1,"b":2}') == expected


def test_text_for_other_processes_is_one_line_of_ascii() -> None:
    text = ascii_json({"b": "é\n\ud800\u2028", "a": [1, None]})

    assert text.isascii()
    assert "\n" not in text
    assert text == '{"a":[1,null],"b":"\\u00e9\\n\\ud800\\u2028"}'


def test_text_for_other_processes_holds_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        ascii_json({"a": float("nan")})
