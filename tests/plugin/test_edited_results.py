"""Rows that were edited since their run was written are refused wherever the run is named."""

from __future__ import annotations

import json

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.read import Run
from tests.plugin.bench import Bench


def edited(run: Run, old: bytes = b'"errors":{"main":[]', new: bytes | None = None) -> None:
    """Change the second row by hand: a clean case gets an error."""
    new = new or b'"errors":{"main":[{"kind":"wrong","where":{"at":"cell"}}]'
    lines = run.paths.results.read_bytes().splitlines(keepends=True)
    assert old in lines[1]
    lines[1] = lines[1].replace(old, new)
    run.paths.results.write_bytes(b"".join(lines))


@pytest.mark.req("ENV-094")
@pytest.mark.parametrize("role", ["base", "control"])
def test_an_edited_baseline_or_control_is_refused_before_any_call(bench: Bench, role: str) -> None:
    runs = {name: bench.record(name) for name in ("base", "control")}
    bench.run("--baseline=base", "--bench-control=control", "--bench-run=own")
    bench.log.unlink()
    edited(runs[role])
    said: list[str] = []

    result = bench.run("--baseline=base", "--bench-control=control", "--bench-run=new")
    code = bench.gate_code("own", echo=said.append)

    where = runs[role].paths.results
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    [line] = [line for line in result.errlines if "was edited after the run was written" in line]
    assert f"{where}: was edited" in line
    assert f"benchbed score {role}" in line
    assert (bench.calls(), "new" in bench.runs()) == ([], False)
    assert code == 2
    assert said[-1].startswith(f"benchbed: gate REFUSED: own: {where}: was edited")


@pytest.mark.req("ENV-094")
def test_an_edited_candidate_is_refused_when_it_is_judged_or_resumed(bench: Bench) -> None:
    bench.record("base")
    bench.run("--baseline=base", "--bench-run=own")
    own = bench.saved("own")
    edited(own)
    said: list[str] = []
    bench.log.unlink()

    code = bench.gate_code("own", echo=said.append)
    resumed = bench.run("--baseline=base", "--bench-resume=own")

    assert (code, resumed.ret) == (2, pytest.ExitCode.USAGE_ERROR)
    assert said[-1].startswith(f"benchbed: gate REFUSED: own: {own.paths.results}: was edited")
    resumed.stderr.fnmatch_lines(["*was edited after the run was written*"])
    assert bench.calls() == []
    with pytest.raises(RunError, match="was edited"):
        next(own.results())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b'"state":"scored"', b'"state":"right"', ":2: case 't-002': field state: "),
        (b',"x":{', b',"x":', ":2: is damaged: "),
    ],
    ids=["misshapen", "no JSON"],
)
def test_a_damaged_line_is_named_with_its_number(
    bench: Bench, old: bytes, new: bytes, says: str
) -> None:
    run = bench.record("base")
    edited(run, old, new)

    result = bench.run("--baseline=base")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{run.paths.results}{says}*"])
    assert bench.calls() == []


@pytest.mark.req("ENV-094")
def test_the_record_of_a_run_holds_the_digest_of_its_rows_also_after_it_was_resumed(
    bench: Bench,
) -> None:
    first = bench.record("base", {"t-002": "crash"})
    bench.answers({})
    result = bench.run("--bench-unpaired", "--bench-resume=base")
    again = bench.saved("base")

    digests = [run.record.results_sha256 for run in (first, again)]
    assert result.ret == 0
    assert None not in digests
    assert digests[0] != digests[1]
    assert [row["state"] for row in again.results()] == ["scored"] * 4


def test_a_record_of_before_the_digest_is_compared_as_ever(bench: Bench) -> None:
    run = bench.record("base", {"t-002": ["cell"]})
    value = json.loads(run.paths.run.read_text("utf-8"))
    del value["results_sha256"]
    run.paths.run.write_text(json.dumps(value), "utf-8")

    result = bench.run("--baseline=base", "--bench-run=own")

    result.assert_outcomes(passed=3, xfailed=1)
    assert bench.gates("own")["main"]["status"] == "passed"
    assert bench.gate_code("own") == 0
