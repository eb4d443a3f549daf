"""Check the options of an adapter one by one; every problem names the option and what to do."""

from __future__ import annotations

import math
from collections.abc import Collection
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.template import Template
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.model.pointer import parse_pointer


class OptionReader:
    """The options of one adapter, as they came from the command line or the bench file."""

    def __init__(self, adapter: str, options: Mapping[str, Any], known: Collection[str]) -> None:
        """Refuse an option that the adapter does not have.

        Raises:
            UsageProblem: with the nearest name, or all names where none is near.
        """
        self.adapter = adapter
        self.options = options
        for name in options:
            if name not in known:
                text = unknown_name(f"option of adapter {adapter}", name, known, "")
                raise UsageProblem(f"{text.strip()} It takes: {', '.join(known)}")

    def problem(self, name: str, text: str) -> UsageProblem:
        """Return the exception to raise about an option."""
        gap = "" if text.startswith(":") else " "
        return UsageProblem(f"adapter {self.adapter}: option {name}{gap}{text}")

    def text(self, name: str, default: str | None = None) -> str | None:
        """Return an option that is text and not empty; null and absent are the default."""
        value = self.options.get(name)
        if value is None:
            return default
        if isinstance(value, int | float) and not isinstance(value, bool):
            # version=2 on the command line is read as a number.
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            raise self.problem(name, f"must be text, not {value!r:.60}.")
        return value

    def required(self, name: str, example: str) -> str:
        """Return an option that is text and must be there."""
        value = self.text(name)
        if value is None:
            raise self.problem(name, f"is missing; give it, such as {name}={example}")
        return value

    def choice(self, name: str, choices: Collection[str]) -> str:
        """Return one of ``choices``; the first is the default."""
        value = self.options.get(name)
        if value is None:
            return next(iter(choices))
        if value not in choices:
            raise self.problem(name, f"must be one of {', '.join(choices)}, not {value!r:.60}.")
        return str(value)

    def seconds(self, name: str, default: float | None) -> float | None:
        """Return seconds above 0, at most a day."""
        value = self.options.get(name)
        if value is None:
            return default
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not 0 < value <= 86_400:
            raise self.problem(name, f"must be seconds above 0, at most 86400, not {value!r:.60}.")
        return float(value)

    def count(self, name: str, default: int) -> int:
        """Return a whole number from 1 to 1000."""
        value = self.whole(name, 1, 1000)
        return default if value is None else value

    def whole(self, name: str, least: int, most: int) -> int | None:
        """Return a whole number between two, or None."""
        value = self.options.get(name)
        if value is None:
            return None
        if type(value) is not int or not least <= value <= most:
            raise self.problem(
                name, f"must be a whole number from {least} to {most}, not {value!r:.60}."
            )
        return value

    def number(self, name: str, least: float, most: float) -> float | None:
        """Return a number between two, or None."""
        value = self.options.get(name)
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not least <= value <= most:
            raise self.problem(name, f"must be a number from {least} to {most}, not {value!r:.60}.")
        return float(value)

    def flag(self, name: str) -> bool | None:
        """Return true or false, or None."""
        value = self.options.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.problem(name, f"must be true or false, not {value!r:.60}.")
        return value

    def pointer(self, name: str, default: str | None = None) -> str | None:
        """Return a JSON pointer; the empty text is the whole value."""
        value = self.options.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.problem(name, f"must be a JSON pointer such as /answer, not {value!r:.60}.")
        try:
            parse_pointer(value)
        except ValueError as error:
            raise self.problem(name, f"= {error}") from None
        return value

    def template(self, name: str, value: Any, allowed: Collection[str]) -> Template:
        """Return a checked template of the value of an option."""
        try:
            return Template(value, allowed)
        except ValueError as error:
            raise self.problem(name, str(error)) from None

    def file(self, name: str, text: str, folders: Collection[Path]) -> Path:
        """Return the file that a relative path names in the first of the folders that has it."""
        path = Path(text).expanduser()
        for folder in folders or (Path(),):
            try:
                if (folder / path).is_file():
                    return (folder / path).absolute()
            except (OSError, ValueError):
                break
        places = " or ".join(dict.fromkeys(str(folder) for folder in folders)) or "."
        raise self.problem(name, f"names {text[:80]!a}, which is no file in {places}.")
