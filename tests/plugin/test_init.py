"""``benchbed init``: from a table to a benchmark that runs, and its weekly growth."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_benchbed.cli import init_update
from pytest_benchbed.cli import pin as pin_command
from pytest_benchbed.data import pin
from pytest_benchbed.data import undo
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import Done
from tests.plugin.programs import benchbed

TABLE = "id,text,total,who\nF 1/24,Total 4,4,ana\nF 2/24,Total 5,6,ana\n"
COLUMNS = ["--id=id", "--input=text", "--answer=total"]


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """An empty repository with a table."""
    made = Bench(pytester)
    (made.path / "t.csv").write_text(TABLE, "utf-8")
    return made


def init(bench: Bench, *words: str) -> Done:
    return benchbed(bench, "init", "invoices", "--from=t.csv", *words)


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def files(bench: Bench) -> list[str]:
    found = (path.relative_to(bench.path).as_posix() for path in bench.path.rglob("*"))
    return sorted(name for name in found if "__pycache__" not in name and "." in name[1:])


def test_a_table_becomes_a_dataset_a_bench_file_and_a_stub(bench: Bench) -> None:
    done = init(bench, *COLUMNS, "--type=fields", "--ci=github")

    assert done.returncode == 0, done.stdout + done.stderr
    folder = bench.path / "cases" / "invoices"
    assert rows(folder / "v1" / "cases.jsonl")[0] == {
        "id": "F-1-24",
        "inputs": {"text": "Total 4"},
        "meta": {"who": "ana", "id": "F 1/24"},
    }
    assert rows(folder / "v1" / "answers.jsonl")[0] == {"id": "F-1-24", "answer": {"total": "4"}}
    bench_file = json.loads((folder / "bench.json").read_text("utf-8"))
    assert (bench_file["type"], bench_file["dataset"]) == ("fields", "invoices-v1")
    manifest = json.loads((folder / "v1" / "manifest.json").read_text("utf-8"))
    assert (manifest["visibility"], manifest["version"]) == ("private", "1")
    assert (bench.path / ".gitignore").read_text("utf-8") == "runs/\n"
    assert "--bench=invoices" in (bench.path / ".github/workflows/bench-invoices.yml").read_text()
    for said in ("F 1/24 -> F-1-24", "meta): who", "next: pytest --bench=invoices"):
        assert said in done.stdout
    compile((folder / "adapter.py").read_text("utf-8"), "adapter.py", "exec")


def test_without_the_columns_the_likely_command_is_printed_and_nothing_written(
    bench: Bench,
) -> None:
    before = files(bench)

    done = init(bench)

    assert done.returncode == 2
    assert "benchbed init invoices --from=t.csv --id=id --input=text" in done.stdout
    assert files(bench) == before


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--answer=totl", "--input=text"], "Did you mean 'total'"),
        ([*COLUMNS, "--type=filds"], "Known: label, text, fields, facts"),
        ([*COLUMNS, "--file=who"], "the file 'ana' cannot be read"),
    ],
)
def test_what_is_wrong_leaves_nothing_behind(bench: Bench, words: list[str], text: str) -> None:
    before = files(bench)

    done = init(bench, *words)

    assert done.returncode == 2
    assert text in done.stdout + done.stderr
    assert files(bench) == before


def test_a_second_init_is_refused_and_changes_nothing(bench: Bench) -> None:
    init(bench, *COLUMNS)
    stub = bench.path / "cases" / "invoices" / "adapter.py"
    stub.write_text("mine", "utf-8")

    again = init(bench, *COLUMNS)

    assert again.returncode == 2
    assert "exists already" in again.stderr
    assert stub.read_text("utf-8") == "mine"


def test_a_workflow_that_exists_is_shown_and_not_written(bench: Bench) -> None:
    (bench.path / ".gitlab-ci.yml").write_text("mine", "utf-8")

    done = benchbed(bench, "init", "invoices", "--ci=gitlab")

    assert done.returncode == 0
    assert "bench-invoices:" in done.stdout
    assert (bench.path / ".gitlab-ci.yml").read_text("utf-8") == "mine"


def test_a_table_that_grew_is_taken_in_by_id(bench: Bench) -> None:
    init(bench, *COLUMNS)
    dataset = bench.path / "cases" / "invoices" / "v1"
    found = rows(dataset / "cases.jsonl")
    found[0]["category"] = "es"
    (dataset / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found), "utf-8")
    benchbed(bench, "pin", str(dataset))
    (bench.path / "t.csv").write_text(
        "id,text,total,who\nF 1/24,Total 4,4,ana\nF 3/24,Total 7,7,eva\n", "utf-8"
    )

    done = init(bench, *COLUMNS, "--update")
    again = init(bench, *COLUMNS, "--update")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "added 1 case (F-3-24)" in done.stdout
    assert "not in the table, kept 1 case (F-2-24)" in done.stdout
    assert "version 2 (was 1), 3 cases" in done.stdout
    assert [row["id"] for row in rows(dataset / "cases.jsonl")] == ["F-1-24", "F-2-24", "F-3-24"]
    assert rows(dataset / "cases.jsonl")[0]["category"] == "es"
    assert "nothing to update" in again.stdout
    assert json.loads((dataset / "manifest.json").read_text("utf-8"))["version"] == "2"


def test_a_corrected_answer_and_a_changed_input_are_shown(bench: Bench) -> None:
    init(bench, *COLUMNS)
    (bench.path / "t.csv").write_text(
        TABLE.replace("Total 4,4", "Total 4!,4").replace("5,6", "5,5"), "utf-8"
    )

    done = init(bench, *COLUMNS, "--update")

    assert "inputs changed 1 case (F-1-24)" in done.stdout
    assert "answers changed 1 case (F-2-24)" in done.stdout
    unnamed = benchbed(bench, "init", "invoices", "--from=t.csv", "--update")
    assert unnamed.returncode == 2
    assert "--id=COLUMN" in unnamed.stderr


def test_a_column_called_id_that_is_not_the_ids_does_not_double_the_cases(bench: Bench) -> None:
    (bench.path / "t.csv").write_text("code,id,text,total\nA,7,x,4\nB/2,8,y,5\n", "utf-8")
    columns = ["--id=code", "--input=text", "--answer=total"]
    init(bench, *columns)

    done = init(bench, *columns, "--update")

    assert "added 0" in done.stdout
    dataset = bench.path / "cases" / "invoices" / "v1"
    assert [row["meta"] for row in rows(dataset / "cases.jsonl")] == [
        {"column id": "7"},
        {"column id": "8", "id": "B/2"},
    ]


def test_ids_that_fall_together_stay_apart_over_updates(bench: Bench) -> None:
    (bench.path / "t.csv").write_text("id,text,total,who\nA 1,x,4,ana\n", "utf-8")
    init(bench, *COLUMNS)
    (bench.path / "t.csv").write_text("id,text,total,who\nA-1,y,5,ana\nA 1,x,4,ana\n", "utf-8")

    grown = init(bench, *COLUMNS, "--update")
    again = init(bench, *COLUMNS, "--update")

    assert "added 1 case (A-1-2)" in grown.stdout
    assert "nothing to update" in again.stdout, again.stdout
    found = rows(bench.path / "cases" / "invoices" / "v1" / "cases.jsonl")
    assert [(row["id"], row["inputs"]) for row in found] == [
        ("A-1", {"text": "x"}),
        ("A-1-2", {"text": "y"}),
    ]


def test_files_that_changed_are_seen_and_no_kept_file_is_replaced(bench: Bench) -> None:
    columns = ["--id=id", "--file=page", "--answer=total"]
    for folder in ("a", "b"):
        (bench.path / folder).mkdir()
    (bench.path / "a" / "p.txt").write_text("one", "utf-8")
    (bench.path / "b" / "p.txt").write_text("other", "utf-8")
    (bench.path / "c.txt").write_text("before", "utf-8")
    (bench.path / "t.csv").write_text("id,page,total\none,a/p.txt,4\ntwo,c.txt,5\n", "utf-8")
    assert init(bench, *columns).returncode == 0
    # The case "one" is no longer in the table, and another page has the name of its file.
    (bench.path / "c.txt").write_text("after", "utf-8")
    (bench.path / "t.csv").write_text("id,page,total\nnew,b/p.txt,4\ntwo,c.txt,5\n", "utf-8")

    done = init(bench, *columns, "--update")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "added 1 case (new)" in done.stdout
    assert "inputs changed 1 case (two)" in done.stdout
    dataset = bench.path / "cases" / "invoices" / "v1"
    pages = {
        row["id"]: (dataset / str(row["files"][0])).read_text("utf-8")  # type: ignore[index]
        for row in rows(dataset / "cases.jsonl")
    }
    assert pages == {"one": "one", "two": "after", "new": "other"}
    assert "nothing to update" in init(bench, *columns, "--update").stdout


def test_an_update_that_cannot_be_pinned_leaves_the_dataset_as_it_was(bench: Bench) -> None:
    init(bench, *COLUMNS)
    dataset = bench.path / "cases" / "invoices" / "v1"
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    (dataset / "manifest.json").write_text(json.dumps({**manifest, "version": "first"}), "utf-8")
    before = {path: path.read_bytes() for path in dataset.rglob("*") if path.is_file()}
    (bench.path / "t.csv").write_text(f"{TABLE}F 3/24,Total 7,7,eva\n", "utf-8")

    done = init(bench, *COLUMNS, "--update")

    assert done.returncode != 0
    assert "has no number to raise" in done.stdout + done.stderr
    assert {path: path.read_bytes() for path in dataset.rglob("*") if path.is_file()} == before
    assert [path.name for path in dataset.parent.iterdir() if path.name.startswith(".")] == []


STEPS = {
    # Step of the update at which the process is killed, and what the next update says first.
    "keeping the answers": (undo, 2, None),
    "the new cases": (init_update, 1, "is taken back first"),
    "the new answers": (init_update, 2, "is taken back first"),
    "the manifest": (pin, 1, "is taken back first"),
}


class Killed(BaseException):
    """As by ``kill -9``: nothing of ours runs any more."""


def die_at(patch: pytest.MonkeyPatch, module: ModuleType, function: str, number: int) -> None:
    """Kill the process before the nth call of a function that writes."""
    original, left = getattr(module, function), [number]

    def dying(*words: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise Killed
        return original(*words)

    patch.setattr(module, function, dying)
    for name in ("roll_back", "forget"):
        patch.setattr(undo.Undo, name, lambda _: None)


@pytest.mark.parametrize("step", STEPS)
def test_an_update_that_is_killed_is_made_good_by_the_next(bench: Bench, step: str) -> None:
    module, number, said = STEPS[step]
    init(bench, *COLUMNS)
    dataset = bench.path / "cases" / "invoices" / "v1"
    (bench.path / "t.csv").write_text(
        f"{TABLE.replace('5,6', '5,8')}F 3/24,Total 7,7,eva\n", "utf-8"
    )

    with pytest.MonkeyPatch.context() as patch:
        die_at(patch, module, "replace_file", number)
        with pytest.raises(Killed):
            init(bench, *COLUMNS, "--update")
    pinned = benchbed(bench, "pin", str(dataset), "--bump")
    validated = benchbed(bench, "validate", str(dataset))
    done = init(bench, *COLUMNS, "--update")

    if said is None:
        assert validated.returncode == 0
    else:
        assert pinned.returncode == 2
        assert "An update was cut short here: repeat it (benchbed init NAME --up" in pinned.stderr
        assert said in done.stdout
        assert "added 1 case (F-3-24)" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert benchbed(bench, "validate", str(dataset)).returncode == 0
    assert [row["answer"] for row in rows(dataset / "answers.jsonl")] == [
        {"total": "4"}, {"total": "8"}, {"total": "7"},
    ]  # fmt: skip
    assert [path.name for path in dataset.parent.iterdir() if path.name.startswith(".")] == []


def test_an_update_that_is_killed_behind_its_manifest_still_takes_the_baseline_over(
    bench: Bench,
) -> None:
    (bench.path / "mine.py").write_text("def predict(case):\n    return {'total': '4'}\n", "utf-8")
    init(bench, *COLUMNS, "--type=fields")
    bench.pytest("--bench=invoices", "--bench-adapter=mine:predict", "--bench-run=base")
    assert benchbed(bench, "promote", "base").returncode == 0
    (bench.path / "t.csv").write_text(f"{TABLE}F 3/24,Total 7,7,eva\n", "utf-8")

    with pytest.MonkeyPatch.context() as patch:
        die_at(patch, pin_command, "write_taken_over", 1)
        with pytest.raises(Killed):
            init(bench, *COLUMNS, "--update")
    done = init(bench, *COLUMNS, "--update")
    paired = bench.pytest("--bench=invoices", "--bench-adapter=mine:predict")

    assert "was cut short after its manifest was written; it ends now" in done.stdout
    assert "promoted run base: 2 cases" in done.stdout
    assert "nothing to update" in done.stdout
    assert last_line(paired).startswith("benchbed: gate PASSED")


def test_a_file_of_somebody_beside_the_dataset_stays(bench: Bench) -> None:
    stub = bench.path / "cases" / "invoices" / "adapter.py"
    stub.parent.mkdir(parents=True)
    stub.write_text("mine", "utf-8")

    done = init(bench, *COLUMNS)

    assert done.returncode == 0
    assert "adapter.py was there and stays" in done.stdout
    assert stub.read_text("utf-8") == "mine"


def test_a_folder_that_cannot_be_written_is_one_line(bench: Bench) -> None:
    (bench.path / "cases").write_text("", "utf-8")

    done = init(bench, *COLUMNS)

    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_facts_are_the_answers_themselves_and_others_are_refused_by_row(bench: Bench) -> None:
    whole = [
        {"id": 1, "text": "a", "total": ["x", "y"]},
        {"id": 2, "text": "b", "total": "z"},
        {"id": 3, "text": "c", "total": {"absent": ["q"]}},
    ]
    words = ["init", "said", "--from=t.jsonl", *COLUMNS, "--type=facts"]
    wrong = [*whole, {"id": 4, "text": "d", "total": {"contain": ["x"]}}]
    (bench.path / "t.jsonl").write_text("\n".join(map(json.dumps, wrong)), "utf-8")

    refused = benchbed(bench, *words)
    (bench.path / "t.jsonl").write_text("\n".join(map(json.dumps, whole)), "utf-8")
    done = benchbed(bench, *words)

    assert refused.returncode == 2
    assert "t.jsonl:4: column 'total': the answer does not fit" in refused.stderr
    assert done.returncode == 0, done.stderr
    folder = bench.path / "cases" / "said"
    assert [row["answer"] for row in rows(folder / "v1" / "answers.jsonl")] == [
        ["x", "y"],
        "z",
        {"absent": ["q"]},
    ]
    assert benchbed(bench, "validate", str(folder / "v1")).returncode == 0


def test_what_was_left_out_or_taken_for_nothing_is_said(bench: Bench) -> None:
    lines = [
        {"id": "a", "q": {"text": "x", "hint": "h"}, "total": "4", "due": "1"},
        {"id": "b", "q": {"text": "y"}, "total": "5", "due": " "},
    ]
    (bench.path / "t.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")

    done = benchbed(
        bench, "init", "said", "--from=t.jsonl", "--id=id", "--input=/q/text",
        "--answer=total", "--answer=due",
    )  # fmt: skip

    assert "left out: what stands beside /q/text in its column" in done.stdout
    assert (
        "empty: due in 1 row (t.jsonl:2): the answer there is that there is nothing" in done.stdout
    )


def test_a_column_that_is_nearly_the_ids_is_named(bench: Bench) -> None:
    (bench.path / "t.csv").write_text("Nº factura,text,label\n7,a,x\n7,b,y\n", "utf-8")

    done = init(bench)

    assert "'Nº factura' looks like ids, but '7' stands in lines 2 and 3" in done.stdout


def test_a_column_makes_groups_and_an_update_keeps_to_it(bench: Bench) -> None:
    """Cases of one document fail together, so they count once; the table says which."""
    documents = "id,text,total,doc\na,x,4,one\nb,y,5,one\nc,z,6,7\nd,w,7,\n"
    (bench.path / "t.csv").write_text(documents, "utf-8")
    dataset = bench.path / "cases" / "invoices" / "v1" / "cases.jsonl"

    done = init(bench, *COLUMNS, "--group=doc")
    made = [(row["id"], row.get("group"), row.get("meta")) for row in rows(dataset)]
    same = init(bench, *COLUMNS, "--group=doc", "--update")
    (bench.path / "t.csv").write_text(documents.replace("5,one", "5,") + "e,v,8,7\n", "utf-8")
    grown = init(bench, *COLUMNS, "--group=doc", "--update")
    wrong = init(bench, *COLUMNS, "--group=dok", "--update")

    assert done.returncode == 0, done.stdout + done.stderr
    assert made == [("a", "one", None), ("b", "one", None), ("c", "7", None), ("d", None, None)]
    assert "nothing to update" in same.stdout
    assert "added 1 case (e)" in grown.stdout
    assert "groups changed 1 case (b)" in grown.stdout
    now = {row["id"]: row.get("group") for row in rows(dataset)}
    assert now == {"a": "one", "b": None, "c": "7", "d": None, "e": "7"}
    assert "has no column 'dok'. Did you mean 'doc'?" in wrong.stderr


def test_a_group_that_is_none_is_refused_by_row(bench: Bench) -> None:
    (bench.path / "t.csv").write_text("", "utf-8")
    (bench.path / "t.jsonl").write_text(
        '{"id": "a", "text": "x", "total": "4", "doc": ["one"]}\n', "utf-8"
    )

    done = benchbed(bench, "init", "invoices", "--from=t.jsonl", *COLUMNS, "--group=doc")

    assert done.returncode == 2
    assert "t.jsonl:1: column 'doc': the group is no text and no number" in done.stderr
    assert not (bench.path / "cases").exists()
