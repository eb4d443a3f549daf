"""Score one prediction: the type's word made into errors and metrics, checked.

This is where the code of a type runs, so everything it can do wrong ends here
as a technical failure of the scorer that names type and case. It gets plain
JSON values of its own: what it changes in them, nobody else sees. Sources:
ENV-007, ENV-008, ENV-050, ENV-051.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.declaration import type_name
from pytest_benchbed.benchmarks.prediction import validate_prediction
from pytest_benchbed.benchmarks.short_forms import ScoreFault
from pytest_benchbed.benchmarks.short_forms import is_number
from pytest_benchbed.benchmarks.short_forms import spelt_out
from pytest_benchbed.model import error as model_error
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.places import ten_thousandths
from pytest_benchbed.model.strict import check_readable

__all__ = ["NO_ANSWER", "declined", "quality", "score", "validate_prediction"]

NO_ANSWER = "no-answer"
"""Kind of the one error of a declined case."""


_SMALL = 10**15
_LEAVES = frozenset({str, int, float, bool, type(None)})


def score(
    benchmark: Benchmark, case: Case, answer: Any, prediction: Any
) -> dict[str, ProfileScore]:
    """Return errors and metrics of one prediction, for every profile in the type's order.

    Short forms are spelt out: a false bool is the error ``wrong``, a false
    check the error ``wrong`` at ``{"check": name}``, a float the metric
    ``score``. A metric beyond its ``at_least`` adds the error ``below`` at
    ``{"metric": name}``; both are compared at four places, and for a metric
    of ``lower_is_better`` more than the bound is the error.

    Args:
        benchmark: the type; it passed the checks of its registration.
        case: what the system was shown, with its files.
        answer: the answer, plain JSON.
        prediction: plain JSON that :func:`validate_prediction` let through.

    Raises:
        TechnicalFailure: of the scorer, kinds ``scorer_raised``, ``bad_score``,
            ``cannot_fail``, or the kind the scorer itself raised.
    """
    inputs = _copy(case.inputs)
    own = Case(case.id, case.benchmark, inputs, case.files, case.context, case.attempt)
    try:
        scored = benchmark.score_case(own, _copy(answer), _copy(prediction))
        scores = _bounded(benchmark, spelt_out(benchmark, scored))
        _check_saveable(scores)
        return scores
    except ScoreFault as fault:
        where = _where(benchmark, case)
        raise TechnicalFailure(fault.kind, str(fault), where=where, whose="scorer") from None
    except TechnicalFailure as failure:
        raise TechnicalFailure(
            failure.kind,
            failure.detail,
            where=failure.where or _where(benchmark, case),
            whose="judge" if failure.whose == "judge" else "scorer",
        ) from failure
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # pytest.skip() and sys.exit() must not pass for an outcome
        where = _where(benchmark, case)
        raise TechnicalFailure(
            "scorer_raised", _what_raised(benchmark, error), where=where, whose="scorer"
        ) from error


def _where(benchmark: Benchmark, case: Case) -> str:
    return f"{type_name(type(benchmark))}, case {case.id}"


def declined(benchmark: Benchmark) -> dict[str, ProfileScore]:
    """Return the scores of a case the system declined: one error in every profile, no metric."""
    return {profile: ProfileScore([Error(NO_ANSWER)]) for profile in benchmark.profiles}


def quality(benchmark: Benchmark, scores: Mapping[str, ProfileScore]) -> float | None:
    """Return the quality of one case in [0, 1], None if the type has none for it.

    A declined case has quality 0.

    Raises:
        TechnicalFailure: of the scorer: it raised, or the value is no number in [0, 1].
    """
    if _is_declined(scores):
        return 0.0
    try:
        value = benchmark.quality(scores)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        where = type_name(type(benchmark))
        raise TechnicalFailure(
            "scorer_raised", _what_raised(benchmark, error), where=where, whose="scorer"
        ) from error
    if value is None:
        return None
    if not is_number(value) or not 0 <= value <= 1:
        shown = f"{value:g}" if is_number(value) else f"a {type(value).__name__}"
        raise TechnicalFailure(
            "bad_score",
            f"quality is {shown}, not a number in [0, 1]: define quality(), or name a share "
            f"first in headline",
            where=type_name(type(benchmark)),
            whose="scorer",
        )
    return float(value)


def _is_declined(scores: Mapping[str, ProfileScore]) -> bool:
    for item in scores.values():
        if len(item.errors) != 1 or item.errors[0].kind != NO_ANSWER:
            return False
    return True


def _copy(value: Any) -> Any:
    """Copy plain JSON; cheaper than ``deepcopy``, which keeps a memo of every value."""
    if type(value) in _LEAVES:
        return value
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in value]
    # Last, since asking an abstract class costs more than all the rest.
    return dict(value) if isinstance(value, Mapping) else value


def _bounded(benchmark: Benchmark, scores: dict[str, ProfileScore]) -> dict[str, ProfileScore]:
    """Add an error ``below`` for each metric beyond its ``at_least``."""
    if not benchmark.at_least and not benchmark.tolerance:
        return scores
    for metric in (*benchmark.at_least, *benchmark.tolerance):
        if not any(metric in item.metrics for item in scores.values()):
            known = sorted({str(name) for item in scores.values() for name in item.metrics})
            raise ScoreFault(
                "cannot_fail",
                f"no profile has the metric {metric!r} of at_least or tolerance (metrics: "
                f"{', '.join(known) or 'none'}): return it, None where there is nothing to measure",
            )
    return {
        profile: ProfileScore([*item.errors, *_below(benchmark, item)], item.metrics)
        for profile, item in scores.items()
    }


def _below(benchmark: Benchmark, got: ProfileScore) -> list[Error]:
    errors = []
    for metric, bound in benchmark.at_least.items():
        value = got.metrics.get(metric)
        at, limit = ten_thousandths(value), round(bound * 10_000)
        if at is None:
            continue
        if at > limit if metric in benchmark.lower_is_better else at < limit:
            shown = list(value) if isinstance(value, tuple) else value
            errors.append(Error("below", {"metric": metric}, expected=bound, got=shown))
    return errors


def _check_saveable(scores: Mapping[str, ProfileScore]) -> None:
    """Refuse what cannot be written to a run and read back unchanged.

    All is tried at once; part by part only if something is wrong, to name it.
    """
    if all([_is_plain(got) for got in scores.values()]):
        return
    parts: list[tuple[str, Any]] = []
    for profile, got in scores.items():
        for name in got.metrics:
            if not isinstance(name, str) or not name:
                raise ScoreFault("bad_score", f"profile {profile!r} has a metric without a name")
        parts.append((f"a metric of profile {profile!r}", got.metrics_json()))
        for error in got.errors:
            if not isinstance(error.note, str):
                raise ScoreFault("bad_score", f"the note of error {error.kind!r} is no text")
            parts.append((f"error {error.kind!r} of profile {profile!r}", error.to_json()))
    if _reads_back([part for _, part in parts]) is None:
        return
    for what, part in parts:
        problem = _reads_back(part)
        if problem is not None:
            raise ScoreFault("bad_score", f"{what} holds what is no JSON: {problem}")


def _is_plain(got: ProfileScore) -> bool:
    """Say whether a score has no error and nothing but small numbers under plain names."""
    if got.errors:
        return False
    for name, value in got.metrics.items():
        if not (type(name) is str and name.isidentifier() and name.isascii()):
            return False
        if not _is_small(value):
            return False
    return True


def _is_small(value: float | tuple[int, int] | None) -> bool:
    if isinstance(value, tuple):
        return -_SMALL < value[0] < _SMALL and value[1] < _SMALL
    return value is None or -_SMALL < value < _SMALL


def _reads_back(value: Any) -> Exception | None:
    try:
        check_readable(canonical(value))
    except (ValueError, TypeError, RecursionError) as problem:
        return problem
    return None


def _what_raised(benchmark: Benchmark, error: BaseException) -> str:
    """Return the exception's name and the line of the type's code; its text may quote an answer."""
    code = getattr(inspect.unwrap(type(benchmark).score_case), "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)[1:]
    # Refused by Error or ProfileScore: their own words, which quote no value of a case.
    refused = frames and frames[-1].filename == model_error.__file__
    what = f"{type(error).__name__}: {error}" if refused else type(error).__name__
    own = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    for frame in (own or frames)[-1:]:
        line = f": {frame.line}" if frame.line else ""
        return f"{what} at {Path(frame.filename).name}:{frame.lineno}{line}"
    return what
