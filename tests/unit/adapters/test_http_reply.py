"""What a response means, without a network."""

from __future__ import annotations

from datetime import UTC
from datetime import datetime
from http.client import HTTPMessage
from typing import Any

import pytest

from pytest_benchbed.adapters.http_exchange import MAX_BODY
from pytest_benchbed.adapters.http_exchange import Response
from pytest_benchbed.adapters.http_reply import read_reply
from pytest_benchbed.adapters.http_reply import retry_after
from pytest_benchbed.adapters.option_reader import OptionReader
from pytest_benchbed.adapters.picked import OPTIONS
from pytest_benchbed.adapters.picked import Picks
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import Retry
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.usage import Usage

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
JSON = "application/json"


def headers(**values: str) -> HTTPMessage:
    message = HTTPMessage()
    for name, value in values.items():
        message[name.replace("_", "-")] = value
    return message


def response(status: int = 200, body: bytes = b"{}", **values: str) -> Response:
    return Response(status, headers(**{"Content_Type": JSON, **values}), body)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-3", None),
        ("", None),
    ],
)
def test_retry_after_in_seconds_and_as_a_date(text: str, seconds: float | None) -> None:
    assert retry_after(headers(Retry_After=text), NOW) == seconds


def test_a_date_is_read_against_the_clock_of_the_server() -> None:
    found = headers(
        Retry_After="Sun, 01 Mar 2026 15:00:05 GMT", Date="Sun, 01 Mar 2026 15:00:00 GMT"
    )

    assert retry_after(found, NOW) == 5.0


@pytest.mark.parametrize("body", [b"", b"\r\n"])
def test_an_empty_body_is_no_text_either(body: bytes) -> None:
    with pytest.raises(TechnicalFailure, match="HTTP 200 with an empty body"):
        read_reply(response(200, body), reply="text", content_type="*/*")


@pytest.mark.parametrize(("status", "after_s"), [(429, 3.0), (500, 3.0), (503, 3.0), (599, 3.0)])
def test_busy_and_broken_servers_are_asked_again(status: int, after_s: float) -> None:
    with pytest.raises(Retry) as caught:
        read_reply(response(status, Retry_After="3"), reply="json", content_type=JSON)

    assert caught.value.after_s == after_s


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        (
            response(302, b"", Location="https://me:word@h/login?ticket=T#t"),
            "http_status",
            "a redirect to https://h/login; none",
        ),
        (response(404, b"<h1>no\x1b[31m</h1>"), "http_status", "HTTP 404: <h1>no\\x1b[31m</h1>"),
        (response(200, b""), "bad_response", "HTTP 200 with an empty body"),
        (response(200, b" \n"), "bad_response", "with an empty body"),
        (response(200, b"<p>", Content_Type="text/html"), "bad_response", "type text/html, not a"),
        (response(200, b"{'a': 1}"), "bad_response", "no JSON (Expecting property name"),
        (response(200, b"[NaN]"), "bad_response", "no JSON"),
        (response(200, b"\xff{}"), "bad_response", "no JSON (byte 0 is not UTF-8)"),
        (response(200, b"{}", Content_Encoding="gzip"), "bad_response", "is compressed"),
        (response(200, b" " * MAX_BODY + b"1x"), "bad_response", "larger than"),
    ],
)
def test_what_is_no_reply_is_technical(
    given: Response, kind: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TechnicalFailure) as caught:
        read_reply(given, reply="json", content_type=JSON)

    assert caught.value.kind == kind
    assert words in caught.value.detail
    assert "\x1b" not in caught.value.detail + capsys.readouterr().err


def test_the_first_200_characters_go_to_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    page = "<html>" + "á" * 300

    with pytest.raises(TechnicalFailure):
        read_reply(
            response(200, page.encode(), Content_Type="text/html"), reply="json", content_type=JSON
        )

    assert f"the body begins: {page[:200]}…\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content_type", "wanted"),
    [
        ("application/json; charset=utf-8", JSON),
        ("application/problem+json", JSON),
        ("text/html", "*/*"),
        ("text/x-acme", "text/x-acme"),
    ],
)
def test_content_types_that_are_taken(content_type: str, wanted: str) -> None:
    given = response(200, b'{"a": "\xc3\xb1"}', Content_Type=content_type)

    assert read_reply(given, reply="json", content_type=wanted) == {"a": "ñ"}


def test_text_is_read_in_its_charset() -> None:
    given = response(200, b"espa\xf1ol", Content_Type="text/plain; charset=iso-8859-1")

    assert read_reply(given, reply="text", content_type="text/plain") == "español"
    with pytest.raises(TechnicalFailure, match="no utf-8 text"):
        read_reply(
            response(200, b"espa\xf1ol", Content_Type="text/plain"),
            reply="text",
            content_type="text/plain",
        )


def picks(**options: Any) -> Picks:
    return Picks.read(OptionReader("http", options, OPTIONS))


REPLY = {"a": {"label": "sí"}, "usd": "0.00123", "in": 7, "out": 2, "m": "small", "none": None}


def test_a_prediction_and_its_cost_are_picked() -> None:
    found = picks(
        result="/a/label", key="label", cost="/usd", input_tokens="/in", output_tokens="/out",
        model="/m",
    )  # fmt: skip

    assert found.prediction(REPLY) == {"label": "sí"}
    usage = found.usage(REPLY)
    assert usage is not None
    assert usage.to_json() == {
        "cost_usd": 0.00123, "model": "small", "input_tokens": 7, "output_tokens": 2,
    }  # fmt: skip


def test_without_pointers_the_reply_is_the_prediction_and_says_nothing_of_money() -> None:
    assert picks().prediction(REPLY) == REPLY
    assert picks().usage(REPLY) is None


def test_null_is_a_case_that_was_declined() -> None:
    with pytest.raises(NoAnswer, match="null at /none"):
        picks(result="/none").prediction(REPLY)


@pytest.mark.parametrize("options", [{"cost": "/x"}, {"cost": "/none"}, {"output_tokens": "/x"}])
def test_a_price_that_should_be_there_and_is_not_is_unknown(options: dict[str, str]) -> None:
    """It must never count as 0."""
    assert picks(**options).usage(REPLY) == Usage(unpriced_attempts=1)


@pytest.mark.parametrize("options", [{"cost": "/m"}, {"input_tokens": "/m"}])
def test_a_cost_that_is_none_is_technical(options: dict[str, str]) -> None:
    with pytest.raises(TechnicalFailure, match="bad_response"):
        picks(**options).usage(REPLY)
