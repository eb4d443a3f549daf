"""Values of ``--bench-adapter-option``: restricted YAML scalars and flow lists."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.adapters.options import parse_options
from pytest_benchbed.adapters.options import parse_value
from pytest_benchbed.model.errors import UsageProblem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("baseline", "baseline"),
        ("", ""),
        ("  ", ""),
        ("null", None),
        ("true", True),
        ("false", False),
        ("21", 21),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-3", 0.001),
        ("[21]", [21]),
        ("[a, 'b c', [1, null]]", ["a", "b c", [1, None]]),
        ("[]", []),
        ('"21"', "21"),
        ("'true'", "true"),
        ("'say \"it\"'", 'say "it"'),
        ("https://host:80/a?b=c#d", "https://host:80/a?b=c#d"),
        ("/home/me/x", "/home/me/x"),
    ],
)
def test_a_value_is_read_as_written(text: str, value: object) -> None:
    got = parse_value(text)

    assert (got, type(got)) == (value, type(value))


@pytest.mark.parametrize(
    "text",
    ["no", "yes", "on", "True", "~", "010", "0x1f", "12:30:45", "2024-01-02", "+1", "1_0", ".5"],
)
def test_what_yaml_would_guess_stays_text(text: str) -> None:
    assert parse_value(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "{a: 1}",
        "- a",
        "&x a",
        "*x",
        "!!str a",
        "| a",
        "%a",
        "@a",
        "[a",
        "[a] b",
        "a #b",
        "#b",
        "a\nb",
        "--- a",
        "[a, {b: c}]",
        "[" * 65 + "]" * 65,
        "9" * 30,
        str(2**53),
        "1e999",
        '"\\ud800"',
    ],
)
def test_anything_else_is_refused_and_the_message_says_how_to_quote(text: str) -> None:
    with pytest.raises(UsageProblem, match="Quote text"):
        parse_options([f"k={text}"])


def test_options_become_a_mapping() -> None:
    got: dict[str, Any] = parse_options(["variant=baseline", "pages=[1, 2]", "x=a=b"])

    assert got == {"variant": "baseline", "pages": [1, 2], "x": "a=b"}


@pytest.mark.parametrize("item", ["variant", "=x", "a b=c", "1=c", "-x=c"])
def test_an_option_without_a_name_and_a_value_is_refused(item: str) -> None:
    with pytest.raises(UsageProblem, match="NAME=VALUE"):
        parse_options([item])


def test_an_option_given_twice_is_refused() -> None:
    with pytest.raises(UsageProblem, match="twice"):
        parse_options(["a=1", "a=2"])
