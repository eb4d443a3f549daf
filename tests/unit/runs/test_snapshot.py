"""Snapshots: small run directories beside a bench file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.snapshot import kept_snapshot
from pytest_benchbed.runs.snapshot import place_snapshot
from pytest_benchbed.runs.snapshot import remove_snapshot
from pytest_benchbed.runs.snapshot import snapshot_folder
from pytest_benchbed.runs.snapshot import snapshots
from pytest_benchbed.runs.snapshot import sweep_snapshots
from tests.unit.runs.builders import outcome
from tests.unit.runs.builders import record_json
from tests.unit.runs.builders import result
from tests.unit.runs.builders import save_run
from tests.unit.runs.builders import write_calls
from tests.unit.runs.builders import write_snapshot

DETAILED = {"kind": "wrong", "where": {"cell": 1}, "expected": "S1", "got": "S2", "note": "S3"}


def saved(root: Path, visibility: str = "public") -> Run:
    dataset = record_json()["dataset"] | {"visibility": visibility}
    errors = {"logical": [DETAILED], "geometric": []}
    again = [{"attempt": 2, "errors": errors, "metrics": {}, "quality": 1.0}]
    rows = [result("a", errors=errors, repeats=again), result("b")]
    run = Run.open(save_run(root, rows, dataset=dataset, metrics={"x": 1}))
    write_calls(
        run.path,
        [
            {"kind": "intent", "case": "b", "attempt": 1},
            outcome("b", "1"),
            outcome("a", "2"),
            outcome("a", "3", attempt=2),
            outcome(None, None),
            outcome("a", "4"),
        ],
    )
    return run


def test_public_data_keep_the_rows_and_the_last_outcome_of_each_case(tmp_path: Path) -> None:
    run = saved(tmp_path / "runs" / "base")

    folder = write_snapshot(run, tmp_path / "bench")

    assert folder == tmp_path / "bench" / "baseline" / "base"
    assert sorted(path.name for path in folder.iterdir()) == [
        "calls.jsonl", "results.jsonl", "run.json",
    ]  # fmt: skip
    assert (folder / "run.json").read_bytes() == run.paths.run.read_bytes()
    assert (folder / "results.jsonl").read_bytes() == run.paths.results.read_bytes()
    kept = [outcome("a", "4"), outcome("a", "3", attempt=2), outcome("b", "1")]
    assert (folder / "calls.jsonl").read_bytes().splitlines() == [canonical(row) for row in kept]
    again = Run.open(folder)
    assert again.record == run.record
    assert dict(again.predictions()) == dict(run.predictions()) == {"a": "4", "b": "1"}


def test_private_data_keep_the_identities_of_errors_alone(tmp_path: Path) -> None:
    run = saved(tmp_path / "base", "private")

    folder = write_snapshot(run, tmp_path / "bench")

    text = b"".join(path.read_bytes() for path in folder.iterdir())
    assert not any(secret in text for secret in (b"S1", b"S2", b"S3"))
    assert not (folder / "calls.jsonl").exists()
    [row, _] = Run.open(folder).results()
    bare = {"kind": "wrong", "where": {"cell": 1}}
    assert row["errors"] == row["repeats"][0]["errors"] == {"logical": [bare], "geometric": []}
    assert Run.open(folder).record.results_sha256 is not None


def test_the_same_bytes_stay_and_others_replace_them_as_a_whole(tmp_path: Path) -> None:
    run = saved(tmp_path / "base")
    folder = snapshot_folder(tmp_path / "bench", "base")

    first, second = place_snapshot(run, folder), place_snapshot(run, folder)
    run.paths.calls.unlink()
    third = place_snapshot(run, folder)
    of_itself = place_snapshot(Run.open(folder), folder)

    assert (first, second, third, of_itself) == (True, False, True, False)
    assert sorted(path.name for path in folder.iterdir()) == ["results.jsonl", "run.json"]
    assert [path.name for path in folder.parent.iterdir()] == ["base"]


def test_a_damaged_run_leaves_no_snapshot(tmp_path: Path) -> None:
    run = saved(tmp_path / "base", "private")
    run.paths.results.write_bytes(b'{"case":"a"')

    with pytest.raises(RunError, match=r"results\.jsonl:1"):
        write_snapshot(run, tmp_path / "bench")

    assert list((tmp_path / "bench" / "baseline").iterdir()) == []


def test_what_a_killed_writer_left_is_no_snapshot_and_is_swept(tmp_path: Path) -> None:
    run, bench = saved(tmp_path / "base"), tmp_path / "bench"
    folder = write_snapshot(run, bench)
    left = folder.with_name(".base.0123abcd.tmp")
    left.mkdir()
    (left / "run.json").write_bytes(b"{}")

    seen = [name for name, _ in snapshots(bench)]
    sweep_snapshots(bench)

    assert seen == ["base"]
    assert [path.name for path in folder.parent.iterdir()] == ["base"]


def test_a_run_of_a_set_nests(tmp_path: Path) -> None:
    run = Run.open(save_run(tmp_path / "night" / "label", [result("a")], id="night/label"))

    folder = write_snapshot(run, tmp_path)

    assert folder == tmp_path / "baseline" / "night" / "label"
    assert list(snapshots(tmp_path)) == [("night/label", folder)]
    assert remove_snapshot(tmp_path, "night/label")
    assert not (tmp_path / "baseline" / "night").exists()
    assert not remove_snapshot(tmp_path, "night/label")


@pytest.mark.parametrize("text", ["../x", "", "/etc", "a/../b", "a/b/c"])
def test_what_is_no_id_has_no_snapshot(tmp_path: Path, text: str) -> None:
    assert kept_snapshot(tmp_path, text) is None
    with pytest.raises(RunError, match="no id of a run"):
        snapshot_folder(tmp_path, text)


def test_rows_of_a_snapshot_read_as_json(tmp_path: Path) -> None:
    folder = write_snapshot(saved(tmp_path / "base"), tmp_path)

    assert json.loads((folder / "run.json").read_text("utf-8"))["id"] == "base"
