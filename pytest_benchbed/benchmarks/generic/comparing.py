"""Two values of one field under its rule: the kind of error between them, if any."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from typing import NamedTuple

from pytest_benchbed.benchmarks.generic.likeness import measured
from pytest_benchbed.benchmarks.generic.rules import Date
from pytest_benchbed.benchmarks.generic.rules import Exact
from pytest_benchbed.benchmarks.generic.rules import Number
from pytest_benchbed.benchmarks.generic.rules import Set
from pytest_benchbed.benchmarks.generic.rules import Text
from pytest_benchbed.benchmarks.generic.values import folded
from pytest_benchbed.benchmarks.generic.values import text_of
from pytest_benchbed.scoring.dates import is_ambiguous_date
from pytest_benchbed.scoring.normalise import normalise
from pytest_benchbed.scoring.quantities import Quantity
from pytest_benchbed.scoring.quantities import difference
from pytest_benchbed.scoring.quantities import quantity_of

Compared = Exact | Number | Date | Text | Set
"""A rule that compares."""
_UNDECIDED = "it can be read in two ways: set the locale"
_NO_UNIT = "it is the answer that has no unit"
_ANY_UNIT = f'{_NO_UNIT}: give it one, or the rule "unit": "ignore"'
_NUMBERS = (int, float)


class Fault(NamedTuple):
    """What is wrong with a value."""

    kind: str
    note: str = ""


def fault(rule: Compared, expected: Any, got: Any, locale: str | None) -> Fault | None:
    """Compare two values that both say something; ``expected`` is no list and no object."""
    if isinstance(got, (list, dict)):
        return Fault("wrong")
    locale = rule.locale or locale
    if isinstance(rule, Number):
        return _number_fault(rule, expected, got, locale)
    if isinstance(rule, Date):
        return _date_fault(expected, got, locale)
    if isinstance(rule, Text):
        one, other = (folded(value, locale, rule.profile) for value in (expected, got))
        found = measured(rule.measure, one, other, rule.at_least, rule.at_most)
        return None if found.is_enough else Fault("wrong", found.note)
    return _exact_fault(rule, expected, got, locale)


def form(rule: Compared, value: Any, locale: str | None) -> str:
    """Return what an element of a list is found by: equal forms are the same element."""
    locale = rule.locale or locale
    if isinstance(value, (dict, list)):
        return folded_tree(value, locale)
    if isinstance(rule, (Exact, Text, Set)):
        return folded(value, locale, rule.profile)
    if isinstance(rule, Number):
        quantity = quantity_of(value, locale)
        if quantity is not None and isinstance(quantity.number, Decimal):
            unit = (quantity.unit or "") if rule.unit == "compare" else ""
            return f"{quantity.qualifier}{quantity.number.normalize():f} {unit}"
    return normalise(text_of(value), locale, "spoken")


def folded_tree(value: Any, locale: str | None) -> str:
    """Return the one form of a list or an object, its texts folded as ``written``."""
    return text_of(_folded_parts(value, locale))


def _folded_parts(value: Any, locale: str | None) -> Any:
    if isinstance(value, dict):
        return {key: _folded_parts(item, locale) for key, item in value.items()}
    if isinstance(value, list):
        return [_folded_parts(item, locale) for item in value]
    return folded(value, locale, "written")


def _exact_fault(rule: Exact | Set, expected: Any, got: Any, locale: str | None) -> Fault | None:
    if _is_number(expected) and _is_number(got):
        same = expected == got
    else:
        same = folded(expected, locale, rule.profile) == folded(got, locale, rule.profile)
    return None if same else _named(expected, got, locale)


def _named(expected: Any, got: Any, locale: str | None) -> Fault:
    """Name what was lost between two texts that are not the same."""
    one, other = quantity_of(expected, locale), quantity_of(got, locale)
    if one is None or other is None:
        return Fault("wrong")
    kind = difference(one, other)
    return Fault(kind or "wrong", "" if kind is None else _note(kind, one, other, _NO_UNIT))


def _number_fault(rule: Number, expected: Any, got: Any, locale: str | None) -> Fault | None:
    one, other = quantity_of(expected, locale), quantity_of(got, locale)
    if one is None:
        # An answer such as "n/a" is right if it is said.
        same = folded(expected, locale, "written") == folded(got, locale, "written")
        return None if same else Fault("wrong", "the answer is no number")
    if other is None:
        return Fault("wrong", "no number")
    kind = difference(
        one,
        other,
        tolerance=Decimal(repr(rule.tolerance)),
        relative=Decimal(repr(rule.relative)),
        is_unit_compared=rule.unit == "compare",
    )
    return None if kind is None else Fault(kind, _note(kind, one, other, _ANY_UNIT))


def _note(kind: str, expected: Quantity, got: Quantity, no_unit: str) -> str:
    """Return what a person can do about a kind of error that its name does not tell."""
    if kind == "ambiguous":
        return _UNDECIDED
    return no_unit if kind == "unit_lost" and not expected.unit and got.unit else ""


def _date_fault(expected: Any, got: Any, locale: str | None) -> Fault | None:
    one, other = (normalise(text_of(value), locale, "spoken") for value in (expected, got))
    if one == other:
        return None
    if is_ambiguous_date(one, locale) or is_ambiguous_date(other, locale):
        return Fault("ambiguous", _UNDECIDED)
    return Fault("wrong")


def _is_number(value: Any) -> bool:
    return type(value) in _NUMBERS
