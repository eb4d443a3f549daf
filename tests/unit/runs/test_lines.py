from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.lines import numbered_rows
from pytest_benchbed.runs.lines import parse_line
from pytest_benchbed.runs.lines import read_document


def saved(folder: Path, data: bytes) -> Path:
    path = folder / "results.jsonl"
    path.write_bytes(data)
    return path


def test_rows_come_with_their_line_numbers(tmp_path: Path) -> None:
    path = saved(tmp_path, b'{"case":"a"}\n{"case":"b"}\n')

    assert list(numbered_rows(path)) == [
        (1, b'{"case":"a"}\n', {"case": "a"}),
        (2, b'{"case":"b"}\n', {"case": "b"}),
    ]


@pytest.mark.parametrize("exists", [True, False])
def test_an_empty_or_missing_file_has_no_rows(tmp_path: Path, exists: bool) -> None:
    path = tmp_path / "results.jsonl"
    if exists:
        path.touch()

    assert list(numbered_rows(path)) == []


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b'{"case":"b"', "is damaged"),
        (b"", "is damaged"),
        (b'{"case":"b","case":"c"}', "stands twice"),
        (b'{"case":"b","x":NaN}', "NaN"),
        (b'{"case":"b","x":99999999999999999999}', "2\\^53"),
        (b'{"case":"\xff"}', "UTF-8"),
        (b'["b"]', "holds no JSON object"),
        (b"{}", "names no case"),
        (b'{"case":7}', "names no case"),
        (b'{"case":""}', "names no case"),
        (b'{"case":"a"}', "case 'a' stands twice"),
        (b'{"case":"A"}', "case 'A' comes after 'a'"),
    ],
)
def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path, line: bytes, cause: str) -> None:
    path = saved(tmp_path, b'{"case":"a"}\n' + line + b'\n{"case":"z"}\n')

    with pytest.raises(RunError, match=cause) as caught:
        list(numbered_rows(path))

    assert str(caught.value).startswith(f"{path}:2: ")
    assert "Restore the file" in str(caught.value)


def test_the_rows_before_a_bad_one_are_read(tmp_path: Path) -> None:
    rows = numbered_rows(saved(tmp_path, b'{"case":"a"}\n{"ca'))

    assert next(rows) == (1, b'{"case":"a"}\n', {"case": "a"})
    with pytest.raises(RunError, match=":2: is damaged"):
        next(rows)


def test_a_folder_in_place_of_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        list(numbered_rows(tmp_path))


def test_a_line_is_named_as_the_caller_says() -> None:
    with pytest.raises(RunError, match=r"^calls.jsonl:7: is damaged"):
        parse_line(b"{", "calls.jsonl:7")


@pytest.mark.parametrize(("data", "cause"), [(b"[]", "no JSON object"), (b"{", "is damaged")])
def test_a_bad_document_is_named(tmp_path: Path, data: bytes, cause: str) -> None:
    path = saved(tmp_path, data)

    with pytest.raises(RunError, match=cause) as caught:
        read_document(path)

    assert str(caught.value).startswith(f"{path}: ")


def test_a_missing_document_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"metrics\.json: cannot be read: No such file"):
        read_document(tmp_path / "metrics.json")
