from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from pytest_benchbed import Benchmark
from pytest_benchbed import Dataset
from pytest_benchbed import Error
from pytest_benchbed import ProfileScore
from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.cli.pin import PinOptions
from pytest_benchbed.cli.pin import run_pin
from pytest_benchbed.cli.validate import run_validate
from pytest_benchbed.model.errors import UsageProblem
from tests.unit.data.folder import ANSWERS
from tests.unit.data.folder import CASES
from tests.unit.data.folder import MANIFEST
from tests.unit.data.folder import Folder


class Words(Benchmark):
    """Right if the value is right; the second profile wants it to be even, too."""

    id = "words"
    format = "test.words.v1"
    label = "Words"
    scoring_version = "test.words.scores.v1"
    profiles = ("value", "even")

    def score_case(self, case, answer, prediction):
        wrong = [Error("wrong")] if prediction["value"] != answer["value"] else []
        odd = [Error("odd", {"case": case.id})] if prediction["value"] % 2 else []
        return {"value": ProfileScore(wrong), "even": ProfileScore(wrong + odd)}


@pytest.fixture
def folder(tmp_path):
    made = Folder(tmp_path)
    for number in (1, 2, 3):
        made.row(ANSWERS, number, answer={"value": number * 2})
    return made.pinned()


def validated(folder, benchmark):
    lines: list[str] = []
    code = run_validate(folder.root, benchmark, lines.append)
    return code, lines


@pytest.mark.req("ENV-089")
def test_a_clean_dataset_prints_what_it_is(folder):
    folder.manifest(retired=[{"id": "c-2", "reason": "disputed", "since": "1"}])
    code, lines = validated(folder, Words())

    identity = Dataset.open(folder.root).identity
    assert code == 0
    assert lines == [f"words-small version 1: no fault, 2 cases, 1 retired, identity {identity}"]


def test_without_a_type_the_answers_are_said_to_be_unscored(folder):
    code, lines = validated(folder, None)

    assert code == 0
    assert lines[-1] == "the answers were not scored: no benchmark type was given"


@pytest.mark.req("ENV-089")
def test_every_fault_is_printed_and_counted(folder):
    folder.raw_line(CASES, 1, b"{broken\n")
    folder.write("new.txt", b"")
    folder.row(ANSWERS, 2, zzz=1)
    code, lines = validated(folder, Words())

    assert code == 1
    assert len(lines) == 5
    assert any(line.startswith(f"{folder.root / CASES}:1: not readable") for line in lines)
    assert lines[-1] == f"4 faults in {folder.root}"


def test_one_fault_is_not_called_faults(folder):
    folder.write("new.txt", b"")

    assert validated(folder, Words())[1][-1] == f"1 fault in {folder.root}"


@pytest.mark.req("ENV-089")
def test_an_answer_that_scores_an_error_in_any_profile_is_named(folder):
    folder.row(ANSWERS, 3, answer={"value": 7})
    folder.pinned()
    code, lines = validated(folder, Words())

    assert code == 1
    assert lines[0].startswith(f"{folder.root / CASES}:3: case 'c-3': ")
    assert "'even'" in lines[0]
    assert "odd" in lines[0]


def test_a_case_that_the_scorer_cannot_score_is_named(folder):
    folder.row(ANSWERS, 3, answer={})
    folder.pinned()
    code, lines = validated(folder, Words())

    assert code == 1
    assert "case 'c-3': " in lines[0]
    assert "KeyError" in lines[0]


class Text(BaseModel):
    text: str


class Value(BaseModel):
    value: int


class Strict(Words):
    inputs_model = Text
    answer_model = Value
    categories = ("plain",)
    tier = "component"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.row(CASES, 2, inputs={"text": 1}), "case 'c-2': inputs: text"),
        (lambda f: f.row(CASES, 2, inputs={"text": "a", "b": 1}), "case 'c-2': inputs: b"),
        (lambda f: f.row(ANSWERS, 2, answer={"value": 2.5}), "case 'c-2': answer: value"),
        (lambda f: f.row(CASES, 2, category="plane"), "category 'plane' is not one"),
    ],
)
def test_what_the_type_declares_is_checked(folder, spoil, message):
    for number in (1, 2, 3):
        folder.row(CASES, number, files=[])
    folder.row(CASES, 3, context=None)
    spoil(folder)
    folder.pinned()
    code, lines = validated(folder, Strict())

    assert code == 1
    assert len(lines) == 2
    assert message in lines[0]


@pytest.mark.req("ENV-013")
def test_the_files_of_a_case_are_compared_with_the_tier(folder):
    for name in ("a.png", "b.png", "a.pdf"):
        folder.write(f"assets/{name}", name.encode())
    folder.row(CASES, 1, files=["assets/a.png", "assets/a.pdf"])
    folder.row(CASES, 2, files=["assets/a.png", "assets/b.png"])
    folder.row(CASES, 3, files=[])
    folder.pinned()
    code, lines = validated(folder, Strict())

    assert code == 1
    assert [line.split(": ", 1)[1] for line in lines[:-1]] == [
        "case 'c-2': a component is one crop or page; the case has 2 images and 0 PDFs. "
        "Correct the case or its answer, or retire the case with a reason.",
        # the file of its context counts
        "case 'c-3': a component is an image, a PDF or both; a file has the suffix .txt. "
        "Correct the case or its answer, or retire the case with a reason.",
    ]


def test_an_input_that_the_type_declares_may_be_called_answer(tmp_path):
    class Verified(BaseModel):
        answer: str

    class Verify(Words):
        inputs_model = Verified

    folder = Folder(tmp_path)
    for number in (1, 2, 3):
        folder.row(CASES, number, inputs={"answer": "is it so?"})
        folder.row(ANSWERS, number, answer={"value": 2})
    folder.pinned()

    assert validated(folder, Verify())[0] == 0
    assert validated(folder, Words())[0] == 1


@pytest.mark.parametrize("known", [True, False])
def test_the_type_that_the_manifest_names_is_looked_up(folder, known):
    registry = BenchmarkRegistry()
    if known:
        registry.add(Words)
    folder.row(ANSWERS, 3, answer={"value": 7})
    folder.pinned()
    code, lines = validated(folder, registry)

    assert code == 1
    assert ("'even'" in lines[0]) is known
    assert (f"{folder.root / MANIFEST}:" in lines[0]) is not known
    assert ("unknown benchmark 'words'" in lines[0]) is not known


def test_a_manifest_that_names_no_type_is_told_as_such(folder):
    folder.manifest(benchmark=None)
    code, lines = validated(folder, BenchmarkRegistry())

    assert code == 1
    assert "benchmark: Field required" in lines[0]


def test_a_folder_that_does_not_exist_is_a_fault(tmp_path):
    lines: list[str] = []

    assert run_validate(tmp_path / "nowhere", BenchmarkRegistry(), lines.append) == 1
    assert "there is no such folder" in lines[0]


def pinned(root: Path, **more: Any):
    lines: list[str] = []
    bump = more.pop("bump", False)
    options = PinOptions(
        root, **{"benchmark": None, "dataset_id": None, "visibility": None, **more}
    )
    return run_pin(options, lines.append, bump=bump), lines


@pytest.mark.req("ENV-079")
def test_pin_says_what_it_made(tmp_path):
    folder = Folder(tmp_path)
    code, lines = pinned(folder.root, dataset_id="me/words", visibility="public")

    assert code == 0
    assert lines == [
        f"created: {folder.root / MANIFEST}: me/words version 1, 3 cases, 0 retired, 5 files",
        f"identity: {Dataset.open(folder.root).identity}",
    ]


def test_pin_refuses_a_fault_with_every_fault_and_exit_1(tmp_path):
    folder = Folder(tmp_path)
    folder.row(CASES, 1, id="a b")
    (folder.root / "link").symlink_to("assets")
    code, lines = pinned(folder.root)

    assert code == 1
    assert "the id is not valid" in lines[0]
    assert "is a symbolic link" in lines[0]
    assert lines[-1] == f"not pinned: nothing was written to {folder.root}"
    assert not (folder.root / MANIFEST).exists()


def test_pin_without_a_benchmark_is_a_usage_problem(tmp_path):
    folder = Folder(tmp_path, "cases/mine")

    with pytest.raises(UsageProblem, match="which benchmark"):
        pinned(folder.root)
    assert pinned(folder.root, benchmark="words")[0] == 0


@pytest.mark.req("ENV-079")
def test_pin_bump_raises_the_version(folder):
    code, lines = pinned(folder.root, bump=True)

    assert code == 0
    assert "version 2 (was 1)" in lines[0]
