"""``benchbed list``, ``runs``, ``gate``, ``validate`` and ``pin``: output and exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.programs import benchbed
from tests.plugin.programs import command


@pytest.mark.req("ENV-088")
def test_list_names_types_datasets_and_adapters(bench: Bench) -> None:
    done = command(bench, "list")

    assert done.returncode == 0, done.stderr
    for words in ("toy: Toy", "dataset toy-v1 1", "table-separators", "  reference: "):
        assert words in done.stdout


@pytest.mark.parametrize("ini", ["", "[pytest]\naddopts = -p no:benchbed\n"])
def test_a_command_works_where_no_plugin_is_loaded_by_itself(bench: Bench, ini: str) -> None:
    bench.pytester.makeini(ini)

    done = command(bench, "list", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")

    assert (done.returncode, done.stderr) == (0, "")
    assert "toy: Toy" in done.stdout


def test_runs_lists_saved_runs_and_gate_refuses_unknown_ones(bench: Bench) -> None:
    empty = benchbed(bench, "runs")
    bench.record("base")
    one = benchbed(bench, "runs")
    noted = bench.run("--bench-unpaired", "--bench-run=other", "--bench-note=a new prompt")
    two = benchbed(bench, "runs")
    unknown = command(bench, "gate", "bas")

    assert (empty.returncode, one.returncode) == (0, 0)
    assert "no run in" in empty.stdout
    assert "base" in one.stdout
    assert "note" not in one.stdout
    noted.stdout.fnmatch_lines(['  note "a new prompt"'])
    assert [line.split()[-1] for line in two.stdout.splitlines()] == ["note", "prompt", "required"]
    assert unknown.returncode == 2
    assert "Did you mean 'base'" in unknown.stderr


def test_gate_has_an_exit_code_for_every_verdict(bench: Bench) -> None:
    run = bench.record("base", {"t-001": ["cell"]})
    (bench.path / "replies.json").write_text('{"t-002": ["row"]}', "utf-8")
    bench.run("--baseline=base", "--bench-run=worse")
    files = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}

    codes = {
        "baseline required": benchbed(bench, "gate", "base").returncode,
        "failed": benchbed(bench, "gate", "worse").returncode,
        "itself": benchbed(bench, "gate", "worse", "--baseline=worse").returncode,
        "unknown target": benchbed(bench, "gate", "worse", "--target=t-999").returncode,
    }
    _change(run, technical=[{"case": None, "whose": "adapter", "kind": "crash", "detail": "x"}])
    codes["blocked"] = benchbed(bench, "gate", "base").returncode

    assert codes == {
        "baseline required": 5,
        "failed": 1,
        "itself": 2,
        "unknown target": 2,
        "blocked": 3,
    }
    assert {path for path in run.path.rglob("*") if path.is_file()} == set(files)


def test_gate_says_passed_and_incomplete(bench: Bench) -> None:
    bench.record("base")
    bench.run("--baseline=base", "--bench-run=same")
    bench.run("--baseline=base", "--bench-run=some", "--bench-select=case=t-001")

    same, some = benchbed(bench, "gate", "same"), benchbed(bench, "gate", "some")

    assert (same.returncode, some.returncode) == (0, 4)
    assert same.stdout.splitlines()[-1].startswith("benchbed: gate PASSED: ")
    assert some.stdout.splitlines()[-1].startswith("benchbed: gate INCOMPLETE: ")


def test_a_run_that_lost_rows_is_refused_everywhere(bench: Bench) -> None:
    bench.record("base")
    bench.edit_rows("base", lambda rows: rows.pop(0))

    again = benchbed(bench, "gate", "base")
    compared = bench.run("--baseline=base")

    assert again.returncode == 2
    assert "holds 3 rows, the run's record says 4" in again.stdout
    assert compared.ret == pytest.ExitCode.USAGE_ERROR
    compared.stderr.fnmatch_lines(["*holds 3 rows, the run's record says 4*"])
    assert bench.calls() == []


@pytest.mark.req("ENV-079", "ENV-089")
def test_validate_names_file_and_line_and_pin_mends_the_pins(bench: Bench) -> None:
    good = benchbed(bench, "validate", str(bench.dataset))
    cases = bench.dataset / "cases.jsonl"
    cases.write_bytes(cases.read_bytes().replace(b'"t-002"', b'"t 002"'))
    bad = benchbed(bench, "validate", str(bench.dataset))
    not_pinned = benchbed(bench, "pin", str(bench.dataset))
    cases.write_bytes(cases.read_bytes().replace(b'"t 002"', b'"t-002"').replace(b"of", b"off"))
    edited = benchbed(bench, "validate", str(bench.dataset))
    pinned = benchbed(bench, "pin", "--bump", str(bench.dataset))
    again = benchbed(bench, "validate", str(bench.dataset))

    assert (good.returncode, bad.returncode, edited.returncode) == (0, 1, 1)
    assert "cases.jsonl:2: " in bad.stdout
    assert not_pinned.returncode == 1
    assert (pinned.returncode, again.returncode) == (0, 0), pinned.stdout + again.stdout
    assert json.loads((bench.dataset / "manifest.json").read_text("utf-8"))["version"] == "2"


def _change(run: Any, **fields: Any) -> None:
    record = json.loads(run.paths.run.read_text("utf-8"))
    run.paths.run.write_text(json.dumps({**record, **fields}), "utf-8")
