"""A small valid dataset on disk, and ways to spoil it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pytest_benchbed.data.pin import pin

CANARY = "0123456789abcdef0123456789abcdef"
CASES = "cases.jsonl"
ANSWERS = "answers.jsonl"
CONTEXTS = "contexts.jsonl"
MANIFEST = "manifest.json"


def line(row):
    text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8") + b"\n"


def open_descriptors():
    """How many descriptors this process has open."""
    count = 0
    for number in range(512):
        try:
            os.fstat(number)
        except OSError:
            continue
        count += 1
    return count


def case_row(number, **more):
    row = {
        "id": f"c-{number}",
        "inputs": {"text": f"el ñandú nº {number}"},
        "files": [f"assets/f{number}.txt"],
        "category": "plain",
    }
    return {key: value for key, value in {**row, **more}.items() if value is not None}


def answer_row(number, **more):
    return {"id": f"c-{number}", "answer": {"value": number * 11}, "canary": CANARY, **more}


class Folder:
    """``<benchmark>/<dataset>`` with three cases, one of them in a context."""

    def __init__(self, base: Path, name: str = "words/small") -> None:
        self.root = base / name
        (self.root / "assets").mkdir(parents=True)
        for number in (1, 2, 3):
            self.write(f"assets/f{number}.txt", f"primera línea {number}\nsegunda\n".encode())
        self.write("assets/shared.txt", b"shared\n")
        self.write("LICENSE.txt", b"free\n")
        self.rows(CASES, [case_row(1), case_row(2), case_row(3, context="doc", tags=["a", "b"])])
        self.rows(CONTEXTS, [{"id": "doc", "inputs": {"n": 1}, "files": ["assets/shared.txt"]}])
        self.rows(ANSWERS, [answer_row(1), answer_row(2), answer_row(3)])

    def pinned(self, **options) -> Folder:
        pin(self.root, **options)
        return self

    def write(self, path: str, data: bytes) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(data)

    def write_new(self, path: str, data: bytes) -> None:
        """Write a file of a name that not every system can have beside the others.

        Raises:
            OSError: this system has it under another name, or not at all.
        """
        target = self.root / path
        if target.exists():
            raise FileExistsError(path)
        target.write_bytes(data)
        if target.name not in {path.name for path in target.parent.iterdir()}:
            raise FileNotFoundError(path)

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def rows(self, name: str, rows) -> None:
        self.write(name, b"".join(line(row) for row in rows))

    def row(self, name: str, number: int, **more) -> None:
        """Change fields of the row on a 1-based line; None removes one."""
        rows = [json.loads(text) for text in self.read(name).splitlines()]
        changed = {**rows[number - 1], **more}
        rows[number - 1] = {key: value for key, value in changed.items() if value is not None}
        self.rows(name, rows)

    def raw_line(self, name: str, number: int, text: bytes) -> None:
        """Put other bytes (line end included) in the place of a line."""
        lines = self.read(name).splitlines(keepends=True)
        lines[number - 1] = text
        self.write(name, b"".join(lines))

    def manifest(self, **more) -> None:
        """Change fields of the manifest; None removes one."""
        data = {**json.loads(self.read(MANIFEST)), **more}
        data = {key: value for key, value in data.items() if value is not None}
        self.write(MANIFEST, json.dumps(data, indent=2).encode())

    def pins(self):
        return json.loads(self.read(MANIFEST))["files"]
