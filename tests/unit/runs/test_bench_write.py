"""Bench files are changed in one place and stay as people wrote them everywhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.runs.bench_write import lock_bench
from pytest_benchbed.runs.bench_write import new_text
from pytest_benchbed.runs.bench_write import read_bench_bytes
from pytest_benchbed.runs.bench_write import with_entry
from pytest_benchbed.runs.bench_write import write_bench_file

ENTRY = {"baseline": "base", "controls": []}
HAND_MADE = """{
    "budget_usd": 2.50, "watch": ["a",  "b"],
    "adapters": {
        "other": {"options": {"n": 1e3}, "baseline": null},
        "mine": {"entry": "m:f",
                 "baseline": "old"}
    },
    "rule":   "strict"
}
"""


def test_only_the_entry_changes() -> None:
    text = with_entry(HAND_MADE, "mine", ENTRY)

    head, tail = HAND_MADE.split('{"entry": "m:f",\n                 "baseline": "old"}')
    assert text.startswith(head)
    assert text.endswith(tail)
    assert text.removeprefix(head).removesuffix(tail) == (
        '{\n            "baseline": "base",\n            "controls": []\n        }'
    )


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "  {\n}\n",
        '{"rule":"strict"}',
        '{"adapters":{}}',
        '{"adapters": {"other": {}}, "x\\"}": "}{,"}',
        '{\n\t"adapters": {\n\t\t"other": {}\n\t}\n}\n',
        HAND_MADE,
    ],
)
def test_an_entry_is_added_wherever_it_is_missing(text: str) -> None:
    changed = with_entry(text, 'new "one"', ENTRY)

    expected = json.loads(text)
    expected.setdefault("adapters", {})['new "one"'] = ENTRY
    assert json.loads(changed) == expected
    assert list(json.loads(changed)) == list(expected)
    again = with_entry(changed, 'new "one"', ENTRY)
    assert json.loads(again) == expected
    assert with_entry(again, 'new "one"', ENTRY) == again


def test_tabs_stay_tabs() -> None:
    changed = with_entry('{\n\t"adapters": {\n\t\t"a": {}\n\t}\n}\n', "a", ENTRY)

    assert '\n\t\t\t"baseline": "base",\n' in changed


def test_a_new_file_keeps_the_order_of_its_fields() -> None:
    assert list(json.loads(new_text({"b": 1, "a": "µ"}))) == ["b", "a"]
    assert "µ" in new_text({"a": "µ"})


def test_a_file_that_somebody_changed_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "toy" / "bench.json"
    write_bench_file(path, None, "{}")
    before = read_bench_bytes(path)
    path.write_text('{"rule": "strict"}')

    for known in (before, None):
        with pytest.raises(RunRefused, match="changed by somebody else"):
            write_bench_file(path, known, "{}")

    assert path.read_text() == '{"rule": "strict"}'


def test_of_two_that_write_at_once_the_second_is_refused(tmp_path: Path) -> None:
    with (
        lock_bench(tmp_path / "new" / "folder"),
        pytest.raises(RunRefused, match="another promotion") as refused,
    ):
        lock_bench(tmp_path)
    lock_bench(tmp_path).release()

    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []
