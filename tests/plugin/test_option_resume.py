"""``--bench-resume``: what is paid is never asked again, what is settled stays as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

PICKY = """
import os

@pytest.fixture(autouse=True)
def picky(request):
    assert os.environ.get("PICKY") != request.node.name
"""

EARLY = """
import os
import shutil

def pytest_runtest_setup(item):
    if not os.path.exists("early.json"):
        shutil.copyfile("runs/own/run.json", "early.json")
"""


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.req("ENV-090")
def test_a_run_with_a_hole_goes_on_and_asks_only_what_is_missing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    conftest = bench.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8") + PICKY, "utf-8")
    monkeypatch.setenv("PICKY", "t-004")
    bench.run("--bench-run=own", "--bench-jobs=1", "-x")
    first = bench.saved("own").record
    asked = bench.calls()
    monkeypatch.delenv("PICKY")

    result = bench.run("--bench-resume=own")

    assert first.status == "interrupted"
    assert asked.count("t-001") == 1
    result.assert_outcomes(passed=4)
    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]
    record = bench.saved("own").record
    assert (record.status, record.counts.holes, record.counts.scored) == ("completed", 0, 4)
    assert [entry.what for entry in record.history] == ["resumed"]


@pytest.mark.req("ENV-090")
def test_of_a_completed_run_only_technical_cases_are_asked_again(bench: Bench) -> None:
    bench.record("own", {"t-002": "raise", "t-003": ["cell"]})
    (bench.path / "replies.json").write_text("{}", "utf-8")

    result = bench.run("--bench-resume=own", "--bench-unpaired")

    result.assert_outcomes(passed=3, xfailed=1)
    assert bench.calls() == ["t-002"]
    run = bench.saved("own")
    assert run.record.counts.technical == 0
    assert run.record.technical == []
    outcomes = run.paths.calls.read_text("utf-8").count('"kind":"outcome"')
    assert outcomes == 5


@pytest.mark.req("ENV-090")
def test_with_nothing_to_do_there_is_no_call_and_no_byte_changes(bench: Bench) -> None:
    run = bench.record("own", {"t-003": ["cell"]})
    before = contents(run.path)

    result = bench.run("--bench-resume=own")

    assert bench.calls() == []
    assert contents(run.path) == before
    assert last_line(result).startswith("benchbed: gate BASELINE REQUIRED: ")


def test_a_resumed_run_keeps_the_rows_of_cases_not_selected_now(bench: Bench) -> None:
    run = bench.record("own", {"t-002": "raise"})
    (bench.path / "replies.json").write_text("{}", "utf-8")
    before = contents(run.path)

    result = bench.run("--bench-resume=own", "--bench-select=case=t-002")

    assert result.ret != pytest.ExitCode.OK
    assert "--bench-resume" in result.stdout.str() + result.stderr.str()
    assert bench.calls() == []
    assert contents(run.path) == before


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["--bench-adapter=other_adapter:Toy"], "adapter"),
        (["--bench-adapter-option=variant=x"], "adapter options"),
        (["--bench-model=m-2"], "model"),
        (["--bench-repeats=2"], "repeats"),
    ],
)
def test_another_system_cannot_go_on_with_a_run(bench: Bench, words: list[str], field: str) -> None:
    bench.record("own")
    code = (bench.path / "toy_adapter.py").read_text("utf-8")
    (bench.path / "other_adapter.py").write_text(code, "utf-8")

    result = bench.run("--bench-resume=own", *words)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*'own' cannot go on: its {field} is*"])
    assert bench.calls() == []


def test_another_dataset_cannot_go_on_with_a_run(bench: Bench) -> None:
    from pytest_benchbed.data.pin import pin

    bench.record("own")
    cases = bench.dataset / "cases.jsonl"
    cases.write_bytes(cases.read_bytes().replace(b"text of t-001", b"other text"))
    pin(bench.dataset)

    result = bench.run("--bench-resume=own")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'own' cannot go on: its dataset identity is*"])
    assert bench.calls() == []


def test_an_unknown_run_to_resume_is_refused_with_the_nearest(bench: Bench) -> None:
    bench.record("own")

    result = bench.run("--bench-resume=owm")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown run*owm*Did you mean 'own'*"])


def test_a_run_does_not_go_on_with_a_product_that_was_changed(bench: Bench) -> None:
    """A re-ask would clear what the product broke before it was mended."""
    (bench.path / "product.txt").write_text("one", "utf-8")
    watched = {"schema": "benchbed.bench.v1", "dataset": "toy-v1", "watch": ["product.txt"]}
    (bench.path / "cases" / "toy" / "bench.json").write_text(json.dumps(watched), "utf-8")
    bench.answers({"t-002": "raise"})
    bench.run("--bench-unpaired", "--bench-run=own")
    before = contents(bench.saved("own").path)
    bench.log.unlink()
    (bench.path / "product.txt").write_text("two", "utf-8")

    result = bench.run("--bench-unpaired", "--bench-resume=own")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "run 'own' cannot go on: its watched files is" in last_line(result)
    assert (bench.calls(), contents(bench.saved("own").path)) == ([], before)


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_run_does_not_go_on_with_a_product_of_another_version(
    bench: Bench, is_killed: bool
) -> None:
    bench.answers({"t-002": "raise"})
    product = bench.path / "product.txt"
    product.write_text("1.0", "utf-8")
    with (bench.path / "toy_adapter.py").open("a", encoding="utf-8") as file:
        file.write(f"\nwith open({str(product)!r}) as _file:\n    Toy.version = _file.read()\n")
    bench.extend(EARLY)
    bench.run("--bench-unpaired", "--bench-run=own")
    run = bench.saved("own")
    if is_killed:
        # The system is on record from its hello on.
        shutil.copyfile(bench.path / "early.json", run.paths.run)
        run.paths.results.unlink()
    before = contents(run.path)
    bench.log.unlink()
    product.write_text("1.1", "utf-8")

    result = bench.run("--bench-unpaired", "--bench-resume=own")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert '\'own\' cannot go on: its version is "1.0", this command\'s "1.1"' in last_line(result)
    assert (bench.calls(), contents(run.path)) == ([], before)
