"""System identity, watched files, source commit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.identity import source_record
from pytest_benchbed.adapters.identity import system_identity
from pytest_benchbed.adapters.identity import watch_digest
from pytest_benchbed.model.errors import UsageProblem

FACTS: dict[str, Any] = {
    "name": "a", "version": "1", "code_sha256": "0" * 64, "watch_sha256": None, "model": None,
    "options": {"x": 1}, "settings": ["jobs=4", "a=b"], "executor": "local",
    "isolation_level": "process", "network": "none",
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", "b"), ("version", "2"), ("code_sha256", "1" * 64), ("watch_sha256", "1" * 64),
        ("model", "m"), ("options", {"x": 2}), ("settings", ["jobs=5", "a=b"]),
        ("executor", "dask"), ("isolation_level", "bwrap"), ("network", "all"),
    ],
)  # fmt: skip
def test_each_fact_changes_the_identity(key: str, value: Any) -> None:
    assert system_identity(**{**FACTS, key: value}) != system_identity(**FACTS)


def test_the_order_of_settings_and_options_does_not_count() -> None:
    other = {**FACTS, "settings": ["a=b", "jobs=4"]}

    assert system_identity(**other) == system_identity(**FACTS)
    assert len(system_identity(**FACTS)) == 64


def test_a_watched_file_changes_the_digest_by_bytes_and_by_path(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    path = tmp_path / "prompts" / "a.txt"
    path.write_text("one")
    before = watch_digest(["prompts/*.txt"], tmp_path)

    path.write_text("two")
    changed = watch_digest(["prompts/*.txt"], tmp_path)
    path.write_text("one")
    path.rename(tmp_path / "prompts" / "b.txt")

    assert len({before, changed, watch_digest(["prompts/*.txt"], tmp_path)}) == 3


def test_a_folder_stands_for_its_files_and_compiled_ones_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "p" / "__pycache__").mkdir(parents=True)
    (tmp_path / "p" / "a.py").write_text("1")
    before = watch_digest(["p"], tmp_path)
    (tmp_path / "p" / "__pycache__" / "a.pyc").write_text("x")

    assert watch_digest(["p"], tmp_path) == before == watch_digest(["p/**", "p/a.py"], tmp_path)


def test_no_pattern_is_no_digest() -> None:
    assert watch_digest([], Path("/nowhere")) is None


def test_a_pattern_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"'prompts/\*'"):
        watch_digest(["prompts/*"], tmp_path)


git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{name}_NAME", "a")
        monkeypatch.setenv(f"{name}_EMAIL", "a@example.com")
    (tmp_path / ".gitignore").write_text("ignored/\n")
    (tmp_path / "mine.py").write_text("1")
    for command in (["init", "-q", "-b", "work"], ["add", "."], ["commit", "-q", "-m", "m"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


@git
def test_a_clean_checkout_has_commit_and_branch(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # as inside a hook of another repository
    record = source_record(checkout / "mine.py")

    assert record is not None
    assert (len(record.commit), record.branch, record.dirty) == (40, "work", False)


@git
def test_a_change_or_an_untracked_adapter_is_dirty(checkout: Path) -> None:
    (checkout / "new.py").write_text("1")
    untracked = source_record(checkout / "new.py")
    (checkout / "mine.py").write_text("2")
    changed = source_record(checkout / "mine.py")

    assert untracked is not None
    assert untracked.dirty
    assert changed is not None
    assert changed.dirty


@git
def test_an_ignored_adapter_or_no_checkout_has_no_source(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (checkout / "ignored").mkdir()
    (checkout / "ignored" / "a.py").write_text("1")
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    assert source_record(checkout / "ignored" / "a.py") is None
    assert source_record(elsewhere / "a.py") is None


@git
def test_a_checkout_without_a_commit_has_no_source(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)

    assert source_record(tmp_path / "mine.py") is None


@git
def test_a_git_that_hangs_is_no_source(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command, **settings):
        raise subprocess.TimeoutExpired(command, settings["timeout"])

    monkeypatch.setattr(subprocess, "run", hang)

    assert source_record(checkout / "mine.py") is None


def test_without_git_there_is_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)

    assert source_record(tmp_path / "mine.py") is None
