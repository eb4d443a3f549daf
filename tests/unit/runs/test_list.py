from __future__ import annotations

import shutil
from pathlib import Path

from pytest_benchbed.model.bench_file import BenchAdapter
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.runs.create import create_run_set
from pytest_benchbed.runs.list import RunRow
from pytest_benchbed.runs.list import list_runs
from pytest_benchbed.runs.read import Run
from tests.unit.runs.builders import record_json
from tests.unit.runs.builders import result
from tests.unit.runs.builders import save_run
from tests.unit.runs.builders import write_snapshot


def started(day: int) -> str:
    return f"2026-03-{day:02}T10:00:00Z"


def test_a_finished_run_is_one_row(tmp_path: Path) -> None:
    save_run(
        tmp_path / "base",
        metrics={"schema": "benchbed.metrics.v1", "quality": {"mean": 0.5, "n": 2}},
    )

    assert list_runs(tmp_path) == [
        RunRow(
            id="base",
            date="2026-03-02T10:00:00Z",
            benchmark="table-separators",
            commit="0123456789",
            model=None,
            quality=0.5,
            cost_usd=0.25,
            verdict="passed",
            is_partial=False,
        )
    ]


def test_the_newest_run_comes_first(tmp_path: Path) -> None:
    for name, day in (("a", 2), ("b", 9), ("c", 5)):
        save_run(tmp_path / name, started_at=started(day))

    assert [row.id for row in list_runs(tmp_path)] == ["b", "c", "a"]


def test_a_run_in_the_making_shows_its_status_and_no_figures(tmp_path: Path) -> None:
    spend = record_json()["spend"] | {"spent_usd": None}
    save_run(tmp_path / "now", status="running", spend=spend)

    [row] = list_runs(tmp_path)

    assert (row.verdict, row.quality, row.cost_usd) == ("running", None, None)


def test_an_interrupted_run_does_not_show_the_verdict_of_its_part(tmp_path: Path) -> None:
    save_run(tmp_path / "cut", status="interrupted")

    assert list_runs(tmp_path)[0].verdict == "interrupted"


def test_a_changed_working_tree_and_a_missing_one_show(tmp_path: Path) -> None:
    adapter = record_json()["adapter"]
    source = adapter["source"] | {"dirty": True}
    save_run(tmp_path / "a", started_at=started(1), adapter=adapter | {"source": source})
    save_run(tmp_path / "b", started_at=started(2), adapter=adapter | {"source": None})

    assert [row.commit for row in list_runs(tmp_path)] == [None, "0123456789+"]


def test_model_and_partial_selection_show(tmp_path: Path) -> None:
    adapter = record_json()["adapter"] | {"model": "small-1"}
    save_run(tmp_path / "a", adapter=adapter, partial=["case"])

    [row] = list_runs(tmp_path)

    assert row.model == "small-1"
    assert row.is_partial


def test_runs_of_a_set_are_listed_by_set_and_benchmark(tmp_path: Path) -> None:
    create_run_set(tmp_path, "night", ["label"])
    save_run(tmp_path / "night" / "label", id="night/label")

    assert [row.id for row in list_runs(tmp_path)] == ["night/label"]


def test_a_run_that_cannot_be_read_comes_last_with_its_problem(tmp_path: Path) -> None:
    save_run(tmp_path / "good")
    (tmp_path / "zz").mkdir()
    (tmp_path / "zz" / "run.json").write_text("{")

    rows = list_runs(tmp_path)

    assert [row.id for row in rows] == ["good", "zz"]
    assert rows[1].verdict == "unreadable"
    assert "is damaged" in str(rows[1].problem)


def test_metrics_of_another_shape_have_no_quality(tmp_path: Path) -> None:
    save_run(tmp_path / "a", metrics={"quality": [1]})

    assert list_runs(tmp_path)[0].quality is None


def test_a_missing_runs_directory_has_no_runs(tmp_path: Path) -> None:
    assert list_runs(tmp_path / "runs") == []


def test_promoted_runs_are_marked_and_snapshots_without_a_run_are_listed(tmp_path: Path) -> None:
    bench_folder = tmp_path / "cases" / "table-separators"
    runs = tmp_path / "runs"
    save_run(runs / "base", [result("a")], started_at=started(1))
    kept = save_run(runs / "c1", [result("a", quality=0.5)], started_at=started(2))
    write_snapshot(Run.open(kept), bench_folder)
    write_snapshot(Run.open(runs / "base"), bench_folder)
    shutil.rmtree(kept)
    entry = BenchAdapter(baseline="base", controls=["c1"])

    rows = list_runs(runs, {"table-separators": BenchFile(adapters={"m": entry})}, [bench_folder])

    assert [(row.id, row.roles, row.is_snapshot, row.quality) for row in rows] == [
        ("c1", ("control of m",), True, 0.5),
        ("base", ("baseline of m",), False, None),
    ]
