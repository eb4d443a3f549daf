from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pytest_benchbed
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.create import create_run_set
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.status import write_record
from tests.unit.runs.builders import SPANISH
from tests.unit.runs.builders import outcome
from tests.unit.runs.builders import record
from tests.unit.runs.builders import record_json
from tests.unit.runs.builders import result
from tests.unit.runs.builders import save_run
from tests.unit.runs.builders import write_calls
from tests.unit.runs.builders import wrong


def test_the_public_name_is_this_class() -> None:
    assert pytest_benchbed.Run is Run


@pytest.mark.req("ENV-080", "ENV-094")
def test_a_saved_run_is_read_back_whole(tmp_path: Path) -> None:
    rows = [result("sep-002"), wrong("sep-001", "merged", reason=SPANISH)]
    metrics = {"schema": "benchbed.metrics.v1", "run": "base"}
    root = save_run(tmp_path / "base", rows, metrics, note=SPANISH)

    run = Run.open(root)

    assert run.id == "base"
    assert run.path == root
    assert run.record.dataset.identity == "d" * 64
    assert run.record.benchmark.scoring_version == "benchbed.table-separators.scores.v1"
    assert run.record.note == SPANISH
    assert run.metrics == metrics
    assert list(run.results()) == [json.loads(canonical(row)) for row in reversed(rows)]


def test_a_path_may_be_text(tmp_path: Path) -> None:
    save_run(tmp_path / "base")

    assert Run.open(str(tmp_path / "base")).id == "base"


def test_rows_come_by_case(tmp_path: Path) -> None:
    root = save_run(tmp_path / "base", [result("b"), result("a")])

    assert list(Run.open(root).rows()) == ["a", "b"]


def test_the_gate_gets_record_and_rows(tmp_path: Path) -> None:
    run = Run.open(save_run(tmp_path / "base", [wrong("a", "split")]))

    facts = run.facts()

    assert facts.record == run.record
    assert facts.rows["a"]["errors"]["logical"][0]["kind"] == "split"


@pytest.mark.parametrize("status", ["running", "interrupted", "void"])
def test_an_unfinished_run_opens_with_what_it_has(tmp_path: Path, status: str) -> None:
    root = save_run(tmp_path / "base", status=status, finished_at=None, gate=None)

    run = Run.open(root)

    assert run.record.status == status
    assert run.metrics == {}
    assert run.rows() == {}
    assert run.facts().rows == {}
    assert dict(run.predictions()) == {}


def test_opening_reads_no_other_file(tmp_path: Path) -> None:
    """Ten thousand rows are read when they are asked for."""
    root = save_run(tmp_path / "base")
    RunPaths(root).results.write_bytes(b"{torn")
    RunPaths(root).metrics.write_bytes(b"{torn")

    run = Run.open(root)

    with pytest.raises(RunError, match=r"results\.jsonl:1: is damaged"):
        run.rows()
    with pytest.raises(RunError, match=r"metrics\.json: is damaged"):
        _ = run.metrics


def test_a_record_without_the_fields_of_later_versions_is_read(tmp_path: Path) -> None:
    value = record_json()
    del value["holes"], value["counts"]["scope"]
    assert not {"retired", "results_sha256", "note"} & value.keys()
    root = tmp_path / "base"
    root.mkdir()
    RunPaths(root).run.write_text(json.dumps(value))

    old = Run.open(root).record

    assert old.holes == []
    assert old.retired == []
    assert old.results_sha256 is None
    assert old.counts.selected == 2


def test_a_newer_schema_is_refused_by_name(tmp_path: Path) -> None:
    """Also when nothing else of the file can be understood."""
    root = tmp_path / "base"
    root.mkdir()
    RunPaths(root).run.write_text('{"schema": "benchbed.run.v2", "all": "new"}')

    with pytest.raises(RunError, match=r"benchbed\.run\.v2 is newer .*benchbed\.run\.v1") as caught:
        Run.open(root)

    assert str(RunPaths(root).run) in str(caught.value)
    assert "pip install -U pytest-benchbed" in str(caught.value)


def test_metrics_of_a_newer_schema_are_refused_by_name(tmp_path: Path) -> None:
    root = save_run(tmp_path / "base", metrics={"schema": "benchbed.metrics.v2", "run": "base"})
    run = Run.open(root)

    with pytest.raises(RunError, match=r"benchbed\.metrics\.v2 is newer") as caught:
        _ = run.metrics

    assert str(RunPaths(root).metrics) in str(caught.value)
    assert "pip install -U pytest-benchbed" in str(caught.value)


@pytest.mark.req("ENV-101")
@pytest.mark.parametrize("has_replies", [True, False], ids=["public", "private"])
def test_a_snapshot_opens_with_record_and_rows_alone(tmp_path: Path, has_replies: bool) -> None:
    """Without replies nothing can be scored again, but everything can be compared."""
    rows = [wrong("a", "split"), result("b")]
    root = tmp_path / "cases" / "label" / "baseline" / "night" / "label"
    digest = _write(root, rows, id="night/label")
    if has_replies:
        write_calls(root, [outcome("a", '"x"')])

    run = Run.open(root)

    assert (run.id, run.metrics) == ("night/label", {})
    assert run.record.results_sha256 == digest
    assert run.rows() == {row["case"]: json.loads(canonical(row)) for row in rows}
    assert list(run.facts().rows) == ["a", "b"]
    assert dict(run.predictions()) == ({"a": '"x"'} if has_replies else {})
    assert sorted(path.name for path in root.iterdir()) == sorted(
        ["run.json", "results.jsonl", *(["calls.jsonl"] if has_replies else [])]
    )


def _write(root: Path, rows: list[dict[str, Any]], **changes: Any) -> str:
    """Save a run whose record has the digest of its rows; return that."""
    root.mkdir(parents=True)
    digest = write_results(RunPaths(root).results, map(canonical, rows))
    write_record(root, record(results_sha256=digest, **changes))
    return digest


@pytest.mark.req("ENV-094")
def test_rows_are_held_against_the_digest_each_time_they_are_read(tmp_path: Path) -> None:
    root = tmp_path / "base"
    _write(root, [result("a")], id="base")
    run = Run.open(root)
    assert list(run.rows()) == ["a"]
    write_results(RunPaths(root).results, [canonical(wrong("a", "split"))])

    for read in (run.rows, run.facts, lambda: next(run.results())):
        with pytest.raises(RunError, match=r"results\.jsonl: was edited after"):
            read()


@pytest.mark.parametrize("schema", ["benchbed.metrics.v1", "benchbed.run.vX", 1, None])
def test_another_kind_of_file_is_refused(tmp_path: Path, schema: Any) -> None:
    root = tmp_path / "base"
    root.mkdir()
    RunPaths(root).run.write_text(json.dumps(record_json(schema=schema)))

    with pytest.raises(RunError, match=r"run\.json: field schema"):
        Run.open(root)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"status": "done"}, "status"),
        ({"repeats": 0}, "repeats"),
        ({"extra": 1}, "extra"),
        ({"dataset": {"id": "x"}}, "dataset.version"),
    ],
)
def test_a_wrong_field_is_named_with_the_version_that_wrote_it(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    root = tmp_path / "base"
    root.mkdir()
    RunPaths(root).run.write_text(json.dumps(record_json(**change)))

    with pytest.raises(RunError, match=f"run.json: field {field}: ") as caught:
        Run.open(root)

    assert "written by version 0.1.0" in str(caught.value)


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"it has no run\.json"):
        Run.open(tmp_path)


def test_a_run_set_says_so_and_names_its_benchmarks(tmp_path: Path) -> None:
    root = create_run_set(tmp_path, "night", ["label", "table-separators"])

    with pytest.raises(RunError, match=r"is a run set.*label, table-separators"):
        Run.open(root)


@pytest.mark.parametrize("text", ["{}", '{"benchmarks": [1]}', "[]", "{"])
def test_a_damaged_run_set_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "run-set.json").write_text(text)

    with pytest.raises(RunError, match=r"run-set\.json: "):
        Run.open(tmp_path)


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"state": "right"}, "field state"),
        ({"errors": []}, "field errors"),
        ({"metrics": None}, "field metrics"),
        ({"x": 3}, "field x"),
    ],
)
def test_a_misshapen_row_is_named_by_line_case_and_field(
    tmp_path: Path, change: dict[str, Any], cause: str
) -> None:
    root = save_run(tmp_path / "base", [result("a"), result("b", **change)])

    with pytest.raises(RunError, match=cause) as caught:
        Run.open(root).rows()

    assert str(caught.value).startswith(f"{RunPaths(root).results}:2: case 'b': ")


def test_the_predictions_are_those_of_the_calls(tmp_path: Path) -> None:
    root = save_run(tmp_path / "base")
    write_calls(root, [outcome("a", '{"rows":[1]}')])

    assert dict(Run.open(root).predictions()) == {"a": '{"rows":[1]}'}
