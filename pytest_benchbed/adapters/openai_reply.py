"""What a chat completion says: a text, a refusal, a failure, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_benchbed.adapters.http_exchange import Response
from pytest_benchbed.adapters.http_reply import failure
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json
from pytest_benchbed.model.usage import Usage


def read_text(completion: Any, response: Response) -> str:
    """Return the text of a completion's only choice.

    ``response`` is what it came in, shown where it is no completion.

    Raises:
        NoAnswer: the model refused.
        TechnicalFailure: kind ``bad_response``: no choice, no text, a text that was
            cut off or held back.
    """
    choices = completion.get("choices") if isinstance(completion, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise failure("bad_response", "the reply has no choices/0/message", response)
    reason = choice.get("finish_reason")
    if reason == "length":
        written = _counted(completion, "completion_tokens")
        after = "" if written is None else f" after {written} tokens"
        detail = f"the text was cut off{after} (finish_reason length): raise max_tokens"
        raise failure("bad_response", detail, response)
    if reason == "content_filter":
        detail = "a content filter held the text back (finish_reason content_filter)"
        raise failure("bad_response", detail, response)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        raise NoAnswer(f"the model refused: {refusal}")
    text = message.get("content")
    if not isinstance(text, str):
        detail = f"choices/0/message/content is no text (finish_reason {reason!s:.40})"
        raise failure("bad_response", detail, response)
    return text


def read_value(text: str, response: Response) -> Any:
    """Return the JSON value that a text is (``TechnicalFailure``: ``bad_response``)."""
    try:
        return read_json(text)
    except MalformedJson as error:
        shown = Response(response.status, response.headers, text.encode("utf-8", "replace"))
        raise failure("bad_response", f"the text is no JSON ({error.detail})", shown) from None


def read_usage(completion: Any, *, paid: bool | None) -> Usage:
    """Return model and tokens of a completion.

    Without both counts the price of the call is unknown, which blocks the run,
    unless its calls are declared to cost nothing.
    """
    model = completion.get("model")
    read = _counted(completion, "prompt_tokens")
    written = _counted(completion, "completion_tokens")
    return Usage(
        model=model if isinstance(model, str) and model else None,
        input_tokens=read or 0,
        output_tokens=written or 0,
        unpriced_attempts=1 if paid is not False and (read is None or written is None) else 0,
    )


def _counted(completion: Mapping[str, Any], name: str) -> int | None:
    usage = completion.get("usage")
    count = usage.get(name) if isinstance(usage, Mapping) else None
    return count if type(count) is int and count >= 0 else None
