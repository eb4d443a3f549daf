from __future__ import annotations

import gc
import json
import os
import sys
import threading
import tracemalloc
from bisect import bisect_left

import pytest

from pytest_benchbed.data import index as index_module
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.index import LineIndex
from pytest_benchbed.data.index import Source
from pytest_benchbed.model.dataset import CaseRow
from pytest_benchbed.model.errors import DatasetError
from tests.unit.data.folder import ANSWERS
from tests.unit.data.folder import CASES
from tests.unit.data.folder import Folder
from tests.unit.data.folder import open_descriptors


def index_of(tmp_path, data):
    (tmp_path / "x.jsonl").write_bytes(data)
    return LineIndex.build(Source(tmp_path, "x.jsonl"))


@pytest.mark.parametrize(
    "row",
    [
        '{"id":"a-1","inputs":{}}',
        ' { "id" : "a-1" , "inputs" : {} } ',
        '{"category":"x","context":"y","files":["f/1","f/2"],"group":"z","id":"a-1","inputs":{}}',
        '{"files": [ "f" , "g" ], "id": "a-1"}',
        '{"files":[],"id":"a-1"}',
        '{"inputs":{"id":"wrong"},"id":"a-1"}',
        '{"answer":{"id":"wrong"},"canary":"00","id":"a-1"}',
        '{"answer":[{"id":"wrong"}],"id":"a-1"}',
        '{"facets":{"suite":"s"},"id":"a-1","meta":{"id":"wrong"}}',
        '{"answer":"say \\",\\"id\\":\\"wrong\\"}","id":"a-1"}',
        '{"category":"quote \\" ,\\"id\\":\\"wrong\\"","id":"a-1"}',
        '{"inputs":{},"id":"a-1","k\\"id":"wrong"}',
        '{"inputs":{},"id":"a-1","k,\\"id":"wrong"}',
        '{"category":"\\u0041","id":"a-1"}',
        '{"\\u0069d":"a-1"}',
        '{"id":"\\u0061-1"}',
        '{"id":"a-1","tags":["{\\"id\\":\\"wrong\\"}"]}',
        '{"answer":"\\\\","id":"a-1"}',
    ],
)
def test_the_id_of_a_row_is_found_however_it_is_written(tmp_path, row):
    assert json.loads(row)["id"] == "a-1"

    assert index_of(tmp_path, row.encode() + b"\n").ids == ("a-1",)


def test_rows_of_any_length_are_read_in_any_order(tmp_path):
    # Around the 8 KiB that are read ahead: shorter, longer, and one that ends with the file.
    sizes = [10, 9_000, 5, 8_192, 3_000, 3_000, 3_000, 20_000, 1]
    rows = [
        b'{"id":"c-%d","text":"%s"}\n' % (number, b"x" * size) for number, size in enumerate(sizes)
    ]
    index = index_of(tmp_path, b"".join(rows))
    places = range(len(rows))

    for order in (places, reversed(places), [0, 8, 4, 4, 6, 1, 5, 7, 2, 3, 0]):
        assert all(index.raw(place) == rows[place] for place in order)


def test_rows_are_found_by_id_in_any_order(tmp_path):
    names = ["b", "A", "c-10", "c-9", "a.b", "Z", "a-b", "0"]
    data = b"".join(b'{"id":"%s"}\n' % name.encode() for name in names)

    index = index_of(tmp_path, data)

    assert [index.position(name) for name in names] == list(range(len(names)))
    assert [index.position(name) for name in ("a", "B", "zz", "", "c-1")] == [None] * 5
    assert [json.loads(index.raw(at))["id"] for at in range(len(names))] == names
    assert [at for at, _ in index.stream()] == list(range(len(names)))
    assert [index.ids[at] for at, _ in index.by_id()] == sorted(names)


def test_two_readers_that_go_through_the_file_find_each_row_at_once(tmp_path, monkeypatch):
    """The calls are ahead of the items, and both ask for one row after the other."""
    names = [f"c-{number}" for number in range(40)]
    index = index_of(tmp_path, b"".join(b'{"id":"%s"}\n' % name.encode() for name in names))
    searches = []

    def counted(*arguments, **options):
        searches.append(arguments)
        return bisect_left(*arguments, **options)

    monkeypatch.setattr(index_module, "bisect_left", counted)
    for at, name in enumerate(names[20:]):
        assert (index.position(names[at]), index.position(name)) == (at, at + 20)

    assert len(searches) == 1


def test_an_empty_file_has_no_rows(tmp_path):
    index = index_of(tmp_path, b"")

    assert len(index) == 0
    assert index.position("a") is None
    assert list(index.stream()) == []
    assert list(index.by_id()) == []


@pytest.mark.parametrize("end", [b"\n", b"", b"\r\n"])
def test_the_last_row_is_read_with_any_line_end(tmp_path, end):
    index = index_of(tmp_path, b'{"id":"a","inputs":{}}\n{"id":"b","inputs":{"x":1}}' + end)

    assert index.ids == ("a", "b")
    assert index.row(1, CaseRow).inputs == {"x": 1}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"id":"a"}\n{"id":"a"}\n', r"x\.jsonl:2: case 'a': the id stands on line 1 already"),
        (b'{"id":"a"}\n{"id":"b"}\n{"id":"A"}\n', r":3: case 'A': .*'a' on line 1 only by upper"),
        (b'{"id":"A"}\n{"id":"a"}\n', r":2: case 'a': the id differs from 'A' on line 1"),
        (b'{"id":"a"}\nnot json\n', r"x\.jsonl:2: not readable as JSON"),
        (b'{"id":"a"}\n\n{"id":"b"}\n', r"x\.jsonl:2: the line is empty"),
        (b'{"id":"a"}\n\n', r"x\.jsonl:2: the line is empty"),
        (b'\xef\xbb\xbf{"id":"a"}\n', r"x\.jsonl:1: .*byte order mark"),
        (b'\xef\xbb\xbf{"inputs":{},"id":"a"}\n', r"x\.jsonl:1: .*byte order mark"),
        (b'{"id":"a b"}\n', r"x\.jsonl:1: case 'a b': the id is not valid"),
        (b'{"id":"' + b"a" * 101 + b'"}\n', r"x\.jsonl:1: .*the id is not valid"),
        (b'{"id":7}\n', r"x\.jsonl:1: the id is not text"),
        (b'{"x":7}\n', r"x\.jsonl:1: the row has no id"),
        (b"[]\n", r"x\.jsonl:1: the line is no JSON object"),
        (b"version https://git-lfs.github.com/spec/v1\noid x\n", r"x\.jsonl:1: is a Git LFS"),
    ],
)
def test_a_file_without_an_id_on_each_line_is_refused(tmp_path, data, message):
    with pytest.raises(DatasetError, match=message):
        index_of(tmp_path, data)


def test_an_id_that_the_byte_search_took_from_a_bad_line_is_never_used(tmp_path):
    """The search sees an id; the strict reading of the row refuses the line."""
    index = index_of(tmp_path, b'{"id":"a","id":"b","inputs":{}}\n')

    assert index.ids == ("a",)
    with pytest.raises(DatasetError, match="key 'id' stands twice"):
        index.row(0, CaseRow)


def test_rows_of_many_blocks_are_whole(tmp_path):
    sizes = [10, 3_000_000, 5, 1_048_576, 0, 700_000, 700_000]
    rows = [{"id": f"r-{n}", "inputs": {"x": "ñ" * size}} for n, size in enumerate(sizes)]
    data = b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)

    index = index_of(tmp_path, data)

    assert [json.loads(raw) for _, raw in index.stream()] == rows
    assert [json.loads(index.raw(at)) for at in range(len(rows))] == rows


def test_reading_without_pread_gives_the_same(tmp_path, monkeypatch):
    data = b"".join(b'{"id":"a-%d","inputs":{"n":%d}}\n' % (n, n) for n in range(100))
    monkeypatch.delattr(os, "pread", raising=False)
    index = index_of(tmp_path, data)
    read = {}

    def work(part):
        for at in range(part, 100, 4):
            read[at] = json.loads(index.raw(at))["inputs"]["n"]

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert read == {at: at for at in range(100)}


def test_a_file_that_is_replaced_is_read_as_it_was(tmp_path):
    index = index_of(tmp_path, b'{"id":"a","inputs":{"n":1}}\n')
    (tmp_path / "new").write_bytes(b'{"id":"b","inputs":{}}\n' * 3)
    try:
        (tmp_path / "new").replace(tmp_path / "x.jsonl")
    except PermissionError:
        pytest.skip("this system does not replace an open file")

    assert index.row(0, CaseRow).inputs == {"n": 1}


def test_a_row_that_was_overwritten_in_place_is_told(tmp_path):
    index = index_of(tmp_path, b'{"id":"a","inputs":{"n":1}}\n')
    with (tmp_path / "x.jsonl").open("r+b") as file:
        file.write(b'{"id":"b",')

    with pytest.raises(DatasetError, match="file changed while it was read"):
        index.row(0, CaseRow)


def test_a_file_that_was_cut_off_is_told(tmp_path):
    index = index_of(tmp_path, b'{"id":"a","inputs":{"n":1}}\n{"id":"b","inputs":{}}\n')
    os.truncate(tmp_path / "x.jsonl", 8)

    with pytest.raises(DatasetError, match=r"x\.jsonl:2: the line is empty"):
        index.row(1, CaseRow)


def test_the_file_is_closed_with_the_index(tmp_path):
    gc.collect()
    before = open_descriptors()
    index = index_of(tmp_path, b'{"id":"a"}\n')
    assert open_descriptors() == before + 1

    del index
    gc.collect()

    assert open_descriptors() == before


def test_a_hundred_thousand_cases_keep_no_row(tmp_path):
    """At most 100 bytes a case beyond the id itself; no row object."""
    folder = Folder(tmp_path)
    count = 100_000
    rows = (
        b'{"category":"plain","files":["assets/f1.txt"],"id":"case-%06d","inputs":{"text":"%s"}}\n'
        % (n, b"x" * 200)
        for n in range(count)
    )
    folder.write(CASES, b"".join(rows))
    folder.rows(ANSWERS, [])
    files = [{"path": "assets/f1.txt", "size": 1, "sha256": "0" * 64}]
    manifest = {"schema": "benchbed.manifest.v1", "id": "x", "version": "1", "benchmark": "b"}
    digests = {"inputs": "0" * 64, "answers": "0" * 64}
    folder.write(
        "manifest.json",
        json.dumps(
            {**manifest, "visibility": "private", "files": files, "digests": digests}
        ).encode(),
    )
    Dataset.open(folder.root)  # what is imported and cached once does not count
    gc.collect()
    tracemalloc.start()
    try:
        dataset = Dataset.open(folder.root)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(dataset) == count
    own = kept - sum(sys.getsizeof(name) for name in dataset.ids)
    # Interned ids have a place in a table of the interpreter.
    assert own / count <= 100
    assert dataset.row("case-054321").inputs == {"text": "x" * 200}
    assert dataset.line("case-099999") == count
