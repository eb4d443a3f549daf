from __future__ import annotations

import pytest

from pytest_benchbed.data import registry as module
from pytest_benchbed.data.registry import DatasetRegistry
from pytest_benchbed.data.registry import RegisteredDataset
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import UsageProblem
from tests.unit.data.folder import Folder


@pytest.fixture
def cases(tmp_path):
    """``project/cases`` with three datasets of two benchmarks."""
    for name in ("words/small", "words/large", "tables/one"):
        Folder(tmp_path / "project" / "cases", name).pinned()
    return tmp_path / "project" / "cases"


def test_a_folder_of_datasets_is_walked_two_levels(cases):
    registry = DatasetRegistry()
    registry.add(cases)

    assert [entry.id for entry in registry.all()] == ["tables-one", "words-large", "words-small"]
    assert [entry.id for entry in registry.for_benchmark("words")] == ["words-large", "words-small"]
    assert registry.for_benchmark("other") == []
    assert registry.get("words-small") == RegisteredDataset(
        id="words-small",
        version="1",
        benchmark="words",
        root=cases / "words" / "small",
        argument_root=cases.parent,
        origin="hook",
    )


@pytest.mark.parametrize("below", ["words", "words/small"])
def test_a_folder_further_down_can_be_named(cases, below):
    registry = DatasetRegistry()
    registry.add(cases / below)

    assert registry.get("words-small") is not None
    assert registry.get("tables-one") is None


def test_node_ids_start_at_the_folder_that_holds_cases(cases, tmp_path):
    registry = DatasetRegistry()
    registry.add(cases / "words" / "small")
    elsewhere = Folder(tmp_path / "data", "words/mine").pinned()
    registry.add(elsewhere.root)

    assert registry.get("words-small").argument_root == cases.parent
    assert registry.get("words-mine").argument_root == tmp_path / "data"


def test_registering_reads_no_row(cases):
    (cases / "words" / "small" / "cases.jsonl").write_bytes(b"broken")
    (cases / "words" / "small" / "answers.jsonl").unlink()
    registry = DatasetRegistry()
    registry.add(cases)

    assert registry.get("words-small") is not None


def test_a_benchmark_can_be_given(cases):
    registry = DatasetRegistry()
    registry.add(cases / "words" / "small", benchmark="texts")

    assert [entry.id for entry in registry.for_benchmark("texts")] == ["words-small"]


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    for add in (DatasetRegistry().add, DatasetRegistry().add_fixtures):
        with pytest.raises(UsageProblem, match="does not exist"):
            add(tmp_path / "nowhere")


def test_a_loader_that_is_not_built_is_refused_by_name(cases):
    with pytest.raises(UsageProblem, match="'case-folder' is not built yet"):
        DatasetRegistry().add(cases, loader="case-folder")
    DatasetRegistry().add(cases, loader="jsonl")


def test_the_same_folder_twice_is_fine(cases):
    registry = DatasetRegistry()
    registry.add(cases)
    registry.add(cases / "words")
    registry.add_found(cases / "words" / "small")

    assert len(registry.all()) == 3
    assert registry.get("words-small").origin == "paths"


def copy_of(tmp_path, name="other"):
    """A second dataset with the id of the first."""
    return Folder(tmp_path / name / "cases", "words/small").pinned().root


@pytest.mark.parametrize("origin", ["wheel", "hook", "paths"])
def test_one_id_from_two_places_of_one_kind_is_refused_with_both(cases, tmp_path, origin):
    registry = DatasetRegistry()
    registry.add(cases, origin=origin)
    other = copy_of(tmp_path)

    with pytest.raises(UsageProblem, match="'words-small' stands for two folders") as caught:
        registry.add(other, origin=origin)
    assert str(cases / "words" / "small") in str(caught.value)
    assert str(other) in str(caught.value)


@pytest.mark.parametrize(
    ("first", "second"), [("wheel", "hook"), ("wheel", "paths"), ("hook", "paths")]
)
@pytest.mark.parametrize("swapped", [False, True])
def test_a_nearer_registration_replaces_a_farther_one(cases, tmp_path, first, second, swapped):
    other = copy_of(tmp_path)
    calls = [(cases / "words" / "small", first), (other, second)]
    registry = DatasetRegistry()
    for folder, origin in reversed(calls) if swapped else calls:
        registry.add(folder, origin=origin)

    assert registry.get("words-small").root == other
    assert [entry.root for entry in registry.for_benchmark("words")] == [other]
    assert registry.at(cases / "words" / "small").origin == first


def test_the_packaged_copies_are_the_wheels(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PACKAGED", tmp_path / "packaged")
    packaged = Folder(tmp_path / "packaged" / "cases", "words/small").pinned().root
    own = copy_of(tmp_path)
    registry = DatasetRegistry()
    registry.add(packaged.parent.parent)
    registry.add(own)

    assert registry.at(packaged).origin == "wheel"
    assert registry.get("words-small").root == own


def test_a_dataset_is_found_by_id_and_by_path(cases, monkeypatch):
    registry = DatasetRegistry()
    registry.add(cases)
    monkeypatch.chdir(cases.parent)

    assert registry.find("words-small").root == cases / "words" / "small"
    assert registry.find("cases/words/small").id == "words-small"
    assert registry.find(cases / "tables" / "one").id == "tables-one"
    assert registry.find("words-smal") is None
    assert registry.at(cases) is None


def test_a_found_folder_is_returned_with_its_entry(cases):
    registry = DatasetRegistry()

    entry = registry.add_found(cases / "words" / "large")

    assert (entry.id, entry.origin) == ("words-large", "paths")
    assert registry.add_found(cases / "words" / "large") is registry.get("words-large")


def test_a_broken_manifest_that_is_named_is_told(cases):
    (cases / "words" / "small" / "manifest.json").write_bytes(b"{}")

    for add in (DatasetRegistry().add, DatasetRegistry().add_found):
        with pytest.raises(DatasetError, match="has no schema"):
            add(cases / "words" / "small")


def test_a_broken_manifest_further_down_stops_no_other(cases):
    broken = cases / "words" / "small" / "manifest.json"
    broken.write_bytes(broken.read_bytes().replace(b'"private"', b'"secret"'))
    registry = DatasetRegistry()
    registry.add(cases)

    assert registry.get("words-small") is None
    assert registry.get("tables-one") is not None
    assert "visibility" in str(registry.problems[0])


def test_a_manifest_of_another_tool_is_left_alone(cases):
    (cases / "words" / "small" / "manifest.json").write_bytes(b'{"name": "web app"}')
    registry = DatasetRegistry()
    registry.add(cases)

    assert registry.get("words-small") is None
    assert registry.problems == []


def test_fixtures_of_the_nearest_place_are_taken(tmp_path):
    registry = DatasetRegistry()
    for name, origin in (("wheel", "wheel"), ("hook", "hook")):
        (tmp_path / name / "words").mkdir(parents=True)
        registry.add_fixtures(tmp_path / name, origin=origin)
    (tmp_path / "wheel" / "tables").mkdir()
    (tmp_path / "more" / "pages").mkdir(parents=True)
    registry.add_fixtures(tmp_path / "more")

    assert registry.fixtures("pages") == tmp_path / "more" / "pages"
    assert registry.fixtures("words") == tmp_path / "hook" / "words"
    assert registry.fixtures("tables") == tmp_path / "wheel" / "tables"
    assert registry.fixtures("other") is None
