"""Type ``facts``: what a text must say, must not say, in which order, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Annotated
from typing import Any
from typing import ClassVar

from pydantic import Field
from pydantic import RootModel
from pydantic import ValidationError
from pydantic import model_validator

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.generic.settings import FactsSettings
from pytest_benchbed.benchmarks.generic.settings import Name
from pytest_benchbed.benchmarks.generic.values import TextOrObject
from pytest_benchbed.benchmarks.generic.values import folded
from pytest_benchbed.benchmarks.generic.values import is_blank
from pytest_benchbed.benchmarks.generic.values import locale_for
from pytest_benchbed.benchmarks.generic.values import value_in
from pytest_benchbed.model.base import Model
from pytest_benchbed.model.base import explain
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore

FIELD = "text"


class Facts(Model):
    """What an answer asserts; at least one thing."""

    contains: list[Name] = []
    absent: list[Name] = []
    order: list[Name] = []
    """Each behind the one before it."""
    count: dict[Name, Annotated[int, Field(ge=0)]] = {}
    """How often, exactly."""

    @model_validator(mode="after")
    def _asserts(self) -> Facts:
        if not (self.contains or self.absent or self.order or self.count):
            raise ValueError("asserts nothing; name contains, absent, order or count")
        return self


class FactsAnswer(RootModel[Any]):
    """One text that must be said, a list of them, or :class:`Facts`."""

    @model_validator(mode="after")
    def _is_one(self) -> FactsAnswer:
        try:
            facts_of(self.root)
        except ValidationError as error:
            raise ValueError(explain(error)) from None
        return self


def facts_of(answer: Any) -> Facts:
    """Return an answer in its long form.

    Raises:
        ValidationError: it is none.
    """
    if isinstance(answer, str):
        answer = [answer]
    return Facts.model_validate({"contains": answer} if isinstance(answer, list) else answer)


class FactsType(Benchmark):
    """Facts of a text: ``missing``, ``invented``, ``out_of_order``."""

    FORMAT = "benchbed.facts.v1"
    SCORES = "benchbed.facts.scores.v1"
    settings: ClassVar[FactsSettings]
    headline = ("facts", "exact")
    explain: Mapping[str, str] = {
        "facts": "share of facts that are right",
        "exact": "share of cases with every fact right",
    }
    answer_model = FactsAnswer
    prediction_model = TextOrObject

    @classmethod
    def configured(cls, settings: FactsSettings) -> dict[str, Any]:
        """Return what the class of these settings declares."""
        return {"settings": settings, "profiles": (settings.profile,)}

    def score_case(self, case: Case, answer: Any, prediction: Any) -> dict[str, ProfileScore]:
        """Look for every fact."""
        facts = facts_of(answer)
        said = value_in(prediction, self.settings.field or FIELD)
        search = _Search("" if is_blank(said) else said, self._locale(case), self.settings)
        errors = list(_errors(facts, search))
        if search.is_empty and not errors:
            # Who says nothing says nothing wrong either.
            errors = [Error("missing", {"fact": "text"})]
        total = sum(map(len, (facts.contains, facts.absent, facts.order, facts.count)))
        right = max(0, total - len(errors))
        metrics = {"facts": (right, total), "exact": (int(not errors), 1)}
        return {self.settings.profile: ProfileScore(errors, metrics)}

    def answer_as_prediction(self, case: Case, answer: Any) -> Any:
        """Return a text that says what it must: ``|`` keeps its parts apart."""
        facts = facts_of(answer)
        parts = list(facts.order)
        for wanted in [*facts.contains, *(text for text, times in facts.count.items() if times)]:
            missing = facts.count.get(wanted, 1) - self._found(case, parts, wanted)
            parts += [wanted] * max(0, missing)
        return " | ".join(parts) or "|"

    def _found(self, case: Case, parts: list[str], wanted: str) -> int:
        search = _Search(" | ".join(parts), self._locale(case), self.settings)
        return len(search.places(wanted))

    def _locale(self, case: Case) -> str | None:
        return locale_for(case, self.settings.locale)


def _errors(facts: Facts, search: _Search) -> Iterator[Error]:
    for item, text in enumerate(facts.contains):
        if not search.places(text):
            yield Error("missing", {"fact": "contains", "item": item}, expected=text)
    for item, text in enumerate(facts.absent):
        if search.places(text):
            yield Error("invented", {"fact": "absent", "item": item}, got=text)
    behind = 0
    for item, text in enumerate(facts.order):
        places = search.places(text)
        following = [end for start, end in places if start >= behind]
        if following:
            behind = following[0]
        else:
            kind = "out_of_order" if places else "missing"
            yield Error(kind, {"fact": "order", "item": item}, expected=text)
    for item, (text, times) in enumerate(sorted(facts.count.items())):
        found = len(search.places(text))
        if found != times:
            kind = "missing" if found < times else "invented"
            note = f"of {text!r}"
            yield Error(kind, {"fact": "count", "item": item}, expected=times, got=found, note=note)


class _Search:
    """The one form of a text, and where facts stand in it."""

    def __init__(self, text: Any, locale: str | None, settings: FactsSettings) -> None:
        self._locale = locale
        self._profile = settings.profile
        self._edge = " " if settings.whole_words else ""
        said = self._form(text)
        self.is_empty = not said
        self._text = f" {said} "

    def places(self, fact: str) -> list[tuple[int, int]]:
        """Return begin and end of each place of a fact; no two overlap."""
        wanted = f"{self._edge}{self._form(fact)}{self._edge}"
        places, at = [], self._text.find(wanted)
        while at >= 0:
            # Two facts may share the blank between them.
            end = at + len(wanted) - len(self._edge)
            places.append((at, end))
            at = self._text.find(wanted, end)
        return places

    def _form(self, text: Any) -> str:
        return folded(text, self._locale, self._profile)
