from __future__ import annotations

import ast

import pytest

from tests.arch import tree

MAX_LINES = 400
FORBIDDEN = {
    "pickle": "what crosses processes is one ASCII JSON text",
    "multiprocessing": "its connections unpickle what they get",
    "execnet": "the channel comes from xdist",
    "random": "other plugins seed it again: random.Random(seed), or secrets",
}
PUBLIC = {
    "Adapter",
    "Benchmark",
    "Case",
    "Dataset",
    "Error",
    "NoAnswer",
    "ProfileScore",
    "Retry",
    "Run",
    "Usage",
}


def test_a_module_has_one_idea_and_fits_in_the_head() -> None:
    """At 300 lines look for the second idea; this is the stop."""
    sizes = {
        name: len(path.read_text(encoding="utf-8").splitlines())
        for name, path in tree.modules().items()
    }

    assert {name: lines for name, lines in sizes.items() if lines > MAX_LINES} == {}


def test_a_module_says_what_it_is() -> None:
    silent = [
        name for name, path in tree.modules().items() if not ast.get_docstring(tree.tree(path))
    ]

    assert not silent


def test_a_module_imports_nothing_that_is_ruled_out() -> None:
    wrong = [
        f"{name}:{found.line} imports {found.target} ({FORBIDDEN[head]})"
        for name, path in tree.modules().items()
        for found in tree.imports(name, path)
        if (head := found.target.split(".")[0]) in FORBIDDEN
        # A seeded generator of one's own is fine; the module's functions are not.
        and not (head == "random" and only_seeded(path))
    ]

    assert not wrong


def only_seeded(path) -> bool:
    """Say whether every use of ``random`` is ``random.Random(seed)`` or its type."""
    used = {
        node.attr
        for node in ast.walk(tree.tree(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "random"
    }
    named = {
        alias.name
        for node in ast.walk(tree.tree(path))
        if isinstance(node, ast.ImportFrom) and node.module == "random"
        for alias in node.names
    }
    return used | named <= {"Random"}


def test_imports_are_absolute() -> None:
    relative = [
        f"{name}:{node.lineno}"
        for name, path in tree.modules().items()
        for node in ast.walk(tree.tree(path))
        if isinstance(node, ast.ImportFrom) and node.level
    ]

    assert not relative


def test_a_package_file_holds_names_only() -> None:
    wrong = [
        name
        for name, path in tree.modules().items()
        if path.name == "__init__.py" and name != "pytest_benchbed"
        for node in tree.tree(path).body
        if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom)
        and not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    ]

    assert not wrong


def test_the_public_names_are_these_and_each_can_be_had() -> None:
    import pytest_benchbed

    assert set(pytest_benchbed.__all__) == PUBLIC
    for name in PUBLIC:
        assert getattr(pytest_benchbed, name).__name__ == name
    assert pytest_benchbed.__version__


def test_another_name_is_an_attribute_error() -> None:
    import pytest_benchbed

    with pytest.raises(AttributeError, match="has no attribute 'Adaptor'"):
        _ = pytest_benchbed.Adaptor


def test_every_test_folder_is_a_package() -> None:
    """Two test files of one name in two folders would shadow each other."""
    missing = {
        str(path.parent.relative_to(tree.ROOT))
        for path in tree.tracked()
        if path.name.startswith("test_")
        and path.suffix == ".py"
        and path.is_relative_to(tree.ROOT / "tests")
        and not (path.parent / "__init__.py").exists()
    }

    assert not missing
