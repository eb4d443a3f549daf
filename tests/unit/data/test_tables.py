"""Tables that people have: read as they come; broken ones are named by line and column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_benchbed.data.tables import read
from pytest_benchbed.data.tables.cases import import_rows
from pytest_benchbed.data.tables.mapping import Mapping
from pytest_benchbed.data.tables.mapping import check_mapping
from pytest_benchbed.data.tables.mapping import guess
from pytest_benchbed.data.tables.pointer import MISSING
from pytest_benchbed.data.tables.pointer import look_up
from pytest_benchbed.data.tables.pointer import short_name
from pytest_benchbed.data.tables.read import read_table
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.names import valid_id

PLAIN = Mapping("id", ("text",), (), ("answer",))


def table(folder: Path, data: str | bytes, name: str = "t.csv") -> read.Table:
    path = folder / name
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return read_table(path)


def refusal(folder: Path, data: str | bytes, name: str = "t.csv") -> str:
    with pytest.raises((DatasetError, UsageProblem)) as caught:
        import_rows(table(folder, data, name), PLAIN)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("id,text,answer\na,né,x\n", ""),
        ("\ufeffid,text,answer\r\na,né,x\r\n", "byte order mark"),
        ("id;text;answer\na;né;x\n".encode("cp1252"), "Windows-1252"),
        ("id;text;answer\na;né;x\n", "semicolons"),
        ("id\ttext\tanswer\na\tné\tx\n", "tabs"),
        ("id,text,answer\na,né,x\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_a_csv_in_any_dialect_is_read_and_what_was_assumed_is_noted(
    tmp_path: Path, data: str | bytes, note: str
) -> None:
    found = table(tmp_path, data)

    assert found.columns == ["id", "text", "answer"]
    assert dict(found.lines[0].values) == {"id": "a", "text": "né", "answer": "x"}
    assert note in " ".join(found.notes)
    assert bool(found.notes) == bool(note)


def test_quoted_cells_may_hold_delimiters_and_line_ends(tmp_path: Path) -> None:
    data = 'id,text,answer\na,"one, two\nthree ""four""",x\n\nb,y,z\n'

    lines = table(tmp_path, data).lines

    assert [(line.number, line.values["text"]) for line in lines] == [
        (2, 'one, two\nthree "four"'),
        (5, "y"),
    ]


@pytest.mark.parametrize(
    ("data", "name", "parts"),
    [
        ("id,text,answer\na,b\n", "t.csv", ["t.csv:2", "2 cells, the header 3 columns"]),
        ("id,text,answer\na,b,c,d\n", "t.csv", ["t.csv:2", "4 cells"]),
        ('id,text,answer\na,"b,c\n', "t.csv", ["t.csv:", "is no CSV"]),
        ("id,id,answer\na,b,c\n", "t.csv", ["t.csv:1", "column 'id': stands twice"]),
        ("id,,answer\na,b,c\n", "t.csv", ["t.csv:1", "column 2 has no name"]),
        ("id,text,answer\n", "t.csv", ["holds no row"]),
        ("", "t.csv", ["holds no row"]),
        ("id,text,answer\na,b,\n", "t.csv", ["t.csv:2", "'answer'", "the answer is empty"]),
        ("id,text,answer\na,b,c\na,d,e\n", "t.csv", ["t.csv:3", "id 'a' stands in line 2 too"]),
        ("id,text,answer\n ,b,c\n", "t.csv", ["t.csv:2", "column 'id': the id is empty"]),
        ('{"id": 1}\n[1]\n', "t.jsonl", ["t.jsonl:2", "is no JSON object"]),
        ('{"id": 1, "id": 2}\n', "t.jsonl", ["t.jsonl:1", "is no JSON"]),
        ("{\n", "t.jsonl", ["t.jsonl:1", "is no JSON"]),
        ("x", "t.xlsx", ["neither JSON Lines", "Save it as one of them"]),
    ],
)
def test_a_broken_table_is_refused_with_row_column_and_remedy(
    tmp_path: Path, data: str, name: str, parts: list[str]
) -> None:
    text = refusal(tmp_path, data, name)

    for part in parts:
        assert part in text
    assert text.rstrip()[-1] in ".)"


def test_many_broken_rows_are_named_together(tmp_path: Path) -> None:
    data = "id,text,answer\n" + "".join(f"{number},b\n" for number in range(15))

    text = refusal(tmp_path, data)

    assert text.count("2 cells") == 10
    assert "… and 5 more faults" in text


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_huge_line_is_named_and_not_kept(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "MAX_LINE_BYTES", 1000)
    row = {"id": "a", "text": "x" * 2000, "answer": "b"}
    data = f"id,text,answer\na,{'x' * 2000},b\n" if name == "t.csv" else json.dumps(row) + "\n"

    assert "is longer than" in refusal(tmp_path, data, name)


def test_a_missing_file_is_a_usage_problem(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="cannot be read: No such file"):
        read_table(tmp_path / "no.csv")


def test_ids_are_made_valid_and_the_old_ones_kept(tmp_path: Path) -> None:
    data = "id,text,answer\nFactura nº 1/24,a,x\nfactura no-1-24,b,y\n日本,c,z\nok-4,d,w\n"

    made = import_rows(table(tmp_path, data), PLAIN)

    ids = [row["id"] for row in made.cases]
    assert ids[0] == "Factura-no-1-24"
    assert ids[1] == "factura-no-1-24-2"
    assert ids[3] == "ok-4"
    assert all(map(is_case_id, ids))
    assert [row.get("meta", {}).get("id") for row in made.cases] == [
        "Factura nº 1/24",
        "factura no-1-24",
        "日本",
        None,
    ]
    assert valid_id("日本") == ids[2] == valid_id("日本")


def test_rows_without_an_answer_are_left_out_if_asked(tmp_path: Path) -> None:
    data = "id,text,answer,who\na,b,,ana\nc,d,e,luis\n"

    made = import_rows(table(tmp_path, data), PLAIN, may_skip=True)

    assert made.without_answer == [2]
    assert made.cases == [{"id": "c", "inputs": {"text": "d"}, "meta": {"who": "luis"}}]
    assert made.answers == [{"id": "c", "answer": {"answer": "e"}}]


def test_pointers_reach_into_rows_and_an_object_is_the_answer_itself(tmp_path: Path) -> None:
    row = {"q": {"text": "a/b", "~": [1, {"x": 2}]}, "gold": {"total": None, "tax": "1"}}
    found = table(tmp_path, json.dumps(row) + "\n", "t.jsonl")

    made = import_rows(found, Mapping(None, ("/q/text", "/q/~0/1/x"), (), ("gold",)))

    assert made.cases == [{"id": "case-0001", "inputs": {"text": "a/b", "x": 2}}]
    assert made.answers[0]["answer"] == {"total": None, "tax": "1"}
    assert look_up(row, "/q/none") is MISSING
    assert short_name("/a~1b") == "a/b"


def test_several_answers_are_one_object_and_empty_ones_null(tmp_path: Path) -> None:
    data = 'id,text,total,tags\na,b,,"[1, 2]"\n'

    made = import_rows(table(tmp_path, data), Mapping("id", ("text",), (), ("total", "tags")))

    assert made.answers == [{"id": "a", "answer": {"total": None, "tags": [1, 2]}}]


def test_files_are_copied_by_valid_names_and_equal_ones_once(tmp_path: Path) -> None:
    for folder, text in (("a", "one"), ("b", "two"), ("c", "one")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Página 1.txt").write_text(text, "utf-8")
    data = "id,f,answer\n1,a\\Página 1.txt,x\n2,b/Página 1.txt,y\n3,c/Página 1.txt,z\n4,,w\n"

    made = import_rows(table(tmp_path, data), Mapping("id", (), ("f",), ("answer",)))

    paths = [row.get("files") for row in made.cases]
    assert paths[0] == paths[2] == ["files/Página 1.txt"]
    assert paths[1] != paths[0]
    assert paths[3] is None
    assert {path.read_text("utf-8") for path in made.copies.values()} == {"one", "two"}
    assert made.cases[0]["inputs"] == {"f": "files/Página 1.txt"}


def test_a_file_that_is_not_there_is_named_by_row_and_column(tmp_path: Path) -> None:
    found = table(tmp_path, "id,f,answer\n1,no.pdf,x\n")

    with pytest.raises(DatasetError, match=r"t.csv:2: column 'f': the file 'no.pdf' cannot be"):
        import_rows(found, Mapping("id", (), ("f",), ("answer",)))


def test_columns_are_guessed_by_names_and_values(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"x")
    data = "Nº,Documento,doc,Total esperado,note\n1,uno,a.pdf,3,n\n2,dos,a.pdf,4,n\n"

    assert guess(table(tmp_path, data)) == Mapping(
        "Nº", ("Documento", "note"), ("doc",), ("Total esperado",)
    )


@pytest.mark.parametrize(
    ("mapping", "text"),
    [
        (Mapping("id", ("txet",), (), ("answer",)), "Did you mean 'text'"),
        (Mapping("id", ("/text~x",), (), ("answer",)), "write ~0 for ~"),
        (Mapping("id", (), (), ("answer",)), "--input=COLUMN"),
        (Mapping("id", ("text",), (), ()), "--answer=COLUMN"),
        (Mapping("id", ("text", "/text"), (), ("answer",)), "two values would be input 'text'"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(
    tmp_path: Path, mapping: Mapping, text: str
) -> None:
    found = table(tmp_path, "id,text,answer\na,b,c\n")

    with pytest.raises(UsageProblem, match=text):
        check_mapping(found, mapping)


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        ("id,text,answer\na,x\0y,z\n", "t.csv", "t.csv:2: column 'text': has a NUL character"),
        ("id,text,answer\na,x,z\n".encode("utf-16")[:-1], "t.csv", "is not UTF-16"),
        ("id,text,answer\na,x,  \n", "t.csv", "t.csv:2: column 'answer': the answer is empty"),
        ('{"id": 1, "text": "x", "answer": null}', "t.jsonl", "the answer is empty"),
        ('{"id": 1, "text": "x", "answer": {}}', "t.jsonl", "the answer is empty"),
        ('{"id": [1], "text": "x", "answer": "y"}', "t.jsonl", "no text and no number"),
        ('{"id": true, "text": "x", "answer": "y"}', "t.jsonl", "no text and no number"),
    ],
)
def test_values_that_nobody_meant_are_refused(
    tmp_path: Path, data: str | bytes, name: str, text: str
) -> None:
    assert text in refusal(tmp_path, data, name)


def test_a_first_line_that_tells_excel_the_delimiter_is_no_row(tmp_path: Path) -> None:
    found = table(tmp_path, "sep=|\r\nid|text|answer\r\na|b;c;d|x\r\n")

    assert found.columns == ["id", "text", "answer"]
    assert [(line.number, line.values["text"]) for line in found.lines] == [(3, "b;c;d")]
    assert "'|'" in found.notes[0]
