"""Secrets in every spelling we know, replaced before anything is written."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote
from urllib.parse import quote_plus

import pytest

from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.model.errors import UsageProblem

SECRET = 'p/ss wörd+"quote"'


@pytest.mark.parametrize(
    "spelling",
    [
        SECRET,
        quote(SECRET, safe=""),
        quote(SECRET),
        quote_plus(SECRET),
        quote(SECRET, safe="").lower(),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        base64.b64encode(SECRET.encode()).decode().rstrip("="),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
    ],
)
def test_every_spelling_of_a_value_is_replaced_by_its_name(spelling: str) -> None:
    text = Redactor({"API_KEY": SECRET}).text(f"key={spelling};")

    assert text == "key=[API_KEY];"


@pytest.mark.parametrize("user", ["", "u", "us", "use"])
def test_base64_of_a_longer_text_that_holds_the_value_does_not_show_it(user: str) -> None:
    secret = "s3cr3t-t0ken"
    header = base64.b64encode(f"{user}{secret}:x".encode()).decode()

    text = Redactor({"TOKEN": secret}).text(header)

    assert "[TOKEN]" in text
    rest = text.replace("[TOKEN]", "")
    assert len(rest) <= 10


def test_the_longer_of_two_values_is_replaced_first() -> None:
    redactor = Redactor({"A": "secret", "B": "secret-long"})

    assert redactor.text("secret-long secret") == "[B] [A]"


@pytest.mark.parametrize("value", ["", "a", "12345"])
def test_a_value_too_short_to_hide_is_refused(value: str) -> None:
    with pytest.raises(UsageProblem, match="REGION"):
        Redactor({"REGION": value})


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcdefghijklmnop1234",
        "AKIAABCDEFGHIJKLMNOP",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    ],
)
def test_what_looks_like_a_key_is_a_second_net_for_messages(key: str) -> None:
    assert Redactor().text(f"got {key}.") == "got [secret]."
    assert Redactor().text("Bearer abcdefghijklmnopqrst") == "Bearer [secret]"


def test_a_prediction_loses_values_in_strings_and_keys_but_no_lookalikes() -> None:
    redactor = Redactor({"KEY": "123456"})
    value = {"a": ["x123456", 123456, None], "123456": "sk-" + "a" * 20}

    assert redactor.value(value) == {"a": ["x[KEY]", 123456, None], "[KEY]": "sk-" + "a" * 20}


def test_a_lone_surrogate_does_not_stop_the_redaction() -> None:
    assert Redactor({"KEY": "secret1"}).text("\ud800 secret1") == "\ud800 [KEY]"
