"""``benchbed promote``: after it a bare ``--bench=NAME`` knows its baseline."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.runs.status import write_record
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.inside import gate
from tests.plugin.inside import promote
from tests.plugin.inside import runs
from tests.plugin.programs import command

ADAPTER = "toy_adapter:Toy"


def bench_file(bench: Bench) -> Path:
    return bench.dataset.parent / "bench.json"


def written(bench: Bench) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(bench_file(bench).read_text("utf-8"))
    return whole


def change(bench: Bench, run_id: str, **changes: Any) -> None:
    """Change fields of a saved run's record."""
    run = bench.saved(run_id)
    write_record(run.path, run.record.model_copy(update=changes))


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.req("ENV-099", "ENV-100", "ENV-101")
def test_a_promoted_run_is_all_that_a_bare_name_needs(bench: Bench) -> None:
    bench.record("base", {"t-001": ["cell"]})
    bench.record("again", {"t-001": ["cell"]})

    code, out = promote(bench, "base", controls=["again"])

    assert code == 0
    assert out.splitlines() == [
        f"promoted: base is the baseline of adapter {ADAPTER} in cases/toy/bench.json",
        "  controls: again",
        "  controls 1 · unstable 0 of 4 · unjudged 0 % · false alarm est. 0 % (95 % limit 53 %) · "
        "r 0",
        "  smallest change seen: 1 case broken every time; spread-out: 1 of 4 judged cases",
        "  A/A, each control as if it were a change: strict red 0 of 1",
        "  next: pytest --bench=toy",
    ]
    assert written(bench) == {
        "schema": "benchbed.bench.v1",
        "dataset": "toy-v1",
        "adapter": ADAPTER,
        "adapters": {ADAPTER: {"baseline": "base", "controls": ["again"]}},
    }
    bench.answers({"t-001": ["cell"], "t-002": ["row"]})
    result = bench.pytest("--bench=toy", "--bench-run=next")
    assert last_line(result).startswith("benchbed: gate FAILED: 1 regression")
    record = bench.saved("next").record
    assert record.baseline is not None
    assert (record.baseline.id, [one.id for one in record.controls]) == ("base", ["again"])


@pytest.mark.req("ENV-103")
def test_the_header_names_the_promoted_runs_in_a_command_that_pastes(bench: Bench) -> None:
    bench.record("base")
    bench.record("again")
    promote(bench, "base", controls=["again"])

    plain = bench.pytest("--bench=toy", "--collect-only")
    [line] = [line for line in plain.outlines if "stands for: " in line]
    pasted = shlex.split(line.split("stands for: ", 1)[1])
    again = bench.pytest(*pasted[1:], "--collect-only")

    assert {"--baseline=runs/base", "--bench-control=runs/again"} <= set(pasted)
    assert line in again.outlines
    assert bench.calls() == []


@pytest.mark.req("ENV-101")
def test_controls_come_later_and_a_former_baseline_is_history(bench: Bench) -> None:
    for run_id in ("base", "c1", "c2", "new"):
        bench.record(run_id)
    promote(bench, "base", controls=["c1"])

    _, added = promote(bench, "base", controls=["c2"])
    one, before = written(bench), tree(bench.path)
    _, nothing = promote(bench, "base", controls=["c1"], reason="again")
    after = tree(bench.path)
    _, other = promote(bench, "new", reason="a better prompt")

    assert "  controls: c1, c2; c2 added" in added
    assert one["adapters"][ADAPTER] == {"baseline": "base", "controls": ["c1", "c2"]}
    assert nothing.startswith("already promoted: base is ")
    assert after == before
    assert "the former baseline base stays in its history" in other
    entry = written(bench)["adapters"][ADAPTER]
    [event] = entry.pop("history")
    assert entry == {"baseline": "new", "controls": []}
    assert event.pop("at").startswith("20")
    assert event == {"baseline": "base", "controls": ["c1", "c2"], "reason": "a better prompt"}


def test_only_the_entry_of_the_adapter_changes(bench: Bench) -> None:
    bench.answers()
    text = (
        '{"budget_usd": 2.50,\n "adapters": {"mine": {"entry": "toy_adapter:Toy", "model": "m"},\n'
        '  "other": {"options": {"a":1}}}, "rule": "strict"}\n'
    )
    bench_file(bench).write_text(text, "utf-8")
    bench.record("base")

    _, out = promote(bench, "base")

    assert f"baseline of adapter mine in {Path('cases/toy/bench.json')}" in out
    assert "  next: pytest --bench=toy --bench-adapter=mine" in out
    assert "noise unknown: no control run" in out
    assert "  add a control: pytest --bench=toy --bench-unpaired --bench-run=base-control-1" in out
    head, tail = bench_file(bench).read_text("utf-8").split('{\n      "entry"')
    assert text.startswith(head)
    assert text.endswith(tail[tail.index('},\n  "other"') + 1 :])
    assert written(bench)["adapters"]["mine"] == {
        "entry": ADAPTER,
        "model": "m",
        "baseline": "base",
        "controls": [],
    }


@pytest.mark.req("ENV-101")
def test_what_is_no_whole_run_of_the_present_dataset_is_refused(bench: Bench) -> None:
    bench.record("base")
    bench.run("--bench-unpaired", "--bench-run=some", "-k", "t-001")
    bench.record("broken", {"t-002": "raise"})
    bench.record("other", version="2.0")
    before = tree(bench.path)

    refusals = {
        "partial": promote(bench, "some"),
        "technical": promote(bench, "broken"),
        "foreign": promote(bench, "base", controls=["other"]),
        "itself": promote(bench, "base", controls=["runs/base"]),
        "unknown": promote(bench, "bse"),
        "blank": promote(bench, "base", reason=" "),
    }
    after = tree(bench.path)
    bench.dataset.joinpath("manifest.json").write_text(
        (bench.dataset / "manifest.json").read_text("utf-8").replace('"1"', '"2"'), "utf-8"
    )
    refusals["revision"] = promote(bench, "base")

    words = {
        "partial": "baseline 'some' cannot be promoted: it is partial: 1 of 4 cases",
        "technical": "baseline 'broken' cannot be promoted: 1 technical failure",
        "foreign": "control 'other' is of another system than baseline 'base': version",
        "itself": "run 'base' is named twice",
        "unknown": "unknown run 'bse'. Did you mean 'base'?",
        "blank": "--reason is empty",
        "revision": 'another dataset version: "1", what is registered now "2"',
    }
    assert {name: code for name, (code, _) in refusals.items()} == dict.fromkeys(words, 2)
    for name, part in words.items():
        assert part in refusals[name][1]
    assert after == before
    assert not bench_file(bench).exists()


@pytest.mark.req("ENV-101")
def test_a_failed_gate_needs_a_reason_and_strict_refuses_a_dirty_tree(bench: Bench) -> None:
    bench.record("base")
    bench.answers({"t-001": ["cell"]})
    bench.run("--baseline=base", "--bench-run=worse")
    source = {"commit": "0123456789ab", "branch": None, "dirty": True}
    adapter = bench.saved("worse").record.adapter
    change(bench, "worse", adapter=adapter.model_validate({**adapter.to_json(), "source": source}))

    bare = promote(bench, "worse")
    strict = promote(bench, "worse", strict=True, reason="the answer was wrong")
    reasoned = promote(bench, "worse", reason="the answer was wrong")

    assert (bare[0], strict[0], reasoned[0]) == (2, 2, 0)
    assert "its gate failed" in bare[1]
    assert "with --strict: its working tree was changed" in strict[1]
    assert "warning: baseline worse was made in a changed working tree" in reasoned[1]
    [event] = written(bench)["adapters"][ADAPTER]["history"]
    assert (event["baseline"], event["reason"]) == (None, "the answer was wrong")


@pytest.mark.req("ENV-101")
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_fresh_clone_decides_alike_from_the_snapshots(bench: Bench, visibility: str) -> None:
    if visibility == "private":
        manifest = bench.dataset / "manifest.json"
        manifest.write_text(manifest.read_text("utf-8").replace("public", "private"), "utf-8")
    bench.record("base", {"t-001": ["cell"]})
    bench.record("again", {"t-001": ["cell"], "t-003": ["noise"]})
    _, out = promote(bench, "base", controls=["again"], snapshot=True)
    bench.answers({"t-001": ["cell"], "t-002": ["row"]})
    bench.pytest("--bench=toy", "--bench-run=next")
    here = gate(bench, "next")

    for run_id in ("base", "again"):
        shutil.rmtree(bench.path / "runs" / run_id)
    clone = gate(bench, "next")
    alone = gate(bench, "base")
    session = bench.pytest("--bench=toy", "--bench-run=later")
    again = promote(bench, "base", snapshot=True)

    kept = bench.dataset.parent / "baseline"
    assert f"snapshots: 2 runs, {sum(map(len, tree(kept).values()))} bytes in cases/toy/" in out
    assert ("base/calls.jsonl" in tree(kept)) is (visibility == "public")
    assert (b"SECRET" in b"".join(tree(kept).values())) is (visibility == "public")
    assert here == clone
    assert here[0] == 1
    assert alone[0] == 5
    assert last_line(session) == here[1].splitlines()[-1]
    assert again[1].startswith("already promoted: base is ")
    assert [line.split()[-1] for line in runs(bench).splitlines() if "snapshot" in line] == [
        "snapshot",
        "snapshot",
    ]


def test_snapshots_of_a_former_baseline_go(bench: Bench) -> None:
    for run_id in ("base", "c1", "new"):
        bench.record(run_id)
    promote(bench, "base", controls=["c1"], snapshot=True)

    _, out = promote(bench, "new", controls=["c1"], snapshot=True)

    assert "snapshots removed: base (a commit or a run has them)" in out
    kept = bench.dataset.parent / "baseline"
    assert sorted(path.name for path in kept.iterdir()) == ["c1", "new"]
    listed = {line.split()[0]: line for line in runs(bench).splitlines()}
    assert f"baseline of {ADAPTER}" in listed["new"]
    assert f"control of {ADAPTER}" in listed["c1"]
    assert listed["base"].endswith("baseline required")


def test_a_former_snapshot_that_nothing_else_has_stays_until_it_is_committed(bench: Bench) -> None:
    for run_id in ("base", "new", "newer"):
        bench.record(run_id)
    promote(bench, "base", snapshot=True)
    shutil.rmtree(bench.path / "runs" / "base")

    _, uncommitted = promote(bench, "new", snapshot=True)
    for words in (
        ["init", "-q"],
        ["add", "cases"],
        ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "all"],
    ):
        subprocess.run(["git", *words], cwd=bench.path, check=True)
    _, committed = promote(bench, "newer", snapshot=True)

    assert "snapshots kept: base (no commit has them): remove them by hand" in uncommitted
    assert "snapshots removed: base, new" in committed


def test_another_run_of_the_same_id_and_a_run_elsewhere_are_refused(bench: Bench) -> None:
    bench.record("base")
    promote(bench, "base", snapshot=True)
    shutil.rmtree(bench.path / "runs" / "base")
    bench.record("base")
    bench.record("far").path.rename(bench.path / "far")

    same_id = promote(bench, "base", snapshot=True)
    elsewhere = promote(bench, "far")
    kept = promote(bench, "far", snapshot=True)

    assert (same_id[0], elsewhere[0], kept[0]) == (2, 2, 0)
    assert "another run 'base' is kept in" in same_id[1]
    assert "where a session does not look for it" in elsewhere[1]


def test_edited_replies_are_not_promoted(bench: Bench) -> None:
    run = bench.record("base", {"t-001": ["cell"]})
    text = run.paths.calls.read_bytes()
    run.paths.calls.write_bytes(text.replace(b"cell", b"cull"))

    code, out = promote(bench, "base", snapshot=True)

    assert code == 2
    assert "calls.jsonl" in out
    assert "differs from its sha256" in out
    assert not (bench.dataset.parent / "baseline").exists()


@pytest.mark.req("ENV-102")
def test_an_adapter_without_a_promoted_baseline_is_told_what_to_do(bench: Bench) -> None:
    bench.record("base")
    promote(bench, "base")
    (bench.path / "other.py").write_text(
        'def predict(case):\n    return {"main": [], "side": []}\n', "utf-8"
    )

    result = bench.pytest("--bench=toy", "--bench-adapter=other:predict", "--bench-run=first")

    result.stdout.fnmatch_lines(
        [
            "benchbed: no baseline (first run: --bench-unpaired, then benchbed promote RUN) *",
            f"benchbed: no baseline is promoted for adapter other:predict (only for {ADAPTER}): *",
            "  next: benchbed promote runs/first",
            "benchbed: gate BASELINE REQUIRED: *benchbed promote RUN",
        ]
    )
    promote(bench, "runs/first")
    entries = written(bench)["adapters"]
    assert {name: entry["baseline"] for name, entry in entries.items()} == {
        ADAPTER: "base",
        "other:predict": "first",
    }
    again = bench.pytest("--bench=toy", "--bench-adapter=other:predict")
    assert last_line(again).startswith("benchbed: gate PASSED: ")


def test_a_promoted_run_that_is_nowhere_or_of_another_adapter_is_one_line(bench: Bench) -> None:
    bench.record("base")
    promote(bench, "base")
    text = bench_file(bench).read_text("utf-8")
    bench_file(bench).write_text(text.replace('"base"', '"gone"'), "utf-8")
    gone = bench.pytest("--bench=toy")
    bench_file(bench).write_text(text.replace(ADAPTER, "reference"), "utf-8")
    foreign = bench.pytest("--bench=toy")
    aside = bench.pytest("--bench=toy", "--bench-unpaired", "--collect-only")

    assert gone.ret == foreign.ret == pytest.ExitCode.USAGE_ERROR
    [line] = [line for line in gone.errlines if "gone" in line]
    for words in ("bench.json: adapter", "'gone' is neither in", "Restore it", "--bench-unpaired"):
        assert words in line
    foreign.stderr.fnmatch_lines(
        [f"*adapter 'reference': its baseline 'base' is a run of adapter '{ADAPTER}'*"]
    )
    assert aside.ret == 0
    assert bench.calls() == []


def test_a_mix_says_what_came_from_where_and_an_id_finds_a_snapshot(bench: Bench) -> None:
    bench.record("base")
    bench.record("c1")
    promote(bench, "base", controls=["c1"], snapshot=True)
    for run_id in ("base", "c1"):
        shutil.rmtree(bench.path / "runs" / run_id)
    bench.record("c2")

    mixed = bench.pytest("--bench=toy", "--bench-control=c2", "--collect-only")
    typed = bench.pytest("--bench=toy", "--baseline=c1", "--collect-only")

    mixed.stdout.fnmatch_lines(
        ["benchbed: baseline base from the bench file, controls from the command line"]
    )
    typed.stdout.fnmatch_lines(
        [
            "benchbed: baseline c1 from the command line; baseline base of the bench file is set "
            "aside with 1 control",
            "*--baseline=cases/toy/baseline/c1*",
        ]
    )


def test_a_path_that_was_typed_below_the_root_is_found_from_everywhere(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.pytester.makeini("[pytest]\n")
    tools = bench.path / "tools"
    tools.mkdir()
    (bench.path / "toy_adapter.py").rename(tools / "mine.py")
    monkeypatch.chdir(tools)
    bench.pytest(
        "--bench=toy", "--bench-adapter=mine.py:Toy", "--bench-unpaired", "--bench-run=base"
    )
    code, out = promote(bench, "base")
    monkeypatch.chdir(bench.path)
    result = bench.pytest("--bench=toy")

    assert code == 0, out
    assert written(bench)["adapters"]["mine.py:Toy"]["entry"] == "tools/mine.py:Toy"
    assert last_line(result).startswith("benchbed: gate PASSED: ")


@pytest.mark.req("ENV-101")
def test_the_command_promotes_and_refuses(bench: Bench) -> None:
    bench.record("base")
    bench.record("c1")

    done = command(bench, "promote", "base", "--control=c1", "--snapshot", "--strict")
    refused = command(bench, "promote", "base", "--control=base")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"promoted: base is the baseline of adapter {ADAPTER} in ")
    assert refused.returncode == 2
    assert refused.stderr.startswith("benchbed: run 'base' is named twice")
