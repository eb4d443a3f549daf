"""``--bench-repeats``, ``--bench-timeout``, ``--bench-isolation`` and ``--bench-dataset``."""

from __future__ import annotations

import json
import shutil

import pytest

from pytest_benchbed.data.pin import pin
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


def test_repeats_are_recorded_and_the_first_attempt_decides(
    bench: Bench, workers: list[str]
) -> None:
    flaky = {"attempts": [{"main": [], "side": []}, {"main": ["cell"], "side": []}]}
    bench.answers({"t-002": flaky})

    result = bench.run("--bench-repeats=2", "--bench-run=own", *workers)

    result.assert_outcomes(passed=4)
    run = bench.saved("own")
    assert run.record.repeats == 2
    assert sorted(bench.calls()) == sorted(2 * ["t-001", "t-002", "t-003", "t-004"])
    row = run.rows()["t-002"]
    assert row["errors"]["main"] == []
    assert [entry["attempt"] for entry in row["repeats"]] == [1, 2]
    assert [len(entry["errors"]["main"]) for entry in row["repeats"]] == [0, 1]
    main = run.metrics["profiles"]["main"]
    assert main["summary"]["exact"]["value"] == 1
    assert main["repeats"]["exact"] == {"mean": 0.875, "min": 0.75, "max": 1}


def test_a_system_that_hangs_is_technical_and_the_others_are_kept(bench: Bench) -> None:
    bench.answers({"t-002": "hang"})

    result = bench.run("--bench-timeout=4", "--bench-jobs=1", "--bench-run=own")

    result.assert_outcomes(passed=3, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    technical = bench.saved("own").record.technical
    assert [(entry.case, entry.kind) for entry in technical] == [("t-002", "timeout")]


@pytest.mark.parametrize(
    ("level", "words"),
    [("required", "*isolation 'required'*refused*"), ("strong", "*unknown isolation 'strong'*")],
)
def test_an_isolation_that_cannot_be_had_is_refused(bench: Bench, level: str, words: str) -> None:
    result = bench.run(f"--bench-isolation={level}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([words])
    assert bench.runs() == []


@pytest.mark.parametrize("name", ["toy-v2", "toy=toy-v2", "cases/toy/v2"])
def test_one_of_several_datasets_is_chosen(bench: Bench, name: str) -> None:
    _second(bench)

    result = bench.run(f"--bench-dataset={name}", "--collect-only", "-q")

    result.stdout.fnmatch_lines(["cases/toy/v2/cases.jsonl::t-001"])
    result.stdout.no_fnmatch_line("cases/toy/v1/*")


def test_several_datasets_need_a_choice_of_the_benchmark(bench: Bench) -> None:
    _second(bench)

    none = bench.run()
    unknown = bench.run("--bench-dataset=toy-v3")
    foreign = bench.run("--bench-dataset=tow=toy-v2")

    assert {none.ret, unknown.ret, foreign.ret} == {pytest.ExitCode.USAGE_ERROR}
    none.stderr.fnmatch_lines(["*several datasets: toy-v1, toy-v2*"])
    unknown.stderr.fnmatch_lines(["*unknown dataset 'toy-v3'*Did you mean*"])
    foreign.stderr.fnmatch_lines(["*unknown benchmark 'tow'*Did you mean 'toy'*"])
    assert bench.runs() == []


@pytest.mark.req("ENV-043")
def test_an_edited_file_stops_the_run_before_the_adapter(pytester: pytest.Pytester) -> None:
    bench = Bench(pytester).make(rows={"t-001": {}})
    rows = [json.loads(line) for line in (bench.dataset / "cases.jsonl").read_text().splitlines()]
    (bench.dataset / "assets").mkdir()
    page = bench.dataset / "assets" / "page.txt"
    page.write_text("page one", "utf-8")
    rows[0]["files"] = ["assets/page.txt"]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (bench.dataset / "cases.jsonl").write_bytes(text.encode())
    pin(bench.dataset)
    page.write_text("page two", "utf-8")

    result = bench.run("--bench-run=own")

    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR)
    assert "assets/page.txt" in result.stdout.str() + result.stderr.str()
    assert bench.calls() == []
    assert not (bench.path / "runs" / "own").exists()


def _second(bench: Bench) -> None:
    second = bench.dataset.with_name("v2")
    shutil.copytree(bench.dataset, second)
    (second / "manifest.json").unlink()
    pin(second, benchmark="toy", id="toy-v2", visibility="public")
