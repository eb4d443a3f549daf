"""Run what the documentation shows.

Every ```` ```console ```` and ```` ```python ```` block of a page runs, in order, in one
temporary folder per page. A comment directly above a block steers it:

``<!-- not run: reason -->``
    skipped, and the reason is printed with the skip.
``<!-- file: name -->``
    the block is written to that file, whatever its language.
``<!-- exit: 1 -->``
    the last command of the block ends with that status; every other one, and
    every one without this comment, ends with 0.

and one comment anywhere in the page says what the folder holds at first:

``<!-- start with: cases fixtures conftest.py -->``
    copies of these files and folders of the repository.

In a console block a line that starts with ``$ `` is a command for bash; lines
that start with ``> `` directly below go on with it, as does the line after a
backslash. All other lines are output: each must come, in this order, in what
the command printed on stdout and stderr; ``…`` or ``...`` stands for any text,
on a line of its own for any lines. Lines that are not shown may come anywhere.

A python block runs as a program; with ``>>>`` it is a doctest.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

import yaml

LANGUAGES = {"console", "python", "toml", "json", "yaml", "ini", "html", "text", "jsonl", "csv"}
"""``bash`` and ``sh`` are not among them: a command is shown where it runs."""
TIMEOUT_S = 600
NEIGHBOURS = (
    "randomly", "sugar", "asyncio", "socket", "pytest_cov", "hypothesispytest", "timeout",
    "rerunfailures", "anyio",
)  # fmt: skip
"""Plugins of the extra ``test``: a reader has none of them, and each session would import them."""

_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_COMMENT = re.compile(r"<!--\s*(?P<key>[a-z ]+?)\s*:\s*(?P<value>.*?)\s*-->")
_KEYS = {"not run", "file", "exit", "start with"}
_MARK = "@@end of command"


class DocsError(AssertionError):
    """A page shows what is not so; the text names the page and the line."""


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    line: int
    """1-based line of the opening fence."""
    language: str
    text: str
    directives: dict[str, str] = field(default_factory=dict)
    """The comments directly above."""


@dataclass(frozen=True)
class Command:
    """One command of a console block, with the output shown below it."""

    line: int
    text: str
    output: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    blocks: tuple[Block, ...]
    start_with: tuple[str, ...]


def read_page(text: str) -> Page:
    """Find the blocks of a page and their comments.

    Raises:
        DocsError: a block that never ends, a language or a comment that is not known.
    """
    lines = text.splitlines()
    blocks: list[Block] = []
    start_with: list[str] = []
    directives: dict[str, str] = {}
    position = 0
    while position < len(lines):
        line = lines[position]
        fence = _FENCE.match(line)
        if fence is None:
            found = _COMMENT.fullmatch(line.strip())
            if found and found["key"] == "start with":
                start_with += found["value"].split()
            elif found and found["key"] in _KEYS:
                directives[found["key"]] = found["value"]
            elif found:
                raise DocsError(f"line {position + 1}: unknown comment {found['key']!r}")
            elif line.strip():
                directives = {}
            position += 1
            continue
        end = position + 1
        while end < len(lines) and lines[end].strip() != fence["fence"]:
            end += 1
        if end == len(lines):
            raise DocsError(f"line {position + 1}: the block never ends")
        language = fence["info"].strip() or "text"
        if language not in LANGUAGES:
            raise DocsError(
                f"line {position + 1}: language {language!r}; commands are shown in a console "
                f"block, and the others are {sorted(LANGUAGES)}"
            )
        body = "\n".join(lines[position + 1 : end]) + "\n"
        blocks.append(Block(position + 1, language, body, directives))
        directives = {}
        position = end + 1
    return Page(tuple(blocks), tuple(start_with))


def commands(block: Block) -> list[Command]:
    """Take a console block apart.

    Raises:
        DocsError: output before the first command, or no command at all.
    """
    found: list[Command] = []
    lines = block.text.splitlines()
    position = 0
    while position < len(lines):
        number = block.line + 1 + position
        line = lines[position]
        if not line.startswith("$ "):
            if not line.strip():
                position += 1
                continue
            raise DocsError(f"line {number}: output without a command")
        text = line[2:]
        position += 1
        while position < len(lines):
            if text.endswith("\\"):
                text += "\n" + lines[position].removeprefix("> ")
            elif lines[position].startswith("> "):
                text += "\n" + lines[position][2:]
            else:
                break
            position += 1
        output = []
        while position < len(lines) and not lines[position].startswith("$ "):
            output.append(lines[position].rstrip())
            position += 1
        found.append(Command(number, text, tuple(output)))
    if not found:
        raise DocsError(f"line {block.line}: a console block without a command")
    return found


def missing_line(shown: Sequence[str], printed: str) -> str | None:
    """Return the first shown line that does not come in its place, None if all do."""
    actual = iter([line.rstrip() for line in printed.splitlines()])
    for line in shown:
        if line.strip() in ("", "…", "..."):
            continue
        parts = [re.escape(part) for part in re.split(r"…|\.\.\.", line.rstrip())]
        pattern = re.compile(".*".join(parts))
        if not any(pattern.fullmatch(candidate) for candidate in actual):
            return line
    return None


def run_page(page: Page, folder: Path, repository: Path) -> None:
    """Run all blocks of a page in ``folder``.

    Raises:
        DocsError: at the first block that does not do what it shows.
    """
    for name in page.start_with:
        source = repository / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy2(source, folder / name)
    for block in page.blocks:
        if "not run" not in block.directives:
            run_block(block, folder)


def run_block(block: Block, folder: Path) -> None:
    """Run one block, write its file, or check that its data can be read."""
    name = block.directives.get("file")
    if name is not None:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    if block.language == "console":
        _run_console(block, folder)
    elif block.language == "python" and name is None:
        _run_python(block, folder)
    elif block.language in ("json", "toml", "yaml"):
        try:
            {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}[block.language](
                block.text
            )
        except ValueError as error:
            raise DocsError(f"line {block.line}: no {block.language}: {error}") from None
        except yaml.YAMLError as error:
            raise DocsError(f"line {block.line}: no yaml: {error}") from None


def _run_console(block: Block, folder: Path) -> None:
    found = commands(block)
    # One shell for the block, so that `cd`, variables and `echo $?` mean what a reader thinks.
    script = "".join(
        f"{command.text}\n"
        f"__status=$?; printf '\\n{_MARK} {number} %s\\n' \"$__status\"; (exit $__status)\n"
        for number, command in enumerate(found)
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )
    rest = done.stdout
    for number, command in enumerate(found):
        ended = re.search(rf"\n{_MARK} {number} (\d+)\n", rest)
        if ended is None:
            raise DocsError(f"line {command.line}: the shell ended in: {command.text}\n{rest}")
        printed, rest = rest[: ended.start()], rest[ended.end() :]
        is_last = number == len(found) - 1
        expected = int(block.directives.get("exit", "0")) if is_last else 0
        if int(ended[1]) != expected:
            raise DocsError(
                f"line {command.line}: exit status {ended[1]} instead of {expected} from: "
                f"{command.text}\n{printed}"
            )
        line = missing_line(command.output, printed)
        if line is not None:
            raise DocsError(
                f"line {command.line}: this line did not come (or not here): {line}\n"
                f"printed by {command.text}:\n{printed}"
            )


def _run_python(block: Block, folder: Path) -> None:
    if block.text.lstrip().startswith(">>>"):
        target = folder / "__doctest__.txt"
        target.write_text(block.text, encoding="utf-8")
        command = [sys.executable, "-m", "doctest", target.name]
    else:
        command = [sys.executable, "-c", block.text]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise DocsError(f"line {block.line}: exit status {done.returncode}\n{done.stdout}")


def environment() -> dict[str, str]:
    """Return what a reader's shell has: the scripts of this interpreter, nothing of this session.

    Colours and the shorter texts of a CI service would make output differ from what is shown.
    """
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTEST_", "GITHUB_", "COVERAGE_"))
        and key not in ("CI", "FORCE_COLOR", "PYTHONDONTWRITEBYTECODE")
    }
    scripts = str(Path(sys.executable).parent)
    return {
        **kept,
        "PYTEST_ADDOPTS": " ".join(f"-p no:{name}" for name in NEIGHBOURS),
        "PATH": f"{scripts}{os.pathsep}{kept.get('PATH', os.defpath)}",
        "NO_COLOR": "1",
        "COLUMNS": "120",
        "PYTHONIOENCODING": "utf-8",
    }
