"""The class a benchmark author writes: how predictions of one type are scored."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING
from typing import Any

from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import ProfileScore

if TYPE_CHECKING:
    from pydantic import BaseModel

TIERS = ("component", "document", "site")
BOARDS = ("Extract", "Verify", "Locate", "Research", "Legal", "Site")
VIEWERS = ("table-grid", "image-overlay", "json")
Scored = bool | float | dict[str, bool] | dict[str, ProfileScore]
Summary = dict[str, float | tuple[int, int] | None]


class Benchmark:
    """A scoring definition. One instance per process; it keeps no state.

    Mandatory: ``id``, ``format``, ``label``, ``scoring_version`` and
    :meth:`score_case`. A changed formula raises the scoring version (ENV-011).
    """

    id: str
    """Such as ``table-separators``."""
    format: str
    """Result format, such as ``benchbed.table-separators.v1``."""
    label: str
    """What a reader calls it."""
    scoring_version: str
    """``<namespace>.<type>.scores.v<n>``."""
    profiles: Sequence[str] = ("default",)
    """Ways of scoring the same prediction; the first is the default gate."""
    family: str | None = None
    """``--bench=FAMILY`` takes all types of it."""
    headline: Sequence[str] = ()
    """``metric`` (of the first profile that has it) or ``profile.metric``; first is primary."""
    lower_is_better: Collection[str] = ()
    explain: Mapping[str, str] = {}
    """Metric to one line of explanation."""
    tier: str | None = None
    """``component``, ``document`` or ``site``."""
    board: str | None = None
    """Category of the boards, one of :data:`BOARDS`."""
    categories: Sequence[str] = ()
    """Words allowed in a case's ``category``; none declared: any."""
    viewer: str = "json"
    inputs_model: type[BaseModel] | None = None
    answer_model: type[BaseModel] | None = None
    prediction_model: type[BaseModel] | None = None
    """Pydantic models; None: any JSON object. Keys they do not declare are refused."""
    drive: str | None = None
    """``module:function``, imported in the adapter's process: ``f(adapter, case)``."""
    at_least: Mapping[str, float] = {}
    """A metric below its value (above it, if lower is better) is an error ``below``."""
    tolerance: Mapping[str, float] = {}
    """Worse than every same-code run by more than this is worse."""

    def score_case(self, case: Case, answer: Any, prediction: Any) -> Scored:
        """Score one prediction.

        Called only with a prediction that fits ``prediction_model``. Answer and
        prediction are plain JSON (dict, list, text, numbers), not model
        objects, and belong to this call: changing them changes nothing else. A
        type that wants objects builds them with ``prediction_model.model_validate``.

        Returns:
            ``{profile: ProfileScore}`` with every declared profile, or a short
            form for a type of one profile: a bool, ``{check: bool}`` (each
            false one is an error), or a float in [0, 1] (metric ``score``; the
            type then declares ``at_least`` or ``tolerance``).
        """
        raise TypeError(f"benchmark {type(self).__name__} does not define score_case")

    def summarise(self, profile: str, rows: Sequence[Mapping[str, Any]]) -> Summary:
        """Sum up one profile: ``rows`` are the metrics of the scored cases.

        Pairs are pooled (numerators and denominators added), numbers averaged,
        nulls left out; nothing left, or a pooled denominator of 0: None.
        """
        names = dict.fromkeys(chain.from_iterable(rows))
        return {name: pool([row[name] for row in rows if name in row]) for name in names}

    def quality(self, scores: Mapping[str, ProfileScore]) -> float | None:
        """Return the quality of one case in [0, 1]; it never gates.

        Default: the case's first headline metric; without one 1.0, or 0.0 if
        the first profile has an error.
        """
        if self.headline:
            profile, metric = self.find_headline(self.headline[0], scores)
            value = scores[profile].metrics.get(metric) if profile is not None else None
            if isinstance(value, tuple):
                return value[0] / value[1] if value[1] else None
            return None if value is None else float(value)
        return 0.0 if scores[self.profiles[0]].errors else 1.0

    def find_headline(
        self, name: str, scores: Mapping[str, ProfileScore]
    ) -> tuple[str | None, str]:
        """Return (profile, metric) for a headline name; profile None if no profile has it."""
        head, dot, tail = name.partition(".")
        if dot and head in self.profiles:
            return head, tail
        for profile in self.profiles:
            if profile in scores and name in scores[profile].metrics:
                return profile, name
        return None, name

    def is_worse(self, profile: str, candidate: ProfileScore, other: ProfileScore) -> bool:
        """Say whether ``candidate`` is worse than ``other``; default: it has a new error."""
        return bool(candidate.keys - other.keys)

    @property
    def has_own_is_worse(self) -> bool:
        """Whether the type redefines :meth:`is_worse`; then errors alone do not decide."""
        return type(self).is_worse is not Benchmark.is_worse

    def unit(self, case: Case) -> str:
        """Return the unit whose metrics are compared by a band; default: one, ``all``."""
        return "all"

    def settings_fault(self, answers: Iterable[Any]) -> str | None:
        """Say what in the type's settings fits no answer; None: nothing.

        Asked before the first call of a run, with the answers of the whole
        dataset; a reader that has seen enough of them stops.
        """
        return None

    def answer_as_prediction(self, case: Case, answer: Any) -> Any:
        """Return the prediction that repeats the answer; for validation and conformance."""
        return answer


def pool(values: Sequence[Any]) -> float | tuple[int, int] | None:
    """Pool the values of one metric over cases; see :meth:`Benchmark.summarise`."""
    pairs = [value for value in values if isinstance(value, (tuple, list))]
    if pairs:
        tops, bottoms = zip(*pairs, strict=True)
        bottom = sum(bottoms)
        return (sum(tops), bottom) if bottom else None
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None
