"""The adapter ``http``: a product behind an address, asked with one request a case."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pytest_benchbed.adapters.base import Adapter
from pytest_benchbed.adapters.http_exchange import Connections
from pytest_benchbed.adapters.http_exchange import Request
from pytest_benchbed.adapters.http_exchange import Response
from pytest_benchbed.adapters.http_reply import failure
from pytest_benchbed.adapters.http_reply import read_reply
from pytest_benchbed.adapters.http_settings import HttpSettings
from pytest_benchbed.adapters.http_settings import check_values
from pytest_benchbed.adapters.http_settings import fill_names
from pytest_benchbed.adapters.template import as_text
from pytest_benchbed.adapters.template import only_file
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.pointer import look_up


class Http(Adapter):
    """Sends each case to an address and reads the prediction from the reply.

    Options (templates are those of :mod:`.template`):

    - ``url`` (a template), ``method`` (POST);
    - ``body``: a JSON template, default all inputs; ``file``: the name of a form
      field that takes the case's file, or ``{field: pointer}``; the members of
      ``body`` are then further fields;
    - ``headers``: an object; ``$NAME`` in it is a variable of the environment;
    - ``result``, ``cost``, ``input_tokens``, ``output_tokens``, ``model``: JSON
      pointers into the reply; ``key``: the prediction becomes ``{key: …}``;
    - ``reply``: ``json`` or ``text``; ``content_type`` that the reply must have,
      ``*/*`` for any;
    - ``timeout_s`` of one call (60), ``max_concurrency`` (64);
    - ``version`` of the system, or ``version_url`` and ``version_result``, where
      it is asked.

    429 and 5xx are asked again, after ``Retry-After`` if the reply has one.
    """

    name = "http"
    network = "all"
    thread_safe = True

    def __init__(self, **options: Any) -> None:
        """Check the options.

        Raises:
            UsageProblem: naming the option and what to do.
        """
        self.settings = settings = HttpSettings.read(options, os.environ)
        check_values(settings.names, os.environ)
        self.max_concurrency = settings.max_concurrency
        self._connections = Connections(settings.timeout_s)

    def version(self) -> str:
        """Return the version as configured, or as the system says it."""
        settings = self.settings
        if settings.version_url is None:
            return settings.version
        url = fill_names(settings.version_url, os.environ)
        request = Request("GET", url, self._headers({"Accept": "application/json"}), None)
        response = self._connections.send(request)
        value = read_reply(response, reply="json", content_type="*/*")
        return as_text(look_up(value, settings.version_result))

    def predict(self, case: Case) -> Any:
        """Ask one case.

        Raises:
            NoAnswer: the reply has null where the prediction should be.
            Retry: status 429 or 5xx.
            TechnicalFailure: whatever else is no reply.
        """
        return self._read(self._connections.send(self._request(case)))

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _read(self, response: Response) -> Any:
        settings = self.settings
        value = read_reply(response, reply=settings.reply, content_type=settings.content_type)
        try:
            prediction = settings.picks.prediction(value)
        except LookupError as error:
            raise failure("bad_response", f"option result: {error}", response) from None
        usage = settings.picks.usage(value)
        return prediction if usage is None else (prediction, usage)

    def _request(self, case: Case) -> Request:
        settings = self.settings
        url = settings.url.text(case, self.model, lambda text: quote(text, safe=""))
        headers = {"Accept": "application/json" if settings.reply == "json" else "*/*"}
        body = settings.body.fill(case, self.model) if settings.body else None
        data: bytes | None = None
        if settings.files:
            boundary = secrets.token_hex(16)
            headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
            data = self._form(case, body or {}, boundary)
        elif body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
        return Request(settings.method, fill_names(url, os.environ), self._headers(headers), data)

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        given = {
            name: fill_names(value, os.environ) for name, value in self.settings.headers.items()
        }
        set_here = {name.lower() for name in given}
        ours = {name: value for name, value in headers.items() if name.lower() not in set_here}
        return {**ours, **given}

    def _form(self, case: Case, fields: Mapping[str, Any], boundary: str) -> bytes:
        """Return the body of a form: texts first, then files, each with its own name."""
        parts = []
        for name, value in fields.items():
            head = f'Content-Disposition: form-data; name="{_quoted(name)}"'
            parts.append((head, as_text(value).encode("utf-8")))
        for name, pointer in self.settings.files.items():
            path = only_file(case, pointer)
            head = (
                f'Content-Disposition: form-data; name="{_quoted(name)}"; '
                f'filename="{_quoted(path.name)}"\r\nContent-Type: application/octet-stream'
            )
            parts.append((head, path.read_bytes()))
        lines = [
            f"--{boundary}\r\n{head}\r\n\r\n".encode() + data + b"\r\n" for head, data in parts
        ]
        return b"".join(lines) + f"--{boundary}--\r\n".encode()


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
