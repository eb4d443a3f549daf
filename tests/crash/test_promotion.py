"""Promotions that meet, or that are killed: the bench file is the old one or the new one."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.inside import gate
from tests.plugin.inside import promote

HELD = """
import os
import sys
from pytest_benchbed.cli import promote
from pytest_benchbed.cli.main import main

step = sys.argv.pop(1)
original = getattr(promote, step)
# pytest puts another input in the place of this one.
waiting = os.fdopen(os.dup(0))


def held(*words):
    print("held", flush=True)
    waiting.read()
    return original(*words)


setattr(promote, step, held)
main()
"""
"""``benchbed``, waiting before one step of a promotion until its input is closed."""


def start(bench: Bench, step: str, *words: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HELD, step, "promote", *words],
        cwd=bench.path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def promoted(bench: Bench) -> dict[str, Any]:
    text = (bench.dataset.parent / "bench.json").read_text("utf-8")
    entry: dict[str, Any] = json.loads(text)["adapters"]["toy_adapter:Toy"]
    return {name: entry[name] for name in ("baseline", "controls")}


OLD = {"baseline": "old", "controls": []}
NEW = {"baseline": "new", "controls": ["c1"]}


@pytest.mark.req("ENV-101")
@pytest.mark.parametrize(
    ("step", "left"),
    [("place_snapshot", OLD), ("write_bench_file", OLD), ("_remove_snapshots", NEW)],
)
def test_the_second_of_two_is_refused_and_a_killed_one_leaves_a_whole_bench_file(
    bench: Bench, step: str, left: dict[str, Any]
) -> None:
    for run_id in ("old", "new", "c1"):
        bench.record(run_id)
    promote(bench, "old", snapshot=True)

    process = start(bench, step, "new", "--control=c1", "--snapshot")
    try:
        code, refusal = promote(bench, "c1")
    finally:
        process.kill()
        process.communicate(timeout=30)

    assert code == 2
    assert "another promotion is at work there, so nothing was changed" in refusal
    assert "\n" not in refusal
    assert promoted(bench) == left
    assert gate(bench, left["baseline"])[0] == 5
    assert bench.pytest("--bench=toy", "--collect-only").ret == 0
    code, out = promote(bench, "new", controls=["c1"], snapshot=True)
    assert code == 0, out
    assert promoted(bench) == NEW
    kept = bench.dataset.parent / "baseline"
    assert sorted(path.name for path in kept.iterdir()) == ["c1", "new"]
