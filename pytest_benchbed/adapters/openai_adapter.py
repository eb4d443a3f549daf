"""The adapter ``openai``: a model behind any address that speaks OpenAI's chat completions.

The library (extra ``openai``) is imported in the adapter's process, when it is
built: it takes more than a second. Its own retries are off: attempts are ours,
and recorded.
"""

from __future__ import annotations

import asyncio
import base64
import os
from http.client import HTTPMessage
from pathlib import Path
from typing import Any
from typing import Final

from pytest_benchbed.adapters.base import Adapter
from pytest_benchbed.adapters.http_exchange import Response
from pytest_benchbed.adapters.http_reply import RETRY_S
from pytest_benchbed.adapters.http_reply import TOO_MANY
from pytest_benchbed.adapters.http_reply import failure
from pytest_benchbed.adapters.http_reply import read_reply
from pytest_benchbed.adapters.http_settings import check_values
from pytest_benchbed.adapters.openai_reply import read_text
from pytest_benchbed.adapters.openai_reply import read_usage
from pytest_benchbed.adapters.openai_reply import read_value
from pytest_benchbed.adapters.openai_settings import NOT_INSTALLED
from pytest_benchbed.adapters.openai_settings import OpenAISettings
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import Retry
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.images import image_kind
from pytest_benchbed.model.usage import Usage

NO_KEY: Final = "no-key"
"""The library does without a key for no server."""
QUOTA: Final = b"insufficient_quota"
"""Stands in a 429 that asking again does not mend."""


class OpenAI(Adapter):
    """Asks a model with one chat completion a case; the model is ``--bench-model``.

    Options (templates are those of :mod:`.template`):

    - ``prompt``: path of a file with the message, a template; or ``user``: the
      message itself; ``system``: the system message, a template;
    - ``files``: ``none``, or how the case's files go along: ``text``, ``image``;
    - ``schema``: path of a JSON schema that the reply must follow; ``reply``:
      ``json`` (with a schema) or ``text`` (without); ``key``: the prediction
      becomes ``{key: …}``;
    - ``temperature``, ``max_tokens``, ``seed``; ``extra``: an object of further
      members of the request;
    - ``base_url`` (OpenAI's); ``api_key``: NAME of the variable of the
      environment with the key (OPENAI_API_KEY; none for a server on this
      machine), null: no key;
    - ``paid``: false: no call costs anything;
    - ``timeout_s`` of one call (120), ``max_concurrency`` (64), ``version`` of
      the system.

    429, 5xx and a failed connection are asked again, after ``Retry-After`` if
    the reply has one. A refusal is no answer, which is scored.
    """

    name = "openai"
    network = "all"

    def __init__(self, **options: Any) -> None:
        """Check the options and import the library.

        Raises:
            UsageProblem: naming the option and what to do.
        """
        self.settings = settings = OpenAISettings.read(options, self.folders, os.environ)
        self.max_concurrency = settings.max_concurrency
        self.reads = settings.reads
        self.paid = settings.paid
        self.version = settings.version
        key = NO_KEY
        if settings.api_key is not None:
            check_values((settings.api_key,), os.environ)
            key = os.environ[settings.api_key]
        try:
            import openai
        except ImportError:
            raise UsageProblem(NOT_INSTALLED) from None
        self._library: Any = openai
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=settings.base_url,
            max_retries=0,
            timeout=None,
            default_headers={"Accept-Encoding": "identity"},
            # What follows a redirect is mostly a login page.
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )
        # Looked up now, not in the first call: it imports much, which is no latency. Raw, so
        # that what it says is read as strictly as the reply of any other server.
        self._create: Any = self._client.chat.completions.with_raw_response.create

    async def predict(self, case: Case) -> tuple[Any, Usage]:
        """Ask one case.

        Raises:
            NoAnswer: the model refused.
            Retry: status 429 or 5xx, or no connection.
            TechnicalFailure: whatever else is no reply.
        """
        settings = self.settings
        response = await self._ask(self._messages(case))
        completion = read_reply(response, reply="json", content_type="application/json")
        text = read_text(completion, response)
        value = read_value(text, response) if settings.reply == "json" else text
        prediction = value if settings.key is None else {settings.key: value}
        return prediction, read_usage(completion, paid=settings.paid)

    def close(self) -> Any:
        """Return what closes the connections, to be awaited."""
        return self._client.close()

    async def _ask(self, messages: list[dict[str, Any]]) -> Response:
        """Return the response to one request, whatever its status."""
        settings = self.settings
        sent = self._create(model=self.model or "", messages=messages, extra_body=settings.request)
        try:
            raw = await asyncio.wait_for(sent, settings.timeout_s)
        except TimeoutError:
            raise TechnicalFailure(
                "timeout", f"no whole reply in {settings.timeout_s:g} s (option timeout_s)"
            ) from None
        except self._library.APIStatusError as error:
            response = _response(error.response)
            if response.status == TOO_MANY and QUOTA in response.body:
                raise failure("http_status", "HTTP 429, the quota is used up", response) from None
            return response
        except self._library.APIConnectionError as error:
            cause = error.__cause__ or error
            raise Retry(RETRY_S, f"connection: {type(cause).__name__}: {cause}") from None
        return _response(raw.http_response)

    def _messages(self, case: Case) -> list[dict[str, Any]]:
        settings = self.settings
        messages: list[dict[str, Any]] = []
        if settings.system is not None:
            messages.append({"role": "system", "content": settings.system.text(case, self.model)})
        content: Any = settings.user.text(case, self.model)
        if settings.files != "none" and not case.files:
            raise TechnicalFailure("template", "the case has no file (option files)")
        if settings.files == "text":
            texts = [f"{path.name}:\n{_text(path)}" for path in case.files.values()]
            content = "\n\n".join([content, *texts])
        elif settings.files == "image":
            images = [
                {"type": "image_url", "image_url": {"url": _data_url(path)}}
                for path in case.files.values()
            ]
            content = [{"type": "text", "text": content}, *images]
        messages.append({"role": "user", "content": content})
        return messages


def _response(found: Any) -> Response:
    """Return a response of the library's in the form of the adapter ``http``."""
    headers = HTTPMessage()
    for name, value in found.headers.multi_items():
        headers[name] = value
    return Response(found.status_code, headers, found.content)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TechnicalFailure(
            "template", f"{path.name} is no UTF-8 text at byte {error.start} (option files)"
        ) from None


def _data_url(path: Path) -> str:
    data = path.read_bytes()
    return f"data:{_image_type(path.name, data)};base64,{base64.b64encode(data).decode('ascii')}"


def _image_type(name: str, data: bytes) -> str:
    """Return the media type by the first bytes."""
    kind = image_kind(data)
    if kind is None:
        detail = f"{name} is no PNG, JPEG, GIF or WebP image (option files)"
        raise TechnicalFailure("template", detail)
    return f"image/{kind}"
