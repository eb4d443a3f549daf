"""Type ``fields``: an object compared field by field, each by its rule."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any
from typing import ClassVar

from rapidfuzz.distance import Indel

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.generic.comparing import Compared
from pytest_benchbed.benchmarks.generic.comparing import fault
from pytest_benchbed.benchmarks.generic.comparing import form
from pytest_benchbed.benchmarks.generic.pointers import ANY
from pytest_benchbed.benchmarks.generic.pointers import Place
from pytest_benchbed.benchmarks.generic.pointers import by_place
from pytest_benchbed.benchmarks.generic.pointers import name_of
from pytest_benchbed.benchmarks.generic.pointers import places_nowhere
from pytest_benchbed.benchmarks.generic.rules import Exact
from pytest_benchbed.benchmarks.generic.rules import Ignore
from pytest_benchbed.benchmarks.generic.rules import Rule
from pytest_benchbed.benchmarks.generic.rules import Set
from pytest_benchbed.benchmarks.generic.settings import FieldsSettings
from pytest_benchbed.benchmarks.generic.values import AnObject
from pytest_benchbed.benchmarks.generic.values import is_blank
from pytest_benchbed.benchmarks.generic.values import locale_for
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.scoring.bounds import check_size

MAX_CELLS = 10**8
"""Elements of a list in the answer times those in the prediction."""


class Fields(Benchmark):
    """Fields of an object: what an answer does not have it does not assert.

    Kinds: ``wrong``, ``missing``, ``invented``, ``ambiguous``, and for a number
    ``sign_lost``, ``sign_wrong``, ``qualifier_lost``, ``qualifier_wrong``,
    ``unit_lost``, ``unit_wrong``.
    """

    FORMAT = "benchbed.fields.v1"
    SCORES = "benchbed.fields.scores.v1"
    settings: ClassVar[FieldsSettings]
    rules: ClassVar[Mapping[Place, Rule]]
    headline = ("fields", "exact")
    explain: Mapping[str, str] = {
        "fields": "share of the fields that answers assert and predictions invent that are right",
        "exact": "share of cases with every field right",
    }
    answer_model = AnObject

    @classmethod
    def configured(cls, settings: FieldsSettings) -> dict[str, Any]:
        """Return what the class of these settings declares."""
        return {"settings": settings, "rules": by_place(settings.fields)}

    def score_case(self, case: Case, answer: Any, prediction: Any) -> dict[str, ProfileScore]:
        """Compare all fields.

        Raises:
            TechnicalFailure: ``bad_answer``: no field of it is compared, so it cannot fail.
        """
        work = _Comparison(self.settings, self.rules, locale_for(case, self.settings.locale))
        work.objects((), (), answer, prediction)
        if not work.total:
            detail = "scoring.fields ignores every field of the answer"
            raise TechnicalFailure("bad_answer", detail, whose="scorer")
        metrics = {"fields": (work.right, work.total), "exact": (int(not work.errors), 1)}
        return {"default": ProfileScore(work.errors, metrics)}

    def settings_fault(self, answers: Iterable[Any]) -> str | None:
        """Name a field with a rule that no answer has: misspelt, its rule would never apply."""
        settings = self.settings
        wanted = [
            place
            for place, rule in self.rules.items()
            # Such a field may be one that only predictions have.
            if not (settings.extra == "invented" and isinstance(rule, Ignore))
        ]
        unknown, found = places_nowhere(wanted, answers)
        if not unknown:
            return None
        names = [name_of(place) for place in found if place not in self.rules] or map(
            name_of, found
        )
        return (
            f"field scoring.fields: {unknown_name('field', name_of(unknown[0]), names, '')}\n"
            "No answer of the dataset has it, so its rule would never apply: correct or drop it."
        )


class _Comparison:
    """One prediction beside one answer."""

    def __init__(
        self, settings: FieldsSettings, rules: Mapping[Place, Rule], locale: str | None
    ) -> None:
        self.default = settings.default
        self.is_extra_invented = settings.extra == "invented"
        self.rules = rules
        self.locale = locale
        self.errors: list[Error] = []
        self.right = 0
        self.total = 0

    def objects(
        self, place: Place, pattern: Place, expected: dict[str, Any], got: dict[str, Any]
    ) -> None:
        """Compare two objects; ``pattern`` is the place with ``*`` for each index."""
        for key, value in expected.items():
            self.values((*place, key), (*pattern, key), value, got.get(key))
        if self.is_extra_invented:
            for key in sorted(got.keys() - expected.keys()):
                rule = self.rules.get((*pattern, key))
                if not isinstance(rule, Ignore) and not is_blank(got[key]):
                    self.wrong("invented", (*place, key), None, got[key])

    def values(self, place: Place, pattern: Place, expected: Any, got: Any) -> None:
        """Compare two values of any kind."""
        rule = self.rules.get(pattern, self.default)
        is_leaf = not isinstance(expected, (dict, list)) or not expected
        if isinstance(rule, Ignore) and (is_leaf or pattern in self.rules):
            return
        if type(got) is str and expected == got:
            self.correct()
        elif is_blank(expected):
            if is_blank(got):
                self.correct()
            else:
                self.wrong("invented", place, expected, got)
        elif isinstance(expected, dict):
            self.objects(place, pattern, expected, got if isinstance(got, dict) else {})
        elif isinstance(expected, list):
            self.lists(place, pattern, expected, got)
        elif is_blank(got):
            self.wrong("missing", place, expected, got)
        else:
            assert not isinstance(rule, Ignore)
            found = fault(rule, expected, got, self.locale)
            if found is None:
                self.correct()
            else:
                self.wrong(found.kind, place, expected, got, found.note)

    def lists(self, place: Place, pattern: Place, expected: list[Any], got: Any) -> None:
        """Compare a list: as a set, or element by element in order."""
        rule = self.rules.get((*pattern, ANY), self.rules.get(pattern, self.default))
        if isinstance(rule, Ignore):
            below = (*pattern, ANY)
            if not any(known[: len(below)] == below for known in self.rules if known != below):
                return
            rule = Exact(compare="exact")
        found = got if isinstance(got, list) else [] if is_blank(got) else [got]
        check_size(len(expected) * len(found), MAX_CELLS, "elements")
        ones = [form(rule, item, self.locale) for item in expected]
        # What both sides say in the same words has the same form.
        known = {item: one for item, one in zip(expected, ones, strict=True) if type(item) is str}
        others = [
            known[item] if type(item) is str and item in known else form(rule, item, self.locale)
            for item in found
        ]
        if isinstance(rule, Set):
            self.sets(place, dict(zip(ones, expected, strict=True)), ones, others, found)
        else:
            self.sequences(place, pattern, rule, (expected, ones), (found, others))

    def sets(
        self,
        place: Place,
        expected: Mapping[str, Any],
        ones: list[str],
        others: list[str],
        found: list[Any],
    ) -> None:
        """Compare elements by their forms; what is said twice is said once."""
        said = set(others)
        for one in expected:
            if one in said:
                self.correct()
            else:
                self.wrong("missing", place, expected[one], None, item=ones.index(one))
        invented = {
            other: item for other, item in zip(others, found, strict=True) if other not in expected
        }
        # Numbered in an order that does not depend on that of the prediction.
        for number, other in enumerate(sorted(invented), 1):
            self.wrong("invented", place, None, invented[other], extra=number)

    def sequences(
        self,
        place: Place,
        pattern: Place,
        rule: Compared,
        expected: tuple[list[Any], list[str]],
        found: tuple[list[Any], list[str]],
    ) -> None:
        """Compare elements in order; those between two that are the same, pair by pair."""
        extra = 0
        for is_same, ours, theirs in _blocks(expected[1], found[1]):
            for index, other in _paired(ours, theirs):
                if index is None:
                    extra += 1
                    self.wrong("invented", place, None, found[0][other or 0], extra=extra)
                elif other is None:
                    self.wrong("missing", place, expected[0][index], None, item=index)
                elif is_same and not isinstance(expected[0][index], (dict, list)):
                    self.correct()
                else:
                    self.element(place, pattern, index, rule, expected[0][index], found[0][other])

    def element(
        self, place: Place, pattern: Place, index: int, rule: Compared, expected: Any, got: Any
    ) -> None:
        """Compare two elements that stand for each other."""
        if isinstance(expected, (dict, list)):
            self.values((*place, str(index)), (*pattern, ANY), expected, got)
            return
        found = fault(rule, expected, got, self.locale)
        if found is None:
            self.correct()
        else:
            self.wrong(found.kind, place, expected, got, found.note, item=index)

    def correct(self) -> None:
        """Count one that is right."""
        self.right += 1
        self.total += 1

    def wrong(
        self, kind: str, place: Place, expected: Any, got: Any, note: str = "", **more: int
    ) -> None:
        """Count one that is not."""
        self.total += 1
        self.errors.append(Error(kind, {"field": name_of(place), **more}, expected, got, note))


def _blocks(ones: list[str], others: list[str]) -> Iterator[tuple[bool, range, range]]:
    """Yield runs of equal and of unequal elements, as index ranges of both lists."""
    if ones == others:
        yield True, range(len(ones)), range(len(others))
        return
    one = other = 0
    for step in Indel.opcodes(ones, others):
        if step.tag == "equal":
            yield False, range(one, step.src_start), range(other, step.dest_start)
            one, other = step.src_end, step.dest_end
            yield True, range(step.src_start, one), range(step.dest_start, other)
    yield False, range(one, len(ones)), range(other, len(others))


def _paired(ones: range, others: range) -> Iterator[tuple[int | None, int | None]]:
    """Yield pairs of indexes; behind the shorter range, None."""
    for number in range(max(len(ones), len(others))):
        yield (
            ones[number] if number < len(ones) else None,
            others[number] if number < len(others) else None,
        )
