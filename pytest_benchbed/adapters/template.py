"""Templates: a JSON value whose texts take parts of the case.

One form only, in every option that takes a template: ``{PLACE}`` inside a text.

=================== =======================================================
``{/question}``     what stands at this JSON pointer in the case's inputs
``{inputs}``        all inputs
``{id}``            id of the case
``{attempt}``       number of the attempt, from 1
``{model}``         value of ``--bench-model``
``{file}``          path of the case's file, ``{file:/pdf}`` of the one named there
``{base64}``        the file's bytes in base64, ``{base64:/pdf}`` likewise
=================== =======================================================

A text that is one place and nothing else becomes the value itself, with its
type; inside a longer text a value that is no text is written as JSON.
``{{id}}`` is the text ``{id}``; braces around anything else are text.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import Final

from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.pointer import look_up
from pytest_benchbed.model.pointer import parse_pointer

PLAIN: Final = ("inputs", "id", "attempt", "model")
FILE: Final = "file"
BASE64: Final = "base64"
_PLACE = re.compile(
    r"\{(?P<double>\{)?(?P<name>/[^{}]*|[A-Za-z_][A-Za-z0-9_]*(?::/[^{}]*)?)\}(?(double)\})"
)


class Template:
    """One checked template; :meth:`fill` makes the value for a case."""

    def __init__(self, value: Any, allowed: Collection[str]) -> None:
        """Check every place; ``allowed``: names beside pointers.

        Raises:
            ValueError: a name that is not known, or a pointer that is none.
        """
        self.value = value
        self.places: set[str] = set()
        _check(value, frozenset(allowed), self.places)

    def fill(self, case: Case, model: str | None = None) -> Any:
        """Return the value for a case.

        Raises:
            TechnicalFailure: kind ``template``: the case has not what a place names.
        """
        return _filled(self.value, case, model)

    def text(self, case: Case, model: str | None, encode: Callable[[str], str] = str) -> str:
        """Return the text for a case, each part of the case through ``encode``."""

        def part(match: re.Match[str]) -> str:
            if match["double"]:
                return match[0][1:-1]
            return encode(as_text(_value(match["name"], case, model)))

        return _PLACE.sub(part, self.value)


def as_text(value: Any) -> str:
    """Return text as it is and any other value as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def only_file(case: Case, pointer: str | None = None) -> Path:
    """Return the file of a case that ``pointer`` names in its inputs, or its only one.

    Raises:
        TechnicalFailure: kind ``template``: there is none, or there are several.
    """
    if pointer is not None:
        name = _input(case, pointer)
        if isinstance(name, str) and name in case.files:
            return case.files[name]
        raise TechnicalFailure("template", f"{pointer} of the inputs names no file of the case")
    if len(case.files) == 1:
        return next(iter(case.files.values()))
    raise TechnicalFailure(
        "template",
        f"the case has {len(case.files)} files; with several write {{file:/POINTER}}, the place "
        "in the inputs that names one",
    )


def _check(value: Any, allowed: frozenset[str], places: set[str]) -> None:
    if isinstance(value, Mapping):
        for item in value.values():
            _check(item, allowed, places)
    elif isinstance(value, list):
        for item in value:
            _check(item, allowed, places)
    elif isinstance(value, str):
        for match in _PLACE.finditer(value):
            if match["double"]:
                continue
            head, colon, pointer = match["name"].partition(":")
            if head.startswith("/"):
                head, colon, pointer = "", ":", match["name"]
            if head and (head not in allowed or (colon and head not in (FILE, BASE64))):
                known = ", ".join(f"{{{name}}}" for name in sorted(allowed))
                raise ValueError(
                    f"has {match[0][:60]!a}, which is none of {{/pointer}}, {known} "
                    f"(write {{{match[0][:60]}}} for the text)"
                )
            if colon:
                parse_pointer(pointer)
            places.add(head or "inputs")


def _filled(value: Any, case: Case, model: str | None) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(item, case, model) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, case, model) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACE.fullmatch(value)
    if whole and not whole["double"]:
        return _value(whole["name"], case, model)

    def part(match: re.Match[str]) -> str:
        return match[0][1:-1] if match["double"] else as_text(_value(match["name"], case, model))

    return _PLACE.sub(part, value)


def _value(name: str, case: Case, model: str | None) -> Any:
    if name.startswith("/"):
        return _input(case, name)
    head, _, pointer = name.partition(":")
    if head == FILE:
        return str(only_file(case, pointer or None))
    if head == BASE64:
        return base64.b64encode(only_file(case, pointer or None).read_bytes()).decode("ascii")
    plain = {"inputs": case.inputs, "id": case.id, "attempt": case.attempt, "model": model}
    return plain[head]


def _input(case: Case, pointer: str) -> Any:
    try:
        return look_up(case.inputs, pointer)
    except LookupError as error:
        raise TechnicalFailure("template", f"inputs of the case: {error}") from None
