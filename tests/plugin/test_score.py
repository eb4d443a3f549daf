"""``benchbed score``: saved runs scored again, re-paired and taken over to a corrected dataset."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.runs.read import Run
from tests.plugin.bench import Bench
from tests.plugin.bench import write_lines
from tests.plugin.programs import benchbed
from tests.plugin.programs import command
from tests.plugin.programs import posix_only
from tests.plugin.programs import write_executable

Edit = Callable[[dict[str, Any]], None]


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """A repository with a benchmark of four cases."""
    return Bench(pytester).make()


def edit_rows(bench: Bench, name: str, edit: Edit) -> None:
    """Change the rows of a file of the dataset."""
    path = bench.dataset / name
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        edit(row)
    write_lines(path, rows)


def allow(bench: Bench, case: str, *names: str) -> None:
    """Correct the answer of a case: these errors are none."""

    def edit(row: dict[str, Any]) -> None:
        if row["id"] == case:
            row["answer"]["allowed"] = list(names)

    edit_rows(bench, "answers.jsonl", edit)


def no_process(bench: Bench) -> None:
    """Make every start of a process in a ``benchbed`` command fail."""
    bench.extend(
        """
import os as _os
import subprocess as _subprocess
import sys as _sys

if "score" in _sys.argv or "gate" in _sys.argv or "pin" in _sys.argv:
    def _refuse(event, args):
        if event in ("subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.system"):
            # Version control may be asked what a revision changed.
            if not str(args[0]).endswith("git"):
                _os.write(2, b"A PROCESS WAS STARTED: %r" % (args,))
                _os._exit(99)
    _sys.addaudithook(_refuse)
"""
    )


def contents(root: Path) -> dict[str, str]:
    """Return the digest of every file below a folder."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "run.lock"
    }


def history(run: Run) -> list[str]:
    return [entry.what for entry in run.record.history]


@pytest.mark.req("ENV-066", "ENV-095")
def test_a_changed_formula_is_applied_to_saved_replies_without_a_process(bench: Bench) -> None:
    bench.record("base")
    bench.record("change", {"t-002": ["row"]})
    bench.extend(
        """
Toy.scoring_version = "benchbed.toy.scores.v2"
_old = Toy.score_case
Toy.score_case = lambda self, case, answer, prediction: (
    _old(self, case, answer, {**prediction, "main": ["all"]})
)
"""
    )
    no_process(bench)
    before = contents(bench.path / "runs" / "change" / "adapter")

    done = command(bench, "score", "change", "--baseline=base")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "(was benchbed.toy.scores.v1)" in done.stdout
    assert "PASSED" in done.stdout.splitlines()[-1]
    for name in ("base", "change"):
        run = bench.saved(name)
        assert run.record.benchmark.scoring_version == "benchbed.toy.scores.v2"
        assert run.record.counts.scored == 4
        rows = run.rows()
        assert [[error["where"] for error in row["errors"]["main"]] for row in rows.values()] == [
            [{"at": "all"}]
        ] * 4
        assert run.metrics["scoring_version"] == "benchbed.toy.scores.v2"
        rescored = next(entry for entry in run.record.history if entry.what == "rescored")
        assert rescored.from_ == {"scoring_version": "benchbed.toy.scores.v1"}
        assert rescored.to["scoring_version"] == "benchbed.toy.scores.v2"
        assert len(rescored.to["changed"]) == 4
    assert contents(bench.path / "runs" / "change" / "adapter") == before
    assert bench.calls() == []


@pytest.mark.req("ENV-011")
def test_runs_of_two_formulas_are_paired_only_when_both_were_scored_again(bench: Bench) -> None:
    bench.record("base")
    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')

    refused = bench.run("--baseline=base", "--bench-run=change")
    scored = benchbed(bench, "score", "base")
    paired = bench.run("--baseline=base", "--bench-run=change")

    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert scored.returncode == 5
    assert paired.ret == 0


@pytest.mark.req("ENV-067")
def test_a_run_is_paired_with_another_baseline_target_and_profile(bench: Bench) -> None:
    bench.record("old", {"t-002": ["row"], "t-003": {"main": [], "side": ["x"]}})
    bench.record("base")
    bench.record("control")
    bench.record("change", {"t-002": ["row"]})

    passed = benchbed(bench, "score", "change", "--baseline=old")
    targeted = benchbed(bench, "score", "change", "--baseline=old", "--target=t-002")
    failed = benchbed(bench, "score", "change", "--baseline=base", "--control=control")
    side = benchbed(bench, "score", "change", "--baseline=old", "--gate=side")

    assert [done.returncode for done in (passed, targeted, failed, side)] == [0, 1, 1, 0]
    record = bench.saved("change").record
    assert record.gate is not None
    assert (record.gate.profile, record.gate.status) == ("side", "passed")
    assert record.baseline is not None
    assert record.baseline.id == "old"
    assert history(bench.saved("change")) == ["re-paired"] * 4
    page = (bench.path / "runs" / "change" / "report.html").read_text("utf-8")
    assert "old" in page


def test_scoring_again_with_nothing_new_changes_no_file(bench: Bench) -> None:
    bench.record("base")
    bench.answers({"t-002": ["row"]})
    bench.run("--baseline=base", "--bench-run=change")
    before = contents(bench.path / "runs")

    done = benchbed(bench, "score", "change")

    assert done.returncode == 1
    assert "nothing changed, no file was written" in done.stdout
    assert contents(bench.path / "runs") == before


def test_the_comparison_is_written_again_only_for_other_answers_or_runs(bench: Bench) -> None:
    """It holds answers and replies, and no score: a changed formula leaves it as it is."""
    bench.record("old")
    bench.record("base", {"t-002": ["row"]})
    bench.run("--baseline=base", "--bench-run=change")
    path = bench.path / "runs" / "change" / "comparison.jsonl"
    whole = path.read_bytes()
    kept = whole.replace(b"SECRET-t-003", b"kept")
    path.write_bytes(kept)

    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')
    assert benchbed(bench, "score", "change").returncode == 0
    assert path.read_bytes() == kept

    assert benchbed(bench, "score", "change", "--baseline=old").returncode == 1
    assert path.read_bytes() == whole.replace(
        b'"baseline":{"main":["row"]', b'"baseline":{"main":[]'
    )


@pytest.mark.parametrize(
    "damaged", [lambda whole: whole[:-30], lambda whole: whole.replace(b"SECRET-t-002", b'"')]
)
def test_a_damaged_comparison_is_made_again(
    bench: Bench, damaged: Callable[[bytes], bytes]
) -> None:
    bench.record("base")
    bench.answers({"t-002": ["row"]})
    bench.run("--baseline=base", "--bench-run=change")
    path = bench.path / "runs" / "change" / "comparison.jsonl"
    whole = path.read_bytes()
    path.write_bytes(damaged(whole))

    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')
    assert benchbed(bench, "score", "change").returncode == 1
    assert path.read_bytes() == whole


@pytest.mark.req("ENV-068")
def test_a_corrected_answer_takes_run_baseline_and_controls_over(bench: Bench) -> None:
    replies = {"t-002": ["row"]}
    bench.record("base", replies)
    bench.record("control", replies)
    bench.answers({"t-002": ["row"], "t-003": ["cell"]})
    bench.run("--baseline=base", "--bench-control=control", "--bench-run=change")
    bench.log.unlink()
    allow(bench, "t-003", "cell")
    assert benchbed(bench, "pin", str(bench.dataset), "--bump").returncode == 0
    no_process(bench)

    unasked = benchbed(bench, "score", "change")
    done = benchbed(bench, "score", "change", "--dataset=toy-v1")

    assert unasked.returncode == 2
    assert "--dataset=toy-v1" in unasked.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answers corrected 1 (t-003)" in done.stdout
    assert "results changed 1 (t-003)" in done.stdout
    for name in ("base", "control", "change"):
        run = bench.saved(name)
        assert run.record.dataset.version == "2"
        assert "re-keyed" in history(run)
        assert run.rows()["t-003"]["errors"]["main"] == []
        assert run.rows()["t-002"]["errors"]["main"] != []
    lines = (bench.path / "runs" / "change" / "comparison.jsonl").read_text("utf-8").splitlines()
    row = next(json.loads(line) for line in lines if '"case":"t-003"' in line)
    assert row["answer"]["allowed"] == ["cell"]
    assert len(row["predictions"]["controls"]) == 1
    assert bench.calls() == []
    assert bench.gate_code("change") == 0


@pytest.mark.req("ENV-068")
@pytest.mark.parametrize("may_grow", [False, True])
def test_changed_inputs_are_refused_with_the_case(bench: Bench, may_grow: bool) -> None:
    bench.record("base")

    def edit(row: dict[str, Any]) -> None:
        row["inputs"]["text"] += "!" if row["id"] == "t-003" else ""

    edit_rows(bench, "cases.jsonl", edit)
    benchbed(bench, "pin", str(bench.dataset), "--bump")
    before = contents(bench.path / "runs")

    done = benchbed(bench, "score", "base", "--dataset=toy-v1", *["--grown"] * may_grow)

    assert done.returncode == 2
    assert "case t-003: its inputs differ" in done.stdout
    assert "version 1 cannot be taken over to version 2" in done.stdout
    assert contents(bench.path / "runs") == before


def test_a_changed_file_is_named(bench: Bench) -> None:
    (bench.dataset / "page.txt").write_text("one", "utf-8")
    edit_rows(bench, "cases.jsonl", lambda row: row.update(files=["page.txt"]))
    benchbed(bench, "pin", str(bench.dataset))
    bench.record("base")
    (bench.dataset / "page.txt").write_text("two", "utf-8")
    benchbed(bench, "pin", str(bench.dataset), "--bump")

    done = benchbed(bench, "score", "base", "--dataset=toy-v1")

    assert done.returncode == 2
    assert "case t-001: file page.txt was changed (as in t-002, t-003, t-004)" in done.stdout


@pytest.mark.req("ENV-068", "ENV-082")
def test_a_removed_case_is_refused_and_a_retired_one_follows(bench: Bench) -> None:
    bench.record("base", {"t-004": ["row"]})
    manifest = bench.dataset / "manifest.json"
    value = json.loads(manifest.read_text("utf-8"))
    value["retired"] = [{"id": "t-004", "reason": "illegible", "since": "2"}]
    manifest.write_text(json.dumps(value), "utf-8")
    benchbed(bench, "pin", str(bench.dataset), "--bump")

    done = benchbed(bench, "score", "base", "--dataset=toy-v1")

    assert done.returncode == 5, done.stdout
    assert "  retired 1 (t-004)\n" in done.stdout
    run = bench.saved("base")
    assert list(run.rows()) == ["t-001", "t-002", "t-003"]
    assert (run.record.counts.scope, run.record.counts.retired) == (3, 1)
    bench.answers()
    assert bench.run("--baseline=base", "--bench-run=change").ret == 0
    assert bench.gate_code("change") == 0

    # Taken back, its reply is still there.
    value = json.loads(manifest.read_text("utf-8"))
    value["retired"] = []
    manifest.write_text(json.dumps(value), "utf-8")
    benchbed(bench, "pin", str(bench.dataset), "--bump")
    assert benchbed(bench, "score", "base", "--dataset=toy-v1").returncode == 5
    assert list(bench.saved("base").rows()) == ["t-001", "t-002", "t-003", "t-004"]

    for name in ("cases.jsonl", "answers.jsonl"):
        path = bench.dataset / name
        path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:3]), "utf-8")
    benchbed(bench, "pin", str(bench.dataset), "--bump")
    gone = benchbed(bench, "score", "base", "--dataset=toy-v1", "--grown")
    assert gone.returncode == 2
    assert "has no case t-004 any more" in gone.stdout


@pytest.mark.req("ENV-068")
def test_added_cases_are_new_and_not_judged(bench: Bench) -> None:
    bench.record("base")
    bench.record("change")
    for name, row in (
        ("cases.jsonl", {"id": "t-005", "inputs": {"text": "five"}}),
        ("answers.jsonl", {"id": "t-005", "answer": {"text": "x"}, "canary": "c0ffee" * 5 + "42"}),
    ):
        with (bench.dataset / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    benchbed(bench, "pin", str(bench.dataset), "--bump")

    refused = benchbed(bench, "score", "change", "--baseline=base", "--dataset=toy-v1")
    grown = benchbed(bench, "score", "change", "--baseline=base", "--grown")

    assert refused.returncode == 2
    assert "it adds t-005" in refused.stdout
    assert "--grown" in refused.stdout
    assert grown.returncode == 0, grown.stdout
    assert "compared 4 of 4" in grown.stdout
    assert "new 1" in grown.stdout
    bench.answers({"t-005": ["row"]})
    live = bench.run("--baseline=base", "--bench-run=live")
    assert live.ret == 0
    live.assert_outcomes(passed=4, xfailed=1)
    assert bench.gates("live")["main"]["coverage"]["new"] == ["t-005"]
    assert bench.run("--baseline=base", "--bench-target=t-005").ret == 1


def test_only_a_completed_run_is_scored(bench: Bench) -> None:
    bench.record("base")
    path = bench.path / "runs" / "base" / "run.json"
    value = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**value, "status": "interrupted"}), "utf-8")

    done = benchbed(bench, "score", "base")

    assert done.returncode == 2
    assert "--bench-resume=base" in done.stdout


def test_edited_replies_are_refused_and_rows_left_half_written_are_made_again(
    bench: Bench,
) -> None:
    bench.record("base", {"t-002": ["row"]})
    folder = bench.path / "runs" / "base"
    results = folder / "results.jsonl"
    good = results.read_bytes()
    results.write_bytes(good.replace(b'"quality":0', b'"quality":1'))

    healed = benchbed(bench, "score", "base")

    assert healed.returncode == 5, healed.stdout
    assert "results.jsonl was not that of its record: made again\n" in healed.stdout
    assert results.read_bytes() == good

    calls = folder / "calls.jsonl"
    calls.write_bytes(calls.read_bytes().replace(b"row", b"cel"))
    before = contents(folder)
    edited = benchbed(bench, "score", "base")
    assert edited.returncode == 2
    assert "calls.jsonl:" in edited.stdout
    assert contents(folder) == before


@posix_only
def test_replies_of_an_executable_and_repeats_are_scored_again(bench: Bench) -> None:
    write_executable(bench, 'predictions["t-002"] = {"main": ["row"], "side": []}')
    bench.pytest("--bench=toy", "--bench-adapter=./system", "--bench-run=batch", "--bench-unpaired")
    bench.answers({"t-001": {"attempts": [[], ["row"], []]}}, paid=False)
    bench.run("--bench-repeats=3", "--bench-run=thrice", "--bench-unpaired")
    before = {name: bench.saved(name).rows() for name in ("batch", "thrice")}
    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')

    for name in ("batch", "thrice"):
        assert benchbed(bench, "score", name).returncode == 5
        after = bench.saved(name).rows()
        for case, row in after.items():
            assert row["errors"] == before[name][case]["errors"]
            assert row.get("repeats") == before[name][case].get("repeats")
            assert row["x"] == before[name][case]["x"]
            assert row["keys"] != before[name][case]["keys"]
    assert len(after["t-001"]["repeats"]) == 3


def test_declined_technical_and_unsupported_cases_stay_what_they_are(bench: Bench) -> None:
    bench.record("base", {"t-001": "decline", "t-002": "raise", "t-003": "shape"})
    before = bench.saved("base")
    states = [row["state"] for row in before.rows().values()]
    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')

    done = benchbed(bench, "score", "base")

    assert done.returncode == 3, done.stdout
    after = bench.saved("base")
    assert [row["state"] for row in after.rows().values()] == states
    assert sorted(one.to_json().items() for one in after.record.technical) == sorted(
        one.to_json().items() for one in before.record.technical
    )
    assert after.record.counts == before.record.counts


def test_a_scorer_that_was_repaired_gives_its_cases_a_score(bench: Bench) -> None:
    bench.extend(
        """
_good = Toy.score_case
def _bad(self, case, answer, prediction):
    if case.id == "t-002":
        raise ValueError("a fault of the scorer")
    return _good(self, case, answer, prediction)
Toy.score_case = _bad
"""
    )
    bench.record("base")
    assert bench.saved("base").record.counts.technical == 1
    bench.extend("\nToy.score_case = _good\n")

    done = benchbed(bench, "score", "base")

    assert done.returncode == 5
    record = bench.saved("base").record
    assert (record.counts.scored, record.counts.technical) == (4, 0)
    assert record.technical == []


@pytest.mark.req("ENV-011")
def test_diff_fails_if_errors_changed_under_one_scoring_version(bench: Bench) -> None:
    bench.record("base", {"t-002": ["row"]})
    before = contents(bench.path / "runs")

    same = benchbed(bench, "score", "--diff", "base")
    bench.extend(
        """
_old = Toy.score_case
Toy.score_case = lambda self, case, answer, prediction: (
    _old(self, case, answer, {**prediction, "main": []})
)
"""
    )
    silent = benchbed(bench, "score", "--diff", "base")
    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')
    declared = benchbed(bench, "score", "--diff", "base")

    assert (same.returncode, same.stdout) == (
        0,
        "base: 4 cases, none changed under benchbed.toy.scores.v1\n",
    )
    assert silent.returncode == 1
    assert "t-002: errors" in silent.stdout
    assert "score DIFFERS: base" in silent.stdout.splitlines()[-1]
    assert declared.returncode == 0
    assert "v1 -> benchbed.toy.scores.v2" in declared.stdout
    assert contents(bench.path / "runs") == before


def test_an_unknown_run_dataset_profile_and_target_are_named(bench: Bench) -> None:
    bench.record("base")
    before = contents(bench.path / "runs")

    asked = [
        ("bsae",), ("base", "--dataset=toy-v2"), ("base", "--gate=mian"),
        ("base", "--target=t-9"), ("base", "--rule=band"), ("base", "--baseline=nope"),
    ]  # fmt: skip
    answers = [benchbed(bench, "score", *words) for words in asked]

    assert [done.returncode for done in answers] == [2] * 6
    texts = [done.stdout + done.stderr for done in answers]
    for text, word in zip(texts, ("base", "toy-v1", "main", "t-9", "band", "nope"), strict=True):
        assert word in text
        assert "Traceback" not in text
    assert contents(bench.path / "runs") == before


def test_outcomes_are_read_by_their_own_reader(bench: Bench) -> None:
    """The replies that are scored are those of the sealed lines, last outcome first."""
    bench.record("base", {"t-002": "raise"})
    bench.answers({"t-002": ["row"]})
    bench.run("--bench-resume=base")

    assert read_calls(bench.path / "runs" / "base" / "calls.jsonl").state("t-002", 1) == "ok"
    bench.extend('\nToy.scoring_version = "benchbed.toy.scores.v2"\n')
    assert benchbed(bench, "score", "base").returncode == 5
    assert bench.saved("base").rows()["t-002"]["state"] == "scored"


@pytest.mark.req("ENV-068")
def test_private_replies_are_missed_on_a_clone_until_the_run_is_restored(bench: Bench) -> None:
    manifest = bench.dataset / "manifest.json"
    text = manifest.read_text("utf-8")
    manifest.write_text(text.replace('"public"', '"private"'), "utf-8")
    bench.record("base", {"t-002": ["row"], "t-003": ["cell"]})
    assert benchbed(bench, "promote", "base", "--snapshot").returncode == 0
    away = bench.path / "away"
    (bench.path / "runs").rename(away)
    allow(bench, "t-003", "cell")

    bumped = benchbed(bench, "pin", str(bench.dataset), "--bump")
    cloned = bench.run("--bench-run=clone")
    snapshot = bench.path / "cases" / "toy" / "baseline" / "base"
    assert not (snapshot / "calls.jsonl").exists()
    assert "SECRET" not in (snapshot / "results.jsonl").read_text("utf-8")
    (away / "base").rename(bench.path / "runs" / "base")
    restored = benchbed(bench, "score", "base", "--dataset=toy-v1")
    bench.answers({"t-002": ["row"], "t-003": ["cell"]})
    whole = bench.run("--bench-run=whole")

    assert bumped.returncode == 0
    assert "no reply at hand for 1 corrected case (t-003): unverifiable" in bumped.stdout
    assert "INCOMPLETE" in cloned.outlines[-1]
    assert [one["case"] for one in bench.gates("clone")["main"]["coverage"]["unverifiable"]] == [
        "t-003"
    ]
    assert restored.returncode == 5, restored.stdout
    assert whole.ret == 0
    assert "gate PASSED: no regression on stable cases, compared 4 of 4" in whole.outlines[-1]
    assert "SECRET" not in (snapshot / "results.jsonl").read_text("utf-8")
