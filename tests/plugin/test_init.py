"""``benchbed init``: from a table to a benchmark that runs, and its weekly growth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.plugin.bench import Bench
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
