"""What ``bench.json: scoring`` may say, by type."""

from __future__ import annotations

from typing import Annotated
from typing import Literal
from typing import Self

from pydantic import Field
from pydantic import model_validator

from pytest_benchbed.benchmarks.generic.rules import Exact
from pytest_benchbed.benchmarks.generic.rules import Ignore
from pytest_benchbed.benchmarks.generic.rules import Rate
from pytest_benchbed.benchmarks.generic.rules import Rule
from pytest_benchbed.benchmarks.generic.rules import Share
from pytest_benchbed.benchmarks.generic.rules import check_bound
from pytest_benchbed.benchmarks.generic.values import folded
from pytest_benchbed.model.base import Model
from pytest_benchbed.scoring.locales import Locale
from pytest_benchbed.scoring.normalise import Profile

Name = Annotated[str, Field(min_length=1)]


class Settings(Model):
    """What every type has."""

    locale: Locale | None = None
    """Of numbers, dates and words; a case's input ``locale`` comes before it."""


class LabelSettings(Settings):
    """``label``: one word out of several."""

    field: Name | None = None
    """Where answers and predictions hold it, if they are objects."""
    profile: Profile = "written"
    labels: Annotated[list[Name], Field(min_length=2)] | None = None
    """All there are; another one is invented."""
    aliases: dict[Name, list[Name]] = {}
    """Label to other words for it."""

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        seen: dict[str, str] = {}
        for label in self.labels or self.aliases:
            form = folded(label, None, self.profile)
            if form in seen:
                raise ValueError(
                    f"labels {seen[form]!r} and {label!r} are the same after profile "
                    f"{self.profile!r}; take profile 'exact'"
                )
            seen[form] = label
        for label, others in self.aliases.items():
            if self.labels is not None and label not in self.labels:
                raise ValueError(f"aliases: {label!r} is none of the labels")
            for other in others:
                form = folded(other, None, self.profile)
                if seen.setdefault(form, label) != label:
                    raise ValueError(f"alias {other!r} is that of {label!r} and of {seen[form]!r}")
        return self


class TextSettings(Settings):
    """``text``: a whole text."""

    field: Name | None = None
    compare: Literal["equal", "similarity", "wer", "cer"] = "equal"
    profile: Profile | None = None
    """None: ``spoken`` for error rates, else ``written``."""
    at_least: Share | None = None
    """Least similarity."""
    at_most: Rate | None = None
    """Largest error rate."""

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.compare != "equal":
            check_bound(self.compare, self.at_least, self.at_most)
        elif self.at_least is not None or self.at_most is not None:
            raise ValueError("equal has no bound; set compare to 'similarity', 'wer' or 'cer'")
        return self


class FieldsSettings(Settings):
    """``fields``: an object, field by field."""

    fields: dict[Name, Rule] = {}
    """Name, or JSON pointer with ``*`` for every element of a list, to its rule."""
    default: Rule = Exact(compare="exact")
    """The rule of all other fields of an answer."""
    extra: Literal["ignore", "invented"] = "ignore"
    """What a field is that the answer does not have."""

    @model_validator(mode="after")
    def _can_fail(self) -> Self:
        rules = self.fields.values()
        if isinstance(self.default, Ignore) and all(isinstance(rule, Ignore) for rule in rules):
            raise ValueError("every field is ignored, so no case could ever fail")
        return self


class FactsSettings(Settings):
    """``facts``: what a text must and must not say."""

    field: Name | None = None
    profile: Profile = "written"
    whole_words: bool = True
    """False: a fact may also be a part of a word."""
