"""The short forms a type may return, spelt out as profile scores."""

from __future__ import annotations

import math
from typing import Any
from typing import TypeGuard

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.names import unknown_name


class ScoreFault(Exception):
    """What a type returned cannot be a score; the text says what and how to mend it."""

    def __init__(self, kind: str, text: str) -> None:
        """``kind`` becomes the kind of the technical failure."""
        super().__init__(text)
        self.kind = kind


def spelt_out(benchmark: Benchmark, scored: Any) -> dict[str, ProfileScore]:
    """Return one score per profile, in the type's order, from what ``score_case`` returned.

    Raises:
        ScoreFault: it is none of the forms, or a form that this type cannot use.
    """
    profiles = tuple(benchmark.profiles)
    if isinstance(scored, dict) and any(
        [isinstance(item, ProfileScore) for item in scored.values()]
    ):
        for name in scored:
            if name not in profiles:
                raise ScoreFault("bad_score", unknown_name("profile", str(name), profiles, ""))
        for name in profiles:
            if not isinstance(scored.get(name), ProfileScore):
                got = type(scored[name]).__name__ if name in scored else "nothing"
                raise ScoreFault(
                    "bad_score", f"profile {name!r} got {got}: return a ProfileScore for each one"
                )
        return {name: scored[name] for name in profiles}
    short = _short_form(benchmark, scored)
    if len(profiles) > 1:
        raise ScoreFault(
            "bad_score",
            f"a {type(scored).__name__} is a short form for one profile, and {len(profiles)} are "
            f"declared: return {{profile: ProfileScore}}",
        )
    return {profiles[0]: short}


def can_score_fail(declared: Benchmark | type[Benchmark]) -> bool:
    """Say whether a score in [0, 1] can be an error, or its fall a regression."""
    bound, tolerance = declared.at_least.get("score"), declared.tolerance.get("score")
    if bound is not None:
        # As scores are compared: to four decimals.
        limit = round(bound * 10_000)
        if limit < 10_000 if "score" in declared.lower_is_better else limit > 0:
            return True
    return tolerance is not None and tolerance < 1


def _short_form(benchmark: Benchmark, scored: Any) -> ProfileScore:
    if isinstance(scored, bool):
        return ProfileScore([] if scored else [Error("wrong")])
    if is_number(scored):
        if not 0 <= scored <= 1:
            raise ScoreFault("bad_score", f"the score {scored:g} lies outside [0, 1]")
        if not can_score_fail(benchmark):
            raise ScoreFault(
                "cannot_fail",
                "a float can make no case fail: declare at_least or tolerance for 'score', a bound "
                "that not every score keeps",
            )
        return ProfileScore(metrics={"score": float(scored)})
    if isinstance(scored, dict) and scored:
        for name, holds in scored.items():
            if not isinstance(name, str) or not name or not isinstance(holds, bool):
                raise ScoreFault(
                    "bad_score",
                    "a dict of checks maps names to True or False; "
                    f"{str(name)[:40]!r} has a {type(holds).__name__}",
                )
        wrong = [Error("wrong", {"check": name}) for name, holds in scored.items() if not holds]
        return ProfileScore(wrong)
    shown = repr(scored) if scored is None or isinstance(scored, float) else type(scored).__name__
    if scored == {}:
        shown = "an empty dict"
    raise ScoreFault(
        "bad_score",
        f"score_case returned {shown}: return a bool, {{check: bool}}, a number in [0, 1] or "
        f"{{profile: ProfileScore}}",
    )


def is_number(value: object) -> TypeGuard[float]:
    """Say whether ``value`` is a finite number; a bool is none."""
    return type(value) is int or (isinstance(value, float) and math.isfinite(value))
