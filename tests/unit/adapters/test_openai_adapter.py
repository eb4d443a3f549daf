"""The adapter ``openai`` alone, against a server in a thread of this process."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.openai_adapter import OpenAI
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import Retry
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.usage import Usage
from tests.plugin.web import Reply
from tests.plugin.web import Web
from tests.plugin.web import serving

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
SCHEMA = {"type": "object", "properties": {"label": {"type": "string"}}}


def completion(content: Any = "sí", *, finish: str | None = "stop", **changes: Any) -> Any:
    """What a server says, as far as it is read."""
    message = {"role": "assistant", "content": content, **changes.pop("message", {})}
    return {
        "id": "c",
        "object": "chat.completion",
        "model": "small-2026-01-31",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
        **changes,
    }


@pytest.fixture
def web() -> Iterator[Web]:
    """A server that says ``sí`` until it is told otherwise."""
    with serving(lambda _: completion()) as found:
        yield found


def ask(web: Web, *cases: Case, **options: Any) -> list[Any]:
    """Ask the cases one after the other."""

    async def asked() -> list[Any]:
        adapter = OpenAI(**{"base_url": f"{web.url}/v1", "user": "¿{/q}?", **options})
        adapter.model = "small"
        try:
            return [await adapter.predict(one) for one in cases or (case(q="qué"),)]
        finally:
            await adapter.close()

    return asyncio.run(asked())


def case(files: dict[str, Path] | None = None, **inputs: Any) -> Case:
    return Case("c-1", "toy", inputs, files or {})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which paths of options are looked for."""
    monkeypatch.setattr(OpenAI, "folders", (tmp_path,))
    return tmp_path


def test_a_question_and_its_text_with_model_and_tokens(web: Web) -> None:
    options = {"system": "In {/lang}.", "temperature": 0, "max_tokens": 50, "seed": 7}

    found = ask(
        web, case(q="qué", lang="es"), key="said", extra={"top_p": 0.5, "store": None}, **options
    )

    usage = Usage(model="small-2026-01-31", input_tokens=12, output_tokens=3)
    assert found == [({"said": "sí"}, usage)]
    (asked,) = web.asked
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.headers["authorization"] == "Bearer no-key"
    assert asked.headers["accept-encoding"] == "identity"
    assert asked.json == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "In es."},
            {"role": "user", "content": "¿qué?"},
        ],
        "temperature": 0,
        "max_tokens": 50,
        "seed": 7,
        "top_p": 0.5,
        "store": None,
    }


def test_a_prompt_file_and_a_schema(web: Web, folder: Path) -> None:
    (folder / "ask.txt").write_bytes('\ufeffReturn {{label}} of {/q}: {"a": 1}\r\n'.encode())
    (folder / "my label.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    web.script = lambda _: completion('{"label": "no"}')

    found = ask(web, prompt="ask.txt", user=None, schema="my label.json")

    assert found[0][0] == {"label": "no"}
    assert web.asked[0].json["messages"] == [
        {"role": "user", "content": 'Return {label} of qué: {"a": 1}'}
    ]
    assert web.asked[0].json["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "my_label", "schema": SCHEMA, "strict": True},
    }


def test_a_schema_with_its_name_is_sent_as_it_is(web: Web, folder: Path) -> None:
    whole = {"name": "mine", "schema": SCHEMA, "strict": False}
    (folder / "s.json").write_text(json.dumps(whole), encoding="utf-8")

    found = ask(web, schema="s.json", reply="text")

    assert found[0][0] == "sí"
    assert web.asked[0].json["response_format"]["json_schema"] == whole


def test_files_go_as_text_or_as_images(web: Web, tmp_path: Path) -> None:
    text, image = tmp_path / "año.txt", tmp_path / "page.dat"
    text.write_bytes("\ufeffaño".encode())
    image.write_bytes(PNG)

    ask(web, case({"a/año.txt": text}, q="1"), files="text")
    ask(web, case({"a/page.dat": image}, q="2"), files="image")

    assert web.asked[0].json["messages"][0]["content"] == "¿1?\n\naño.txt:\naño"
    assert web.asked[1].json["messages"][0]["content"] == [
        {"type": "text", "text": "¿2?"},
        {
            "type": "image_url",
            "image_url": {"url": "data:image/png;base64,iVBORw0KGgoAAAAAAAAAAA=="},
        },
    ]
    for files, given, words in (
        ("image", {"a": text}, "no PNG, JPEG, GIF or WebP"),
        ("text", {"a": image}, "no UTF-8 text at byte 0"),
        ("text", {}, "the case has no file"),
    ):
        with pytest.raises(TechnicalFailure, match=words) as caught:
            ask(web, case(given, q="3"), files=files)
        assert caught.value.kind == "template"
    assert len(web.asked) == 2


@pytest.mark.parametrize(
    ("reply", "options", "kind", "words"),
    [
        (completion('{"a": 1'), {"reply": "json"}, "bad_response", "the text is no JSON"),
        (completion('{"a": 1, "a": 2}'), {"reply": "json"}, "bad_response", "is no JSON"),
        (completion("s", finish="length"), {}, "bad_response", "cut off after 3 tokens"),
        (completion(None, finish="content_filter"), {}, "bad_response", "a content filter held"),
        (completion(None, finish="tool_calls"), {}, "bad_response", "no text (finish_reason tool"),
        (completion(choices=[]), {}, "bad_response", "the reply has no choices/0/message"),
        ({"error": {"message": "overloaded"}}, {}, "bad_response", "overloaded"),
        ([], {}, "bad_response", "the reply has no choices/0/message: []"),
        (Reply(200, b"<html>", "text/html"), {}, "bad_response", "content type text/html"),
        (Reply(200, b'{"choices": [', None), {}, "bad_response", "content type none"),
        (Reply(200, b'{"choices": ['), {}, "bad_response", "no JSON"),
        (Reply(302, b"", None, {"Location": "/login"}), {}, "http_status", "redirect to /login"),
        (Reply(401, b'{"error": {"message": "Incorrect API key"}}'), {}, "http_status", "HTTP 401"),
        (Reply(429, b'{"error": {"code": "insufficient_quota"}}'), {}, "http_status", "quota is"),
    ],
)
def test_what_is_no_reply_is_technical(
    web: Web, reply: Any, options: dict[str, Any], kind: str, words: str
) -> None:
    web.script = lambda _: reply

    with pytest.raises(TechnicalFailure) as caught:
        ask(web, **options)

    assert caught.value.kind == kind
    assert words in caught.value.detail
    assert len(web.asked) == 1


@pytest.mark.parametrize(
    ("reply", "after_s", "reason"),
    [
        (Reply(429, b"{}", headers={"Retry-After": "7"}), 7, "HTTP 429"),
        (Reply(503, b"<html>", "text/html"), 1, "HTTP 503"),
        (Reply(0), 1, "connection: RemoteProtocolError"),
        (Reply(200, b"{}", headers={"Content-Encoding": "gzip"}), 1, "connection: DecodingError"),
    ],
)
def test_what_may_be_better_later_is_asked_again_by_the_run_and_not_by_the_library(
    web: Web, reply: Reply, after_s: float, reason: str
) -> None:
    web.script = lambda _: reply

    with pytest.raises(Retry) as caught:
        ask(web)

    assert caught.value.after_s == after_s
    assert caught.value.reason.startswith(reason)
    assert len(web.asked) == 1


def test_nobody_at_the_address_may_be_better_later() -> None:
    with serving(lambda _: {}) as gone:
        pass

    with pytest.raises(Retry, match=r"connection: ConnectError"):
        ask(gone)


def test_a_refusal_is_no_answer(web: Web) -> None:
    web.script = lambda _: completion(None, message={"refusal": "I cannot."})

    with pytest.raises(NoAnswer, match=r"the model refused: I cannot\."):
        ask(web)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 3}, {"prompt_tokens": "3"}, []])
def test_a_reply_without_tokens_has_no_known_price(web: Web, usage: Any) -> None:
    """It must not pass for $0."""
    web.script = lambda _: completion(usage=usage, model=None)

    (_, priced), (_, free) = ask(web)[0], ask(web, paid=False)[0]

    assert (priced.unpriced_attempts, free.unpriced_attempts) == (1, 0)
    assert (priced.cost_usd, priced.model) == (None, None)


def test_a_slow_reply_is_cut_off(web: Web) -> None:
    is_over = threading.Event()

    def slow(_: Any) -> Any:
        is_over.wait(60)
        return Reply(0)

    web.script = slow

    with pytest.raises(TechnicalFailure, match=r"no whole reply in 0\.1 s") as caught:
        ask(web, timeout_s=0.1)
    is_over.set()

    assert caught.value.kind == "timeout"


def test_the_key_comes_from_the_environment(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "clave-larga")
    ask(web, api_key="MODEL_KEY")
    monkeypatch.setenv("MODEL_KEY", "clave-larga\n")
    with pytest.raises(UsageProblem, match="variable MODEL_KEY has blanks") as caught:
        ask(web, api_key="MODEL_KEY")

    assert web.asked[0].headers["authorization"] == "Bearer clave-larga"
    assert "clave-larga" not in str(caught.value)
