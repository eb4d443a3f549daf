from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_benchbed.cli import generate
from pytest_benchbed.cli.generate import run_generate
from pytest_benchbed.generators import tables
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.model.errors import UsageProblem

pytest.importorskip("reportlab")
pytest.importorskip("pypdfium2")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dataset of the first two cases, with fixtures for them."""
    monkeypatch.setattr(tables, "case_plans", lambda: case_plans()[:2])
    monkeypatch.setattr(tables, "FIXTURES", {"sep-001": ("lost-row",)})
    monkeypatch.setattr(generate, "STEP", 1)


def run(out: Path | None, check: bool = False) -> tuple[int, list[str]]:
    said: list[str] = []
    return run_generate("table-separators", out, check, said.append), said


@pytest.mark.usefixtures("few")
def test_a_new_dataset_is_written_and_pinned_as_public(tmp_path: Path) -> None:
    code, said = run(tmp_path / "new")

    manifest = json.loads((tmp_path / "new" / "manifest.json").read_text(encoding="utf-8"))
    assert code == 0
    assert (manifest["id"], manifest["visibility"], manifest["license"]) == (
        "benchbed/table-separators-synthetic-v1",
        "public",
        "CC-BY-4.0",
    )
    assert manifest["version"] == "1"
    assert len(manifest["files"]) == 6
    assert said[:2] == ["1/2 cases", "2/2 cases"]
    assert not (tmp_path / "fixtures").exists()


@pytest.mark.usefixtures("few")
def test_the_default_folder_is_below_cases_and_gets_its_fixtures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    code, _ = run(None)

    assert code == 0
    assert (tmp_path / "cases/table-separators/synthetic-v1/manifest.json").is_file()
    assert sorted(path.name for path in (tmp_path / "fixtures/table-separators").iterdir()) == [
        "correct.json",
        "wrong.json",
    ]


@pytest.mark.usefixtures("few")
def test_a_version_and_a_title_that_somebody_wrote_survive(tmp_path: Path) -> None:
    run(tmp_path)
    path = tmp_path / "manifest.json"
    row = json.loads(path.read_text(encoding="utf-8")) | {"version": "7", "title": "Mine"}
    path.write_text(json.dumps(row), encoding="utf-8")

    run(tmp_path)

    manifest = json.loads(path.read_text(encoding="utf-8"))
    assert (manifest["version"], manifest["title"]) == ("7", "Mine")


@pytest.mark.usefixtures("few")
def test_a_check_finds_nothing_and_writes_nothing_on_what_was_just_made(tmp_path: Path) -> None:
    run(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    code, said = run(tmp_path, check=True)

    assert (code, said[-1]) == (0, f"{tmp_path}: as generated")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.usefixtures("few")
def test_a_check_names_edited_files_rows_and_fixtures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(None)
    folder = tmp_path / "cases/table-separators/synthetic-v1"
    (folder / "assets" / "sep-001.png").write_bytes(b"edited")
    answers = folder / "answers.jsonl"
    answers.write_text(answers.read_text(encoding="utf-8").replace('"rows":1', '"rows":2'))
    rows = answers.read_text(encoding="utf-8").splitlines()
    answers.write_text(rows[0].replace('"spans":[]', '"spans": []') + "\n" + rows[1] + "\n")
    (tmp_path / "fixtures/table-separators/wrong.json").write_text("{}")

    code, said = run(None, check=True)

    assert code == 1
    differing = [line for line in said if line.startswith("differs: ")]
    assert [Path(line.split(": ")[1]).name for line in differing] == [
        "answers.jsonl",
        "sep-001.png",
        "wrong.json",
    ]


@pytest.mark.usefixtures("few")
def test_a_check_finds_a_manifest_that_no_longer_fits(tmp_path: Path) -> None:
    run(tmp_path)
    path = tmp_path / "manifest.json"
    row = json.loads(path.read_text(encoding="utf-8"))
    row["digests"]["answers"] = "0" * 64
    path.write_text(json.dumps(row), encoding="utf-8")

    code, said = run(tmp_path, check=True)

    assert code == 1
    assert any("answers.jsonl" in line for line in said if line.startswith("differs: "))


def test_a_check_needs_a_dataset(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="benchbed generate table-separators"):
        run(tmp_path, check=True)


def test_an_unknown_generator_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageProblem, match="Did you mean 'table-separators'"):
        run_generate("table-separator", None, False, print)


def test_a_missing_package_is_named_with_the_extra_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(generate, "NEEDED", ("reportlab", "no_such_package"))

    with pytest.raises(UsageProblem, match="needs no_such_package") as refusal:
        run_generate("table-separators", None, False, print)
    assert "pip install 'pytest-benchbed[documents]'" in str(refusal.value)
