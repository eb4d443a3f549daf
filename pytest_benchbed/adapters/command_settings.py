"""Options of the adapter ``command``, checked before anything is asked."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import Final

from pytest_benchbed.adapters.option_reader import OptionReader
from pytest_benchbed.adapters.picked import OPTIONS as PICKS
from pytest_benchbed.adapters.picked import Picks
from pytest_benchbed.adapters.template import FILE
from pytest_benchbed.adapters.template import PLAIN
from pytest_benchbed.adapters.template import Template

OPTIONS: Final = (
    "command", "stdin", "output", *PICKS, "folder", "timeout_s", "max_concurrency", "version",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """Everything the adapter needs for a call."""

    words: tuple[Template, ...]
    """The first is the program, as it is started."""
    stdin: Template | None
    output: str
    picks: Picks
    folder: Path
    timeout_s: float | None
    max_concurrency: int
    version: str
    reads: tuple[str, ...]
    """Files among the words of the command."""

    @classmethod
    def read(cls, given: Mapping[str, Any], folders: Sequence[Path]) -> CommandSettings:
        """Check all options; ``folders`` as of :attr:`.Adapter.folders`.

        Raises:
            UsageProblem: naming the option and what to do.
        """
        options = OptionReader("command", given, OPTIONS)
        words = _words(options)
        folder = _folder(options, folders)
        files = [path for word in words if "{" not in word and (path := _file(folder, word))]
        program = _program(options, words[0], folder)
        stdin = None
        if not ("stdin" in given and given["stdin"] is None):
            stdin = options.template("stdin", given.get("stdin", "{inputs}"), PLAIN)
        return cls(
            words=tuple(
                options.template("command", word, (*PLAIN, FILE)) for word in (program, *words[1:])
            ),
            stdin=stdin,
            output=options.choice("output", ("json", "text")),
            picks=Picks.read(options),
            folder=folder,
            timeout_s=options.seconds("timeout_s", None),
            max_concurrency=options.count("max_concurrency", 1),
            version=options.text("version", "") or "",
            reads=tuple(dict.fromkeys(str(path) for path in files)),
        )


def _words(options: OptionReader) -> list[str]:
    value = options.options.get("command")
    if isinstance(value, str):
        try:
            value = shlex.split(value)
        except ValueError as error:
            raise options.problem("command", f"cannot be split: {error}; quote it.") from None
    if (
        not isinstance(value, list)
        or not value
        or not all(isinstance(word, str) and "\0" not in word for word in value)
    ):
        raise options.problem(
            "command", 'must be a program and its arguments, such as "python ask.py {file}".'
        )
    if "{" in value[0]:
        raise options.problem("command", "must begin with a program, not with a place.")
    return value


def _folder(options: OptionReader, folders: Sequence[Path]) -> Path:
    # The second is the root directory, the same from wherever pytest is called.
    root = list(folders)[1] if len(folders) > 1 else Path.cwd()
    text = options.text("folder")
    if text is None:
        return root
    for base in folders or (root,):
        if (found := base / Path(text).expanduser()).is_dir():
            return found.absolute()
    raise options.problem("folder", f"names {text[:80]!a}, which is no folder.")


def _program(options: OptionReader, name: str, folder: Path) -> str:
    if os.sep in name or "/" in name:
        path = folder / Path(name).expanduser()
        if not path.is_file():
            raise options.problem("command", f"begins with {name[:80]!a}: no file in {folder}.")
        if not os.access(path, os.X_OK):
            raise options.problem("command", f"begins with {name[:80]!a}: it is not executable.")
        return str(path)
    found = shutil.which(name)
    if found is None:
        hint = f"; write ./{name}" if (folder / name).is_file() else ""
        raise options.problem("command", f"begins with {name[:80]!a}: no such program{hint}.")
    return found


def _file(folder: Path, word: str) -> Path | None:
    try:
        path = folder / word
        return path.absolute() if path.is_file() else None
    except (OSError, ValueError):
        return None
