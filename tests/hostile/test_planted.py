"""Code that a system leaves behind never runs: not in this session, not in the next one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.hostile.repository import Repository

PLANT = """
    def plant(folder):
        mark = str(ROOT / "ran")
        code = f"open({mark!r}, 'a').write(__file__ + '\\\\n')\\n"
        os.makedirs(folder / "tests", exist_ok=True)
        for name in ("conftest.py", "test_planted.py", "sitecustomize.py", "usercustomize.py",
                     "tests/conftest.py", "tests/test_planted.py", "pytest_benchbed.py"):
            (folder / name).write_text(code + "def test_planted(): pass\\n")
        (folder / "planted.pth").write_text(f"import sys; open({mark!r}, 'a').write('pth')\\n")
        for name, head in (("pytest.ini", "pytest"), ("tox.ini", "pytest"),
                           ("setup.cfg", "tool:pytest")):
            (folder / name).write_text(f"[{head}]\\naddopts = -p test_planted\\n")
        (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\\npython_files='*.py'\\n")
"""


def planted(repository: Repository, run: str = "own", runs: str = "runs") -> Path:
    """Make a run whose system planted code in its output, its scratch and the inputs' folder."""
    repository.python(
        f"""
        plant(pathlib.Path.cwd())
        plant(pathlib.Path.cwd().parent / "inputs")
        plant(ROOT / {runs!r} / {run!r} / "adapter")
        """,
        before=PLANT,
    )
    result = repository.session(f"--bench-run={run}", f"--bench-runs-dir={runs}")
    result.assert_outcomes(passed=3)
    adapter = repository.path / runs / run / "adapter"
    assert (adapter / "tests" / "test_planted.py").is_file(), "it did plant"
    assert not (repository.path / "ran").exists()
    repository.pytester.makepyfile("def test_unit():\n    assert True\n")
    return adapter


def remove_settings(adapter: Path) -> None:
    """Remove what pytest itself reads before any plugin can say no (it imports nothing there)."""
    for name in ("pytest.ini", "tox.ini", "setup.cfg"):
        (adapter / name).unlink()


def assert_nothing_ran(repository: Repository, result: pytest.RunResult, passed: int) -> None:
    result.assert_outcomes(passed=passed)
    assert not (repository.path / "ran").exists(), (repository.path / "ran").read_text()


SESSIONS = {
    "bare": ([], 1),
    "the whole folder": (["."], 1),
    "with the benchmark": (["--bench=toy", "--bench-adapter=mine", "."], 4),
    "the runs folder": (["runs"], 0),
    "the runs folder and a test": (["runs", "."], 1),
    "by an ini": (["-c", "other.ini", "."], 1),
    "by an option": (["--bench-runs-dir=elsewhere", "."], 1),
    "every module is a test": (["-o", "python_files=*.py", "--ignore=hostile_adapter.py", "."], 1),
    "packages": (["--import-mode=importlib", "."], 1),
    "ignored patterns are gone": (["-o", "norecursedirs=", "."], 1),
}


def test_what_a_run_holds_is_never_collected_by_any_session_above_it(
    repository: Repository,
) -> None:
    planted(repository)
    (repository.path / "other.ini").write_text("[pytest]\nbench_runs_dir = kept\n")

    for words, passed in SESSIONS.values():
        result = repository.pytest(*words)
        assert_nothing_ran(repository, result, passed)


def test_a_process_that_starts_in_the_folder_runs_nothing_either(repository: Repository) -> None:
    planted(repository)

    result = repository.pytest(".", subprocess=True)
    dataset = repository.pytest("--bench=toy", "--bench-adapter=mine", ".", "-n2")

    assert_nothing_ran(repository, result, 1)
    assert_nothing_ran(repository, dataset, 4)


def test_a_path_inside_a_run_is_refused_by_name(repository: Repository) -> None:
    remove_settings(planted(repository))
    inside = ("own", "own/adapter", "own/adapter/test_planted.py", "own/adapter/tests")

    results = [repository.pytest(f"runs/{path}") for path in inside]
    results.append(repository.pytest("runs/../runs/own/adapter/test_planted.py::test_planted"))
    results.append(repository.pytest(str(repository.path / "runs/own/adapter"), "."))

    for result in results:
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*runs/own holds what a system wrote*"])
    assert not (repository.path / "ran").exists()


def test_a_session_started_inside_a_run_is_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = planted(repository)
    remove_settings(adapter)
    monkeypatch.chdir(adapter)

    result = repository.pytest()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not (repository.path / "ran").exists()


def test_runs_in_sets_copied_runs_and_runs_elsewhere_are_left_alone(
    repository: Repository,
) -> None:
    adapter = planted(repository, runs="results")
    shutil.copytree(adapter.parent, repository.path / "archive" / "copy")
    whole = repository.path / "results" / "set"
    whole.mkdir()
    (whole / "run-set.json").write_text('{"schema": "benchbed.run-set.v1", "benchmarks": []}')
    shutil.copytree(adapter.parent, whole / "toy")

    bare = repository.pytest(".")
    named = repository.pytest("archive", "results", ".")
    inside = repository.pytest("results/set/toy/adapter")

    assert_nothing_ran(repository, bare, 1)
    assert_nothing_ran(repository, named, 1)
    assert inside.ret == pytest.ExitCode.USAGE_ERROR


def test_a_folder_with_a_run_json_of_somebody_else_is_not_refused(repository: Repository) -> None:
    (repository.path / "run.json").write_text('{"runner": "mine"}')
    repository.pytester.makepyfile("def test_unit():\n    assert True\n")

    result = repository.pytest("test_a_folder_with_a_run_json_of_somebody_else_is_not_refused.py")

    result.assert_outcomes(passed=1)
