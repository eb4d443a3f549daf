"""Datasets of the Hugging Face hub; a folder on this machine stands for one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pytest_benchbed.data.tables.hub import read_hub
from pytest_benchbed.model.errors import UsageProblem


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("datasets", reason="the extra 'hub' (250 MB) is not part of 'test'")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "quiz"
    root.mkdir()
    for split, count in (("train", 3), ("test", 2)):
        rows = [{"id": f"{split}-{n}", "q": {"text": "¿qué?"}, "gold": n} for n in range(count)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (root / f"{split}.jsonl").write_text(text, "utf-8")
    return root


def test_rows_of_the_split_that_is_meant(folder: Path) -> None:
    table = read_hub(f"hf:{folder}")
    named = read_hub(f"hf:{folder}:train")

    assert [line.values["id"] for line in table.lines] == ["test-0", "test-1"]
    assert "test was taken" in table.notes[0]
    assert table.columns == ["id", "q", "gold"]
    assert table.lines[0].values["q"] == {"text": "¿qué?"}
    assert len(named.lines) == 3
    assert named.notes == []


def test_what_cannot_be_loaded_is_one_line(folder: Path) -> None:
    with pytest.raises(UsageProblem, match="cannot be loaded") as caught:
        read_hub(f"hf:{folder}:no-such-split")

    assert "\n" not in str(caught.value)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.setattr("pytest_benchbed.data.tables.hub.find_spec", lambda name: None)

    with pytest.raises(UsageProblem, match=r"pip install 'pytest-benchbed\[hub\]'"):
        read_hub("hf:owner/name")
