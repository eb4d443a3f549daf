"""Values of answers and predictions as the generic types see them."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

from pydantic import RootModel
from pydantic import model_validator

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.scoring.locales import locale_of
from pytest_benchbed.scoring.normalise import Profile
from pytest_benchbed.scoring.normalise import normalise

MAX_NOTED = 120


def is_blank(value: Any) -> bool:
    """Say whether a value says nothing: null, an empty text, list or object."""
    return value is None or (not value.strip() if isinstance(value, str) else value in ([], {}))


def text_of(value: Any) -> str:
    """Return a value as text: a JSON number as JSON has it, ``true``, canonical JSON."""
    if isinstance(value, str):
        return value
    # Whole numbers may be too large for canonical JSON.
    return str(value) if type(value) is int else canonical(value).decode("utf-8")


def folded(value: Any, locale: str | None, profile: Profile) -> str:
    """Return the one form of a value; of text that is punctuation alone, the exact one."""
    text = text_of(value)
    return normalise(text, locale, profile) or normalise(text, locale, "exact")


def locale_for(case: Case, settled: str | None) -> str | None:
    """Return the locale of a case: the one its inputs name, else that of the bench file."""
    return locale_of(case.inputs.get("locale")) or settled


def field_of(answer: Any, named: str | None, usual: str) -> str:
    """Return where objects hold the value.

    ``named`` by the settings, else the one key of the answer, else the type's own name.
    """
    if named is None and isinstance(answer, Mapping) and len(answer) == 1:
        return str(next(iter(answer)))
    return named or usual


def value_in(value: Any, field: str) -> Any:
    """Return the value that an object holds in a field, or a value that is no object."""
    return value.get(field) if isinstance(value, Mapping) else value


def expected_in(answer: Any, field: str) -> Any:
    """Return the value that an answer holds in a field, or an answer that is no object.

    Raises:
        TechnicalFailure: ``bad_answer``: an object without it asserts nothing, and no
            prediction could be wrong.
    """
    if isinstance(answer, Mapping) and field not in answer:
        detail = f"the answer has no {term(field, 60)!r}; set scoring.field to where it stands"
        raise TechnicalFailure("bad_answer", detail, whose="scorer")
    return value_in(answer, field)


def field_fault(named: str | None, usual: str, answers: Iterable[Any]) -> str | None:
    """Say that no object among the answers has the field that holds the value.

    ``named`` and ``usual`` are as of :func:`field_of`. Of a single answer that
    lacks it :func:`expected_in` speaks.
    """
    seen: dict[str, None] = {}
    for answer in answers:
        if isinstance(answer, Mapping):
            if field_of(answer, named, usual) in answer:
                return None
            seen.update(dict.fromkeys(answer))
    if not seen:
        return None
    wrong = unknown_name("field", named or usual, seen, "")
    return f"field scoring.field: {wrong}\nNo answer of the dataset has it: say where it stands."


class PlainOrObject(RootModel[Any]):
    """A text, a number or a truth value; or an object that holds it."""

    @model_validator(mode="after")
    def _is_one(self) -> PlainOrObject:
        if isinstance(self.root, list):
            raise ValueError("a list; give one value, or an object that holds it")
        return self


class TextOrObject(RootModel[Any]):
    """A text, or an object that holds it."""

    @model_validator(mode="after")
    def _is_one(self) -> TextOrObject:
        if not isinstance(self.root, str | dict | None):
            raise ValueError("no text; give one, or an object that holds it")
        return self


class AnObject(RootModel[dict[str, Any]]):
    """An object that asserts something."""

    @model_validator(mode="after")
    def _asserts(self) -> AnObject:
        if not self.root:
            raise ValueError("an empty object asserts nothing")
        return self
