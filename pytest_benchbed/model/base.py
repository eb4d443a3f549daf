"""The base of every format: strict, closed, frozen, and honest about what is optional.

In a format a field marked ``?`` is absent when it has no value, and a field
marked ``|null`` is always present. :data:`Model.OPTIONAL` names the former.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated
from typing import Any
from typing import ClassVar
from typing import Self
from typing import TypeVar

from pydantic import BaseModel
from pydantic import BeforeValidator
from pydantic import ConfigDict
from pydantic import PlainSerializer
from pydantic import SerializerFunctionWrapHandler
from pydantic import ValidationError
from pydantic import model_serializer

from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.money import to_json

Money = Annotated[Decimal, BeforeValidator(to_decimal), PlainSerializer(to_json)]
"""Dollars: a JSON number of at most 6 decimals, read as ``Decimal``."""


class Model(BaseModel):
    """A format object: unknown keys are refused, wrong types are not converted."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True
    )

    OPTIONAL: ClassVar[frozenset[str]] = frozenset()
    """Fields (names in the file) left out when they are None."""

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        row: dict[str, Any] = handler(self)
        for name in self.OPTIONAL:
            if name in row and row[name] is None:
                del row[name]
        return row

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, with the names used in the file."""
        return self.model_dump(mode="json", by_alias=True)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """Read the JSON form.

        Raises:
            ShapeError: naming the first field that does not fit, and how many more.
        """
        try:
            return cls.model_validate(row)
        except ValidationError as error:
            raise ShapeError(explain(error)) from None


ModelT = TypeVar("ModelT", bound=Model)


class ShapeError(ValueError):
    """An object does not have the shape of its format; the text names the field."""


def explain(error: ValidationError, limit: int = 1) -> str:
    """Put a validation error into one line: ``field: what is wrong``.

    Values are not quoted: they may be answers or secrets.
    """
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    lines = []
    for problem in problems[:limit]:
        place = ".".join(str(part) for part in problem["loc"]) or "top level"
        lines.append(f"{place[:120]}: {problem['msg']}")
    more = f" (and {len(problems) - limit} more)" if len(problems) > limit else ""
    return "; ".join(lines) + more
