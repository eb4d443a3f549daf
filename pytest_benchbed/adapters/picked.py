"""From a system's reply in JSON to a prediction with its cost: what the pointers name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import Final

from pytest_benchbed.adapters.option_reader import OptionReader
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.pointer import look_up
from pytest_benchbed.model.usage import Usage

OPTIONS: Final = ("result", "key", "cost", "input_tokens", "output_tokens", "model")


@dataclass(frozen=True, slots=True)
class Picks:
    """Where a reply has what; the options of this name."""

    result: str
    """Pointer to the prediction."""
    key: str | None
    """The prediction becomes ``{key: prediction}``."""
    cost: str | None
    input_tokens: str | None
    output_tokens: str | None
    model: str | None

    @classmethod
    def read(cls, options: OptionReader) -> Picks:
        """Check the options (``UsageProblem``)."""
        return cls(
            result=options.pointer("result", "") or "",
            key=options.text("key"),
            cost=options.pointer("cost"),
            input_tokens=options.pointer("input_tokens"),
            output_tokens=options.pointer("output_tokens"),
            model=options.pointer("model"),
        )

    def prediction(self, reply: Any) -> Any:
        """Return the prediction of a reply.

        Raises:
            NoAnswer: there is null.
            LookupError: there is nothing at the pointer.
        """
        value = look_up(reply, self.result)
        if value is None:
            raise NoAnswer(f"the reply has null at {self.result or 'its top'}")
        return value if self.key is None else {self.key: value}

    def usage(self, reply: Any) -> Usage | None:
        """Return cost and tokens; None if no option names any.

        What an option names and the reply lacks makes the price of the call
        unknown, which blocks the run: it is never 0.

        Raises:
            TechnicalFailure: kind ``bad_response``: a cost that is no amount, a
                count that is none.
        """
        if self.cost is self.input_tokens is self.output_tokens is self.model is None:
            return None
        cost, has_cost = _at(reply, self.cost)
        read, has_read = _at(reply, self.input_tokens)
        written, has_written = _at(reply, self.output_tokens)
        model, _ = _at(reply, self.model)
        try:
            amount = None if cost is None else to_decimal(cost)
        except ValueError:
            raise TechnicalFailure(
                "bad_response", f"{self.cost} (option cost) is {cost!r:.60}, no amount of dollars"
            ) from None
        return Usage(
            cost_usd=amount,
            model=model if isinstance(model, str) else None,
            input_tokens=_count("input_tokens", read),
            output_tokens=_count("output_tokens", written),
            unpriced_attempts=0 if has_cost and has_read and has_written else 1,
        )


def _at(reply: Any, pointer: str | None) -> tuple[Any, bool]:
    """Return what a pointer names, and whether it is there if it should be."""
    if pointer is None:
        return None, True
    try:
        value = look_up(reply, pointer)
    except LookupError:
        return None, False
    return value, value is not None


def _count(name: str, value: Any) -> int:
    if value is None:
        return 0
    if type(value) is not int or value < 0:
        raise TechnicalFailure("bad_response", f"option {name} names {value!r:.60}, no count")
    return value
