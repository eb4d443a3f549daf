"""Which layer may import which. The table is the architecture; docs/architecture.md explains it."""

from __future__ import annotations

import pytest

from tests.arch import tree

ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "scoring": {"model"},
    "benchmarks": {"model", "scoring"},
    "generators": {"model", "scoring"},
    "data": {"model"},
    "adapters": {"model", "generators"},
    "calls": {"model", "adapters"},
    "compare": {"model"},
    "runs": {"model", "compare"},
    "report": {"model", "compare", "runs"},
    "evaluate": {
        "model",
        "scoring",
        "benchmarks",
        "data",
        "calls",
        "compare",
        "runs",
        "report",
    },
}
FREE = {"edge", "cli", "conformance"}
"""May import everything; nobody imports them, but for the entry points."""

ENTRIES: dict[str, set[str]] = {
    "pytest_benchbed": set(),
    "pytest_benchbed.plugin": {"edge", "hookspecs", "model", "calls", "adapters", "benchmarks"},
    "pytest_benchbed.hookspecs": set(),
    "pytest_benchbed.packaged_cases": set(),
}
"""Modules at the top. What stands under TYPE_CHECKING is free there: it names what hooks get."""

NAMES_ANSWERS = {
    "pytest_benchbed.data.answers": "the one reader",
    "pytest_benchbed.data.paths": "refuses the name for any other file",
}


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def ours(target: str) -> bool:
    return target.split(".")[0] == "pytest_benchbed"


LAYERED = {name: path for name, path in tree.modules().items() if layer(name) in ALLOWED}


def test_every_folder_of_the_package_has_its_row() -> None:
    folders = {path.parent.name for path in tree.PACKAGE.glob("*/__init__.py")}

    assert folders - FREE == set(ALLOWED) & folders


@pytest.mark.req("ENV-001")
@pytest.mark.parametrize("name", ALLOWED)
def test_a_layer_imports_only_what_lies_below(name: str) -> None:
    allowed = ALLOWED[name] | {name, ""}

    wrong = [
        f"{path.relative_to(tree.ROOT)}:{found.line} imports {found.target}"
        for module, path in LAYERED.items()
        if layer(module) == name
        for found in tree.imports(module, path)
        if ours(found.target) and layer(found.target) not in allowed
    ]

    assert not wrong, f"{name} may import {sorted(ALLOWED[name])}"


def test_no_module_takes_names_from_the_public_face() -> None:
    """``from pytest_benchbed import Case`` loads whatever that name needs, in any layer."""
    known = {layer(module) for module in tree.modules()}

    taken = [
        f"{module}:{found.line}: {found.target}"
        for module, path in LAYERED.items()
        for found in tree.imports(module, path)
        if ours(found.target) and found.target.count(".") == 1 and layer(found.target) not in known
    ]

    assert not taken


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_point_imports_no_more_than_its_row(name: str) -> None:
    path = tree.modules()[name]
    text = path.read_text(encoding="utf-8")
    guarded = text.find("if TYPE_CHECKING:")
    until = len(text) if guarded < 0 else text.find("\n\n", guarded)
    lines = range(text.count("\n", 0, max(guarded, 0)) + 1, text.count("\n", 0, until) + 2)

    wrong = [
        found.target
        for found in tree.imports(name, path)
        if ours(found.target)
        and not (guarded >= 0 and found.line in lines)
        and layer(found.target) not in ENTRIES[name] | {""}
    ]

    assert not wrong


def test_nobody_imports_the_edge_or_the_command() -> None:
    wrong = [
        f"{name}:{found.line} imports {found.target}"
        for name, path in tree.modules().items()
        if layer(name) not in FREE and name != "pytest_benchbed.plugin"
        for found in tree.imports(name, path)
        if ours(found.target) and layer(found.target) in FREE
    ]

    assert not wrong


@pytest.mark.req("ENV-039")
def test_only_the_reader_of_answers_names_their_file() -> None:
    """Generators write it; everything else that reads goes through ``data/answers.py``."""
    wrong = [
        f"{name}:{line}"
        for name, path in tree.modules().items()
        if name not in NAMES_ANSWERS and layer(name) != "generators"
        for line, text in tree.texts(path)
        if "answers.jsonl" in text and " " not in text
    ]

    assert not wrong


@pytest.mark.req("ENV-039")
def test_what_reaches_a_system_cannot_import_the_reader_of_answers() -> None:
    importers = {
        layer(name)
        for name, path in tree.modules().items()
        for found in tree.imports(name, path)
        if found.target.startswith("pytest_benchbed.data.answers")
    }

    assert importers <= {"data", "evaluate", "edge", "cli", "conformance"}


@pytest.mark.req("ENV-001")
def test_pure_layers_start_no_process_and_open_no_socket() -> None:
    wrong = [
        f"{name}:{found.line} imports {found.target}"
        for name, path in tree.modules().items()
        if layer(name) in {"model", "scoring", "benchmarks", "compare"}
        for found in tree.imports(name, path)
        if found.target.split(".")[0]
        in {"subprocess", "multiprocessing", "socket", "asyncio", "threading", "pytest", "xdist"}
    ]

    assert not wrong


@pytest.mark.parametrize("layer_name", ["scoring", "compare"])
def test_pure_layers_have_no_clock_and_no_chance_of_their_own(layer_name: str) -> None:
    wrong = [
        f"{name}:{found.line} imports {found.target}"
        for name, path in tree.modules().items()
        if layer(name) == layer_name
        for found in tree.imports(name, path)
        if found.target in {"time", "secrets", "locale", "os", "uuid"}
    ]

    assert not wrong


def test_pytest_is_imported_at_the_edge_only() -> None:
    allowed = {"edge", "cli", "conformance", "plugin", "hookspecs", "packaged_cases"}
    wrong = [
        f"{name}:{found.line}"
        for name, path in tree.modules().items()
        if layer(name) not in allowed
        for found in tree.imports(name, path)
        if found.target.split(".")[0] in {"pytest", "_pytest", "xdist"}
    ]

    assert not wrong


def test_an_import_inside_a_function_and_by_text_is_seen(tmp_path) -> None:
    source = tmp_path / "sample.py"
    source.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from pytest_benchbed.edge import item\n"
        "def f():\n    import pytest_benchbed.cli.main\n    import_module('pytest_benchbed.data')\n"
        "from . import sibling\n",
        encoding="utf-8",
    )

    targets = {found.target for found in tree.imports("pytest_benchbed.model.sample", source)}

    assert {
        "pytest_benchbed.edge.item",
        "pytest_benchbed.cli.main",
        "pytest_benchbed.data",
        "pytest_benchbed.model.sibling",
    } <= targets
