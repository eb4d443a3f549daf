from __future__ import annotations

import json

import pytest

from pytest_benchbed import Dataset as PublicDataset
from pytest_benchbed.data.dataset import CaseEntry
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import DatasetError
from tests.unit.data.folder import CASES
from tests.unit.data.folder import CONTEXTS
from tests.unit.data.folder import MANIFEST
from tests.unit.data.folder import line

RETIRED = [{"id": "c-2", "reason": "disputed", "since": "1"}]


def test_a_dataset_knows_what_its_manifest_says(unpinned):
    folder = unpinned.pinned(visibility="public", id="me/words")
    dataset = PublicDataset.open(str(folder.root))

    assert (dataset.id, dataset.version, dataset.benchmark) == ("me/words", "1", "words")
    assert (dataset.visibility, len(dataset)) == ("public", 3)
    assert dataset.root == folder.root
    assert dataset.case_file == folder.root / CASES
    assert dataset.ids == ("c-1", "c-2", "c-3")
    assert "me/words" in repr(dataset)


@pytest.mark.req("ENV-080")
def test_identity_is_the_digest_of_id_version_and_both_digests(folder):
    manifest = json.loads(folder.read(MANIFEST))
    expected = {key: manifest[key] for key in ("id", "version")} | manifest["digests"]

    assert Dataset.open(folder.root).identity == digest(expected)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"version": "2"},
        {"digests": {"inputs": "0" * 64, "answers": "1" * 64}},
    ],
)
@pytest.mark.req("ENV-080")
def test_another_revision_has_another_identity(folder, change):
    before = Dataset.open(folder.root).identity

    folder.manifest(**change)

    assert Dataset.open(folder.root).identity != before


@pytest.mark.parametrize(
    "change", [{"license": "CC0"}, {"title": "Words"}, {"retired": RETIRED}, {"files": []}]
)
@pytest.mark.req("ENV-082")
def test_what_is_in_no_digest_changes_no_identity(folder, change):
    before = Dataset.open(folder.root).identity

    folder.manifest(**change)

    assert Dataset.open(folder.root).identity == before


def test_entries_come_in_file_order_with_line_and_labels(folder):
    folder.row(CASES, 1, facets={"suite": "s", "variant": "v"}, group="g", category=None)

    assert list(Dataset.open(folder.root).entries()) == [
        CaseEntry("c-1", 1, None, (), "g", None, {"suite": "s", "variant": "v"}),
        CaseEntry("c-2", 2, "plain", (), None, None, {}),
        CaseEntry("c-3", 3, "plain", ("a", "b"), None, "doc", {}),
    ]


@pytest.mark.req("ENV-082")
def test_a_retired_case_is_in_no_list_but_its_own(folder):
    folder.manifest(retired=RETIRED)
    dataset = Dataset.open(folder.root)

    assert dataset.ids == ("c-1", "c-3")
    assert len(dataset) == 2
    assert [entry.id for entry in dataset.entries()] == ["c-1", "c-3"]
    assert [case.id for case in dataset.cases()] == ["c-1", "c-3"]
    assert [entry.line for entry in dataset.entries()] == [1, 3]
    assert dataset.retired["c-2"].reason == "disputed"
    assert "c-2" not in dataset
    assert "c-1" in dataset
    assert dataset.row("c-2").id == "c-2"


def test_only_known_ids_are_in_a_dataset(folder):
    dataset = Dataset.open(folder.root)

    assert "c-9" not in dataset
    assert "C-1" not in dataset
    assert 1 not in dataset


def test_a_case_shows_inputs_files_and_context_and_nothing_else(folder):
    dataset = Dataset.open(folder.root)

    assert dataset.case("c-3", attempt=2) == Case(
        id="c-3",
        benchmark="words",
        inputs={"text": "el ñandú nº 3"},
        files={"assets/f3.txt": folder.root / "assets" / "f3.txt"},
        context="doc",
        attempt=2,
    )


def test_the_files_of_a_case_can_be_copies(folder, tmp_path):
    case = Dataset.open(folder.root).case("c-1", files_dir=tmp_path / "stage")

    assert case.files == {"assets/f1.txt": tmp_path / "stage" / "assets" / "f1.txt"}


@pytest.mark.parametrize("path", ["../answers.jsonl", "answers.jsonl", "/etc/passwd", "LICENSE"])
@pytest.mark.req("ENV-079")
def test_a_case_never_gets_a_file_that_is_not_pinned(folder, path):
    folder.row(CASES, 2, files=[path])
    dataset = Dataset.open(folder.root)

    with pytest.raises(DatasetError, match=r"cases\.jsonl:2: case 'c-2': .* is not pinned"):
        dataset.case("c-2")


def test_a_context_is_read_by_its_id(folder):
    row = Dataset.open(folder.root).context("doc")

    assert (row.inputs, row.files) == ({"n": 1}, ["assets/shared.txt"])


@pytest.mark.parametrize("name", ["dok", "c-1"])
def test_an_unknown_context_is_refused_by_name(folder, name):
    with pytest.raises(DatasetError, match=f"unknown context '{name}'"):
        Dataset.open(folder.root).context(name)


def test_a_dataset_without_contexts_has_none(folder):
    (folder.root / CONTEXTS).unlink()

    with pytest.raises(DatasetError, match="unknown context 'doc'"):
        Dataset.open(folder.root).context("doc")


@pytest.mark.parametrize("method", ["row", "line", "case"])
def test_an_unknown_case_names_the_nearest(folder, method):
    with pytest.raises(DatasetError, match=r"unknown case 'c-11'\. Did you mean 'c-1'"):
        getattr(Dataset.open(folder.root), method)("c-11")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f.root / CASES).unlink(), r"cases\.jsonl: does not exist"),
        (lambda f: (f.root / MANIFEST).unlink(), r"manifest\.json: does not exist.*benchbed pin"),
        (lambda f: f.manifest(schema="benchbed.manifest.v9"), "newer than this version"),
        (lambda f: f.manifest(loader="corpus-member"), "loader 'corpus-member' is not built"),
        (lambda f: f.manifest(zzz=1), "unknown key 'zzz'"),
        (
            lambda f: f.manifest(retired=[{"id": "c-1", "reason": "", "since": "1"}]),
            "retired without a reason",
        ),
        (lambda f: f.raw_line(CONTEXTS, 1, b"{}\n"), r"contexts\.jsonl:1: the row has no id"),
    ],
)
def test_a_dataset_with_a_fault_is_not_opened(folder, spoil, message):
    spoil(folder)

    with pytest.raises(DatasetError, match=message):
        Dataset.open(folder.root)


def test_a_folder_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(DatasetError, match="there is no such folder"):
        Dataset.open(tmp_path / "nowhere")


def test_a_bad_row_is_told_when_it_is_reached(folder):
    folder.raw_line(CASES, 2, line({"id": "c-2", "inputs": {}, "tags": [1]}))
    dataset = Dataset.open(folder.root)

    assert dataset.row("c-1").id == "c-1"
    with pytest.raises(DatasetError, match=r"cases\.jsonl:2: case 'c-2': tags"):
        list(dataset.entries())
    with pytest.raises(DatasetError, match=r"cases\.jsonl:2: case 'c-2': tags"):
        dataset.row("c-2")


def test_a_checkout_with_crlf_runs(folder):
    """The digests are over values, so only ``validate`` complains."""
    folder.write(CASES, folder.read(CASES).replace(b"\n", b"\r\n"))
    dataset = Dataset.open(folder.root)

    assert [entry.line for entry in dataset.entries()] == [1, 2, 3]
    assert dataset.row("c-3").inputs == {"text": "el ñandú nº 3"}


@pytest.mark.req("ENV-078")
def test_a_dataset_opens_without_its_answers(folder):
    (folder.root / "answers.jsonl").unlink()

    dataset = Dataset.open(folder.root)

    assert len(list(dataset.cases())) == 3
