"""Recorded outputs as somebody's spreadsheet or script wrote them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.prediction_settings import PredictionSettings
from pytest_benchbed.adapters.recorded import Output
from pytest_benchbed.adapters.recorded import read_outputs
from pytest_benchbed.model.errors import UsageProblem


def outputs(folder: Path, name: str, data: bytes | str, **options: Any) -> dict[str, Output]:
    path = folder / name
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    settings = PredictionSettings.read({"path": name, **options}, [folder])
    return read_outputs(path, settings)


def predictions(folder: Path, name: str, data: bytes | str, **options: Any) -> dict[str, Any]:
    found = outputs(folder, name, data, **options)
    return {case: output.prediction for case, output in found.items()}


def test_json_lines_with_cost_and_latency(tmp_path: Path) -> None:
    found = outputs(
        tmp_path,
        "o.jsonl",
        '{"id": "c-1", "prediction": {"a": 1}, "cost_usd": 0.002, "latency_s": 1.5}\n\n'
        '{"id": 7, "prediction": null}\r\n',
    )

    assert found == {
        "c-1": Output({"a": 1}, Decimal("0.002"), 1.5),
        "7": Output(None, None, None),
    }


def test_a_pointer_and_a_key(tmp_path: Path) -> None:
    line = '{"case": "c-1", "out": {"text": "sí"}}'

    found = predictions(tmp_path, "o.jsonl", line, id="case", prediction="/out/text", key="label")

    assert found == {"c-1": {"label": "sí"}}


def test_one_object_by_case_id(tmp_path: Path) -> None:
    assert predictions(tmp_path, "o.json", '{"c-1": [1], "c-2": "x"}') == {"c-1": [1], "c-2": "x"}


CSV = "id;prediction;cost_usd\nc-1;año 2024;0,0012\nc-2;;\n"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (CSV.encode("utf-8"), {}),
        (b"\xef\xbb\xbf" + CSV.encode("utf-8"), {}),
        (CSV.replace("\n", "\r\n").encode("utf-8"), {}),
        (CSV.encode("utf-16"), {}),
        (CSV.encode("cp1252"), {"encoding": "cp1252"}),
        (CSV.replace(";", "\t").encode("utf-8"), {}),
        (CSV.replace(";", "|").encode("utf-8"), {"delimiter": "|"}),
        (f"sep=;\r\n{CSV}".encode(), {}),
        (b'"id","prediction","cost_usd"\n"c-1","a\xc3\xb1o 2024","0.0012"\nc-2,,\n', {}),
    ],
    ids=["utf-8", "bom", "crlf", "utf-16", "cp1252", "tab", "bar", "told", "quoted"],
)
def test_the_encodings_and_delimiters_of_spreadsheets(
    data: bytes, options: dict[str, str], tmp_path: Path
) -> None:
    assert outputs(tmp_path, "o.csv", data, **options) == {
        "c-1": Output("año 2024", Decimal("0.0012"), None),
        "c-2": Output(None, None, None),
    }


def test_the_rows_say_what_separates_columns_not_the_header_alone(tmp_path: Path) -> None:
    data = "id;said, in words\nc-1;one, two, three\n"

    assert predictions(tmp_path, "o.csv", data, prediction="said, in words") == {
        "c-1": "one, two, three"
    }


@pytest.mark.parametrize(
    ("cells", "value"),
    [("auto", {"a": 1}), ("json", {"a": 1}), ("text", '{"a": 1}')],
)
def test_cells_with_json(cells: str, value: Any, tmp_path: Path) -> None:
    data = 'id,prediction\nc-1,"{""a"": 1}"\n'

    assert predictions(tmp_path, "o.csv", data, cells=cells) == {"c-1": value}


def test_a_number_in_a_cell_is_text_unless_asked_for_as_json(tmp_path: Path) -> None:
    data = "id,prediction\nc-1,007\n"

    assert predictions(tmp_path, "o.csv", data) == {"c-1": "007"}
    data = data.replace("007", "7")
    assert predictions(tmp_path, "o.csv", data, cells="json") == {"c-1": 7}


@pytest.mark.parametrize(
    ("columns", "value"),
    [
        (["total", "date"], {"total": "1.288,00", "date": "2024"}),
        ({"amount": "total"}, {"amount": "1.288,00"}),
        ("total", "1.288,00"),
    ],
)
def test_several_columns_make_an_object(columns: Any, value: Any, tmp_path: Path) -> None:
    data = 'id,total,date\nc-1,"1.288,00",2024\nc-2,,\nc-3,,2025\n'

    found = predictions(tmp_path, "o.csv", data, prediction=columns)

    assert found["c-1"] == value
    assert found["c-2"] is None
    if isinstance(columns, list):
        assert found["c-3"] == {"date": "2025"}


@pytest.mark.parametrize(
    ("written", "cost", "options"),
    [
        ("0,0012", "0.0012", {}),
        ("0.8", "0.8", {}),
        ("12,5", "12.5", {}),
        ("1.234,5", "1234.5", {}),
        ("1.234.567", "1234567", {}),
        ("0,001", "0.001", {}),
        ("1,2E-05", "0.000012", {}),
        ("1.2e-05", "0.000012", {}),
        ("1.234", "1.234", {"decimal": "."}),
        ("1.234", "1234", {"decimal": ","}),
        ("1,234", "1.234", {"decimal": ","}),
        ("1,234", "1234", {"decimal": "."}),
    ],
)
def test_a_cost_in_a_table_with_semicolons(
    written: str, cost: str, options: dict[str, str], tmp_path: Path
) -> None:
    data = f"id;prediction;cost_usd;latency_s\nc-1;a;{written};{written}\n"

    found = outputs(tmp_path, "o.csv", data, **options)

    assert found == {"c-1": Output("a", Decimal(cost), float(cost))}


@pytest.mark.parametrize("written", ["1.234", "0.5", "1.2e-05"])
@pytest.mark.parametrize("name", ["o.csv", "o.jsonl"])
def test_a_point_is_a_decimal_point_where_commas_separate(
    name: str, written: str, tmp_path: Path
) -> None:
    data = {
        "o.csv": f"id,prediction,cost_usd\nc-1,a,{written}\n",
        "o.jsonl": f'{{"id": "c-1", "prediction": "a", "cost_usd": "{written}"}}\n',
    }

    found = outputs(tmp_path, name, data[name])

    assert found == {"c-1": Output("a", Decimal(written), None)}


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        (
            "o.csv",
            "id;prediction;cost_usd\nc-1;a;0,5\nc-2;a;1.234\n",
            "o.csv:3: cost_usd is '1.234', which is 1.234 or 1234; say the decimal sign of the "
            'file: decimal="." or decimal=",".',
        ),
        ("o.csv", 'id,prediction,cost_usd\nc-1,a,"1,234"\n', "'1,234', which is 1.234 or 1234"),
        ("o.csv", "id;prediction;latency_s\nc-1;a;-12.345\n", "which is -12.345 or -12345"),
        ("o.csv", "id;prediction;cost_usd\nc-1;a;1.23.4\n", "'1.23.4', no number such as"),
        ("o.jsonl", '{"id": "c", "prediction": 1, "cost_usd": "1,234"}', "which is 1.234 or 1234"),
        (
            "o.csv",
            "id,prediction\nc-1,a,b\n",
            "o.csv:2: 3 cells, but the header has 2; put a text with ',' in quotes",
        ),
        ("o.csv", "id,prediction\nc-1\n", "o.csv:2: 1 cells, but the header has 2"),
        ("o.csv", "id,prediction\nc-1,a\n\nc-1,b\n", "o.csv:4: id 'c-1' stands in line 2 too"),
        ("o.csv", 'id,prediction\nc-1,"a\n', "o.csv:2: no CSV: unexpected end of data"),
        ("o.csv", "id,id\nc-1,a\n", "o.csv:1: column 'id' is there twice"),
        ("o.csv", "case,prediction\nc-1,a\n", "o.csv:1: there is no column 'id', only case, pred"),
        ("o.csv", "id,out\nc-1,a\n", "no 'prediction', only id, out; name yours with prediction="),
        ("o.csv", "id,prediction\n,a\n", "o.csv:2: the id is ''"),
        ("o.csv", "id,prediction,cost_usd\nc-1,a,cheap\n", "cost_usd is 'cheap', no number"),
        ("o.csv", "id,prediction,cost_usd\nc-1,a,-1\n", "cost -1.0 is no amount"),
        ("o.csv", "id,prediction,latency_s\nc-1,a,-1\n", "latency -1.0 is no time"),
        ("o.csv", "id,prediction\nc-1,{a\n", "o.csv:2: no JSON: "),
        ("o.csv", "id,prediction\n", "o.csv: there is no output in it"),
        ("o.csv", "sep=;\nid;prediction\nc-1;a;b\n", "o.csv:3: 3 cells, but the header has 2"),
        ("o.csv", "", "there is no column 'id', only nothing"),
        ("o.csv", "id;prediction\nc;espa\xf1ol\n".encode("cp1252"), "encoding=cp1252"),
        ("o.jsonl", '{"id": "c-1", "prediction": 1}\n{"id": \n', "o.jsonl:2: no JSON: "),
        ("o.jsonl", "[1]\n", 'o.jsonl:1: must be an object such as {"id"'),
        ("o.jsonl", '{"case": 1}\n', "o.jsonl:1: there is no 'id', only case"),
        ("o.jsonl", '{"id": true}\n', "o.jsonl:1: the id is True"),
        ("o.jsonl", '{"id": "a", "id": "b"}\n', "o.jsonl:1: no JSON: "),
        ("o.jsonl", '{"id": "c"}\n', "o.jsonl:1: there is no 'prediction', only id"),
        ("o.jsonl", "x" * (8 * 1024 * 1024 + 1), "o.jsonl:1: the line has 8388609 characters"),
        ("o.json", "[]", "o.json:1: must be an object {case id: prediction}"),
    ],
)
def test_bad_files_are_told_by_line(
    name: str, data: bytes | str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageProblem) as caught:
        outputs(tmp_path, name, data)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_byte_of_another_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    data = "id;prediction\nc-1;a\nc-2;espa\xf1ol\n".encode("cp1252")

    with pytest.raises(UsageProblem, match=r"o\.csv:3: byte 0xf1 is not utf-8: save the file as"):
        outputs(tmp_path, "o.csv", data)


def test_a_named_column_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="there is no 'usd'; correct the option cost"):
        outputs(tmp_path, "o.csv", "id,prediction\nc-1,a\n", cost="usd")


def test_a_number_with_the_other_sign_than_declared_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="cost_usd is '0,5', no number"):
        outputs(tmp_path, "o.csv", "id;prediction;cost_usd\nc-1;a;0,5\n", decimal=".")
