"""Type ``label``: the one right word, after declared folding."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import ClassVar

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.generic.settings import LabelSettings
from pytest_benchbed.benchmarks.generic.values import PlainOrObject
from pytest_benchbed.benchmarks.generic.values import expected_in
from pytest_benchbed.benchmarks.generic.values import field_fault
from pytest_benchbed.benchmarks.generic.values import field_of
from pytest_benchbed.benchmarks.generic.values import folded
from pytest_benchbed.benchmarks.generic.values import is_blank
from pytest_benchbed.benchmarks.generic.values import locale_for
from pytest_benchbed.benchmarks.generic.values import value_in
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.scoring.locales import LOCALES

FIELD = "label"


class Label(Benchmark):
    """A label: ``wrong``, ``missing``, or ``invented`` where none is asked or none is known."""

    FORMAT = "benchbed.label.v1"
    SCORES = "benchbed.label.scores.v1"
    settings: ClassVar[LabelSettings]
    forms: ClassVar[Mapping[str | None, Mapping[str, str]]]
    """Locale to the folded form of each word to that of its label."""
    headline = ("exact",)
    explain: Mapping[str, str] = {"exact": "share of cases with the right label"}
    answer_model = PlainOrObject
    prediction_model = PlainOrObject

    @classmethod
    def configured(cls, settings: LabelSettings) -> dict[str, Any]:
        """Return what the class of these settings declares."""
        forms = {
            locale: {
                folded(word, locale, settings.profile): folded(label, locale, settings.profile)
                for label in settings.labels or settings.aliases
                for word in (label, *settings.aliases.get(label, ()))
            }
            for locale in (*LOCALES, None)
        }
        return {"settings": settings, "forms": forms, "profiles": (settings.profile,)}

    def score_case(self, case: Case, answer: Any, prediction: Any) -> dict[str, ProfileScore]:
        """Compare two labels.

        Raises:
            TechnicalFailure: ``bad_answer``, a fault of the dataset.
        """
        field = field_of(answer, self.settings.field, FIELD)
        expected, got = expected_in(answer, field), value_in(prediction, field)
        kind = self._kind(case, expected, got)
        errors = [Error(kind, {}, expected, got)] if kind else []
        metrics = {"exact": (int(not errors), 1)}
        return {self.settings.profile: ProfileScore(errors, metrics)}

    def settings_fault(self, answers: Iterable[Any]) -> str | None:
        """Say that no answer has the field that holds the label."""
        return field_fault(self.settings.field, FIELD, answers)

    def answer_as_prediction(self, case: Case, answer: Any) -> Any:
        """Return the answer; null in an object, since a prediction is never null."""
        return {self.settings.field or FIELD: None} if answer is None else answer

    def _kind(self, case: Case, expected: Any, got: Any) -> str | None:
        if is_blank(expected):
            return None if is_blank(got) else "invented"
        locale = locale_for(case, self.settings.locale)
        forms = self.forms[locale]
        one, other = (folded(word, locale, self.settings.profile) for word in (expected, got))
        if self.settings.labels is not None and one not in forms:
            raise TechnicalFailure(
                "bad_answer", "the answer is none of scoring.labels", whose="scorer"
            )
        if is_blank(got):
            return "missing"
        if forms.get(one, one) == forms.get(other, other):
            return None
        return "invented" if self.settings.labels is not None and other not in forms else "wrong"
