"""``manifest.json``: read strictly, with every fault named.

:func:`read_manifest` is for those who use a dataset and stop at a fault;
:func:`examine_manifest` is for ``validate`` and ``pin``, which go on with
what is good: one bad pin must not hide the others.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import TypeVar

from pydantic import ValidationError

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import pin_remedy
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.index import file_fault
from pytest_benchbed.data.paths import RESERVED
from pytest_benchbed.data.paths import FileProblem
from pytest_benchbed.data.paths import check_path
from pytest_benchbed.data.paths import find_twins
from pytest_benchbed.data.paths import open_inside
from pytest_benchbed.data.paths import twin_key
from pytest_benchbed.data.rows import BOM
from pytest_benchbed.data.rows import LFS_FAULT
from pytest_benchbed.data.rows import LFS_POINTER
from pytest_benchbed.model.base import Model
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.base import explain
from pytest_benchbed.model.dataset import Manifest
from pytest_benchbed.model.dataset import PinnedFile
from pytest_benchbed.model.dataset import Retired
from pytest_benchbed.model.schema import schema_problem
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

MANIFEST_FILE = "manifest.json"
SCHEMA = "benchbed.manifest.v1"
_RESERVED_TWINS = frozenset(twin_key(name) for name in RESERVED)

PartT = TypeVar("PartT", bound=Model)


def read_manifest(root: Path) -> Manifest:
    """Return the manifest of the dataset at ``root``.

    Raises:
        DatasetError: it is missing or has a fault; the text names them.
    """
    text, faults = read_text(root)
    if text is None:
        raise refuse(faults)
    manifest, faults = examine_manifest(root, text)
    if manifest is None or faults:
        raise refuse(faults)
    return manifest


class ManifestText:
    """A manifest as read: its object, and where in the text something stands."""

    def __init__(self, raw: bytes, text: str, data: dict[str, Any]) -> None:
        """Keep the parts."""
        self.raw = raw
        """The bytes of the file."""
        self.text = text
        self.data = data

    def line_of(self, value: str) -> int | None:
        """Return the 1-based line of the first string ``value``, or None."""
        for ascii_only in (False, True):
            at = self.text.find(json.dumps(value, ensure_ascii=ascii_only))
            if at >= 0:
                return self.text.count("\n", 0, at) + 1
        return None


def read_text(root: Path) -> tuple[ManifestText | None, list[Fault]]:
    """Read the manifest's JSON; (None, faults) if it is no JSON object of this version."""
    shown = str(root / MANIFEST_FILE)
    faults: list[Fault] = []
    try:
        with os.fdopen(open_inside(root, MANIFEST_FILE), "rb") as file:
            raw = file.read()
    except FileProblem as problem:
        return None, [_missing(root, problem)]
    if raw.startswith(LFS_POINTER):
        return None, [Fault(shown, 1, None, *LFS_FAULT)]
    if raw.startswith(BOM):
        cause = "the file starts with a byte order mark (BOM)"
        faults.append(Fault(shown, 1, None, cause, "Save the file as UTF-8 without it."))
    body = raw.removeprefix(BOM)
    try:
        data = read_json(body)
    except MalformedJson as error:
        line = None
        if error.position is not None:
            line = body.decode("utf-8").count("\n", 0, error.position) + 1
        cause = f"not readable as JSON: {error.detail}"
        return None, [*faults, Fault(shown, line, None, cause, "Correct it.")]
    text = ManifestText(raw, body.decode("utf-8"), data)
    if not isinstance(data, dict):
        return None, [*faults, Fault(shown, 1, None, "is no JSON object", "Correct it.")]
    schema = data.get("schema")
    if schema != SCHEMA:
        line = text.line_of(schema) if isinstance(schema, str) else 1
        faults.append(Fault(shown, line, None, *_other_schema(schema)))
        return None, faults
    return text, faults


def _missing(root: Path, problem: FileProblem) -> Fault:
    if problem.kind != "missing" or not root.is_dir():
        return file_fault(root, MANIFEST_FILE, problem)
    below = sorted(str(found.parent) for found in root.glob(f"*/*/{MANIFEST_FILE}"))
    below = below or sorted(str(found.parent) for found in root.glob(f"*/{MANIFEST_FILE}"))
    if below:
        more = f" (and {len(below) - 1} more)" if len(below) > 1 else ""
        remedy = f"Name one of the datasets below, e.g. {below[0]}{more}"
        return Fault(str(root), None, None, "is no dataset: it has no manifest.json", remedy)
    shown = str(root / MANIFEST_FILE)
    return Fault(shown, None, None, problem.args[0], pin_remedy(root))


def _other_schema(schema: Any) -> tuple[str, str]:
    if not isinstance(schema, str):
        return "has no schema", f'Add "schema": "{SCHEMA}".'
    problem = schema_problem(schema, SCHEMA)
    if problem is not None and problem[1]:
        return f"schema {problem[0]}", problem[1]
    return f"schema {quoted(schema)} is not known", f'Correct it to "{SCHEMA}".'


def examine_manifest(root: Path, text: ManifestText) -> tuple[Manifest | None, list[Fault]]:
    """Check the fields; the manifest that is returned holds the good pins and retirements only.

    None: a field is bad without which there is no manifest.
    """
    found = _Faults(str(root / MANIFEST_FILE), text)
    data = dict(text.data)
    for key in [key for key in data if key not in _FIELDS]:
        near = difflib.get_close_matches(key, sorted(_FIELDS), n=1)
        hint = f"Did you mean {quoted(near[0])}?" if near else "Remove it."
        found.add(key, None, f"unknown key {quoted(key)}", hint)
        del data[key]
    data["files"] = _pins(data.get("files", []), found, pin_remedy(root))
    data["retired"] = _retirements(data.get("retired", []), found)
    try:
        manifest = Manifest.model_validate(data)
    except ValidationError as error:
        found.add(None, None, explain(error, limit=5), "Correct the field.")
        return None, found.faults
    if manifest.loader != "jsonl":
        cause = f"loader {quoted(manifest.loader)} is not built yet"
        found.add("loader", None, cause, "Use the loader 'jsonl'.")
        return None, found.faults
    return manifest, found.faults


_FIELDS = frozenset(field.alias or name for name, field in Manifest.model_fields.items())


class _Faults:
    def __init__(self, shown: str, text: ManifestText) -> None:
        self.shown = shown
        self.text = text
        self.faults: list[Fault] = []

    def add(self, near: str | None, case: str | None, cause: str, remedy: str) -> None:
        """Keep a fault at the line of the string ``near``."""
        line = None if near is None else self.text.line_of(near)
        self.faults.append(Fault(self.shown, line, case, cause, remedy))

    def part(self, name: str, entry: Any, model: type[PartT], near: str | None) -> PartT | None:
        """Return one element of a list as ``model``; otherwise keep the fault."""
        if not isinstance(entry, Mapping):
            self.add(near, None, f"{name}: an entry is no object", _shape_of(name, "Correct it."))
            return None
        try:
            return model.from_json(entry)
        except ShapeError as error:
            self.add(near, None, f"{name}: {error}", _shape_of(name, "Correct the field."))
            return None


def _shape_of(name: str, otherwise: str) -> str:
    """Say how an element of a list is written where a person writes it."""
    if name != "retired":
        return otherwise
    return 'Write {"id": CASE, "reason": TEXT, "since": VERSION}.'


def _list(name: str, value: Any, found: _Faults) -> list[Any]:
    if isinstance(value, list):
        return value
    found.add(name, None, f"{name} is no list", "Correct it.")
    return []


def _pins(value: Any, found: _Faults, remedy: str) -> list[PinnedFile]:
    pins: dict[str, PinnedFile] = {}
    for entry in _list("files", value, found):
        path = entry.get("path") if isinstance(entry, Mapping) else None
        near = path if isinstance(path, str) else "files"
        part = found.part("files", entry, PinnedFile, near)
        if part is None:
            continue
        reason = check_path(part.path)
        if reason is not None:
            cause = f"the path {quoted(part.path)} {reason}"
            found.add(near, None, cause, f"Rename the file. {remedy}")
        elif twin_key(part.path) in _RESERVED_TWINS:
            cause = f"{quoted(part.path)} is listed, but the dataset's own files are not pinned"
            found.add(near, None, cause, remedy)
        elif part.path in pins:
            cause = f"{quoted(part.path)} is listed twice"
            found.add(near, None, cause, remedy)
        else:
            pins[part.path] = part
    for first, other in find_twins(list(pins)):
        cause = f"{quoted(other)} and {quoted(first)} differ only by upper and lower case"
        found.add(other, None, cause, f"Rename one of them. {remedy}")
        pins = {path: pin for path, pin in pins.items() if not f"{path}/".startswith(f"{other}/")}
    return list(pins.values())


def _retirements(value: Any, found: _Faults) -> list[Retired]:
    retired: dict[str, Retired] = {}
    for entry in _list("retired", value, found):
        name = entry.get("id") if isinstance(entry, Mapping) else None
        case = name if isinstance(name, str) else None
        if case is not None and not str(entry.get("reason") or "").strip():
            remedy = 'Say why in "reason", or take the case back.'
            found.add(case, case, "the case is retired without a reason", remedy)
            continue
        part = found.part("retired", entry, Retired, case or "retired")
        if part is not None and part.id in retired:
            found.add(part.id, part.id, "the case is retired twice", "Remove one entry.")
        elif part is not None:
            retired[part.id] = part
    return list(retired.values())
