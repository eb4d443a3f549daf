from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from pytest_benchbed.data import inventory
from pytest_benchbed.data import pins
from pytest_benchbed.data.pin import pin
from pytest_benchbed.data.validate import validate
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import DatasetError
from tests.unit.data.folder import ANSWERS
from tests.unit.data.folder import CANARY
from tests.unit.data.folder import CASES
from tests.unit.data.folder import CONTEXTS
from tests.unit.data.folder import MANIFEST
from tests.unit.data.folder import Folder
from tests.unit.data.folder import answer_row
from tests.unit.data.folder import case_row
from tests.unit.data.folder import line
from tests.unit.data.spoiled import GOOD_RETIREMENT
from tests.unit.data.spoiled import ROWS


def spoil(folder, row):
    try:
        row.spoil(folder)
    except OSError as error:
        pytest.skip(f"this system cannot have such a file: {error}")


@pytest.mark.req("ENV-078", "ENV-079", "ENV-082", "ENV-089")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_each_fault_names_file_line_case_cause_and_remedy(folder, row):
    spoil(folder, row)

    faults = validate(folder.root)

    told = [
        fault
        for fault in faults
        if fault.file == str(folder.root / row.file)
        and fault.case == row.case
        and re.search(row.cause, fault.cause)
    ]
    assert len(told) == 1, [str(fault) for fault in faults]
    assert row.line is None or told[0].line == row.line
    assert re.search(row.remedy, told[0].remedy)
    text = str(told[0])
    assert text.startswith(f"{folder.root / row.file}:")
    assert "\n" not in text


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_one_mistake_gives_one_fault(folder, row):
    """A reader of the list must not look for what is only a consequence."""
    spoil(folder, row)
    consequences = (
        r"has no answer|has no case|id is not valid"  # the other row of a case without a valid id
        if row.pins.startswith("orphans")
        else r"edited since|not listed in|is not pinned|in CRLF"
    )

    others = [
        fault
        for fault in validate(folder.root)
        if not re.search(row.cause, fault.cause) and not re.search(consequences, fault.cause)
    ]

    assert [str(fault) for fault in others] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_what_pin_accepts_validate_finds_clean(folder, row):
    """Either pin refuses and writes nothing, or its manifest mends the fault."""
    spoil(folder, row)
    before = folder.read(MANIFEST) if (folder.root / MANIFEST).exists() else None

    try:
        pin(folder.root)
    except BenchbedError:
        assert not row.pins.startswith(("mended", "blind"))
        assert (folder.read(MANIFEST) if before is not None else None) == before
    else:
        assert row.pins.startswith(("mended", "blind"))
        faults = validate(folder.root)
        assert row.pins.startswith("blind") or [str(fault) for fault in faults] == []


def test_a_clean_dataset_has_no_fault(folder):
    assert validate(folder.root) == []


def test_a_retired_case_with_a_reason_is_no_fault(folder):
    folder.manifest(retired=[GOOD_RETIREMENT])

    assert validate(folder.root) == []


@pytest.mark.req("ENV-079")
def test_one_bad_line_hides_no_other_fault(folder):
    folder.raw_line(CASES, 1, b"{broken\n")
    folder.write("assets/f2.txt", b"other")
    folder.write("assets/new.txt", b"new")
    folder.raw_line(ANSWERS, 3, line(answer_row(3, zzz=1)))
    folder.manifest(retired=[{"id": "c-3", "reason": "", "since": "1"}])

    text = "\n".join(str(fault) for fault in validate(folder.root))

    for cause in (
        "cases.jsonl:1: not readable",
        "f2.txt: case 'c-2'",
        "new.txt: the file is not listed",
        "answers.jsonl:3: case 'c-3': unknown key 'zzz'",
        "case 'c-3': the case is retired without a reason",
    ):
        assert cause in text


def test_faults_stand_in_the_order_of_files_and_lines(folder):
    folder.row(CASES, 3, catgory="x")
    folder.row(CASES, 1, catgory="x")
    folder.row(ANSWERS, 1, zzz=1)
    folder.manifest(visibility="open")

    places = [(Path(fault.file).name, fault.line) for fault in validate(folder.root)]

    assert places == [(MANIFEST, None), (CASES, 1), (CASES, 3), (ANSWERS, 1)]


def test_every_unknown_key_and_wrong_field_of_a_row_is_told(folder):
    folder.row(CASES, 1, alpha=1, beta=2, tags=3)

    causes = [fault.cause for fault in validate(folder.root)]

    assert [cause for cause in causes if "unknown key" in cause] == [
        "unknown key 'alpha'",
        "unknown key 'beta'",
    ]
    assert any(cause.startswith("tags:") for cause in causes)


def test_a_folder_without_a_dataset_names_one_below(folder):
    (fault,) = validate(folder.root.parent)

    assert "has no manifest.json" in fault.cause
    assert str(folder.root) in fault.remedy


def test_a_folder_above_benchmarks_names_a_dataset_below(folder, tmp_path):
    (fault,) = validate(tmp_path)

    assert str(folder.root) in fault.remedy


def test_a_folder_that_does_not_exist_is_one_fault(tmp_path):
    (fault,) = validate(tmp_path / "nowhere")

    assert str(fault) == f"{tmp_path / 'nowhere'}: there is no such folder. Correct the path."


@pytest.mark.parametrize("name", [CASES, ANSWERS, CONTEXTS, MANIFEST])
def test_none_of_the_own_files_may_be_a_link(folder, tmp_path, name):
    (folder.root / name).rename(tmp_path / "elsewhere")
    (folder.root / name).symlink_to(tmp_path / "elsewhere")

    faults = validate(folder.root)

    assert any(
        fault.file == str(folder.root / name) and "symbolic link" in fault.cause for fault in faults
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFO in folders")
def test_a_fifo_in_the_folder_is_a_fault(folder):
    os.mkfifo(folder.root / "assets" / "pipe")

    (fault,) = validate(folder.root)

    assert fault.cause == "is not a regular file"


def test_a_folder_that_cannot_be_read_hides_nothing_else(folder, monkeypatch):
    folder.write("new.txt", b"")
    real = os.scandir

    def refusing(path):
        if Path(path).name == "assets":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(inventory.os, "scandir", refusing)
    causes = {Path(fault.file).name: fault.cause for fault in validate(folder.root)}

    assert causes["assets"] == "the folder cannot be read (Permission denied)"
    assert causes["new.txt"] == "the file is not listed in manifest.json"


def test_a_file_that_cannot_be_read_to_its_end_is_a_fault(folder, monkeypatch):
    real = os.read

    def failing(file, size):
        data = real(file, size)
        if data.startswith(b"free"):
            raise OSError(5, "Input/output error")
        return data

    monkeypatch.setattr(pins.os, "read", failing)

    (fault,) = validate(folder.root)

    assert fault.file == str(folder.root / "LICENSE.txt")
    assert "cannot be read (Input/output error)" in fault.cause


def test_a_pin_whose_file_has_another_case_on_disk_names_it(folder):
    (folder.root / "LICENSE.txt").rename(folder.root / "license.txt")
    if (folder.root / "LICENSE.txt").exists():
        pytest.skip("this system ignores the case of file names")

    causes = [fault.cause for fault in validate(folder.root)]

    assert causes[0] == (
        "pinned in manifest.json, but does not exist; there is 'license.txt', which differs only "
        "by case"
    )


@pytest.mark.parametrize(
    "name",
    [
        ".DS_Store",
        "assets/._f1.txt",
        "Thumbs.db",
        "desktop.ini",
        "assets/__pycache__/x.txt",
        "gen.pyc",
        ".gitattributes",
        ".gitignore",
        ".git/config",
        ".manifest.json.0a1b2c3d.tmp",
    ],
)
def test_junk_is_neither_a_fault_nor_pinned(folder, name):
    folder.write(name, b"x")

    assert validate(folder.root) == []
    assert not pin(folder.root).is_written


def test_lf_where_crlf_was_pinned_is_told_as_line_ends_too(unpinned):
    unpinned.write("assets/f1.txt", b"a\r\nb\r\n")
    unpinned.pinned()
    unpinned.write("assets/f1.txt", b"a\nb\n")

    (fault,) = validate(unpinned.root)

    assert fault.cause == "differs only in line ends: it has LF, pinned was CRLF"


def test_line_ends_at_the_edge_of_a_block_are_recognised(unpinned):
    """The file is read in blocks of 1 MiB; a CR may end one and its LF start the next."""
    text = b"x" * ((1 << 20) - 1) + b"\nend\n"
    unpinned.write("assets/f1.txt", text)
    unpinned.pinned()
    unpinned.write("assets/f1.txt", text.replace(b"\n", b"\r\n"))

    (fault,) = validate(unpinned.root)

    assert "only in line ends" in fault.cause


def test_a_canary_at_the_edge_of_a_block_is_found(unpinned):
    unpinned.write("assets/f1.txt", b"x" * ((1 << 20) - 7) + CANARY.encode() + b"x" * 99)

    with pytest.raises(DatasetError, match="canary of the answers stands in this file"):
        pin(unpinned.root)


def test_a_path_with_a_blank_is_quoted_for_gitattributes(unpinned):
    unpinned.write("assets/a b.txt", b"a\n")
    unpinned.pinned()
    unpinned.write("assets/a b.txt", b"a\r\n")

    (fault,) = validate(unpinned.root)

    assert "'\"assets/a b.txt\" -text'" in fault.remedy


def test_terminal_escapes_in_ids_and_names_are_shown_harmlessly(folder):
    folder.row(CASES, 1, id="\x1b[2Jc\u202e")
    folder.write("assets/\u200b.txt", b"")

    text = "\n".join(str(fault) for fault in validate(folder.root))

    assert text.isascii() or not set("\x1b\u202e\u200b") & set(text)


class TestOptions:
    def test_a_category_that_the_type_lacks_names_the_nearest(self, folder):
        faults = validate(folder.root, categories=("plane", "other"))

        assert [(fault.line, fault.case) for fault in faults] == [(n, f"c-{n}") for n in (1, 2, 3)]
        assert faults[0].cause == "the category 'plain' is not one of the benchmark's"
        assert faults[0].remedy == "Did you mean 'plane'?"

    def test_a_case_without_a_category_is_no_fault(self, unpinned):
        for number in (1, 2, 3):
            unpinned.row(CASES, number, category=None)

        assert validate(unpinned.pinned().root, categories=("x",)) == []

    def test_an_input_that_the_type_declares_is_no_leak(self, unpinned):
        unpinned.row(CASES, 2, inputs={"answer": {"value": 22}})
        unpinned.pinned()

        assert validate(unpinned.root, input_keys={"answer"}) == []
        assert len(validate(unpinned.root, input_keys={"text"})) == 1

    def test_a_key_further_down_with_another_value_is_no_leak(self, unpinned):
        unpinned.row(CASES, 2, inputs={"form": {"answer": "please tick", "expected": 3}})

        assert validate(unpinned.pinned().root) == []

    def test_the_check_sees_every_case_with_its_answer(self, folder):
        seen = []
        validate(folder.root, check_answer=lambda data, name, answer: seen.append((name, answer)))

        assert seen == [(f"c-{n}", {"value": n * 11}) for n in (1, 2, 3)]

    @pytest.mark.req("ENV-082")
    def test_the_check_does_not_see_retired_cases(self, folder):
        folder.manifest(retired=[GOOD_RETIREMENT])
        seen = []
        validate(folder.root, check_answer=lambda data, name, answer: seen.append(name))

        assert seen == ["c-1", "c-3"]

    def test_what_the_check_says_is_a_fault_of_the_case(self, folder):
        def check(data, name, answer):
            return "cannot be right" if name == "c-2" else None

        (fault,) = validate(folder.root, check_answer=check)

        assert (fault.file, fault.line, fault.case) == (str(folder.root / CASES), 2, "c-2")
        assert fault.cause == "cannot be right"
        assert "retire the case" in fault.remedy

    def test_the_check_sees_the_good_cases_beside_a_bad_line(self, folder):
        folder.raw_line(CASES, 1, b"\xef\xbb\xbf{broken\n\n")
        folder.raw_line(ANSWERS, 1, b"")
        seen = []
        validate(folder.root, check_answer=lambda data, name, answer: seen.append(data.row(name)))

        assert [row.id for row in seen] == ["c-2", "c-3"]
        assert seen[0].inputs == {"text": "el ñandú nº 2"}

    def test_a_case_without_an_answer_is_not_checked(self, folder):
        folder.rows(ANSWERS, [answer_row(1), answer_row(3)])
        seen = []
        validate(folder.root, check_answer=lambda data, name, answer: seen.append(name))

        assert seen == ["c-1", "c-3"]

    @pytest.mark.parametrize("name", [ANSWERS, CASES])
    def test_without_cases_or_answers_nothing_is_checked(self, folder, name):
        (folder.root / name).unlink()
        seen = []
        faults = validate(folder.root, check_answer=lambda *asked: seen.append(asked))

        assert seen == []
        assert [fault.cause for fault in faults] == ["does not exist"]

    def test_a_case_that_the_check_cannot_even_build_is_named(self, folder):
        def check(data, name, answer):
            if name == "c-2":
                raise DatasetError("no such thing\nDo something")

        (fault,) = validate(folder.root, check_answer=check)

        assert (fault.line, fault.case) == (2, "c-2")
        assert fault.cause == "no such thing\\nDo something"

    def test_a_case_that_cannot_be_built_is_told_once(self, folder):
        folder.row(CASES, 2, files=["assets/nothing.txt"])

        faults = validate(
            folder.root, check_answer=lambda data, name, answer: data.case(name) and None
        )

        assert len(faults) == 1


def test_spanish_and_astral_text_is_fine(unpinned):
    unpinned.row(CASES, 2, inputs={"text": "¿Qué «precio»? 😀 🂡 \u0301", "ñ": 1})
    unpinned.row(ANSWERS, 2, answer={"año": "mañana 😀"})
    unpinned.write("assets/año 😀.txt", "ñ".encode())

    assert validate(unpinned.pinned().root) == []


def test_a_dataset_without_canary_and_contexts_is_fine(unpinned):
    (unpinned.root / CONTEXTS).unlink()
    unpinned.rows(CASES, [case_row(n) for n in (1, 2, 3)])
    unpinned.rows(ANSWERS, [{"id": f"c-{n}", "answer": None} for n in (1, 2, 3)])

    assert validate(unpinned.pinned().root) == []


def test_thousands_of_rows_are_checked_to_the_last(tmp_path):
    folder = Folder(tmp_path)
    count = 5000
    folder.rows(CASES, [{"id": f"n-{n}", "inputs": {"n": n}} for n in range(count)])
    folder.rows(ANSWERS, [{"id": f"n-{n}", "answer": n} for n in range(count)])
    folder.pinned()
    assert validate(folder.root) == []

    folder.raw_line(CASES, count, b'{"id":"n-0","inputs":{}}\n')
    (twin, orphan) = validate(folder.root)

    assert (twin.line, twin.cause) == (count, "the id stands on line 1 already")
    assert orphan.case == f"n-{count - 1}"


def test_the_manifest_line_of_a_retirement_is_named(folder):
    folder.manifest(retired=[{"id": "c-2", "reason": "", "since": "1"}])

    (fault,) = validate(folder.root)

    lines = folder.read(MANIFEST).decode().splitlines()
    assert json.dumps("c-2") in lines[fault.line - 1]
