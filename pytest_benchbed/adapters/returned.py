"""What an adapter returned made into JSON text; runs only in its own process.

Everything the strict reader on the other side would refuse is refused here
first, so that one bad prediction costs one case and not the process.
"""

from __future__ import annotations

import json
import math
from typing import Any

from pytest_benchbed.adapters.loading import words
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import Retry
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json
from pytest_benchbed.model.usage import Usage

SYSTEM_KINDS = frozenset({"connection", "timeout", "http_status", "bad_response", "exit_status"})
"""Technical kinds of what a system did to an adapter in the box."""
OWN_KINDS = SYSTEM_KINDS | {"template", "missing_prediction"}
"""Technical kinds that an adapter in the box may name itself."""


def failure_kind(failure: TechnicalFailure) -> str:
    """Return the kind of a failure that an adapter raised, ``exception`` if it is not known."""
    return failure.kind if failure.kind in OWN_KINDS else "exception"


class ReplyProblem(Exception):
    """What the adapter returned cannot be sent; ``kind`` is the technical kind."""

    def __init__(self, kind: str, text: str) -> None:
        """``kind`` such as ``not_json``."""
        super().__init__(text)
        self.kind = kind


def split(value: Any) -> tuple[Any, Usage | None]:
    """Tell ``prediction, Usage`` from a prediction that happens to be a pair."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Usage):
        return value[0], value[1]
    return value, None


def result_text(value: Any, usage: Usage | None = None) -> str:
    """Return the members ``usage`` and ``result`` of a reply (``ReplyProblem``)."""
    return f'"usage":{_usage_text(usage)},"result":{json_text(value)}'


def prediction_text(value: Any) -> str:
    """Return the members of the reply to ``predict`` (``ReplyProblem``)."""
    prediction, usage = split(value)
    if prediction is None:
        raise ReplyProblem(
            "no_prediction",
            "predict returned None; raise NoAnswer(reason) if the system declined",
        )
    return result_text(prediction, usage)


def supports_text(value: Any) -> str:
    """Return the member of the reply to ``supports`` (``ReplyProblem``)."""
    if not isinstance(value, bool):
        raise ReplyProblem("bad_reply", "supports() must return True or False")
    return result_text(True) if value else '"unsupported":true'


def categories_text(value: Any) -> str:
    """Return the members of the reply to ``prepare`` (``ReplyProblem``)."""
    categories, usage = split(value)
    if categories is None:
        return result_text([], usage)
    if isinstance(categories, list | tuple | set | frozenset) and all(
        isinstance(category, str) for category in categories
    ):
        return result_text(sorted(categories), usage)
    raise ReplyProblem("bad_reply", "prepare() must return None or a list of categories")


def no_answer_text(declined: NoAnswer) -> str:
    """Return the member ``no_answer``; the reason is cut at 1,000 characters."""
    reason = str(declined.args[0]) if declined.args else ""
    return f'"no_answer":{json_text({"reason": clean(reason)[:1000]})}'


def retry_text(retry: Retry) -> str:
    """Return the member ``retry`` (``ReplyProblem`` if its time is no time)."""
    after = retry.after_s
    if (
        isinstance(after, bool)
        or not isinstance(after, int | float)
        or not math.isfinite(after)
        or after < 0
    ):
        raise ReplyProblem("bad_retry", f"Retry(after_s={after!r}) is no time in seconds")
    wish = {"after_s": float(after), "reason": clean(str(retry.reason))[:1000]}
    return f'"retry":{json_text(wish)}'


def error_text(kind: str, name: str, message: str) -> str:
    """Return the member ``error``."""
    return f'"error":{json_text({"kind": kind, "type": clean(name), "message": clean(message)})}'


def json_text(value: Any) -> str:
    """Return JSON text that the strict reader accepts (``ReplyProblem``: ``not_json``)."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        read_json(text)
    except MalformedJson as error:
        raise ReplyProblem("not_json", str(error)) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise ReplyProblem("not_json", words(error)) from None
    return text


def clean(text: str) -> str:
    """Return foreign text without what a message cannot hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")


def _usage_text(usage: Usage | None) -> str:
    if usage is None:
        return "null"
    try:
        row = usage.to_json()
        Usage.from_json(row)
    except Exception as error:
        raise ReplyProblem("bad_usage", words(error)) from None
    return json_text(row)
