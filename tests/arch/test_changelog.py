"""Fragments for users, and the two numbers that move on their own."""

from __future__ import annotations

import json
import re

from tests.arch import tree

FOLDER = tree.ROOT / "changelog.d"
FRAGMENT = re.compile(r"(?:\d+|\+[a-z0-9-]+)\.(feature|bugfix|scoring|format|removal|doc)\.md")
SCHEMA = re.compile(r"benchbed\.[a-z-]+\.v\d+")
SCORING = re.compile(r"benchbed\.[a-z-]+\.scores\.v\d+")


def test_a_fragment_has_a_number_and_a_kind() -> None:
    names = {path.name for path in FOLDER.iterdir()} - {"README.md", "versions.json"}

    assert [name for name in sorted(names) if not FRAGMENT.fullmatch(name)] == []


def test_a_fragment_is_a_sentence() -> None:
    wrong = [
        path.name
        for path in FOLDER.iterdir()
        if FRAGMENT.fullmatch(path.name)
        and not path.read_text(encoding="utf-8").strip().endswith(".")
    ]

    assert not wrong


def test_a_changed_schema_or_formula_comes_with_its_fragment() -> None:
    texts = {text for path in tree.modules().values() for _, text in tree.texts(path)}
    live = {
        "schemas": sorted(text for text in texts if SCHEMA.fullmatch(text)),
        "scoring": sorted(text for text in texts if SCORING.fullmatch(text)),
    }

    known = json.loads((FOLDER / "versions.json").read_text(encoding="utf-8"))

    assert live == known, (
        "a schema or a scoring version changed: add changelog.d/NNN.format.md or NNN.scoring.md, "
        "then write the new list into changelog.d/versions.json"
    )
