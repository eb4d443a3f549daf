"""Type ``text``: equal after the normaliser, or alike enough."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import ClassVar
from typing import cast

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.generic.likeness import measured
from pytest_benchbed.benchmarks.generic.settings import TextSettings
from pytest_benchbed.benchmarks.generic.values import TextOrObject
from pytest_benchbed.benchmarks.generic.values import expected_in
from pytest_benchbed.benchmarks.generic.values import field_fault
from pytest_benchbed.benchmarks.generic.values import field_of
from pytest_benchbed.benchmarks.generic.values import folded
from pytest_benchbed.benchmarks.generic.values import is_blank
from pytest_benchbed.benchmarks.generic.values import locale_for
from pytest_benchbed.benchmarks.generic.values import value_in
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import Metric
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.scoring.normalise import Profile

FIELD = "text"
ERROR_RATES = ("wer", "cer")


class WholeText(Benchmark):
    """A text: ``wrong``, ``missing``, or ``invented`` where none is asked.

    Error rates are told under the profiles ``spoken`` and ``written``, the
    one of the settings first: the ranking of systems may differ.
    """

    FORMAT = "benchbed.text.v1"
    SCORES = "benchbed.text.scores.v1"
    settings: ClassVar[TextSettings]
    lower_is_better = ERROR_RATES
    answer_model = TextOrObject
    prediction_model = TextOrObject

    @classmethod
    def configured(cls, settings: TextSettings) -> dict[str, Any]:
        """Return what the class of these settings declares."""
        is_rate = settings.compare in ERROR_RATES
        first = settings.profile or ("spoken" if is_rate else "written")
        others = [name for name in ("spoken", "written") if is_rate and name != first]
        measure = () if settings.compare == "equal" else (settings.compare,)
        return {
            "settings": settings,
            "profiles": (first, *others),
            "headline": (*measure, "exact"),
            "lower_is_better": measure if is_rate else (),
            "explain": {
                name: text for name, text in _EXPLAIN.items() if name == "exact" or name in measure
            },
        }

    def score_case(self, case: Case, answer: Any, prediction: Any) -> dict[str, ProfileScore]:
        """Compare two texts under each profile.

        Raises:
            TechnicalFailure: ``bad_answer``, a fault of the dataset.
        """
        field = field_of(answer, self.settings.field, FIELD)
        expected, got = expected_in(answer, field), value_in(prediction, field)
        locale = locale_for(case, self.settings.locale)
        return {profile: self._score(profile, locale, expected, got) for profile in self.profiles}

    def quality(self, scores: Mapping[str, ProfileScore]) -> float | None:
        """Return 1 minus the error rate, the similarity, or whether the texts are equal."""
        score = scores[self.profiles[0]]
        value = score.metrics[self.headline[0]]
        if self.settings.compare in ERROR_RATES and isinstance(value, tuple):
            return max(0.0, 1 - value[0] / value[1]) if value[1] else float(not score.errors)
        return super().quality(scores)

    def settings_fault(self, answers: Iterable[Any]) -> str | None:
        """Say that no answer has the field that holds the text."""
        return field_fault(self.settings.field, FIELD, answers)

    def answer_as_prediction(self, case: Case, answer: Any) -> Any:
        """Return the answer; null in an object, since a prediction is never null."""
        return {self.settings.field or FIELD: None} if answer is None else answer

    def _score(self, profile: str, locale: str | None, expected: Any, got: Any) -> ProfileScore:
        compare = self.settings.compare
        one, other = (
            "" if is_blank(value) else folded(value, locale, cast(Profile, profile))
            for value in (expected, got)
        )
        is_equal = one == other
        metrics: dict[str, Metric] = {"exact": (int(is_equal), 1)}
        is_enough, note = is_equal, ""
        if compare != "equal":
            found = measured(compare, one, other, self.settings.at_least, self.settings.at_most)
            metrics[compare] = found.metric
            is_enough, note = found.is_enough, found.note
        if one and not other:
            kind = "missing"
        elif other and not one:
            kind = "invented"
        elif is_enough:
            return ProfileScore(metrics=metrics)
        else:
            kind = "wrong"
        return ProfileScore([Error(kind, {}, expected, got, note)], metrics)


_EXPLAIN = {
    "wer": "word errors / words of the answers, pooled over the cases",
    "cer": "character errors / characters of the answers, pooled over the cases",
    "similarity": "mean similarity to the answer, in [0, 1]",
    "exact": "share of cases whose text is equal after the profile",
}
