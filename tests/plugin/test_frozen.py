"""Frozen predictions: the guard against a formula that changes and keeps its version.

Each type of this package has saved runs in ``fixtures/<type>/frozen/``; the
gate script compares their scores with those of the installed scorer.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_benchbed.runs.read import Run
from tests.arch.tree import ROOT

TYPES = sorted(path.parent for path in ROOT.glob("fixtures/*/correct.json"))
FROZEN = sorted(path.parent for path in ROOT.glob("fixtures/*/frozen/*/run.json"))
DIFF = "from pytest_benchbed.cli.main import main; main()"


def diff(folders: list[Path], code: str = DIFF) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", code, "score", "--diff", *map(str, folders)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.req("ENV-011")
@pytest.mark.parametrize("folder", TYPES, ids=lambda path: path.name)
def test_every_type_has_frozen_predictions_with_errors_in_each_profile(folder: Path) -> None:
    runs = [Run.open(path) for path in FROZEN if path.parents[1] == folder]
    assert runs
    profiles = runs[0].record.benchmark.profiles
    wrong = {
        profile
        for run in runs
        for row in run.results()
        for profile, errors in row["errors"].items()
        if errors
    }

    assert wrong == set(profiles)
    assert all(run.predictions() for run in runs)


@pytest.mark.req("ENV-011")
def test_they_score_as_they_did() -> None:
    done = diff(FROZEN)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("none changed") == len(FROZEN)


@pytest.mark.req("ENV-011")
def test_a_formula_that_changed_in_silence_is_found() -> None:
    """One separator more or less in the tolerance of the scorer, and the version as it was."""
    code = (
        "from pytest_benchbed.benchmarks.table_separators import TableSeparators as T\n"
        "old = T.score_case\n"
        "def forgiving(self, case, answer, prediction):\n"
        "    return old(self, case, answer, {**prediction, 'spans': answer['spans']})\n"
        "T.score_case = forgiving\n" + DIFF
    )

    done = diff(FROZEN, code)

    assert done.returncode == 1
    assert "score DIFFERS" in done.stdout


def test_a_frozen_run_that_was_edited_is_refused(tmp_path: Path) -> None:
    folder = shutil.copytree(FROZEN[0], tmp_path / "frozen")
    calls = folder / "calls.jsonl"
    calls.write_bytes(calls.read_bytes().replace(b'"latency_s":0.', b'"latency_s":1.', 1))

    done = diff([folder])

    assert done.returncode == 2
    assert "calls.jsonl:1" in done.stdout
