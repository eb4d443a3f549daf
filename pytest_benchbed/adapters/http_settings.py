"""Options of the adapter ``http``, checked before anything is asked."""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from typing import Final
from urllib.parse import urlsplit

from pytest_benchbed.adapters.option_reader import OptionReader
from pytest_benchbed.adapters.picked import OPTIONS as PICKS
from pytest_benchbed.adapters.picked import Picks
from pytest_benchbed.adapters.template import BASE64
from pytest_benchbed.adapters.template import PLAIN
from pytest_benchbed.adapters.template import Template
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.pointer import parse_pointer

OPTIONS: Final = (
    "url", "method", "body", "file", "headers", *PICKS, "reply", "content_type",
    "timeout_s", "max_concurrency", "version", "version_url", "version_result",
)  # fmt: skip
METHODS: Final = ("POST", "GET", "PUT", "PATCH")
TIMEOUT_S: Final = 60.0
MAX_CONCURRENCY: Final = 64

_NAME = re.compile(r"\$(?:\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)\}|(?P<bare>[A-Za-z_][A-Za-z0-9_]*))")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SECRET = re.compile(r"auth|cookie|(?:^|[-_])key$|api[-_]?key|token|secret|password", re.I)
_OURS = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection"})


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Everything the adapter needs for a call."""

    url: Template
    method: str
    body: Template | None
    files: Mapping[str, str | None]
    """Field of the form to the pointer that names its file; None: the case's only file."""
    headers: Mapping[str, str]
    picks: Picks
    reply: str
    content_type: str
    timeout_s: float
    max_concurrency: int
    version: str
    version_url: str | None
    version_result: str
    names: tuple[str, ...]
    """Variables of the environment that headers and addresses take."""

    @classmethod
    def read(cls, given: Mapping[str, Any], env: Collection[str] | None = None) -> HttpSettings:
        """Check all options.

        ``env``: the variables the adapter is given; None: whatever is named.

        Raises:
            UsageProblem: naming the option and what to do.
        """
        options = OptionReader("http", given, OPTIONS)
        method = options.choice("method", METHODS)
        reply = options.choice("reply", ("json", "text"))
        url = options.required("url", "http://127.0.0.1:8000/ask")
        version_url = options.text("version_url")
        headers = _headers(options)
        default_type = "application/json" if reply == "json" else "text/plain"
        names = _names(url, version_url or "", *headers.values())
        for name in names:
            if env is not None and name not in env:
                raise options.problem(
                    "headers",
                    f"or url takes ${name}, which the adapter is not given: write "
                    f'"env": ["{name}"] beside its options in the bench file.',
                )
        check_address(options, "url", url)
        if version_url:
            check_address(options, "version_url", version_url)
        files = _files(options)
        return cls(
            url=options.template("url", url, PLAIN),
            method=method,
            body=_body(options, method, bool(files)),
            files=files,
            headers=headers,
            picks=Picks.read(options),
            reply=reply,
            content_type=(options.text("content_type", default_type) or default_type).lower(),
            timeout_s=options.seconds("timeout_s", TIMEOUT_S) or TIMEOUT_S,
            max_concurrency=options.count("max_concurrency", MAX_CONCURRENCY),
            version=options.text("version", "") or "",
            version_url=version_url,
            version_result=options.pointer("version_result", "/version") or "",
            names=names,
        )


def fill_names(text: str, env: Mapping[str, str]) -> str:
    """Put the values of ``$NAME`` and ``${NAME}`` in."""
    return _NAME.sub(lambda match: env.get(match["braced"] or match["bare"], ""), text)


def _names(*texts: str) -> tuple[str, ...]:
    found = [match for text in texts for match in _NAME.finditer(text)]
    return tuple(dict.fromkeys(match["braced"] or match["bare"] for match in found))


def check_values(names: Collection[str], env: Mapping[str, str]) -> None:
    """Refuse values that no header can carry, without telling them (``UsageProblem``)."""
    for name in names:
        if env[name] != env[name].strip() or not env[name].isprintable():
            raise UsageProblem(f"the variable {name} has blanks around it or a line break.")


def check_address(options: OptionReader, name: str, text: str) -> None:
    """Refuse what is no address of HTTP, or one with a secret in it (``UsageProblem``)."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise options.problem(name, f"= {text[:80]!a} is no address.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise options.problem(
            name, f"must begin with http://HOST or https://HOST, not {text!a:.60}."
        )
    if "{" in parts.netloc or not text.isascii() or re.search(r"[\x00-\x20]", text):
        raise options.problem(name, "has a place in its host, a blank or a letter beyond ASCII.")
    if "@" in parts.netloc:
        raise options.problem(name, "has a password in it; use headers with $NAME instead.")
    for pair in parts.query.split("&"):
        key, _, value = pair.partition("=")
        if _SECRET.search(key) and value and not _NAME.search(value):
            word = key[:40]
            raise options.problem(
                name,
                f"has {word!a} in it, which would be recorded; write {word}=$NAME, a name of "
                "the environment.",
            )


def _headers(options: OptionReader) -> dict[str, str]:
    given = options.options.get("headers")
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise options.problem(
            "headers", 'must be an object in the bench file: {"Authorization": "Bearer $ACME_KEY"}.'
        )
    for name, value in given.items():
        if not _TOKEN.fullmatch(name) or name.lower() in _OURS:
            raise options.problem("headers", f"cannot set {name[:60]!a}.")
        if not isinstance(value, str) or not value.isascii() or not value.isprintable():
            raise options.problem("headers", f": {name} must be printable ASCII text.")
        if _SECRET.search(name) and not _NAME.search(value):
            raise options.problem(
                "headers", f": {name} would be recorded; write $NAME, a name of the environment."
            )
    return dict(given)


def _body(options: OptionReader, method: str, is_form: bool) -> Template | None:
    value = options.options.get("body")
    if value is None:
        return None if method == "GET" or is_form else options.template("body", "{inputs}", PLAIN)
    if method == "GET":
        raise options.problem("body", "goes with method POST, PUT or PATCH, not GET.")
    if is_form and not isinstance(value, Mapping):
        raise options.problem("body", "must be an object beside file: its members are the fields.")
    return options.template("body", value, (*PLAIN, BASE64))


def _files(options: OptionReader) -> dict[str, str | None]:
    value = options.options.get("file")
    if value is None:
        return {}
    if isinstance(value, str) and value.strip():
        return {value: None}
    if not isinstance(value, Mapping) or not value:
        raise options.problem(
            "file", 'must be the name of the form field, or {"FIELD": "/POINTER"} in the inputs.'
        )
    for field, pointer in value.items():
        try:
            parse_pointer(pointer if isinstance(pointer, str) and pointer else "?")
        except ValueError:
            raise options.problem(
                "file", f": {field!a:.40} must name a pointer such as /pdf."
            ) from None
    return dict(value)
