"""Rules over scores alone: nothing is started, and nothing is written."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_benchbed.benchmarks.selfcheck import answer_fault
from pytest_benchbed.conformance.subject import CORRECT
from pytest_benchbed.conformance.subject import WRONG
from pytest_benchbed.conformance.subject import Subject
from pytest_benchbed.conformance.subject import row_of
from pytest_benchbed.conformance.subject import told
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.escape import term


def every_score_is_whole(subject: Subject) -> None:
    """Score what there is; then metrics, quality and summary must be numbers or null."""
    findings = []
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in subject.benchmark.profiles}
    for what, case, prediction in subject.predictions():
        result = subject.result(case, prediction)
        if result.broken is not None:
            detail = term(result.broken.detail, 200)
            findings.append(f"case {case}, given {what}: {result.broken.kind}: {detail}")
        elif result.scores is not None:
            for profile, metrics in row_of(result)["metrics"].items():
                rows[profile].append(metrics)
    findings += [] if findings else _summary_faults(subject, rows)
    if findings:
        subject.broken(
            "every score is whole: errors of plain JSON, metrics that are finite numbers, null "
            "or pairs, quality in [0, 1]",
            findings,
            "correct score_case, quality or summarise; a ratio over nothing is None, a set is a "
            "sorted list",
        )


def _summary_faults(subject: Subject, rows: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    for profile, metrics in rows.items():
        try:
            summary = subject.benchmark.summarise(profile, metrics)
            for name, value in summary.items():
                parts = value if isinstance(value, tuple | list) else [value]
                if any(part is not None and not _is_finite(part) for part in parts):
                    yield f"all cases: summarise({profile!r}) gives {name!r} the value {value!r}"
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            yield f"all cases: summarise({profile!r}) raised {type(error).__name__}: {error}"


def _is_finite(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]


def skip_if_broken(subject: Subject) -> None:
    """Leave a type whose scorer breaks to the rule that says so."""
    for _, case, prediction in subject.predictions():
        if subject.result(case, prediction).broken is not None:
            pytest.skip(f"not judged: the scorer breaks, see test_every_score_is_whole ({case})")


def answers_have_no_error(subject: Subject) -> None:
    """Feed every answer back as a prediction."""
    skip_if_broken(subject)
    findings = []
    for name in subject.dataset.ids:
        if name in subject.own:
            scores = subject.result(name, subject.own[name]).scores
            if scores is not None and not any(one.errors for one in scores.values()):
                continue
        answer = subject.answers.answer(name)
        fault = answer_fault(subject.benchmark, subject.dataset.case(name), answer)
        findings.append(f"case {name}: {fault or 'it was scored otherwise before'}")
    if findings:
        subject.broken(
            "an answer as its own prediction has no error",
            findings,
            "correct the answer, the scorer, or answer_as_prediction",
        )


def correct_has_no_error(subject: Subject) -> None:
    """Score ``correct.json``."""
    predictions = subject.fixture(CORRECT)
    skip_if_broken(subject)
    findings = []
    for case, prediction in predictions.items():
        result = subject.result(case, prediction)
        if result.scores is None:
            findings.append(f"case {case}: {told(result, '')}")
            continue
        for profile, one in result.scores.items():
            if one.errors:
                findings.append(f"case {case}: {one.errors[0]!r} in profile {profile!r}")
    if findings:
        subject.broken(
            f"{CORRECT} has no error in any profile",
            findings,
            f"correct the scorer, or fixtures/{subject.id}/{CORRECT}",
        )


def wrong_has_an_error(subject: Subject) -> None:
    """Score ``wrong.json``: a wrong answer that loses nothing is a scorer that sees nothing."""
    predictions = subject.fixture(WRONG)
    skip_if_broken(subject)
    first = subject.benchmark.profiles[0]
    results = {case: subject.result(case, value) for case, value in predictions.items()}
    if any(result.scores and result.errors(first) for result in results.values()):
        return
    subject.broken(
        f"{WRONG} has an error in the first profile, {first!r}",
        [f"case {case}: {told(result, first)}" for case, result in results.items()],
        f"let score_case see the mistakes of fixtures/{subject.id}/{WRONG}; what the validator "
        "refuses is not scored",
    )


def empty_passes_nothing(subject: Subject) -> None:
    """Give every case that asserts something each kind of nothing."""
    skip_if_broken(subject)
    first = subject.benchmark.profiles[0]
    findings, asserting = [], 0
    for case, own in subject.own.items():
        hollow = list(_hollow(own))
        if any(canonical(value) == canonical(own) for value in hollow):
            continue
        asserting += 1
        for value in hollow:
            result = subject.result(case, value)
            if result.broken is not None:
                detail = term(result.broken.detail, 120)
                findings.append(f"case {case}: {_short(value)} breaks the scorer: {detail}")
            elif result.scores is not None and not result.errors(first):
                findings.append(f"case {case}: {_short(value)} has no error in profile {first!r}")
    if not asserting:
        findings.append(f"no answer of {subject.registered.id} asserts anything")
    if findings:
        subject.broken(
            "empty output passes nothing",
            findings,
            "make what is missing an error, or refuse it in prediction_model",
        )


def _hollow(own: Any) -> Iterator[Any]:
    """Yield nothing in every form: bare, and in the shape of a right prediction."""
    emptied = (_emptied(own, keep_numbers=keep) for keep in (True, False))
    distinct = {canonical(value): value for value in ({}, [], "", *emptied)}
    yield from distinct.values()


def _emptied(value: Any, *, keep_numbers: bool) -> Any:
    if isinstance(value, dict):
        return {key: _emptied(item, keep_numbers=keep_numbers) for key, item in value.items()}
    if isinstance(value, list):
        return []
    if isinstance(value, str):
        return "" if keep_numbers else None
    return value if keep_numbers else None


def _short(value: Any) -> str:
    return term(json.dumps(value), 80)


def again_gives_the_same(subject: Subject) -> None:
    """Score everything a second time."""
    skip_if_broken(subject)
    findings = []
    for what, case, prediction in subject.predictions():
        before = subject.result(case, prediction)
        after = subject.result(case, prediction, is_fresh=True)
        if before.scores is None or after.scores is None:
            if (before.scores is None) != (after.scores is None):
                findings.append(f"case {case}, given {what}: scored once and refused once")
        elif canonical(row_of(before)) != canonical(row_of(after)):
            findings.append(f"case {case}, given {what}: {_difference(before, after)}")
    if findings:
        subject.broken(
            "scoring again gives the same",
            findings,
            "a scorer has no clock, no chance and no memory: seed what is drawn, keep no state",
        )


def _difference(before: Any, after: Any) -> str:
    """Say what differs between two scores of one prediction."""
    for profile, one in before.scores.items():
        other = after.scores[profile]
        if canonical([error.to_json() for error in one.errors]) != canonical(
            [error.to_json() for error in other.errors]
        ):
            return (
                f"errors of profile {profile!r} are {term(repr(list(one.errors)), 100)}, then "
                f"{term(repr(list(other.errors)), 100)}"
            )
        for name, value in one.metrics.items():
            if value != other.metrics.get(name):
                return (
                    f"metric {name!r} of profile {profile!r} is {value!r}, then "
                    f"{other.metrics.get(name)!r}"
                )
    return f"quality is {before.quality!r}, then {after.quality!r}"


def errors_survive(subject: Subject) -> None:
    """Write every error as JSON, read it, compare."""
    skip_if_broken(subject)
    findings = []
    for _, case, prediction in subject.predictions():
        result = subject.result(case, prediction)
        for profile, one in (result.scores or {}).items():
            for error in one.errors:
                fault = _round_trip_fault(error)
                if fault:
                    findings.append(f"case {case}, profile {profile!r}, {error!r}: {fault}")
    if findings:
        subject.broken(
            "errors survive a JSON round trip",
            findings,
            "use pytest_benchbed.Error as it is: kind and where are its identity, all of it JSON",
        )


def _round_trip_fault(error: Error) -> str:
    row = error.to_json()
    back = Error.from_json(json.loads(json.dumps(row, allow_nan=False)))
    if not (back == error and error == back):
        return "what is read back is not equal"
    if hash(back) != hash(error):
        return "what is read back has another hash"
    if canonical(back.to_json()) != canonical(row):
        return "what is read back has other detail"
    return ""
