"""The adapter ``predictions``: the first verdict without any system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.bench import write_lines

RIGHT = {"main": [], "side": []}


def record(bench: Bench, rows: dict[str, Any], name: str = "outputs.jsonl") -> Path:
    path = bench.path / name
    write_lines(path, [{"id": case, **row} for case, row in rows.items()])
    return path


def run(bench: Bench, *words: str, path: str = "outputs.jsonl", **options: Any) -> pytest.RunResult:
    values = {"path": path, **options}
    words = (
        *(f"--bench-adapter-option={name}={value}" for name, value in values.items()),
        *words,
    )
    return bench.pytest("--bench=toy", "--bench-adapter=predictions", *words)


def test_recorded_outputs_are_scored_with_their_cost_and_latency(bench: Bench) -> None:
    rows = {
        "t-001": {"prediction": RIGHT, "cost_usd": 0.25, "latency_s": 1.5},
        "t-002": {"prediction": {"main": ["cell"], "side": []}, "cost_usd": 0.5, "latency_s": 3},
        "t-003": {"prediction": None},
        "t-999": {"prediction": RIGHT},
    }
    path = record(bench, rows)

    result = run(bench, "--bench-run=own")

    result.assert_outcomes(passed=1, failed=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*1 id (t-999) in outputs.jsonl that the dataset has not*",
            "*1 case (t-004) without a row in outputs.jsonl*",
            "*1 case (t-003) without a cost in outputs.jsonl: the spend is without them*",
        ]
    )
    assert last_line(result) == "benchbed: gate BLOCKED: 1 technical failure (t-004)"
    # In the header, and under -q at the end.
    assert result.stdout.str().count("1 id (t-999)") == 2
    saved = bench.saved("own")
    found = {row["case"]: row for row in saved.results()}
    assert [found[f"t-00{n}"]["x"]["latency_s"] for n in (1, 2, 3, 4)] == [1.5, 3, None, None]
    assert [found[f"t-00{n}"]["x"]["cost_usd"] for n in (1, 2)] == [0.25, 0.5]
    assert found["t-003"]["errors"]["main"][0]["kind"] == "no-answer"
    assert "missing_prediction" in {entry.kind for entry in saved.record.technical}
    assert saved.record.spend.spent_usd == 0.75
    assert saved.record.isolation["reads"] == [str(path)]
    assert saved.record.adapter.identified
    assert saved.record.adapter.deterministic


def test_another_file_is_another_version_and_the_gate_names_the_regression(bench: Bench) -> None:
    rows = {f"t-00{n}": {"prediction": RIGHT} for n in (1, 2, 3, 4)}
    record(bench, rows)
    run(bench, "--bench-run=base")
    rows["t-003"] = {"prediction": {"main": ["cell"], "side": []}}
    record(bench, rows, "new.jsonl")

    result = run(bench, "--baseline=base", "--bench-run=own", path="new.jsonl")

    assert last_line(result) == (
        "benchbed: gate FAILED: 1 regression on a stable case (t-003), compared 4 of 4"
    )
    versions = {bench.saved(name).record.adapter.version for name in ("base", "own")}
    assert len(versions) == 2


def test_a_missing_row_can_be_a_case_without_an_answer(bench: Bench) -> None:
    record(bench, {"t-001": {"prediction": RIGHT}})

    result = run(bench, "--bench-run=own", missing="no-answer")

    result.assert_outcomes(passed=1, failed=3)
    states = {row["state"] for row in bench.saved("own").results()}
    assert states == {"scored"}


def test_a_selection_makes_no_complaint_about_the_other_rows(bench: Bench) -> None:
    record(bench, {f"t-00{n}": {"prediction": RIGHT} for n in (1, 2, 3, 4)})

    result = run(bench, "--bench-select=case=t-002")

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*outputs.jsonl that*")
    result.stdout.no_fnmatch_line("*without a row*")


def test_a_spreadsheet_in_spanish_goes_through_from_the_bench_file(bench: Bench) -> None:
    """Semicolons, a decimal comma, Windows-1252, and columns of other names."""
    lines = ["caso;sección;lado;coste"]
    lines += [f't-00{n};"[{quoted}]";[];0,5' for n, quoted in enumerate(['""año""', "", "", ""], 1)]
    (bench.dataset.parent / "salida.csv").write_bytes("\r\n".join(lines).encode("cp1252"))
    options = {
        "path": "salida.csv",
        "id": "caso",
        "prediction": {"main": "sección", "side": "lado"},
        "cost": "coste",
        "encoding": "cp1252",
    }
    fields = {"adapter": "old", "adapters": {"old": {"entry": "predictions", "options": options}}}
    (bench.dataset.parent / "bench.json").write_text(json.dumps(fields), "utf-8")

    result = bench.pytest("--bench=toy", "--bench-run=own")

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*año*"])
    assert bench.saved("own").record.spend.spent_usd == 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"id,prediction\nt-001,a,b\n", "*outputs.csv:2: 3 cells, but the header has 2*"),
        (b"id;prediction\nt-001;a\xf1o\n", "*outputs.csv:2: byte 0xf1*encoding=cp1252*"),
        (b"id,prediction\nt-001,a\nt-001,b\n", "*outputs.csv:3: id 't-001' stands in line 2*"),
    ],
)
def test_a_bad_file_is_refused_before_a_run_exists(bench: Bench, data: bytes, words: str) -> None:
    (bench.path / "outputs.csv").write_bytes(data)

    result = run(bench, path="outputs.csv")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([words])
    assert bench.runs() == []


def test_outputs_inside_the_dataset_are_refused(bench: Bench) -> None:
    """What lies there may be the answers."""
    result = run(bench, path="cases/toy/v1/cases.jsonl", prediction="inputs")

    assert result.ret != 0
    assert "which holds or lies in" in result.stdout.str() + result.stderr.str()
    assert bench.runs() == []


def test_without_a_cost_the_cost_is_not_reported_unless_it_is_declared(bench: Bench) -> None:
    """A replay costs nothing; what it replays did."""
    record(bench, {f"t-00{n}": {"prediction": RIGHT} for n in (1, 2, 3, 4)})

    silent = run(bench, "--bench-run=silent")
    declared = run(bench, "--bench-run=declared", "--bench-budget=1", paid="false")

    assert "$0.00" not in silent.stdout.str()
    silent.stdout.fnmatch_lines(["*spend not reported*"])
    assert bench.saved("silent").record.spend.spent_usd is None
    assert {row["x"]["cost_usd"] for row in bench.saved("silent").results()} == {None}
    declared.assert_outcomes(passed=4)
    assert bench.saved("declared").record.spend.spent_usd == 0


def test_the_decimal_sign_is_typed_as_an_option(bench: Bench) -> None:
    """``1.234`` in a table with semicolons is a dollar or a thousand."""
    lines = ["id;main;side;cost_usd", *(f"t-00{n};[];[];1.234" for n in (1, 2, 3, 4))]
    (bench.path / "outputs.csv").write_text("\n".join(lines), "utf-8")
    columns = {"path": "outputs.csv", "prediction": "[main, side]"}

    refused = run(bench, **columns)
    read = run(bench, "--bench-run=read", decimal='","', **columns)

    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(
        ['*outputs.csv:2: cost_usd is \'1.234\'*decimal="." or decimal=","*']
    )
    read.assert_outcomes(passed=4)
    assert bench.saved("read").record.spend.spent_usd == 4936
