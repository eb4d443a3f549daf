"""Rules over changed predictions: another case's, said twice, in another order."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_benchbed.compare.phrases import count
from pytest_benchbed.conformance.scored import skip_if_broken
from pytest_benchbed.conformance.subject import Result
from pytest_benchbed.conformance.subject import Subject
from pytest_benchbed.model.canonical import canonical

Place = tuple[str, ...]
"""Keys on the way to a list; ``*`` stands for every element of a list."""


def another_never_helps(subject: Subject) -> None:
    """Rotate the predictions over the cases: no case may win, and some case must lose."""
    skip_if_broken(subject)
    own = subject.sample
    if len({canonical(prediction) for prediction in own.values()}) < 2:
        pytest.skip(f"not judged: all answers of {subject.registered.id} are the same")
    findings, is_seen = [], False
    for case, other in subject.neighbours():
        if canonical(own[case]) == canonical(own[other]):
            continue
        right, swapped = subject.result(case, own[case]), subject.result(case, own[other])
        first = subject.benchmark.profiles[0]
        is_seen = is_seen or swapped.scores is None or swapped.errors(first) > 0
        findings += [
            f"case {case}: the prediction of {other} has {less}, its own {more}"
            for less, more in _better(subject, swapped, right)
        ]
    if not is_seen:
        findings.append("every case passes with the prediction of another one")
    if findings:
        subject.broken(
            "the prediction of another case never helps",
            findings,
            "compare the prediction with the answer of its own case",
        )


def twice_never_helps(subject: Subject) -> None:
    """Double lists and their elements, in right and in wrong predictions."""
    skip_if_broken(subject)
    findings = []
    for what, case, prediction in _right_and_wrong(subject):
        plain = subject.result(case, prediction)
        for place in sorted(set(_places(prediction))):
            for how, double in _DOUBLED.items():
                changed = subject.result(case, _at(prediction, place, double))
                findings += [
                    f"case {case}, {what}: with {how} of {_name(place)} doubled it has {less}, "
                    f"before {more}"
                    for less, more in _better(subject, changed, plain)
                ]
    if findings:
        subject.broken(
            "saying it twice never helps",
            findings,
            "count an element of the answer as found once, or refuse doubled elements in "
            "prediction_model",
        )


def order_never_helps(subject: Subject) -> None:
    """Find the lists whose order does not count, then reverse them in wrong predictions.

    Order does not count if right predictions stay right when the list is reversed.
    """
    skip_if_broken(subject)
    findings = []
    for place in _unordered(subject):
        for case, prediction in subject.wrong.items():
            plain = subject.result(case, prediction)
            turned = subject.result(case, _at(prediction, place, _reversed))
            if plain.scores is None or turned.scores is None:
                continue
            for profile in subject.benchmark.profiles:
                if plain.scores[profile].keys != turned.scores[profile].keys:
                    before = count(plain.errors(profile), "error")
                    findings.append(
                        f"case {case}, wrong.json: {before} in profile {profile!r}, but "
                        f"{turned.errors(profile)} or others with {_name(place)} reversed"
                    )
    if findings:
        subject.broken(
            "order never helps where it does not count",
            findings,
            "compare as sets or sort both sides; where order counts, let it count in right "
            "predictions too",
        )


def _reversed(items: list[Any]) -> list[Any]:
    return items[::-1]


_DOUBLED: dict[str, Callable[[list[Any]], list[Any]]] = {
    "all": lambda items: items + items,
    "each element": lambda items: [item for item in items for _ in range(2)],
    "the first element": lambda items: items[:1] + items,
}


def _right_and_wrong(subject: Subject) -> Iterator[tuple[str, str, Any]]:
    for case, prediction in subject.sample.items():
        yield "its own answer", case, prediction
    for case, prediction in subject.wrong.items():
        yield "wrong.json", case, prediction


def _better(subject: Subject, changed: Result, plain: Result) -> Iterator[tuple[str, str]]:
    """Yield in which way a changed prediction is better than the plain one."""
    if changed.scores is None or plain.scores is None:
        return
    for profile in subject.benchmark.profiles:
        less, more = changed.errors(profile), plain.errors(profile)
        if less < more:
            yield f"{count(less, 'error')} in profile {profile!r}", f"{more}"
    before, after = plain.quality, changed.quality
    # Four places: as figures are compared everywhere.
    if before is not None and after is not None and round(after, 4) > round(before, 4):
        yield f"quality {after:.4f}", f"{before:.4f}"


def _unordered(subject: Subject) -> list[Place]:
    """Return the lists that right predictions may hold in reverse without an error."""
    free: dict[Place, bool] = {}
    for case, own in subject.sample.items():
        for place in set(_places(own)):
            turned = _at(own, place, _reversed)
            if canonical(turned) == canonical(own):
                continue
            result = subject.result(case, turned)
            is_free = result.scores is not None and not any(
                one.errors for one in result.scores.values()
            )
            free[place] = free.get(place, True) and is_free
    return sorted(place for place, is_free in free.items() if is_free)


def _places(value: Any, place: Place = ()) -> Iterator[Place]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*place, key))
    elif isinstance(value, list):
        yield place
        for item in value:
            yield from _places(item, (*place, "*"))


def _at(value: Any, place: Place, change: Callable[[list[Any]], list[Any]]) -> Any:
    """Return a copy of ``value`` with every list at ``place`` changed."""
    if not place:
        return change(value) if isinstance(value, list) else value
    head, rest = place[0], place[1:]
    if isinstance(value, dict):
        return {
            key: _at(item, rest, change) if key == head else item for key, item in value.items()
        }
    if isinstance(value, list) and head == "*":
        return [_at(item, rest, change) for item in value]
    return value


def _name(place: Place) -> str:
    return "the prediction's list" if not place else repr(".".join(place))
