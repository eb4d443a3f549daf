"""The rows of a saved run, read from their file when they are asked for."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.compare.in_step import MARK
from pytest_benchbed.compare.in_step import PERFECT
from pytest_benchbed.compare.in_step import WRONG
from pytest_benchbed.compare.in_step import MarkedRows
from pytest_benchbed.compare.in_step import mark
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.canonical import sha256_hex
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs import rows as module
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.rows import SavedRows
from tests.unit.runs.builders import SPANISH
from tests.unit.runs.builders import result
from tests.unit.runs.builders import wrong

ROWS = [wrong("a", "merged", reason=SPANISH), result("b"), result("c", category=None)]
HEAD = b',"x":{'
PROFILES = ("logical", "geometric")


def saved(folder: Path, rows: list[dict[str, Any]], *, is_known: bool = True) -> SavedRows:
    path = folder / "results.jsonl"
    digest = write_results(path, map(canonical, rows))
    return SavedRows.open(path, digest if is_known else None, run="base", profiles=PROFILES)


def marks_of(rows: SavedRows) -> dict[str, bytes]:
    places = range(0, len(rows.marks), MARK)
    return {case: bytes(rows.marks[at : at + MARK]) for case, at in zip(rows, places, strict=True)}


@pytest.mark.parametrize("is_known", [True, False], ids=["digest", "no digest"])
def test_rows_are_found_by_case_and_in_order(tmp_path: Path, is_known: bool) -> None:
    rows = saved(tmp_path, ROWS, is_known=is_known)
    whole = [json.loads(canonical(row)) for row in ROWS]

    assert list(rows) == ["a", "b", "c"]
    assert len(rows) == 3
    assert dict(rows) == {row["case"]: row for row in whole}
    assert list(rows.read()) == whole
    assert [case in rows for case in ("a", "c", "", "bb", "d", 3)] == [True, True] + [False] * 4
    assert rows.get("bb") is None
    with pytest.raises(KeyError, match="bb"):
        rows["bb"]


@pytest.mark.parametrize("is_known", [True, False], ids=["digest", "no digest"])
def test_a_mark_is_of_the_line_up_to_what_differs_in_every_run(
    tmp_path: Path, is_known: bool
) -> None:
    slower = {**ROWS[1], "x": {**ROWS[1]["x"], "latency_s": 9.5}}

    rows = saved(tmp_path, ROWS, is_known=is_known)
    marks = marks_of(rows)
    (tmp_path / "other").mkdir()
    others = marks_of(saved(tmp_path / "other", [ROWS[0], slower], is_known=is_known))

    assert isinstance(rows, MarkedRows)
    assert marks == {row["case"]: mark(canonical(row).rpartition(HEAD)[0]) for row in ROWS}
    assert others == {case: marks[case] for case in ("a", "b")}
    assert list(rows.grades) == [WRONG, PERFECT, PERFECT]


def test_a_text_that_looks_like_the_end_of_a_head_is_none(tmp_path: Path) -> None:
    one = result("a", reason='","x":{"')
    two = result("a", reason='","x":{"', quality=0.5)
    (tmp_path / "two").mkdir()

    assert marks_of(saved(tmp_path, [one])) != marks_of(saved(tmp_path / "two", [two]))


def test_a_row_with_its_keys_in_another_order_is_marked_whole(tmp_path: Path) -> None:
    """Of an older record whose rows somebody wrote anew, equal beginnings say nothing."""
    row = result("a")
    turned = {"case": "a", "x": row.pop("x"), **row}
    line = json.dumps(turned, separators=(",", ":")).encode() + b"\n"
    (tmp_path / "results.jsonl").write_bytes(line)

    rows = SavedRows.open(tmp_path / "results.jsonl", None, run="base")

    assert marks_of(rows) == {"a": mark(line)}
    assert rows["a"] == turned


def test_rows_are_found_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 700)
    made = [result(f"c-{n:03}", reason=SPANISH * (n % 9)) for n in range(60)]

    rows = saved(tmp_path, made)

    whole = {row["case"]: json.loads(canonical(row)) for row in made}
    assert dict(rows) == whole
    assert [rows[case] for case in reversed(list(rows))] == list(reversed(whole.values()))
    heads = {case: canonical(row).rpartition(HEAD)[0] for case, row in whole.items()}
    assert marks_of(rows) == {case: mark(head) for case, head in heads.items()}


def test_a_case_with_an_escape_is_found(tmp_path: Path) -> None:
    rows = saved(tmp_path, [result('a"b'), result("á")])

    assert list(rows) == ['a"b', "á"]
    assert rows['a"b']["state"] == "scored"


@pytest.mark.parametrize("is_known", [True, False], ids=["digest", "no digest"])
def test_an_empty_file_has_no_rows(tmp_path: Path, is_known: bool) -> None:
    rows = saved(tmp_path, [], is_known=is_known)

    assert (list(rows), list(rows.read()), len(rows.marks)) == ([], [], 0)


def test_without_a_digest_a_missing_file_has_no_rows(tmp_path: Path) -> None:
    assert dict(SavedRows.open(tmp_path / "results.jsonl", None, run="base")) == {}


@pytest.mark.req("ENV-094")
@pytest.mark.parametrize("has_calls", [True, False])
def test_edited_rows_are_refused_with_file_digests_and_remedy(
    tmp_path: Path, has_calls: bool
) -> None:
    path = tmp_path / "results.jsonl"
    digest = write_results(path, map(canonical, ROWS))
    edited = write_results(path, map(canonical, [result("a"), *ROWS[1:]]))
    if has_calls:
        (tmp_path / "calls.jsonl").touch()

    with pytest.raises(RunError) as caught:
        SavedRows.open(path, digest, run="nightly")

    text = str(caught.value)
    assert text.startswith(f"{path}: was edited after the run was written: ")
    assert digest[:12] in text
    assert edited[:12] in text
    assert ("benchbed score nightly" in text) is has_calls
    assert ("Restore the file" in text) is not has_calls
    assert "\n" not in text


def test_a_file_that_has_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"results\.jsonl: is missing, and run\.json says"):
        SavedRows.open(tmp_path / "results.jsonl", "0" * 64, run="base")


@pytest.mark.parametrize(
    ("damage", "cause"),
    [
        (lambda line: line[:-9] + b"\n", "2: is damaged"),
        (lambda line: line.replace(b'"scored"', b'"right"'), "2: case 'b': field state"),
        (lambda line: b"[]\n", "2: holds no JSON object"),
        (lambda line: line.replace(b'"b"', b'"a"'), "2: case 'a' stands twice"),
        (lambda line: line.replace(b'"b"', b'"d"'), "3: case 'c' comes after 'd'"),
    ],
)
def test_a_damaged_line_is_named_before_the_digest(tmp_path: Path, damage: Any, cause: str) -> None:
    path = tmp_path / "results.jsonl"
    digest = write_results(path, map(canonical, ROWS))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = damage(lines[1])
    path.write_bytes(b"".join(lines))

    for known in (digest, None):
        with pytest.raises(RunError) as caught:
            SavedRows.open(path, known, run="base")

        assert str(caught.value).startswith(f"{path}:{cause}")


@pytest.mark.parametrize("tail", [b"{\n", b"\n", b"{"], ids=["torn", "empty", "no line end"])
def test_a_digest_that_fits_does_not_make_rows_of_what_is_none(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(canonical(ROWS[0]) + b"\n" + tail)

    with pytest.raises(RunError, match=r"results\.jsonl:2: is damaged"):
        SavedRows.open(path, sha256_hex(path.read_bytes()), run="base")


def test_a_last_line_without_an_end_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"\n".join(map(canonical, ROWS)))

    rows = SavedRows.open(path, sha256_hex(path.read_bytes()), run="base")

    assert [row["case"] for row in rows.read()] == ["a", "b", "c"]


def test_a_file_that_was_replaced_is_read_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK", 100)
    rows = saved(tmp_path, ROWS)
    assert rows["a"]["case"] == "a"
    saved(tmp_path, ROWS)

    with pytest.raises(RunError, match=r"results\.jsonl: was changed while it was read"):
        rows["b"]
    (tmp_path / "results.jsonl").unlink()
    with pytest.raises(RunError, match=r"results\.jsonl: cannot be read"):
        rows["b"]


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        SavedRows.open(tmp_path, "0" * 64, run="base")


@pytest.mark.parametrize("is_known", [True, False], ids=["digest", "no digest"])
def test_rows_take_little_memory(tmp_path: Path, is_known: bool) -> None:
    count = 4_000
    path = tmp_path / "results.jsonl"
    digest = write_results(path, (canonical(result(f"case-{n:06}")) for n in range(count)))
    tracemalloc.start()
    try:
        rows = SavedRows.open(path, digest if is_known else None, run="base")
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert len(rows) == count
    assert taken < 150 * count
