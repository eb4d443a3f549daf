"""The file of a noise ledger: appended once, read whatever became of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.compare.noise_ledger import ledger_bytes
from pytest_benchbed.model.noise_line import NoiseLine
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.noise_file import NoiseFile
from tests.unit.runs.builders import record_json


def line(case: str = "x", candidate: str = "one", **changes: Any) -> NoiseLine:
    fields = {"profile": "main", "outcome": "wobbled", "attempts": 2, "wrong": 1, **changes}
    return NoiseLine(
        baseline="base", candidate=candidate, benchmark="b", case=case, errors=[],
        at="2026-03-10T12:00:00Z", **fields,
    )  # fmt: skip


def write(folder: Path, run_id: str, **changes: Any) -> None:
    """Write the record of a candidate run."""
    (folder / run_id).mkdir(parents=True)
    made = record_json(run_id)
    gate = {"status": "passed", "reason": "", "profile": "main", "rule": "confirm",
            "justification": None}  # fmt: skip
    row = {
        **made,
        "baseline": {"id": "base", "identity": "e" * 64},
        "benchmark": {**made["benchmark"], "id": "b"},
        "gate": gate,
        **changes,
    }
    write_json(folder / run_id / "run.json", row)


def test_lines_are_appended_once_and_read_by_the_next(tmp_path: Path) -> None:
    first = NoiseFile(tmp_path, "base")
    first.append([line(), line("y")])
    first.append([line()])
    second = NoiseFile(tmp_path, "base")
    second.append([line("y").model_copy(update={"at": "later"}), line(candidate="two")])

    known = [line(), line("y"), line(candidate="two")]
    assert (tmp_path / "base.noise.jsonl").read_bytes() == ledger_bytes(known)
    assert NoiseFile(tmp_path, "base").lines == second.lines == known
    assert (first.notes, second.notes) == ([], [])


def test_nothing_to_tell_makes_no_file(tmp_path: Path) -> None:
    NoiseFile(tmp_path / "runs", "base").append([])
    assert not (tmp_path / "runs").exists()


def test_the_baseline_of_a_set_may_be_a_snapshot_alone(tmp_path: Path) -> None:
    NoiseFile(tmp_path, "set/b").append([line().model_copy(update={"baseline": "set/b"})])
    assert (tmp_path / "set" / "b.noise.jsonl").is_file()


def test_a_torn_line_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "base.noise.jsonl"
    path.write_bytes(ledger_bytes([line(), line("torn")])[:-9])
    torn = NoiseFile(tmp_path, "base")
    torn.append([line(candidate="two")])

    assert torn.notes == ["noise ledger of base: the last line is torn, and left out"]
    after = NoiseFile(tmp_path, "base")
    assert after.lines == [line(), line(candidate="two")]
    assert [note.partition(":")[0] for note in after.notes] == ["noise ledger of base, line 2"]


@pytest.mark.skipif(os.name == "nt", reason="links and pipes need rights there")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_of_ours_is_neither_read_nor_written(tmp_path: Path, kind: str) -> None:
    path, other = tmp_path / "base.noise.jsonl", tmp_path / "other"
    other.write_bytes(b"")
    if kind == "link":
        path.symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()

    ledger = NoiseFile(tmp_path, "base")
    ledger.append([line()])

    assert [note.partition(": ")[0] for note in ledger.notes] == [
        "noise ledger of base cannot be read",
        "noise ledger of base cannot be written",
    ]
    assert ledger.lines == []
    assert other.read_bytes() == b""


def test_a_full_disk_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = NoiseFile(tmp_path, "base")
    monkeypatch.setattr(os, "write", lambda _, data: len(data) - 1)
    ledger.append([line()])
    assert "cannot be written: No space left on device" in ledger.notes[0]


def test_strikes_are_counted_over_all_whole_runs_of_this_baseline(tmp_path: Path) -> None:
    for run_id in ("one", "two", "three"):
        write(tmp_path, run_id)
    write(tmp_path, "other", baseline={"id": "older", "identity": "e" * 64})
    write(tmp_path, "part", partial=["-k"])
    write(tmp_path, "stopped", status="interrupted")
    write(tmp_path, "else", benchmark={**record_json("x")["benchmark"], "id": "c"})
    blocked = {"status": "blocked", "reason": "", "profile": "main", "rule": "confirm",
               "justification": None}  # fmt: skip
    write(tmp_path, "blocked", gate=blocked)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text('{"baseline": "base"')
    ledger = NoiseFile(tmp_path, "base")
    assert ledger.strikes("b", "main", "four", [line()]) == []
    ledger.append([line()])

    [strike] = ledger.strikes("b", "main", "four", [line(candidate="four")])

    assert strike.text == "intermittent: suspect in 2 of 4 candidate runs (x)"
    assert ledger.strikes("b", "main") == []
