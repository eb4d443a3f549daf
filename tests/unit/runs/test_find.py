from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs.create import create_run_set
from pytest_benchbed.runs.find import find_run
from pytest_benchbed.runs.find import find_runs
from pytest_benchbed.runs.find import run_folders
from tests.unit.runs.builders import save_run


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """An invocation directory beside which the runs directory lies elsewhere."""
    save_run(tmp_path / "store" / "base")
    save_run(tmp_path / "here" / "copies" / "old", id="old")
    create_run_set(tmp_path / "store", "night", ["label", "facts"])
    for name in ("label", "facts"):
        save_run(tmp_path / "store" / "night" / name, id=f"night/{name}")
    return tmp_path / "here"


def store(here: Path) -> Path:
    return here.parent / "store"


@pytest.mark.req("ENV-054")
@pytest.mark.parametrize(
    ("text", "run_id"),
    [
        ("base", "base"),
        ("copies/old", "old"),
        ("copies/old/", "old"),
        ("./copies/old", "old"),
        ("../store/base", "base"),
        ("night/label", "night/label"),
    ],
)
def test_a_run_is_named_by_id_or_by_a_path_from_here(here: Path, text: str, run_id: str) -> None:
    assert find_run(text, store(here), here).id == run_id


def test_a_run_is_named_by_an_absolute_path(here: Path) -> None:
    assert find_run(str(here / "copies" / "old"), store(here), here).id == "old"


def test_a_run_directory_comes_before_an_id(here: Path) -> None:
    save_run(here / "base", id="local")

    assert find_run("base", store(here), here).id == "local"


def test_a_folder_that_is_no_run_does_not_hide_an_id(here: Path) -> None:
    (here / "base").mkdir()

    assert find_run("base", store(here), here).path == store(here) / "base"


@pytest.mark.req("ENV-054")
@pytest.mark.parametrize("text", ["bsae", "../store/bsae", "runs/base"])
def test_an_unknown_run_comes_with_the_nearest_and_how_to_list(here: Path, text: str) -> None:
    with pytest.raises(UsageProblem, match=f"unknown run '{text}'") as caught:
        find_run(text, store(here), here)

    assert "Did you mean 'base'?" in str(caught.value)
    assert "benchbed runs" in str(caught.value)


@pytest.mark.parametrize("text", ["", "zzz", "a\x00b", "x" * 5000, "../../etc", "::error::"])
def test_a_name_near_nothing_is_refused_on_one_line_of_text(here: Path, text: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        find_run(text, store(here), here)

    message = str(caught.value)
    assert message.startswith("unknown run ")
    assert len(message) < 400
    assert message.isprintable() or set(message) - {"\n"} <= set(map(chr, range(32, 127)))


def test_a_run_set_can_be_the_nearest(here: Path) -> None:
    with pytest.raises(UsageProblem, match="Did you mean 'night'"):
        find_run("nigth", store(here), here)


def test_a_path_is_not_taken_below_the_runs_directory(tmp_path: Path) -> None:
    save_run(tmp_path / "a" / "outside")
    (tmp_path / "a" / "runs").mkdir()

    with pytest.raises(UsageProblem, match="unknown run"):
        find_run("../outside", tmp_path / "a" / "runs", tmp_path / "b")


def test_without_any_run_the_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"There is no run in .*runs"):
        find_run("base", tmp_path / "runs", tmp_path)


def test_a_folder_without_a_record_is_no_run(here: Path) -> None:
    with pytest.raises(UsageProblem, match=r"'copies' is no run: the folder has no run\.json"):
        find_run("copies", store(here), here)


def test_a_run_set_is_no_run_and_says_which_it_holds(here: Path) -> None:
    with pytest.raises(UsageProblem, match=r"'night' is a run set.*label, facts") as caught:
        find_run("night", store(here), here)

    assert "such as night/label" in str(caught.value)


def test_a_run_of_a_set_that_is_not_there_is_unknown(here: Path) -> None:
    with pytest.raises(UsageProblem, match="Did you mean 'night/label'"):
        find_run("night/labl", store(here), here)


def test_a_damaged_run_is_found_and_refused(here: Path) -> None:
    (store(here) / "base" / "run.json").write_text("{")

    with pytest.raises(RunError, match="is damaged"):
        find_run("base", store(here), here)


def test_a_run_set_stands_for_its_runs_in_its_order(here: Path) -> None:
    assert [run.id for run in find_runs("night", store(here), here)] == [
        "night/label",
        "night/facts",
    ]
    assert [run.id for run in find_runs("base", store(here), here)] == ["base"]


def test_a_set_that_lacks_a_run_is_refused(here: Path) -> None:
    (store(here) / "night" / "facts" / "run.json").unlink()

    with pytest.raises(RunError, match="facts: is no run"):
        find_runs("night", store(here), here)


def test_folders_of_runs_are_found_but_no_links_and_no_others(here: Path) -> None:
    (store(here) / "notes").mkdir()
    (store(here) / "file").touch()
    (store(here) / "link").symlink_to(here / "copies" / "old", target_is_directory=True)

    assert [run_id for run_id, _ in run_folders(store(here))] == [
        "base",
        "night/facts",
        "night/label",
    ]
    assert list(run_folders(here / "nowhere")) == []
