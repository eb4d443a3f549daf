"""Check what a benchmark type declares, before a case is scored with it.

Each check looks at the class alone and returns the sentence that refuses it,
or None. What only a score can show (a float where none was announced, NaN,
a missing profile) is left to ``score.py``. Sources: ENV-005, ENV-012, ENV-019.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pytest_benchbed.benchmarks.base import BOARDS
from pytest_benchbed.benchmarks.base import TIERS
from pytest_benchbed.benchmarks.base import VIEWERS
from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.short_forms import can_score_fail
from pytest_benchbed.benchmarks.signatures import methods_fault
from pytest_benchbed.benchmarks.signatures import returned
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import CASE_ID_RULE
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.names import unknown_name

MANDATORY = ("id", "format", "label", "scoring_version")
RESERVED = ("all",)
"""Names that ``--bench`` gives a meaning of its own."""

_SCORING_VERSION = re.compile(r"(?:[^\s.]+\.){2,}scores\.v[1-9][0-9]*(?:\+[0-9a-f]{12})?")
"""Behind the plus: the digest of a bench file's settings."""
_PROFILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_DRIVE = re.compile(r"[\w.]+:\w+")
_SHORT_FORMS: Mapping[Any, tuple[str, ...]] = {float: ("score",), bool: (), dict[str, bool]: ()}
"""Return annotations of short forms, with the metrics such a type can have."""


def type_name(benchmark: type) -> str:
    """Return the class and its module, as every message names a type."""
    return f"{benchmark.__qualname__} ({benchmark.__module__})"


def checked_type(candidate: object) -> Benchmark:
    """Return an instance of a benchmark type that passed every check.

    Raises:
        UsageProblem: naming the class, its module, the fault and what to do.
    """
    if not (isinstance(candidate, type) and issubclass(candidate, Benchmark)):
        raise UsageProblem(
            f"cannot register {term(repr(candidate), 80)} as a benchmark: it is no class derived "
            f"from pytest_benchbed.Benchmark.\n"
            f"Derive it, or register a plain function with registry.add_scorer(id, 'module:name')."
        )
    for check in _CHECKS:
        problem = check(candidate)
        if problem:
            raise UsageProblem(f"benchmark type {type_name(candidate)}: {problem}")
    try:
        instance = candidate()
    except Exception as error:
        raise UsageProblem(
            f"benchmark type {type_name(candidate)}: building it raised "
            f"{type(error).__name__}: {term(error, 160)}.\n"
            f"A type keeps no state: let its constructor take no arguments."
        ) from error
    problem = methods_fault(instance)
    if problem:
        raise UsageProblem(f"benchmark type {type_name(candidate)}: {problem}")
    return instance


def _mandatory(kind: type[Benchmark]) -> str | None:
    for name in MANDATORY:
        value = getattr(kind, name, None)
        if not isinstance(value, str) or not value.strip():
            return (
                f"{name!r} is not declared.\n"
                f"Every type declares {', '.join(MANDATORY)}: set {name} = '...' in the class."
            )
    if kind.score_case is Benchmark.score_case:
        return "score_case is not defined.\nDefine score_case(self, case, answer, prediction)."
    return None


def _names(kind: type[Benchmark]) -> str | None:
    if not is_case_id(kind.id):
        return f"bad id {term(kind.id, 80)!r}.\nIds match {CASE_ID_RULE}."
    if kind.family is not None and not is_case_id(kind.family):
        return f"bad family {term(kind.family, 80)!r}.\nFamilies match {CASE_ID_RULE}."
    for name in (kind.id, kind.family):
        if name in RESERVED:
            return f"the name {name!r} is taken: --bench={name} runs everything.\nChoose another."
    if re.search(r"\s", kind.format):
        return (
            f"bad format {term(kind.format, 80)!r}.\n"
            f"Write it without blanks, such as 'example.{kind.id}.v1'."
        )
    if _SCORING_VERSION.fullmatch(kind.scoring_version) is None:
        return (
            f"bad scoring_version {term(kind.scoring_version, 80)!r}.\n"
            f"Write <namespace>.<type>.scores.v<n>, such as 'example.{kind.id}.scores.v1', and "
            f"raise n when a formula changes."
        )
    return None


def _profiles(kind: type[Benchmark]) -> str | None:
    problem = _texts("profiles", kind.profiles)
    if problem:
        return problem
    if not kind.profiles:
        return "profiles is empty.\nDeclare at least one; the first is the default gate."
    for name in kind.profiles:
        if _PROFILE.fullmatch(name) is None:
            return f"bad profile {term(name, 80)!r}.\nProfiles match {_PROFILE.pattern}."
    return None


def _choices(kind: type[Benchmark]) -> str | None:
    for what, value, known in (
        ("tier", kind.tier, TIERS),
        ("board", kind.board, BOARDS),
        ("viewer", kind.viewer, VIEWERS),
    ):
        if value not in known and (value is not None or what == "viewer"):
            sentence = unknown_name(what, str(value), known, "")
            return f"{sentence}\nChoose one of: {', '.join(known)}."
    return _texts("categories", kind.categories)


def _models(kind: type[Benchmark]) -> str | None:
    for name in ("inputs_model", "answer_model", "prediction_model"):
        model = getattr(kind, name)
        # Asked by attribute: importing pydantic here would cost types without a model.
        if model is not None and not (isinstance(model, type) and hasattr(model, "model_validate")):
            return (
                f"{name} is no pydantic model.\nSet it to a class derived from BaseModel or None."
            )
    if kind.drive is not None and _DRIVE.fullmatch(str(kind.drive)) is None:
        return f"bad drive {term(kind.drive, 80)!r}.\nWrite 'module:function'."
    return None


def _measures(kind: type[Benchmark]) -> str | None:
    problem = _texts("headline", kind.headline) or _texts(
        "lower_is_better", kind.lower_is_better, ordered=False
    )
    if problem:
        return problem
    for name in kind.headline:
        head, dot, tail = name.partition(".")
        if dot and (head not in kind.profiles or not tail):
            return (
                f"headline names {unknown_name('profile', head, kind.profiles, '')}\n"
                f"Write 'metric' or 'profile.metric' with a declared profile."
            )
    for what in ("explain", "at_least", "tolerance"):
        if not isinstance(getattr(kind, what), Mapping):
            return f"{what} is no mapping.\nWrite {what} = {{'metric': ...}}."
    for what in ("explain", "at_least", "tolerance", "lower_is_better"):
        problem = _metric_names(kind, what, getattr(kind, what))
        if problem:
            return problem
    for what, least in (("at_least", -math.inf), ("tolerance", 0.0)):
        for metric, value in getattr(kind, what).items():
            if not _is_number(value) or value < least:
                return (
                    f"{what}[{metric!r}] is {term(repr(value), 40)}.\n"
                    f"Set it to a number{', 0 or more' if least == 0.0 else ''}."
                )
    return None


def _short_form(kind: type[Benchmark]) -> str | None:
    """Refuse what an annotated short form shows: foreign metrics, or no way to fail."""
    form = returned(kind.score_case)
    metrics = _SHORT_FORMS.get(form)
    if metrics is None:
        return None
    text = form.__name__ if form in (float, bool) else str(form)
    if len(kind.profiles) > 1:
        return (
            f"score_case returns {text}, a short form for one profile, but {len(kind.profiles)} "
            f"profiles are declared.\nReturn {{profile: ProfileScore}} with every one of them."
        )
    for what in ("headline", "lower_is_better", "explain", "at_least", "tolerance"):
        for name in getattr(kind, what):
            if name.removeprefix(f"{kind.profiles[0]}.") not in metrics:
                known = " the metric 'score' alone" if metrics else " no metric"
                return (
                    f"{what} names {name!r}, but a score_case that returns {text} has{known}.\n"
                    f"Correct the name, or return {{profile: ProfileScore}} with that metric."
                )
    if form is not float:
        return None
    if not kind.at_least and not kind.tolerance:
        return (
            "score_case returns a float, so no case could ever fail.\n"
            "Declare at_least = {'score': 0.8} (less is an error) or tolerance = {'score': 0.05} "
            "(a fall by more is a regression)."
        )
    bound = kind.at_least.get("score")
    if bound is not None and not 0 < bound <= 1:
        return (
            f"at_least['score'] is {bound}, but a score lies in [0, 1].\nSet it above 0, up to 1."
        )
    if not can_score_fail(kind):
        return "every score keeps the bound of 'score', so no case could ever fail.\nTighten it."
    return None


_CHECKS: tuple[Callable[[type[Benchmark]], str | None], ...] = (
    _mandatory,
    _names,
    _profiles,
    _choices,
    _models,
    _measures,
    _short_form,
)


def _texts(what: str, values: Collection[str], *, ordered: bool = True) -> str | None:
    """Refuse anything but distinct, non-empty texts."""
    if isinstance(values, str) or not isinstance(values, Sequence if ordered else Collection):
        return f"{what} is {term(repr(values), 60)}.\nWrite a tuple, such as {what} = ('one',)."
    seen: set[str] = set()
    for value in values:
        if not isinstance(value, str) or not value.strip():
            return f"{what} holds {term(repr(value), 60)}.\nEvery entry is a name."
        if value in seen:
            return f"{what} holds {value!r} twice.\nName each once."
        seen.add(value)
    return None


def _metric_names(kind: type[Benchmark], what: str, names: Iterable[Any]) -> str | None:
    for name in names:
        if not isinstance(name, str) or not name.strip():
            return f"{what} names {term(repr(name), 60)}.\nEvery key is the name of a metric."
        head, dot, tail = name.partition(".")
        if dot and head in kind.profiles:
            return (
                f"{what} names {name!r}; it holds for a metric in every profile that has it.\n"
                f"Write {tail!r}."
            )
    return None


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
