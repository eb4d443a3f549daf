"""How one field is compared: the rules that ``bench.json`` may name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from typing import Any
from typing import Literal
from typing import Self

from pydantic import BeforeValidator
from pydantic import Field
from pydantic import model_validator

from pytest_benchbed.model.base import Model
from pytest_benchbed.scoring.locales import Locale
from pytest_benchbed.scoring.normalise import Profile

Share = Annotated[float, Field(gt=0, le=1)]
"""0 would let every text pass."""
Rate = Annotated[float, Field(ge=0, lt=1)]
"""1 would let an empty text pass."""


class Exact(Model):
    """Equal after a profile of the normaliser; numbers of JSON by their value."""

    compare: Literal["exact"]
    profile: Profile = "written"
    locale: Locale | None = None


class Number(Model):
    """A number, in JSON or in text, with qualifier, sign and unit."""

    compare: Literal["number"]
    tolerance: Annotated[float, Field(ge=0)] = 0
    """Largest difference."""
    relative: Annotated[float, Field(ge=0, lt=1)] = 0
    """Largest difference as a share of the answer."""
    unit: Literal["compare", "ignore"] = "compare"
    locale: Locale | None = None


class Date(Model):
    """A date in any of the forms the normaliser reads."""

    compare: Literal["date"]
    locale: Locale | None = None


class Likeness(Model):
    """What a text is measured by, and how much is enough."""

    profile: Profile = "written"
    at_least: Share | None = None
    """Least similarity."""
    at_most: Rate | None = None
    """Largest error rate."""
    locale: Locale | None = None


class Text(Likeness):
    """A text that may differ a little."""

    compare: Literal["text"]
    measure: Literal["similarity", "wer", "cer"] = "similarity"

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        check_bound(self.measure, self.at_least, self.at_most)
        return self


class Set(Model):
    """A list whose order and repetitions do not count."""

    compare: Literal["set"]
    profile: Profile = "written"
    locale: Locale | None = None


class Ignore(Model):
    """Not compared."""

    compare: Literal["ignore"]


def _spelt_out(value: Any) -> Any:
    """Make ``"number"`` the rule ``{"compare": "number"}``."""
    return {"compare": value} if isinstance(value, str) else value


RULES: Mapping[str, type[Model]] = {
    "exact": Exact, "number": Number, "date": Date, "text": Text, "set": Set, "ignore": Ignore,
}  # fmt: skip
Rule = Annotated[
    Annotated[Exact | Number | Date | Text | Set | Ignore, Field(discriminator="compare")],
    BeforeValidator(_spelt_out),
]


def check_bound(measure: str, at_least: float | None, at_most: float | None) -> None:
    """Refuse a measure without its bound: it could never fail.

    Raises:
        ValueError: naming the key to set.
    """
    right, wrong = ("at_least", "at_most") if measure == "similarity" else ("at_most", "at_least")
    bounds = {"at_least": at_least, "at_most": at_most}
    if bounds[wrong] is not None:
        raise ValueError(f"{measure} takes {right}, not {wrong}")
    if bounds[right] is None:
        example = 0.9 if right == "at_least" else 0.1
        raise ValueError(f"{measure} needs {right}, such as {example}: without it nothing fails")
