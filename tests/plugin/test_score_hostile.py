"""Records that were damaged, edited or cut short, and revisions that go back and forth."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.runs import lock
from pytest_benchbed.runs.lock import lock_run
from tests.plugin.bench import Bench
from tests.plugin.bench import write_lines
from tests.plugin.programs import benchbed
from tests.plugin.test_score import allow
from tests.plugin.test_score import contents
from tests.plugin.test_score import edit_rows
from tests.plugin.test_score import history

BREAK = """
def _break(self, case, answer, prediction):
    raise ValueError("boom")
Toy.score_case = _break
"""


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """A repository with a benchmark of four cases."""
    return Bench(pytester).make()


def bump(bench: Bench, retired: tuple[str, ...] | None = None) -> str:
    """Raise the dataset's version, with these cases retired, and return what was printed."""
    if retired is not None:
        path = bench.dataset / "manifest.json"
        manifest = json.loads(path.read_text("utf-8"))
        manifest["retired"] = [{"id": name, "reason": "blurred", "since": "2"} for name in retired]
        path.write_text(json.dumps(manifest), "utf-8")
    done = benchbed(bench, "pin", str(bench.dataset), "--bump")
    assert done.returncode == 0, done.stdout
    return done.stdout


def without_a_row(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([lines[0], *lines[2:]])


def with_other_keys(data: bytes) -> bytes:
    rows = [json.loads(line) for line in data.splitlines()]
    rows[1]["key_parts"]["inputs"] = "0" * 64
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.mark.req("ENV-066")
def test_rows_are_made_again_of_the_replies_whatever_stands_in_their_file(bench: Bench) -> None:
    bench.record("base", {"t-002": ["row"]})
    results = bench.saved("base").paths.results
    good = results.read_bytes()
    damages = [
        without_a_row(good), with_other_keys(good), None, b"", b"{torn", b'{"case":"t-001"}\n',
    ]  # fmt: skip

    for damaged in damages:
        results.unlink()
        if damaged is not None:
            results.write_bytes(damaged)
        done = benchbed(bench, "score", "base")
        assert done.returncode == 5, done.stdout
        assert results.read_bytes() == good, damaged
    assert list(bench.saved("base").rows()) == ["t-001", "t-002", "t-003", "t-004"]


def test_rows_that_no_reply_gives_are_not_given_up(bench: Bench) -> None:
    bench.record("base", {"t-002": ["row"]})
    paths = bench.saved("base").paths
    paths.results.write_bytes(without_a_row(paths.results.read_bytes()))
    lines = paths.calls.read_bytes().splitlines(keepends=True)
    paths.calls.write_bytes(b"".join(line for line in lines if b"t-002" not in line))
    before = contents(paths.root)

    done = benchbed(bench, "score", "base")

    assert done.returncode == 2, done.stdout
    assert "replies of 3 of 4 cases only" in done.stdout
    assert contents(paths.root) == before


@pytest.mark.req("ENV-068")
def test_edited_rows_do_not_take_a_run_over_to_other_inputs(bench: Bench) -> None:
    bench.record("base")
    paths = bench.saved("base").paths

    def edit(row: dict[str, Any]) -> None:
        row["inputs"]["text"] += "!" if row["id"] == "t-002" else ""

    edit_rows(bench, "cases.jsonl", edit)
    bump(bench)
    paths.results.write_bytes(without_a_row(paths.results.read_bytes()))
    before = contents(paths.root)

    done = benchbed(bench, "score", "base", "--grown")

    assert done.returncode == 2, done.stdout
    assert "says nothing of case t-002" in done.stdout
    assert contents(paths.root) == before


@pytest.mark.req("ENV-068")
def test_a_case_that_was_retired_does_not_come_back_with_other_inputs(bench: Bench) -> None:
    bench.record("base")
    bench.record("again")
    benchbed(bench, "promote", "base", "--control=again", "--snapshot")
    bump(bench, ("t-002",))
    assert "retired" in history(bench.saved("base"))

    def edit(row: dict[str, Any]) -> None:
        row["inputs"]["text"] += "!" if row["id"] == "t-002" else ""

    edit_rows(bench, "cases.jsonl", edit)
    bump(bench)
    before = contents(bench.path / "runs")
    printed = bump(bench, ())

    assert "not taken over: run 'base'" in printed
    assert "case t-002: its inputs differ" in printed
    assert contents(bench.path / "runs") == before
    assert bench.pytest("--bench=toy").ret == 4

    def undo(row: dict[str, Any]) -> None:
        row["inputs"]["text"] = row["inputs"]["text"].removesuffix("!")

    edit_rows(bench, "cases.jsonl", undo)
    bump(bench)
    assert list(bench.saved("base").rows()) == ["t-001", "t-002", "t-003", "t-004"]
    assert bench.pytest("--bench=toy").ret == 0


def test_a_type_that_breaks_takes_no_score_away(bench: Bench) -> None:
    bench.record("base")
    benchbed(bench, "promote", "base", "--snapshot")
    whole = (bench.path / "conftest.py").read_text("utf-8")
    before = contents(bench.path / "runs"), contents(bench.path / "cases" / "toy" / "baseline")
    bench.extend(BREAK)
    allow(bench, "t-002", "row")

    printed = bump(bench)
    scored = benchbed(bench, "score", "base", "--dataset=toy-v1")

    assert "not taken over: run 'base': the scorer fails at 4 cases" in printed
    assert "ValueError" in printed
    assert scored.returncode == 2
    assert before == (
        contents(bench.path / "runs"),
        contents(bench.path / "cases" / "toy" / "baseline"),
    )
    (bench.path / "conftest.py").write_text(whole, "utf-8")
    assert benchbed(bench, "score", "base", "--dataset=toy-v1").returncode == 5


def test_a_summary_that_fails_is_on_record_once_and_goes_with_its_cause(bench: Bench) -> None:
    whole = (bench.path / "conftest.py").read_text("utf-8")
    bench.extend('\ndef _bad(self, profile, rows):\n    raise ValueError("boom")\n')
    bench.extend("Toy.summarise = _bad\n")
    bench.record("base")
    before = contents(bench.path / "runs")

    assert benchbed(bench, "score", "base").returncode == 3
    assert contents(bench.path / "runs") == before
    (bench.path / "conftest.py").write_text(whole, "utf-8")
    assert benchbed(bench, "score", "base").returncode == 5
    assert bench.saved("base").record.technical == []


@pytest.mark.req("ENV-068")
def test_two_rows_kept_without_replies_are_not_compared_over_a_corrected_answer(
    bench: Bench,
) -> None:
    benchbed(bench, "pin", str(bench.dataset), "--visibility=private")
    for name in ("base", "again"):
        bench.record(name, {"t-002": ["row"]})
    benchbed(bench, "promote", "base", "--control=again", "--snapshot")
    shutil.rmtree(bench.path / "runs")
    kept = [bench.path / "cases" / "toy" / "baseline" / name for name in ("base", "again")]
    rows = [folder.joinpath("results.jsonl").read_bytes() for folder in kept]
    allow(bench, "t-002", "row")

    printed = bump(bench)
    corrected = benchbed(bench, "gate", "base", "--baseline=again")
    allow(bench, "t-002")
    edit_rows(bench, "answers.jsonl", lambda row: row["answer"].pop("allowed", None))
    bump(bench)
    undone = benchbed(bench, "gate", "base", "--baseline=again")

    assert "unverifiable until the run is restored" in printed
    assert corrected.returncode == 4, corrected.stdout
    assert "1 case not comparable" in corrected.stdout
    assert undone.returncode == 0, undone.stdout
    assert [folder.joinpath("results.jsonl").read_bytes() for folder in kept] == rows


def test_a_case_whose_category_is_another_stays_in_the_scope_of_its_run(bench: Bench) -> None:
    def put(case: str, category: str) -> None:
        def edit(row: dict[str, Any]) -> None:
            row["category"] = category if row["id"] == case else row.get("category", "rest")

        edit_rows(bench, "cases.jsonl", edit)

    put("t-001", "small")
    put("t-002", "small")
    benchbed(bench, "pin", str(bench.dataset))
    bench.record("base")
    bench.run("--bench-unpaired", "--bench-run=part", "--bench-select=category=small")
    put("t-002", "rest")
    put("t-003", "small")
    bump(bench)

    done = benchbed(bench, "score", "part", "--grown", "--baseline=base")

    assert done.returncode == 0, done.stdout
    assert "new cases +1 (t-003)" in done.stdout
    assert "compared 2 of 2" in done.stdout.splitlines()[-1]
    run = bench.saved("part")
    assert (run.record.counts.scope, run.record.counts.selected) == (2, 2)
    assert run.rows()["t-002"]["category"] == "rest"


def test_a_snapshot_that_was_left_behind_or_edited_follows_the_run(bench: Bench) -> None:
    bench.record("base")
    bench.record("march")
    benchbed(bench, "promote", "base", "--snapshot")
    kept = bench.path / "cases" / "toy" / "baseline" / "base"
    old = {path.name: path.read_bytes() for path in kept.iterdir()}
    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')
    benchbed(bench, "score", "march", "--baseline=base")
    new = contents(kept)

    for asked in ("march", "base"):
        # As after a kill between the two copies.
        for name, data in old.items():
            kept.joinpath(name).write_bytes(data)
        assert "written" in benchbed(bench, "score", asked).stdout
        assert contents(kept) == new
        before = contents(bench.path / "runs")
        assert "no file was written" in benchbed(bench, "score", asked).stdout
        assert contents(bench.path / "runs") == before
    results = kept / "results.jsonl"
    results.write_bytes(results.read_bytes().replace(b'"quality":1', b'"quality":0'))
    refused = benchbed(bench, "score", "march")
    assert refused.returncode == 2
    assert "benchbed score base" in refused.stdout
    benchbed(bench, "score", "base")
    assert contents(kept) == new


def test_a_run_that_another_process_works_on_stops_the_whole_command(bench: Bench) -> None:
    for name in ("base", "again", "march"):
        bench.record(name)
    benchbed(bench, "promote", "base", "--control=again")
    benchbed(bench, "score", "march", "--baseline=base", "--control=again")
    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')
    before = contents(bench.path / "runs")

    for name in ("march", "base", "again"):
        with lock_run(bench.path / "runs" / name):
            done = benchbed(bench, "score", "march")
        assert done.returncode == 2, done.stdout
        assert f"runs/{name}: another process works on this run" in done.stdout.replace("\\", "/")
    assert contents(bench.path / "runs") == before

    allow(bench, "t-001", "row")
    with lock_run(bench.path / "runs" / "again"):
        printed = bump(bench)
    assert "promoted run base: 4 cases" in printed
    assert printed.endswith("then: benchbed score again --dataset=toy-v1\n")


@pytest.mark.req("ENV-011")
def test_diff_is_no_pass_where_a_reply_is_missing_or_the_rows_are_edited(bench: Bench) -> None:
    bench.record("base", {"t-002": ["row"]})
    paths = bench.saved("base").paths
    calls, rows = paths.calls.read_bytes(), paths.results.read_bytes()
    lines = calls.splitlines(keepends=True)

    paths.calls.write_bytes(b"".join(line for line in lines if b"t-002" not in line))
    without = benchbed(bench, "score", "--diff", "base")
    paths.calls.write_bytes(calls)
    paths.results.write_bytes(rows.replace(b'"quality":0', b'"quality":1'))
    edited = benchbed(bench, "score", "--diff", "base")

    assert (without.returncode, edited.returncode) == (2, 2)
    assert "has no reply of 1 case (t-002)" in without.stdout
    assert "was edited after the run was written" in edited.stdout


def test_an_empty_name_of_a_baseline_is_refused(bench: Bench) -> None:
    bench.record("base")

    for word in ("--baseline=", "--control="):
        done = benchbed(bench, "score", "base", word)
        assert done.returncode == 2
        assert "name a run" in done.stdout


def test_a_snapshot_that_a_killed_writer_had_moved_away_is_put_back(bench: Bench) -> None:
    bench.record("base")
    bench.record("march")
    benchbed(bench, "promote", "base", "--snapshot")
    benchbed(bench, "score", "march", "--baseline=base")
    folder = bench.path / "cases" / "toy"
    before = contents(folder)
    kept = folder / "baseline" / "base"

    for words in (["score", "march"], ["score", "base"], ["promote", "base"]):
        kept.rename(kept.with_name(".base.0123abcd.tmp"))
        half = kept.with_name(".base.4567cdef.tmp")
        half.mkdir()
        half.joinpath("results.jsonl").write_bytes(b"half")
        if words[0] == "promote":
            folder.joinpath(".bench.json.89abcdef.tmp").write_bytes(b"half")
        done = benchbed(bench, *words)
        assert done.returncode in (0, 5), done.stdout
        assert contents(folder) == before, words


def test_a_bench_file_keeps_the_line_ends_that_people_gave_it(bench: Bench) -> None:
    bench.record("base")
    path = bench.path / "cases" / "toy" / "bench.json"
    path.write_bytes(b'{\r\n  "adapters" : { "other:X": {} },\r\n  "dataset":"toy-v1"\r\n}\r\n')

    done = benchbed(bench, "promote", "base")

    assert done.returncode == 0, done.stderr
    text = path.read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n") > 8
    assert json.loads(text)["adapters"]["toy_adapter:Toy"]["baseline"] == "base"


def test_replies_of_another_run_are_not_taken_for_those_of_this_one(bench: Bench) -> None:
    bench.record("base")
    bench.record("change", {"t-002": ["row"]})
    paths = bench.saved("change").paths
    paths.calls.write_bytes(bench.saved("base").paths.calls.read_bytes())
    before = contents(paths.root)

    done = benchbed(bench, "score", "change", "--baseline=base")

    assert done.returncode == 2, done.stdout
    assert "reply to case t-001 is of another call than the row in results.jsonl" in done.stdout
    assert contents(paths.root) == before


def test_a_run_that_cannot_be_locked_is_refused_with_what_helps(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.record("base")
    remedies = {errno.EROFS: "work on a copy of it", errno.ENOLCK: "--bench-runs-dir"}

    for number, remedy in remedies.items():

        def fail(_: Path, number: int = number) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(lock, "try_lock", fail)
        done = benchbed(bench, "score", "base")
        assert done.returncode == 2
        assert remedy in done.stdout


def test_replies_that_cannot_be_read_or_are_gone_are_told(bench: Bench) -> None:
    bench.record("base")
    paths = bench.saved("base").paths
    paths.calls.unlink()
    gone = benchbed(bench, "score", "base")
    paths.calls.mkdir()
    unreadable = benchbed(bench, "score", "base")

    assert gone.returncode == 5
    assert "no reply at hand for 4 cases: as it was on record" in gone.stdout
    assert unreadable.returncode == 2
    assert "calls.jsonl: cannot be read" in unreadable.stdout


def test_a_field_that_a_row_of_an_older_record_lacks_is_named(bench: Bench) -> None:
    bench.record("base")
    paths = bench.saved("base").paths
    record = json.loads(paths.run.read_text("utf-8"))
    del record["results_sha256"]
    paths.run.write_text(json.dumps(record), "utf-8")
    whole = paths.results.read_bytes()

    for field in ("key_parts", "keys", "quality", "category", "x", "metrics"):
        rows = [json.loads(line) for line in whole.splitlines()]
        del rows[1][field]
        write_lines(paths.results, rows)
        done = benchbed(bench, "gate", "base")
        assert done.returncode == 2, done.stdout
        assert f"results.jsonl:2: case 't-002': field {field}" in done.stdout


@pytest.mark.req("ENV-068")
def test_a_revision_in_another_folder_is_taken_by_its_path(bench: Bench) -> None:
    bench.record("base", {"t-002": ["row"]})
    other = bench.path / "otra revisión"
    shutil.copytree(bench.dataset, other)
    bench.dataset = other
    allow(bench, "t-002", "row")
    bump(bench)

    done = benchbed(bench, "score", "base", "--dataset=otra revisión")

    assert done.returncode == 5, done.stdout
    assert "taken over from version 1 of toy-v1 to 2" in done.stdout
    assert bench.saved("base").rows()["t-002"]["errors"]["main"] == []
