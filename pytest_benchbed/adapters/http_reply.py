"""What a response of HTTP means: a reply, a wish to be asked again, or a failure."""

from __future__ import annotations

import re
import sys
from datetime import UTC
from datetime import datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from typing import Any

from pytest_benchbed.adapters.http_exchange import MAX_BODY
from pytest_benchbed.adapters.http_exchange import Response
from pytest_benchbed.model.errors import Retry
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

EXCERPT = 200
TOO_MANY = 429
RETRY_S = 1.0
"""Where the system does not say when to come back."""


def read_reply(response: Response, *, reply: str, content_type: str) -> Any:
    """Return the value of a response, or its text where ``reply`` is ``text``.

    Raises:
        Retry: status 429 or 5xx.
        TechnicalFailure: kind ``http_status`` or ``bad_response``; the first 200
            characters of the body go to the log, and as many as fit into the text.
    """
    status = response.status
    if status == TOO_MANY or status >= 500:
        after_s = retry_after(response.headers, datetime.now(UTC))
        raise Retry(RETRY_S if after_s is None else after_s, f"HTTP {status}")
    if 300 <= status < 400:
        # A login may carry a ticket behind the path, or a password in front of the host.
        place = re.split("[?#;]", response.headers.get("Location") or "nowhere")[0]
        place = re.sub("//[^/]*@", "//", place)
        detail = f"HTTP {status}, a redirect to {place}; none is followed (a login page?)"
        raise failure("http_status", detail, response)
    if not 200 <= status < 300:
        raise failure("http_status", f"HTTP {status}", response)
    if not response.body.strip():
        raise failure("bad_response", f"HTTP {status} with an empty body", response)
    if len(response.body) > MAX_BODY:
        raise failure("bad_response", f"the body is larger than {MAX_BODY} bytes", response)
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise failure("bad_response", "the body is compressed, which was not asked for", response)
    given = response.headers.get_content_type() if "Content-Type" in response.headers else "none"
    if not _is_wanted(given, content_type):
        detail = f"HTTP {status}, content type {given}, not {content_type}"
        raise failure("bad_response", detail, response)
    if reply == "text":
        charset = response.headers.get_content_charset("utf-8")
        try:
            return response.body.decode(charset)
        except (UnicodeDecodeError, LookupError):
            raise failure("bad_response", f"the body is no {charset} text", response) from None
    try:
        return read_json(response.body)
    except MalformedJson as error:
        raise failure(
            "bad_response", f"HTTP {status}, no JSON ({error.detail})", response
        ) from None


def failure(kind: str, detail: str, response: Response) -> TechnicalFailure:
    """Return a failure with the beginning of the body, which also goes to the log."""
    text = response.body[: 4 * EXCERPT].decode("utf-8", "replace").strip()
    if not text:
        return TechnicalFailure(kind, detail)
    shown = term(text, EXCERPT)
    # Standard error of an adapter is its log, which every failure names.
    print(f"{kind}: {term(detail)}; the body begins: {shown}", file=sys.stderr)
    return TechnicalFailure(kind, f"{detail}: {shown}")


def retry_after(headers: HTTPMessage, now: datetime) -> float | None:
    """Return the seconds of ``Retry-After``, given as seconds or as a date; None without.

    A date is read against the response's own ``Date``: clocks differ.
    """
    text = (headers.get("Retry-After") or "").strip()
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    until = _date(text)
    if until is None:
        return None
    return max(0.0, (until - (_date(headers.get("Date")) or now)).total_seconds())


def _date(text: str | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(text or "")
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _is_wanted(given: str, wanted: str) -> bool:
    if wanted in ("*/*", given):
        return True
    return (
        wanted == "application/json"
        and given.startswith("application/")
        and given.endswith("+json")
    )
