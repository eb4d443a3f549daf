"""A whole session where the system lacks what only POSIX has, as Windows does."""

from __future__ import annotations

import json

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

# Everything that is looked for before it is used is gone before the plugin is imported, and
# adapters start as they do on Windows: as plain children, without a supervisor.
WITHOUT_POSIX = """
import os
import select

for name in (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "fdatasync", "geteuid", "pread",
):
    delattr(os, name)
os.supports_dir_fd = set()
del select.poll

from pytest_benchbed.adapters import process
from pytest_benchbed.adapters.direct import DirectProcess


def start(order):
    order.log_dir.mkdir(parents=True, exist_ok=True)
    order.cwd.mkdir(parents=True, exist_ok=True)
    return DirectProcess(order)


process.start = start
"""


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["in-process", "n2"])
def test_a_session_gives_the_same_without_what_only_posix_has(
    bench: Bench, workers: list[str]
) -> None:
    base = bench.record("base", {"t-002": ["a"]})
    bench.answers({"t-002": ["a"], "t-003": ["b ñ \U0001f600"]})
    (bench.path / "without_posix.py").write_text(WITHOUT_POSIX, encoding="utf-8")
    words = ["--baseline=runs/base", "-p", "without_posix", *workers]

    plain = bench.run("--bench-run=plain", "--baseline=runs/base")
    calls = bench.calls()
    bench.log.unlink()
    poor = bench.run("--bench-run=poor", *words, subprocess=True)

    assert plain.ret == poor.ret == 1
    assert last_line(plain) == last_line(poor)
    assert sorted(bench.calls()) == sorted(calls)
    for name in ("results.jsonl", "comparison.jsonl"):
        texts = [_without_times(bench.path / "runs" / run / name) for run in ("plain", "poor")]
        assert texts[0] == texts[1]
        assert b"\r" not in (bench.path / "runs" / "poor" / name).read_bytes()
    assert base.record.dataset == bench.saved("poor").record.dataset


def _without_times(path):
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [{key: value for key, value in row.items() if key != "x"} for row in rows]


def test_paths_in_files_have_slashes_and_stay_inside(bench: Bench) -> None:
    run = bench.record("base")

    request = json.loads((run.path / "adapter-request.json").read_text("utf-8"))

    texts = json.dumps([request["cases"], run.record.to_json()["dataset"]])
    assert "\\\\" not in texts
