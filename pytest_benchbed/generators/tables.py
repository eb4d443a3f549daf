"""Write the dataset ``table-separators/synthetic-v1``, or compare it with what is committed.

:func:`generate` makes everything but ``manifest.json``, which is the pin's
business. Needs the extra ``documents``. The answers' canary is made here and
nowhere else, so that no module an adapter imports knows it.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from typing import Final

from pytest_benchbed.generators.table_crop import Table
from pytest_benchbed.generators.table_mistakes import wrong
from pytest_benchbed.generators.table_plan import CasePlan
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import document
from pytest_benchbed.generators.table_plan import table
from pytest_benchbed.generators.table_render import render
from pytest_benchbed.model.canonical import canonical

BENCHMARK: Final = "table-separators"
DATASET_ID: Final = "benchbed/table-separators-synthetic-v1"
FOLDER: Final = "synthetic-v1"
MANIFEST: Final = "manifest.json"

Progress = Callable[[int, int], None]
"""Called with the number of cases written and their total."""

FIXTURES: Final[dict[str, tuple[str, ...]]] = {
    "sep-001": ("lost-row",),
    "sep-002": ("lost-column",),
    "sep-004": ("short-span", "cut-column"),
    "sep-005": ("cut-row",),
    "sep-006": ("moved-value",),
    "sep-007": ("lost-span", "lost-row"),
    "sep-010": ("taken-word",),
    "sep-012": ("invented-span", "empty-row"),
    "sep-013": ("no-grid",),
}
"""Cases of ``wrong.json`` with their mistakes; ``correct.json`` has the same cases."""

README: Final = """# Table separators, synthetic v1

{count} crops of invented laboratory and field tables, {per_layout} for each of {layouts} layouts. A
case has an image, the same crop as a one-page PDF, and the words with their boxes; the task is to
find the row and column separators and the spanning cells.

Everything is made by `benchbed generate table-separators` from the package pytest-benchbed. Names
of substances and units are real words; places, companies, wells, samples and values are invented,
and no table was taken from a document. Crops of one invented document share a `group`.

Crops of the layout `scanned` are turned, blurred and noisy, and their PDF has no text layer.

License: CC BY 4.0, see `LICENSE`.
"""

LICENSE: Final = """Table separators, synthetic v1
Copyright (c) The pytest-benchbed authors

This dataset is made available under the Creative Commons Attribution 4.0
International license (CC BY 4.0). In short: you may share and adapt it for any
purpose, also commercially, if you give credit, link to the license, and say
what you changed. There is no warranty.

Full text: https://creativecommons.org/licenses/by/4.0/legalcode
SPDX-License-Identifier: CC-BY-4.0
"""


def generate(
    out: Path, *, only: Collection[str] | None = None, progress: Progress | None = None
) -> None:
    """Write the dataset into the folder ``out``, without its manifest.

    Existing files are replaced, and assets of cases that no longer exist are
    removed. ``only``: ids to write, for a part of the dataset (default: all).

    Raises:
        ImportError: a package of the extra ``documents`` is missing.
    """
    plans = [plan for plan in case_plans() if only is None or plan.id in only]
    assets = out / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    for former in assets.glob("sep-[0-9][0-9][0-9].*"):
        former.unlink()
    cases, answers = [], []
    for number, plan in enumerate(plans, start=1):
        crop = table(plan)
        png, pdf = render(crop, noise_seed(plan.id))
        image_path, pdf_path = asset_paths(plan.id)
        (out / image_path).write_bytes(png)
        (out / pdf_path).write_bytes(pdf)
        cases.append(_case_row(plan, crop))
        answers.append({"id": plan.id, "answer": answer(crop), "canary": _canary()})
        if progress is not None:
            progress(number, len(plans))
    _write_lines(out / "cases.jsonl", cases)
    _write_lines(out / "answers.jsonl", answers)
    everything = case_plans()
    layouts = len({plan.category for plan in everything})
    readme = README.format(
        count=len(everything), per_layout=len(everything) // layouts, layouts=layouts
    )
    _write_text(out / "README.md", readme)
    _write_text(out / "LICENSE", LICENSE)


def check(out: Path, *, progress: Progress | None = None) -> list[str]:
    """Generate anew and return the relative paths that differ from ``out``, sorted.

    Missing and additional files count; the manifest does not.
    """
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch)
        generate(fresh, progress=progress)
        made, there = _files(fresh), _files(out)
        return sorted(
            name
            for name in made.keys() | there.keys()
            if name not in made
            or name not in there
            or made[name].read_bytes() != there[name].read_bytes()
        )


def write_fixtures(folder: Path) -> None:
    """Write ``correct.json`` and ``wrong.json``: predictions for :data:`FIXTURES`."""
    folder.mkdir(parents=True, exist_ok=True)
    plans = {plan.id: plan for plan in case_plans()}
    correct = {case: table(plans[case]).prediction() for case in FIXTURES}
    mistaken = {case: wrong(table(plans[case]), *names) for case, names in FIXTURES.items()}
    for name, predictions in (("correct", correct), ("wrong", mistaken)):
        text = json.dumps(predictions, indent=1, sort_keys=True)
        _write_text(folder / f"{name}.json", text + "\n")


def answer(crop: Table) -> dict[str, Any]:
    """Return the answer of a case."""
    return {
        **crop.prediction(),
        "row_gaps": [list(gap) for gap in crop.row_gaps],
        "column_gaps": [list(gap) for gap in crop.column_gaps],
        "cells": [[word.row, word.column] for word in crop.words],
    }


def asset_paths(case_id: str) -> tuple[str, str]:
    """Return the paths of a case's image and PDF below the dataset folder."""
    return f"assets/{case_id}.png", f"assets/{case_id}.pdf"


def noise_seed(case_id: str) -> int:
    """Return the seed of a scanned crop's noise."""
    return int.from_bytes(hashlib.sha256(f"noise/{case_id}".encode()).digest()[:6], "big")


def _case_row(plan: CasePlan, crop: Table) -> dict[str, Any]:
    source = document(plan.document)
    image, pdf = asset_paths(plan.id)
    meta: dict[str, Any] = {"document": source.title, "invented": True}
    tags = [f"lang-{source.language}", f"dpi-{crop.dpi}", f"rules-{crop.rules}"]
    if crop.noise != "none":
        tags.append(f"noise-{crop.noise}")
        meta |= {"seed": noise_seed(plan.id), "skew_degrees": crop.skew / 100}
    return {
        "id": plan.id,
        "inputs": crop.inputs(image, pdf),
        "files": [image, pdf],
        "category": plan.category,
        "tags": tags,
        "group": plan.document,
        "meta": meta,
    }


def _canary() -> str:
    """Return the token that stands in every row of the answers and nowhere else."""
    return hashlib.sha256(f"canary of {DATASET_ID}, answers only".encode()).hexdigest()[:32]


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.write_bytes(b"".join(canonical(row) + b"\n" for row in rows))


def _write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def _files(folder: Path) -> dict[str, Path]:
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }
