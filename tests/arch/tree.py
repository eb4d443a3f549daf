"""The source tree as the tests of this folder read it."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_benchbed"


class Import(NamedTuple):
    """One imported module, wherever in a file it stands."""

    module: str
    """The importing module, dotted."""
    line: int
    target: str
    """The imported module, dotted; for ``from m import n`` both ``m`` and ``m.n`` are listed."""


@cache
def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(ROOT)
        if "packaged" in relative.parts:
            continue
        parts = relative.with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """Parse one file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def imports(module: str, path: Path) -> tuple[Import, ...]:
    """Return every import of a module: in functions, under TYPE_CHECKING, and by fixed text."""
    found: list[Import] = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [Import(module, node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:  # a relative import is refused by a test of its own
                base = ".".join([*module.split(".")[: -node.level], base]).rstrip(".")
            found.append(Import(module, node.lineno, base))
            found += [Import(module, node.lineno, f"{base}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call) and _name(node.func) in ("import_module", "__import__"):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.append(Import(module, node.lineno, first.value))
    return tuple(found)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def texts(path: Path) -> list[tuple[int, str]]:
    """Return every text of a module that is no docstring, with its line."""
    docstrings = {
        id(node.value)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


@cache
def tracked() -> list[Path]:
    """Return the files of the repository, those to be added included; never ignored ones."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]
