"""Values of ``--bench-adapter-option K=V``: YAML scalars and flow lists, restricted.

Only ``null``, ``true``, ``false`` and numbers in JSON form have a type of their
own; every other text is a string. YAML reads ``no`` as false, ``12:30:45`` as
45045 and ``010`` as 8: none of that happens here. What YAML would read as
something else than a scalar or a flow list is refused and must be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import UsageProblem

MAX_CHARACTERS = 1024 * 1024
MAX_DEPTH = 64

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = {"null": None, "true": True, "false": False}
_COMMENT = re.compile(r"(?:^|\s)#")


def parse_options(items: Sequence[str]) -> dict[str, Any]:
    """Read ``["k=v", …]``; ``["pages=[21]"]`` gives ``{"pages": [21]}``.

    Raises:
        UsageProblem: no ``=``, a bad or doubled key, or a value that is neither
            a scalar nor a flow list; the text says how to quote it.
    """
    options: dict[str, Any] = {}
    for item in items:
        key, equals, text = item.partition("=")
        where = f"--bench-adapter-option={item[:80]!a}"
        if not equals or not _KEY.fullmatch(key):
            raise UsageProblem(f"{where}: expected NAME=VALUE, such as variant=baseline.")
        if key in options:
            raise UsageProblem(f"{where}: {key!r} is given twice.")
        try:
            options[key] = parse_value(text)
        except ValueError as error:
            raise UsageProblem(
                f"{where}: {error}\nQuote text: --bench-adapter-option={key}='\"…\"'"
            ) from None
    return options


def parse_value(text: str) -> Any:
    """Read one scalar or flow list; the empty text is the empty string.

    Raises:
        ValueError: saying what the text is instead.
    """
    stripped = text.strip()
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"the value is longer than {MAX_CHARACTERS} characters.")
    if not stripped:
        return ""
    is_plain = stripped[0] not in "[\"'"
    if is_plain and (_COMMENT.search(stripped) or "\n" in stripped):
        raise ValueError("a '#' after a blank, or a line break, would end the value.")
    if stripped[0] == "[" and stripped.count("[") > MAX_DEPTH:
        raise ValueError(f"lists may be nested {MAX_DEPTH} deep at most.")
    value = _from_yaml(stripped)
    try:
        canonical(value)
    except ValueError:
        raise ValueError(
            "it holds a number beyond 2^53 - 1 or a character that no file can hold."
        ) from None
    return value


def _from_yaml(text: str) -> Any:
    import yaml

    try:
        events = [
            event
            for event in yaml.parse(text, Loader=yaml.SafeLoader)
            if not isinstance(event, yaml.StreamStartEvent | yaml.StreamEndEvent)
        ]
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or "not readable"
        raise ValueError(f"it is no YAML scalar or flow list ({problem}).") from None
    if sum(isinstance(event, yaml.DocumentStartEvent) for event in events) != 1 or getattr(
        events[0], "explicit", False
    ):
        raise ValueError("it must be one value.")
    return _value(iter(events[1:]))


def _value(events: Iterator[Any]) -> Any:
    import yaml

    event = next(events)
    if getattr(event, "anchor", None) or isinstance(event, yaml.AliasEvent):
        raise ValueError("anchors and aliases ('&', '*') are not read.")
    if getattr(event, "tag", None):
        raise ValueError("tags ('!') are not read.")
    if isinstance(event, yaml.ScalarEvent):
        if event.style in ("|", ">"):
            raise ValueError("block text ('|', '>') is not read.")
        return event.value if event.style else _plain(event.value)
    if isinstance(event, yaml.SequenceStartEvent) and event.flow_style:
        values = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            values.append(_value(_chain(event, events)))
        return values
    raise ValueError("mappings and block lists are not read, only scalars and [lists].")


def _chain(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _plain(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        # int() of a huge text is slow and refused by Python above 4,300 digits.
        return int(text) if len(text) < 20 else float("inf")
    return float(text) if _DECIMAL.fullmatch(text) else text
