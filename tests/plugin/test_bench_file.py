"""``bench.json``: what a bare ``--bench=NAME`` stands for, and who wins over whom."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


def write(bench: Bench, **fields: Any) -> None:
    """Write the bench file of the toy benchmark."""
    text = json.dumps({"schema": "benchbed.bench.v1", **fields})
    (bench.dataset.parent / "bench.json").write_text(text, "utf-8")


@pytest.mark.req("ENV-099", "ENV-100")
def test_a_bare_name_expands_the_bench_file(bench: Bench) -> None:
    bench.record("base", {"t-001": ["cell"]})
    entry = {
        "entry": "toy_adapter:Toy",
        "options": {"variant": "b"},
        "model": "m-1",
        "baseline": "base",
        "controls": [],
    }
    write(
        bench, dataset="toy-v1", adapter="mine", gate="side", budget_usd=3, adapters={"mine": entry}
    )

    result = bench.pytest("--bench=toy", "--collect-only")

    result.stdout.fnmatch_lines(
        [
            "benchbed: stands for: pytest --bench=toy --bench-dataset=toy-v1 --bench-adapter=mine "
            "--bench-adapter-option=variant=b --bench-model=m-1 --baseline=runs/base "
            "--bench-gate=side --bench-rule=auto --bench-budget=3 *"
        ]
    )


@pytest.mark.req("ENV-100", "ENV-102")
def test_the_promoted_baseline_is_compared_and_another_adapter_has_none(bench: Bench) -> None:
    bench.record("base")
    entry = {"entry": "toy_adapter:Toy", "baseline": "base", "controls": []}
    write(bench, adapter="toy_adapter:Toy", adapters={"toy_adapter:Toy": entry})
    bench.answers({"t-001": ["cell"]})
    (bench.path / "other.py").write_text(
        'def predict(case):\n    return {"main": [], "side": []}\n', "utf-8"
    )

    paired = bench.pytest("--bench=toy")
    other = bench.pytest("--bench=toy", "--bench-adapter=other:predict")
    aside = bench.pytest("--bench=toy", "--bench-unpaired")

    assert last_line(paired).startswith("benchbed: gate FAILED: 1 regression")
    assert last_line(other).startswith("benchbed: gate BASELINE REQUIRED: ")
    # There is a baseline; it was set aside.
    assert last_line(other).split(": ", 2)[2].startswith("no saved run to compare with: name one")
    assert last_line(aside) == (
        "benchbed: gate BASELINE REQUIRED: compared with nothing, as --bench-unpaired says: name "
        "a saved run with --baseline=RUN, or benchbed promote RUN"
    )


@pytest.mark.req("ENV-100")
def test_command_line_beats_bench_file_beats_ini(bench: Bench) -> None:
    bench.pytester.makeini(
        "[pytest]\nbench_gate = main\nbench_model = ini\nbench_adapter = toy_adapter:Toy\n"
        "bench_repeats = 2\n"
    )
    write(bench, gate="side", adapters={"toy_adapter:Toy": {"model": "file"}})

    by_file = bench.pytest("--bench=toy", "--collect-only").stdout.str()
    typed = bench.pytest(
        "--bench=toy", "--collect-only", "--bench-gate=main", "--bench-model=typed"
    ).stdout.str()

    for word in ("--bench-gate=side", "--bench-model=file", "--bench-repeats=2", "=toy_adapter:"):
        assert word in by_file
    for word in ("--bench-gate=main", "--bench-model=typed", "--bench-repeats=2"):
        assert word in typed


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"gaet": "main"}, "*bench.json*gaet*Did you mean 'gate'*"),
        ({"budget_usd": "much"}, "*bench.json*budget_usd*"),
        ({"gate": "sied"}, "*unknown profile*sied*side*"),
        ({"shard_by": "time"}, "*field shard_by of the bench file: shards are not built*"),
        ({"store": "s3://b"}, "*field store of the bench file: stores of runs are not built*"),
    ],
)
def test_a_fault_of_the_bench_file_is_named_with_its_field(
    bench: Bench, fields: dict[str, Any], words: str
) -> None:
    write(bench, **fields)

    result = bench.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([words])
    assert bench.runs() == []
