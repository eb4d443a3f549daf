"""The disk ends in the middle of a session: what is paid is kept, and the way on is said.

A limit on the size of a file stands for a full disk: it shortens the write
that crosses it and refuses the next, and it needs no rights.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.crash.sessions import extend
from tests.crash.sessions import outcomes
from tests.crash.sessions import start
from tests.plugin.bench import Bench
from tests.plugin.programs import posix_only

pytestmark = posix_only
COUNT = 24
LIMIT = """
import resource

@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session):
    resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
"""


@pytest.mark.req("ENV-090")
@pytest.mark.parametrize(("limit", "file"), [(9_000, "calls.jsonl"), (20_000, "report.html")])
def test_a_full_disk_ends_the_run_with_its_way_on(
    pytester: pytest.Pytester, limit: int, file: str
) -> None:
    bench = Bench(pytester).make(COUNT)
    conftest = (bench.path / "conftest.py").read_text("utf-8")
    extend(bench, LIMIT.format(limit=limit))
    session = start(bench, "--bench-jobs=1").end()
    kept = outcomes(bench)
    (bench.path / "conftest.py").write_text(conftest, "utf-8")

    result = bench.run("--bench-resume=own")

    assert session.code == pytest.ExitCode.TESTS_FAILED
    assert session.last_line.startswith("benchbed: gate BLOCKED: "), session.out
    assert "cannot be written" in session.last_line
    assert session.last_line.endswith("Go on with --bench-resume=own.")
    assert session.left() == []
    assert (len(kept) < COUNT) is (file == "calls.jsonl")
    if file == "calls.jsonl":
        # The fault is the machine's, and one call was in flight when it showed.
        assert "system: storage: calls.jsonl: " in session.out
    else:
        assert "report.html: cannot be written" in session.last_line
    result.assert_outcomes(passed=COUNT)
    asked = Counter(bench.calls())
    assert len(asked) == COUNT
    assert sum(asked.values()) <= COUNT + 1
    assert all(asked[case] == 1 for case in kept)
    assert bench.saved("own").record.status == "completed"


@pytest.mark.parametrize("name", ["taken", "taken/runs"])
def test_a_runs_directory_that_cannot_be_made_is_refused_before_anything_starts(
    bench: Bench, name: str
) -> None:
    (bench.path / "taken").write_text("")

    result = bench.run(f"--bench-runs-dir={name}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*taken* is no folder*--bench-runs-dir*"])
    result.stdout.no_fnmatch_line("collected*")
    assert bench.calls() == []


def test_a_run_folder_that_may_not_be_written_to_is_refused_before_anything_starts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for a superuser, whom rights do not stop: a file system that is read-only."""
    import os

    access = os.access
    runs = bench.path / "runs"
    runs.mkdir()

    def read_only(path: Path, mode: int, **how: bool) -> bool:
        return access(path, mode, **how) and not (Path(path) == runs and mode & os.W_OK)

    monkeypatch.setattr(os, "access", read_only)
    result = bench.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*runs cannot be written to*--bench-runs-dir*"])
    assert bench.calls() == []
    assert list(runs.iterdir()) == []
