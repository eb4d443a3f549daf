"""What an adapter declares, checked on both sides of the pipe."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.adapters.info import AdapterInfo

ROW: dict[str, Any] = {
    "name": "A", "version": "1", "paid": None, "fresh_process": False, "deterministic": True,
    "max_concurrency": 2, "shared": True, "env": ["KEY"], "network": "all", "reads": [],
    "allow": ["shm"],
}  # fmt: skip


def test_a_description_is_read_whole() -> None:
    info = AdapterInfo.from_reply(ROW)

    assert info == AdapterInfo("A", "1", None, False, True, 2, True, ("KEY",), "all", (), ("shm",))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", ""), ("name", None), ("name", "x" * 300), ("version", None), ("paid", "yes"),
        ("fresh_process", 1), ("deterministic", None), ("max_concurrency", 0),
        ("max_concurrency", True), ("max_concurrency", 1.5), ("shared", 0), ("env", "KEY"),
        ("env", [1]), ("network", "some"), ("network", None), ("reads", None), ("allow", ["all"]),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=key):
        AdapterInfo.from_reply({**ROW, key: value})


@pytest.mark.parametrize("row", [None, [], {}, {**ROW, "score": 1}])
def test_another_shape_is_refused(row: object) -> None:
    with pytest.raises(ValueError, match="description"):
        AdapterInfo.from_reply(row)
