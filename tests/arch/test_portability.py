"""What must not depend on the system: where POSIX stands, and how text is written.

That no other POSIX name is used outside a branch of its own is checked by mypy
with ``--platform win32`` and ``--platform darwin`` (gate script).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arch.tree import modules
from tests.arch.tree import tree

OTHER_OPENS = frozenset({"cls", "group", "os", "run"})
"""Names whose ``open`` opens no text file."""
OF_ONE_SYSTEM = frozenset(
    {"fcntl", "grp", "msvcrt", "pty", "pwd", "resource", "syslog", "termios", "tty", "winreg"}
)


@pytest.mark.parametrize("module", sorted(modules()))
def test_modules_of_one_system_are_imported_in_a_branch_or_a_function(module: str) -> None:
    path = modules()[module]

    always = [
        name
        for node in tree(path).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in _imported(node)
        if name in OF_ONE_SYSTEM
    ]

    assert not always, f"{module} cannot be imported on every system: {always}"


@pytest.mark.parametrize("module", sorted(modules()))
def test_text_is_read_and_written_as_utf8_with_line_feeds(module: str) -> None:
    path = modules()[module]

    assert not list(_careless(path))


def test_a_careless_call_is_found(tmp_path: Path) -> None:
    path = tmp_path / "careless.py"
    path.write_text(
        "p.read_text()\np.write_text('x', encoding='utf-8')\nopen('f')\np.open('w')\n"
        "p.open('rb')\np.read_text('utf-8')\np.open(encoding='utf-8')\n"
        "p.write_text('x', encoding='utf-8', newline='\\n')\nrun(w, text=True)\n",
        encoding="utf-8",
    )

    assert [line for line, _ in _careless(path)] == [1, 2, 3, 4, 9]


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "").partition(".")[0]]
    return [alias.name.partition(".")[0] for alias in node.names]


def _careless(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, what) for each call whose bytes would depend on the system."""
    for node in ast.walk(tree(path)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)
        words = {word.arg for word in node.keywords}
        is_careless = {
            "read_text": "encoding" not in words and not node.args,
            "write_text": not {"encoding", "newline"} <= words,
            "open": _is_text(node) and "encoding" not in words,
        }.get(name, "encoding" not in words and any(map(_asks_for_text, node.keywords)))
        if is_careless:
            yield node.lineno, name


def _asks_for_text(word: ast.keyword) -> bool:
    return word.arg == "text" and isinstance(word.value, ast.Constant) and word.value.value is True


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _is_text(node: ast.Call) -> bool:
    """Say whether a call of ``open`` opens text: a mode without ``b``, or none."""
    is_method = isinstance(node.func, ast.Attribute)
    if is_method and isinstance(node.func.value, ast.Name) and node.func.value.id[0].isupper():
        return False  # a class of ours, or os.open's kind: ``Dataset.open(path)``
    if is_method and isinstance(node.func.value, ast.Name) and node.func.value.id in OTHER_OPENS:
        return False
    modes = node.args[0:1] if is_method else node.args[1:2]
    modes += [word.value for word in node.keywords if word.arg == "mode"]
    known = [mode.value for mode in modes if isinstance(mode, ast.Constant)]
    if is_method and modes and not known:
        return False  # an ``open`` of another kind
    return not any("b" in str(mode) for mode in known)
