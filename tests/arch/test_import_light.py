"""A session that asks for no benchmark pays for none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"pydantic", "pydantic_core", "jiwer", "rapidfuzz", "jinja2", "typer", "yaml", "rfc8785"}
LIGHT = (
    "errors",
    "canonical",
    "strict",
    "case",
    "money",
    "usage",
    "error",
    "names",
    "escape",
    "outcome",
)
DUMP = """
import sys
import pytest

SOCKETS = []
sys.addaudithook(lambda event, _: SOCKETS.append(event) if event.startswith("socket.") else None)

@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    import threading
    with open("seen.txt", "w", encoding="utf-8") as file:
        print(*sorted(sys.modules), file=file)
        print(*(thread.name for thread in threading.enumerate()), file=file)
        print(*SOCKETS, file=file)
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Without autoload: pytest-html is a neighbour here, and it imports jinja2 for itself.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def loaded(names: str) -> set[str]:
    return {name.split(".")[0] for name in names.split()} & HEAVY


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """Run a trivial session with our plugins; return its modules, threads and use of sockets."""
    tmp_path = tmp_path_factory.mktemp("session")
    (tmp_path / "watch.py").write_text(DUMP, encoding="utf-8")
    (tmp_path / "test_trivial.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
    # The watch comes first, to see what happens while ours are imported.
    plugins = [
        "-p",
        "watch",
        "-p",
        "pytest_benchbed.plugin",
        "-p",
        "pytest_benchbed.packaged_cases",
    ]

    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins)

    assert done.returncode == 0, done.stdout + done.stderr
    modules, threads, sockets = (tmp_path / "seen.txt").read_text(encoding="utf-8").splitlines()
    assert "pytest_benchbed.plugin" in modules.split()
    return modules, threads, sockets


def test_a_session_without_a_benchmark_imports_nothing_heavy(session: tuple[str, str, str]) -> None:
    modules, _, _ = session

    assert not loaded(modules)


def test_a_session_without_a_benchmark_imports_no_layer_but_the_edge(
    session: tuple[str, str, str],
) -> None:
    modules, _, _ = session
    layers = {name.split(".")[1] for name in modules.split() if name.startswith("pytest_benchbed.")}

    assert layers <= {"plugin", "packaged_cases", "hookspecs", "edge", "model"}


def test_a_session_without_a_benchmark_starts_no_thread(session: tuple[str, str, str]) -> None:
    _, threads, _ = session

    assert threads == "MainThread"


def test_a_session_without_a_benchmark_opens_no_socket(session: tuple[str, str, str]) -> None:
    _, _, sockets = session

    assert sockets == ""


@pytest.mark.parametrize(
    "module",
    [
        "pytest_benchbed.adapters.base",
        "pytest_benchbed.adapters.host",
        "pytest_benchbed.benchmarks.registry",
        ", ".join(f"pytest_benchbed.model.{name}" for name in LIGHT),
    ],
    ids=["adapters.base", "adapters.host", "benchmarks.registry", "model"],
)
def test_a_light_module_needs_the_standard_library_only(tmp_path: Path, module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"

    done = run(tmp_path, "-c", code)

    assert done.returncode == 0, done.stderr
    assert not loaded(done.stdout)
    assert "pytest" not in done.stdout.split()


def test_the_public_face_imports_a_name_when_it_is_asked_for(tmp_path: Path) -> None:
    code = (
        "import sys, pytest_benchbed; before = set(sys.modules);"
        "pytest_benchbed.Adapter; print('pytest_benchbed.adapters.base' in before,"
        "'pytest_benchbed.adapters.base' in sys.modules)"
    )

    assert run(tmp_path, "-c", code).stdout.split() == ["False", "True"]
