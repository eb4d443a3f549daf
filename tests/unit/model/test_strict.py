"""The strict reader against every malformed text and every wrong encoding."""

from __future__ import annotations

import contextlib
import json
import pickle
import zlib

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.model.canonical import MAX_INTEGER
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.strict import MAX_DEPTH
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

ACCEPTED = {
    "plain document": ('{"rows": [1, 2.5], "ok": true}', {"rows": [1, 2.5], "ok": True}),
    "astral and combining characters": ('"\U0001f600 e\u0301 é"', "\U0001f600 e\u0301 é"),
    "escaped astral character": ('"\\ud83d\\ude00"', "\U0001f600"),
    "any whitespace": (' \t\r\n{\r\n"a"\t:\n1 }\r\n', {"a": 1}),
    "empty text": ('""', ""),
    "empty list": ("[]", []),
    "null": ("null", None),
    "largest integer": (str(MAX_INTEGER), MAX_INTEGER),
    "smallest integer": (str(-MAX_INTEGER), -MAX_INTEGER),
    "small float": ("1e-400", 0.0),
    "exponent": ("1E5", 100000.0),
    "minus zero": ("-0", 0),
    "brackets inside text": ('"' + "[" * 500 + '"', "[" * 500),
    "brackets behind an escaped quote": (
        json.dumps(['a"' + "{" * 500, "b"]),
        ['a"' + "{" * 500, "b"],
    ),
    "deepest nesting": ("[" * MAX_DEPTH + "]" * MAX_DEPTH, None),
    "wide but flat": ("[" + "[]," * 200 + "[]]", [[]] * 201),
    "key that means something elsewhere": ('{"__proto__": 1}', {"__proto__": 1}),
    "same key at two depths": ('{"a": {"a": 1}}', {"a": {"a": 1}}),
}

MALFORMED_TEXT = {
    "empty": ("", "empty"),
    "only blanks": (" \r\n\t ", "empty"),
    "truncated": ('{"a": [1, 2', "syntax"),
    "truncated in a text": ('{"a": "b', "syntax"),
    "trailing comma in a list": ("[1,]", "syntax"),
    "trailing comma in an object": ('{"a": 1,}', "syntax"),
    "trailing garbage": ('{"a": 1} x', "syntax"),
    "two documents": ('{"a": 1} {"b": 2}', "syntax"),
    "JSON Lines": ('{"a": 1}\n{"b": 2}\n', "syntax"),
    "single quotes": ("{'a': 1}", "syntax"),
    "comment": ('{"a": 1} // one', "syntax"),
    "block comment": ('{/* one */"a": 1}', "syntax"),
    "NaN": ('{"a": NaN}', "not_finite"),
    "Infinity": ("Infinity", "not_finite"),
    "minus Infinity": ("[-Infinity]", "not_finite"),
    "nan in small letters": ("nan", "syntax"),
    "float overflow": ("1e400", "number_too_large"),
    "negative float overflow": ("[-1e400]", "number_too_large"),
    "integer with thousands of digits": ("9" * 5000, "number_too_large"),
    "twenty digits": ("1" + "0" * 19, "number_too_large"),
    "integer beyond 2^53 - 1": (str(MAX_INTEGER + 1), "number_too_large"),
    "negative integer beyond": (f"[{-MAX_INTEGER - 1}]", "number_too_large"),
    "leading zero": ("01", "syntax"),
    "plus sign": ("+1", "syntax"),
    "hex": ("0x1F", "syntax"),
    "bare point": (".5", "syntax"),
    "duplicate key at the top": ('{"a": 1, "a": 2}', "duplicate_key"),
    "duplicate key inside": ('{"b": [{"a": 1, "a": 1}]}', "duplicate_key"),
    "duplicate key hidden by an escape": ('{"a": 1, "\\u0061": 2}', "duplicate_key"),
    "very deep, open": ("[" * 100_000, "too_deep"),
    "very deep, closed": ("[" * 100_000 + "]" * 100_000, "too_deep"),
    "very deep, mixed": ('{"a":[' * 40 + "]}" * 40, "too_deep"),
    "one too deep": ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "too_deep"),
    "deep behind a text that never closes": ("[" * 40 + '"' + "[" * 40, "syntax"),
    "many quotes, never closed": ('{"a":' * 60 + '"' + '\\"' * 50_000 + "\\", "syntax"),
    "lone surrogate, escaped": ('"\\ud800"', "bad_character"),
    "lone surrogate in a key": ('{"a": {"\\udc00": 1}}', "bad_character"),
    "surrogates in the wrong order": ('["\\ude00\\ud83d"]', "bad_character"),
    "lone surrogate as it is": ('"\ud800"', "bad_character"),
    "NUL, escaped": ('{"a": ["\\u0000"]}', "bad_character"),
    "NUL as it is": ('"\x00"', "syntax"),
    "raw control character": ('"a\nb"', "syntax"),
    "HTML error page": ("<html><body>502</body></html>", "syntax"),
    "Python repr": ("{'a': True, 'b': None}", "syntax"),
    "no-break space as blank": ("\u00a0{}", "syntax"),
    "byte order mark": ("\ufeff{}", "bom"),
}

GOOD = b'{"text": "\xc3\xa9"}'
MALFORMED_BYTES = {
    "byte order mark": (b"\xef\xbb\xbf" + GOOD, "bom"),
    "UTF-16": (GOOD.decode().encode("utf-16"), "not_utf8"),
    "UTF-16 without a mark": (GOOD.decode().encode("utf-16-le"), "not_utf8"),
    "UTF-16 of ASCII": ('{"a": 1}'.encode("utf-16-le"), "syntax"),
    "Latin-1": (GOOD.decode().encode("latin-1"), "not_utf8"),
    "overlong form": (b'"\xc0\xaf"', "not_utf8"),
    "surrogate encoded as UTF-8": (b'"\xed\xa0\x80"', "not_utf8"),
    "beyond Unicode": (b'"\xf4\x90\x80\x80"', "not_utf8"),
    "compressed": (zlib.compress(GOOD), "not_utf8"),
    "trailing NUL bytes": (GOOD + b"\0\0", "syntax"),
    "pickle": (pickle.dumps({"a": 1}), "not_utf8"),
    "nothing": (b"", "empty"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_json_is_read_as_it_is(name: str) -> None:
    text, expected = ACCEPTED[name]

    value = read_json(text)

    if name == "deepest nesting":
        expected = json.loads(text)
    assert value == expected
    assert read_json(text.encode("utf-8")) == value


@pytest.mark.parametrize("name", MALFORMED_TEXT)
def test_malformed_text_is_refused(name: str) -> None:
    text, kind = MALFORMED_TEXT[name]

    with pytest.raises(MalformedJson) as caught:
        read_json(text)

    assert caught.value.kind == kind
    assert str(caught.value) == f"{kind}: {caught.value.detail}"
    assert len(caught.value.detail) <= 200


@pytest.mark.parametrize("name", MALFORMED_BYTES)
def test_other_bytes_are_refused(name: str) -> None:
    data, kind = MALFORMED_BYTES[name]

    with pytest.raises(MalformedJson) as caught:
        read_json(data)

    assert caught.value.kind == kind


def test_bytes_of_any_buffer_are_read() -> None:
    assert read_json(bytearray(GOOD)) == read_json(memoryview(GOOD)) == {"text": "é"}  # type: ignore[arg-type]


def test_the_depth_is_the_callers_choice() -> None:
    assert read_json("[[]]", max_depth=2) == [[]]
    with pytest.raises(MalformedJson, match="deeper than 1"):
        read_json("[[]]", max_depth=1)


def test_a_fault_quotes_nothing_of_the_text() -> None:
    with pytest.raises(MalformedJson) as caught:
        read_json('{"secret": secret}')

    assert "secret" not in str(caught.value)


def test_a_doubled_key_is_named_escaped_and_cut() -> None:
    key = "\u202e" + "k" * 200

    with pytest.raises(MalformedJson) as caught:
        read_json(json.dumps({key: 1}, ensure_ascii=False)[:-1] + f', "{key}": 2}}')

    assert caught.value.detail.startswith("key '\\u202e")
    assert len(caught.value.detail) < 120


def test_a_syntax_fault_has_its_position() -> None:
    with pytest.raises(MalformedJson) as caught:
        read_json('{"a": 1,\n "b" 2}')

    assert caught.value.position == 14


def test_a_text_that_is_cut_short_is_told_with_one_place() -> None:
    with pytest.raises(MalformedJson, match=r"string starting at character 1\b"):
        read_json('{"a')


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-MAX_INTEGER, MAX_INTEGER)
        | st.floats(-1e15, 1e15)
        | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
                inner,
                max_size=4,
            )
        ),
        max_leaves=15,
    )
)
def test_what_is_written_is_read_back(value: object) -> None:
    assert canonical(read_json(canonical(value))) == canonical(value)
    assert read_json(json.dumps(value)) == value


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=40) | st.text('[]{}",:\\u0aNI-1.e \n', max_size=40))
def test_whatever_comes_is_read_or_refused_and_nothing_else(data: bytes | str) -> None:
    with contextlib.suppress(MalformedJson):
        read_json(data)
