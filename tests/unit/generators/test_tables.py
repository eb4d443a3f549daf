from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.benchmarks.table_separators import TableInputs
from pytest_benchbed.benchmarks.table_separators import TableSeparators
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.validate import validate
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import table
from pytest_benchbed.generators.tables import FIXTURES
from pytest_benchbed.generators.tables import answer
from pytest_benchbed.generators.tables import check
from pytest_benchbed.generators.tables import generate
from pytest_benchbed.generators.tables import write_fixtures
from pytest_benchbed.model.case import Case

ROOT = Path(__file__).parents[3]
DATASET = ROOT / "cases" / "table-separators" / "synthetic-v1"
FIXTURE_FOLDER = ROOT / "fixtures" / "table-separators"
FEW = ("sep-004", "sep-010", "sep-013", "sep-025")

pytest.importorskip("reportlab")
pytest.importorskip("pypdfium2")

GENERATE = """
import sys
from pathlib import Path
from pytest_benchbed.generators.tables import generate
generate(Path(sys.argv[1]), only=sys.argv[2].split(","))
"""


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def lines(name: str) -> list[dict[str, Any]]:
    text = (DATASET / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("hash_seed", "zone", "at"),
    [("1", "UTC", 0), ("4242", "Asia/Tokyo", 1_900_000_000)],
)
def test_another_process_with_other_hash_seed_zone_and_clock_writes_the_committed_bytes(
    tmp_path: Path, hash_seed: str, zone: str, at: int
) -> None:
    clock = textwrap.dedent(
        f"""
        import time
        if {at}:
            time.time = lambda: {at}.0
        """
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": zone}
    subprocess.run(
        [sys.executable, "-c", clock + GENERATE, str(tmp_path), ",".join(FEW)],
        env=environment,
        check=True,
    )

    made = contents(tmp_path)

    committed = contents(DATASET)
    assert {name: made[name] for name in made if name.startswith("assets/")} == {
        f"assets/{case}.{kind}": committed[f"assets/{case}.{kind}"]
        for case in FEW
        for kind in ("png", "pdf")
    }
    for name in ("cases.jsonl", "answers.jsonl"):
        rows = (tmp_path / name).read_bytes().splitlines()
        assert set(rows) <= set((DATASET / name).read_bytes().splitlines())
        assert len(rows) == len(FEW)
    assert made["README.md"] == committed["README.md"]
    assert made["LICENSE"] == committed["LICENSE"]


def test_a_difference_to_what_is_committed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_benchbed.generators.tables.case_plans", lambda: case_plans()[:2])
    generate(tmp_path)
    assert check(tmp_path) == []

    (tmp_path / "assets" / "sep-001.png").write_bytes(b"x")
    (tmp_path / "assets" / "sep-002.pdf").unlink()
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "manifest.json").write_text("not generated here")

    assert check(tmp_path) == ["assets/sep-001.png", "assets/sep-002.pdf", "notes.txt"]


def test_assets_of_cases_that_are_gone_are_removed_and_foreign_files_are_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "sep-999.png").write_bytes(b"old")
    (tmp_path / "assets" / "photo.png").write_bytes(b"mine")

    generate(tmp_path, only=["sep-001"])

    names = sorted(path.name for path in (tmp_path / "assets").iterdir())
    assert names == ["photo.png", "sep-001.pdf", "sep-001.png"]


def test_progress_counts_the_cases_written(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    generate(
        tmp_path,
        only=["sep-001", "sep-002"],
        progress=lambda done, total: seen.append((done, total)),
    )

    assert seen == [(1, 2), (2, 2)]


@pytest.mark.req("ENV-013")
def test_the_committed_dataset_has_no_fault_and_at_least_150_cases() -> None:
    kind = TableSeparators()

    faults = validate(
        DATASET, categories=kind.categories, input_keys=tuple(TableInputs.model_fields)
    )

    assert [str(fault) for fault in faults] == []
    dataset = Dataset.open(DATASET)
    assert len(dataset) >= 150
    assert dataset.manifest.visibility == "public"
    assert dataset.manifest.license == "CC-BY-4.0"
    assert {entry.category for entry in dataset.entries()} == set(kind.categories)


def test_the_dataset_is_small_enough_to_ship() -> None:
    size = sum(path.stat().st_size for path in DATASET.rglob("*") if path.is_file())

    assert size < 8_000_000


def test_committed_rows_are_those_of_the_plan() -> None:
    """Only the rendered bytes may depend on the versions of libraries; the rows may not."""
    rows = {row["id"]: row for row in lines("cases.jsonl")}
    answers = {row["id"]: row["answer"] for row in lines("answers.jsonl")}

    for plan in case_plans():
        crop = table(plan)
        row = rows[plan.id]
        assert row["inputs"] == crop.inputs(*row["files"])
        assert (row["category"], row["group"]) == (plan.category, plan.document)
        assert answers[plan.id] == answer(crop)


def test_one_canary_stands_in_every_answer_and_nowhere_else() -> None:
    tokens = {row["canary"] for row in lines("answers.jsonl")}

    (token,) = tokens
    others = [
        *(path for path in DATASET.rglob("*") if path.is_file() and path.name != "answers.jsonl"),
        *(path for path in FIXTURE_FOLDER.rglob("*") if path.is_file()),
        *(ROOT / "pytest_benchbed").rglob("*.py"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    assert [str(path) for path in others if token.encode() in path.read_bytes()] == []


def test_tags_name_language_resolution_rules_and_noise() -> None:
    rows = {row["id"]: row for row in lines("cases.jsonl")}

    assert {"lang-es"} <= set(rows["sep-012"]["tags"])
    assert any(tag.startswith("noise-") for tag in rows["sep-013"]["tags"])
    assert "rules-none" in rows["sep-002"]["tags"]
    assert rows["sep-013"]["meta"]["seed"] > 0
    assert abs(rows["sep-013"]["meta"]["skew_degrees"]) < 1


def test_the_answers_of_the_dataset_score_without_an_error() -> None:
    kind = TableSeparators()
    dataset = Dataset.open(DATASET)
    answers = {row["id"]: row["answer"] for row in lines("answers.jsonl")}

    for case in dataset.cases():
        truth = answers[case.id]
        scores = kind.score_case(case, truth, kind.answer_as_prediction(case, truth))
        assert [score.errors for score in scores.values()] == [(), ()], case.id
        assert scores["logical"].metrics["exact"] == (1, 1)


def scored_fixture(name: str) -> dict[str, dict[str, set[str]]]:
    """Return kinds of error per case and profile of a committed fixture."""
    predictions = json.loads((FIXTURE_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    plans = {plan.id: plan for plan in case_plans()}
    found = {}
    for case, prediction in predictions.items():
        crop = table(plans[case])
        shown = Case(case, "table-separators", crop.inputs("a", "b"))
        scores = TableSeparators().score_case(shown, answer(crop), prediction)
        found[case] = {
            profile: {error.kind for error in score.errors} for profile, score in scores.items()
        }
    return found


@pytest.mark.req("ENV-104")
def test_correct_fixtures_have_no_error_in_any_profile() -> None:
    found = scored_fixture("correct")

    assert len(found) >= 3
    assert all(not kinds for case in found.values() for kinds in case.values())


@pytest.mark.req("ENV-104")
def test_wrong_fixtures_have_an_error_in_every_profile_and_every_kind_somewhere() -> None:
    found = scored_fixture("wrong")

    assert all(kinds for case in found.values() for kinds in case.values())
    assert set().union(*(case["logical"] for case in found.values())) == {
        "grid",
        "span",
        "merged",
        "split",
        "taken",
        "moved",
    }
    assert set().union(*(case["geometric"] for case in found.values())) == {
        "missing",
        "misplaced",
        "extra",
    }
    plans = {plan.id: plan.category for plan in case_plans()}
    assert len({plans[case] for case in found}) >= 3


def test_committed_fixtures_are_what_the_generator_writes(tmp_path: Path) -> None:
    write_fixtures(tmp_path)

    committed = contents(FIXTURE_FOLDER)
    # What systems answered once is beside it, and of no generator.
    assert contents(tmp_path) == {
        name: digest for name, digest in committed.items() if not name.startswith("frozen/")
    }
    assert set(json.loads((tmp_path / "wrong.json").read_text())) == set(FIXTURES)
