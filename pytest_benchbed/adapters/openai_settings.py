"""Options of the adapter ``openai``, checked before anything is asked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from typing import Final
from urllib.parse import urlsplit

from pytest_benchbed.adapters.http_settings import MAX_CONCURRENCY
from pytest_benchbed.adapters.http_settings import check_address
from pytest_benchbed.adapters.option_reader import OptionReader
from pytest_benchbed.adapters.template import PLAIN
from pytest_benchbed.adapters.template import Template
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

OPTIONS: Final = (
    "prompt", "system", "user", "files", "schema", "reply", "key", "temperature", "max_tokens",
    "seed", "extra", "base_url", "api_key", "paid", "timeout_s", "max_concurrency", "version",
)  # fmt: skip
BASE_URL: Final = "https://api.openai.com/v1"
API_KEY: Final = "OPENAI_API_KEY"
TIMEOUT_S: Final = 120.0
MAX_FILE: Final = 1024 * 1024
"""Bytes of a prompt or a schema."""
NOT_INSTALLED: Final = (
    "adapter openai: needs the library 'openai'. Install it with: "
    "pip install 'pytest-benchbed[openai]'"
)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_LOCAL = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")
_NOT_EXTRA = frozenset(
    {"model", "messages", "stream", "n", "response_format", "temperature", "max_tokens", "seed"}
)


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """Everything the adapter needs for a call."""

    system: Template | None
    user: Template
    files: str
    """How the case's files go along: ``none``, ``text``, ``image``."""
    reply: str
    key: str | None
    request: Mapping[str, Any]
    """What every request has beside model and messages."""
    base_url: str
    api_key: str | None
    """Name of the variable with the key; None: the server asks for none."""
    paid: bool | None
    timeout_s: float
    max_concurrency: int
    version: str
    reads: tuple[str, ...]
    """The files of the prompt and the schema."""
    digests: tuple[str, ...]
    """``prompt=SHA-256`` and ``schema=SHA-256``: an edited file is another system."""

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any],
        folders: Sequence[Path],
        env: Collection[str] | None = None,
    ) -> OpenAISettings:
        """Check all options.

        Args:
            given: the options.
            folders: as of :attr:`.Adapter.folders`.
            env: the variables the adapter is given; None: whatever is named.

        Raises:
            UsageProblem: naming the option and what to do.
        """
        options = OptionReader("openai", given, OPTIONS)
        prompt = _file(options, "prompt", "prompt.txt", folders)
        user = options.text("user")
        if (prompt is None) == (user is None):
            raise options.problem(
                "prompt",
                "is missing; give the path of a file, such as prompt=prompt.txt, or user=TEXT."
                if prompt is None
                else "and option user are both given; one of them is the message.",
            )
        if prompt is not None:
            user = _prompt_text(options, prompt)
        schema = _file(options, "schema", "schema.json", folders)
        system = options.text("system")
        base_url = _base_url(options)
        files = {name: file for name, file in (("prompt", prompt), ("schema", schema)) if file}
        return cls(
            system=None if system is None else options.template("system", system, PLAIN),
            user=options.template("user" if prompt is None else "prompt", user, PLAIN),
            files=options.choice("files", ("none", "text", "image")),
            reply=options.choice("reply", ("json", "text") if schema else ("text", "json")),
            key=options.text("key"),
            request=_request(options, schema),
            base_url=base_url,
            api_key=_api_key(options, base_url, env),
            paid=options.flag("paid"),
            timeout_s=options.seconds("timeout_s", TIMEOUT_S) or TIMEOUT_S,
            max_concurrency=options.count("max_concurrency", MAX_CONCURRENCY),
            version=options.text("version", "") or "",
            reads=tuple(str(path) for path, _ in files.values()),
            digests=tuple(
                f"{name}={hashlib.sha256(data).hexdigest()}" for name, (_, data) in files.items()
            ),
        )


def check_installed() -> None:
    """Say which extra is lacking, without importing the library (``UsageProblem``)."""
    if find_spec("openai") is None:
        raise UsageProblem(NOT_INSTALLED)


def _file(
    options: OptionReader, name: str, example: str, folders: Sequence[Path]
) -> tuple[Path, bytes] | None:
    """Return path and bytes of the file that an option names."""
    text = options.text(name)
    if text is None:
        return None
    if "\n" in text:
        raise options.problem(name, f"must be the path of a file, such as {name}={example}.")
    path = options.file(name, text, folders)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise options.problem(name, f": {path} cannot be read: {error.strerror}.") from None
    if len(data) > MAX_FILE:
        raise options.problem(name, f": {path} is larger than {MAX_FILE} bytes.")
    return path, data


def _prompt_text(options: OptionReader, prompt: tuple[Path, bytes]) -> str:
    path, data = prompt
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise options.problem(
            "prompt", f": {path} is no UTF-8 at byte {error.start}; save it as UTF-8."
        ) from None
    if not text.strip():
        raise options.problem("prompt", f": {path} is empty.")
    return text.removesuffix("\n").removesuffix("\r")


def _response_format(options: OptionReader, schema: tuple[Path, bytes]) -> dict[str, Any]:
    """Return what is sent for a schema, or for a whole ``{name, schema, strict}``."""
    path, data = schema
    try:
        value = read_json(data.removeprefix(b"\xef\xbb\xbf"))
    except MalformedJson as error:
        raise options.problem("schema", f": {path} is no JSON ({error.detail}).") from None
    if not isinstance(value, dict):
        raise options.problem("schema", f": {path} must hold a JSON schema, an object.")
    if not (isinstance(value.get("schema"), dict) and isinstance(value.get("name"), str)):
        name = re.sub(r"[^A-Za-z0-9_-]", "_", path.stem)[:64] or "reply"
        value = {"name": name, "schema": value, "strict": True}
    return {"type": "json_schema", "json_schema": value}


def _request(options: OptionReader, schema: tuple[Path, bytes] | None) -> dict[str, Any]:
    """Return what every request has beside model and messages."""
    extra = options.options.get("extra")
    if extra is None:
        extra = {}
    if not isinstance(extra, Mapping):
        raise options.problem(
            "extra", 'must be an object in the bench file, such as {"top_p": 0.5}.'
        )
    for name in extra:
        if name in _NOT_EXTRA:
            raise options.problem("extra", f"cannot set {name}.")
    ours = {
        "response_format": None if schema is None else _response_format(options, schema),
        "temperature": options.number("temperature", 0, 2),
        "max_tokens": options.whole("max_tokens", 1, 10_000_000),
        "seed": options.whole("seed", -(2**53) + 1, 2**53 - 1),
    }
    return {**extra, **{name: value for name, value in ours.items() if value is not None}}


def _base_url(options: OptionReader) -> str:
    text = options.text("base_url", BASE_URL) or BASE_URL
    check_address(options, "base_url", text)
    parts = urlsplit(text)
    if parts.query or parts.fragment or "{" in text or "$" in text:
        raise options.problem("base_url", "must be a plain address, such as http://HOST:8000/v1.")
    if parts.path.rstrip("/").endswith("/completions"):
        raise options.problem("base_url", "must end before /chat/completions, mostly with /v1.")
    return text


def _api_key(options: OptionReader, base_url: str, env: Collection[str] | None) -> str | None:
    """Return the name of the key's variable; a server on this machine needs none unless named."""
    name = options.options.get("api_key", API_KEY)
    if name is None:
        return None
    if "api_key" not in options.options and _LOCAL.fullmatch(urlsplit(base_url).hostname or ""):
        return None
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        # Perhaps the key itself: it is not repeated.
        raise options.problem(
            "api_key",
            f"must be the NAME of an environment variable, such as {API_KEY}, not the key itself.",
        )
    if env is not None and name not in env:
        raise options.problem(
            "api_key",
            f"takes ${name}, which the adapter is not given: write "
            f'"env": ["{name}"] beside its options in the bench file.',
        )
    return name
