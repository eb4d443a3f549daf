from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

import pytest_benchbed
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.answers import answer_index
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.dataset import open_contexts
from pytest_benchbed.data.digests import answers_are
from pytest_benchbed.data.digests import answers_digest
from pytest_benchbed.data.digests import inputs_are
from pytest_benchbed.data.digests import inputs_digest
from pytest_benchbed.data.index import LineIndex
from pytest_benchbed.data.index import Source
from pytest_benchbed.data.manifest import read_manifest
from pytest_benchbed.data.verify import verify_digests
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.dataset import PinnedFile
from pytest_benchbed.model.errors import DatasetError
from tests.unit.data.folder import ANSWERS
from tests.unit.data.folder import CASES
from tests.unit.data.folder import CONTEXTS
from tests.unit.data.folder import MANIFEST
from tests.unit.data.folder import answer_row
from tests.unit.data.folder import case_row
from tests.unit.data.folder import line


def inputs_of(root, files):
    cases = LineIndex.build(Source.open(root, CASES))
    return inputs_digest(cases, open_contexts(root), {pin.path: pin for pin in files})


def digests(folder):
    files = read_manifest(folder.root).files
    return inputs_of(folder.root, files), answers_digest(answer_index(folder.root))


def rows_of(folder, name):
    return [json.loads(text) for text in folder.read(name).splitlines()]


def test_the_digests_are_those_of_the_whole_objects(folder):
    """The streamed hash is that of one canonical document (RFC 8785)."""
    pins = {pin["path"]: pin["sha256"] for pin in folder.pins()}
    named = ["assets/f1.txt", "assets/f2.txt", "assets/f3.txt", "assets/shared.txt"]
    whole = {
        "cases": rows_of(folder, CASES),
        "contexts": rows_of(folder, CONTEXTS),
        "files": [[path, pins[path]] for path in named],
    }

    assert digests(folder) == (digest(whole), digest({"answers": rows_of(folder, ANSWERS)}))


def test_an_empty_dataset_has_digests(tmp_path):
    (tmp_path / CASES).write_bytes(b"")
    (tmp_path / ANSWERS).write_bytes(b"")

    empty = {"cases": [], "contexts": [], "files": []}
    assert inputs_of(tmp_path, []) == digest(empty)
    assert answers_digest(answer_index(tmp_path)) == digest({"answers": []})


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda rows, text: b"".join(line(row) for row in reversed(rows)),
        lambda rows, text: text.replace(b"\n", b"\r\n"),
        lambda rows, text: text[:-1],
        lambda rows, text: b"".join(
            json.dumps(dict(reversed(row.items())), indent=None).encode() + b"\n" for row in rows
        ),
        lambda rows, text: text.replace(b":1}", b":1.0}").replace(b'{"', b'{ "'),
    ],
    ids=["row order", "line ends", "no last line feed", "key order and escapes", "form of numbers"],
)
def test_how_rows_are_written_changes_no_digest(folder, rewrite):
    before = digests(folder)
    for name in (CASES, CONTEXTS, ANSWERS):
        folder.write(name, rewrite(rows_of(folder, name), folder.read(name)))

    assert digests(folder) == before
    verify_digests(Dataset.open(folder.root))


@pytest.mark.parametrize(
    "more",
    [
        {"inputs": {"text": "el nandú nº 2"}},
        {"inputs": {"text": "el n\u0303andú nº 2"}},
        {"category": "other"},
        {"tags": ["x"]},
        {"group": "g"},
        {"meta": {"note": 1}},
        {"context": "doc"},
        {"files": []},
        {"facets": {"suite": "s"}},
    ],
)
def test_every_value_of_a_case_is_in_the_digest_of_the_inputs(folder, more):
    inputs, answers = digests(folder)
    folder.row(CASES, 2, **more)

    assert digests(folder)[0] != inputs
    assert digests(folder)[1] == answers


def test_a_named_file_is_in_the_digest_and_another_is_not(folder):
    files = read_manifest(folder.root).files
    before = inputs_of(folder.root, files)

    def other(path):
        return [
            PinnedFile(path=pin.path, size=pin.size, sha256="f" * 64) if pin.path == path else pin
            for pin in files
        ]

    assert inputs_of(folder.root, other("LICENSE.txt")) == before
    assert inputs_of(folder.root, other("assets/f1.txt")) != before
    assert inputs_of(folder.root, other("assets/shared.txt")) != before


@pytest.mark.parametrize(
    ("name", "more", "which"),
    [
        (ANSWERS, {"answer": {"value": 23}}, 1),
        (ANSWERS, {"canary": "f" * 32}, 1),
        (CONTEXTS, {"inputs": {"n": 2}}, 0),
    ],
)
def test_answers_and_contexts_are_in_their_digest(folder, name, more, which):
    before = digests(folder)
    folder.row(name, 1, **more)
    after = digests(folder)

    assert after[which] != before[which]
    assert after[1 - which] == before[1 - which]


def test_a_row_that_names_an_unpinned_file_has_no_digest(folder):
    folder.row(CASES, 2, files=["assets/new.txt"])

    with pytest.raises(DatasetError, match=r"cases\.jsonl:2: case 'c-2': .* is not pinned"):
        digests(folder)


@pytest.mark.parametrize("name", [CASES, ANSWERS])
def test_a_bad_line_is_never_hashed(folder, name):
    text = folder.read(name)
    folder.write(name, text.replace(b'"id":"c-2"', b'"id":"c-2","id":"c-2"'))

    with pytest.raises(DatasetError, match=rf"{name}:2: .*stands twice"):
        digests(folder)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(
                st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=4
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(values=st.lists(JSON, min_size=1, max_size=6), seed=st.integers(0, 2**32))
def test_the_order_of_rows_and_keys_is_irrelevant_for_any_values(tmp_path_factory, values, seed):
    first, other = tmp_path_factory.mktemp("a"), tmp_path_factory.mktemp("b")
    mixed = random.Random(seed)
    cases = [
        {"id": f"i{n}", "inputs": {"v": value}, "group": "g"} for n, value in enumerate(values)
    ]
    answers = [{"id": f"i{n}", "answer": value} for n, value in enumerate(values)]
    for root, shuffle in ((first, False), (other, True)):
        for name, rows in ((CASES, cases), (ANSWERS, answers)):
            rows = list(rows)
            if shuffle:
                mixed.shuffle(rows)
                rows = [dict(mixed.sample(list(row.items()), len(row))) for row in rows]
            text = "".join(json.dumps(row, ensure_ascii=shuffle) + "\n" for row in rows)
            (root / name).write_text(text, encoding="utf-8", newline="")

    assert inputs_of(first, []) == inputs_of(other, [])
    assert answers_digest(answer_index(first)) == answers_digest(answer_index(other))
    assert answers_digest(answer_index(first)) == digest({"answers": answers})


SCRIPT = """
import sys
from pathlib import Path
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.digests import answers_digest, inputs_digest
dataset = Dataset.open(sys.argv[1])
inputs = inputs_digest(dataset.case_index, dataset.context_index, dataset.pins)
print(inputs, answers_digest(Answers.open(dataset.root).index))
print(dataset.identity)
"""


def test_processes_with_other_hash_seeds_get_the_same_digests(folder):
    source = str(Path(pytest_benchbed.__file__).parents[1])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(folder.root)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": source},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "424242")
    }

    assert len(outputs) == 1
    assert outputs.pop().split() == [*digests(folder), Dataset.open(folder.root).identity]


def test_a_row_that_is_overwritten_meanwhile_is_never_hashed(folder):
    index = Answers.open(folder.root).index
    text = folder.read(ANSWERS)
    with (folder.root / ANSWERS).open("r+b") as file:  # the same file, open already
        file.write(text.replace(b'"id":"c-2"', b'"id":"c-8"'))

    with pytest.raises(DatasetError, match=r"answers\.jsonl:2: case 'c-2': the file changed"):
        answers_digest(index)


def test_a_path_that_is_not_pinned_is_never_taken_on_trust(folder):
    dataset = Dataset.open(folder.root)
    pins = {path: pin for path, pin in dataset.pins.items() if path != "assets/f1.txt"}

    with pytest.raises(DatasetError, match=r"'assets/f1\.txt' is not pinned"):
        inputs_are("0" * 64, dataset.case_index, dataset.context_index, pins)


class TestVerify:
    def test_a_dataset_as_pinned_is_accepted(self, folder):
        verify_digests(Dataset.open(folder.root))
        verify_digests(Dataset.open(folder.root), Answers.open(folder.root))

    @pytest.mark.req("ENV-079")
    def test_an_edited_answer_says_run_pin(self, folder):
        folder.row(ANSWERS, 2, answer={"value": 0})

        with pytest.raises(DatasetError, match=r"answers\.jsonl: edited since it was pinned"):
            verify_digests(Dataset.open(folder.root))

    @pytest.mark.req("ENV-079")
    def test_an_edited_case_says_run_pin(self, folder):
        (folder.root / CONTEXTS).unlink()
        folder.rows(CASES, [case_row(1), case_row(2), case_row(3)])
        folder.pinned().row(CASES, 1, inputs={"text": "x"})

        with pytest.raises(DatasetError, match=r"cases\.jsonl: edited since it was pinned"):
            verify_digests(Dataset.open(folder.root))

    def test_both_edits_are_told(self, folder):
        folder.row(ANSWERS, 2, answer={"value": 0})
        folder.row(CONTEXTS, 1, inputs={})

        with pytest.raises(DatasetError) as caught:
            verify_digests(Dataset.open(folder.root))

        assert "cases.jsonl: this file or contexts.jsonl was edited" in str(caught.value)
        assert "answers.jsonl: edited" in str(caught.value)

    def test_an_edited_pin_of_a_named_file_is_told(self, folder):
        pins = folder.pins()
        folder.manifest(files=[{**pin, "sha256": "0" * 64} for pin in pins])

        with pytest.raises(DatasetError, match="edited"):
            verify_digests(Dataset.open(folder.root))

    def test_a_row_that_was_removed_is_told(self, folder):
        folder.rows(ANSWERS, [answer_row(1), answer_row(3)])

        with pytest.raises(DatasetError, match=r"answers\.jsonl: edited"):
            verify_digests(Dataset.open(folder.root))

    def test_a_row_hidden_in_the_line_of_another_is_not_scored(self, folder):
        """Two rows on one line hash like two lines, but the line is no row."""
        lines = folder.read(CASES).splitlines()
        folder.write(CASES, lines[0] + b"," + lines[1] + b"\n" + lines[2] + b"\n")

        dataset = Dataset.open(folder.root)
        with pytest.raises(DatasetError, match=r"cases\.jsonl:1: not readable"):
            list(dataset.entries())


@pytest.mark.parametrize("canonical", [True, False])
def test_the_short_way_and_the_long_way_agree(folder, canonical):
    """Rows in canonical form are hashed as written; the answer is the same either way."""
    if not canonical:
        for name in (CASES, CONTEXTS, ANSWERS):
            folder.write(name, folder.read(name).replace(b'":', b'" :'))
    dataset, answers = Dataset.open(folder.root), Answers.open(folder.root)
    inputs, expected = digests(folder)

    index = (dataset.case_index, dataset.context_index, dataset.pins)
    assert inputs_are(inputs, *index)
    assert answers_are(expected, answers.index)
    assert not inputs_are(expected, *index)
    assert not answers_are(inputs, answers.index)


def test_canonical_rows_are_not_parsed_to_be_verified(folder, monkeypatch):
    """What makes the digest of a large dataset cheap in every session."""
    monkeypatch.setattr("pytest_benchbed.data.digests.parse_object", None)

    verify_digests(Dataset.open(folder.root))


def test_the_digests_stand_in_the_manifest(folder):
    pinned = json.loads(folder.read(MANIFEST))["digests"]

    assert (pinned["inputs"], pinned["answers"]) == digests(folder)
