"""``benchbed generate NAME``: make a public dataset again, or check that it is unchanged.

A dataset in ``cases/<benchmark>/<dataset>`` has its prediction fixtures in
``fixtures/<benchmark>`` of the same root; they are made and checked with it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.pin import pin
from pytest_benchbed.data.verify import verify_digests
from pytest_benchbed.generators import tables
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name

NAMES = (tables.BENCHMARK,)
NEEDED = ("reportlab", "pypdfium2", "PIL", "numpy")
TITLE = "Table separators: synthetic laboratory tables"
STEP = 26
"""Cases between two lines of progress."""


def run_generate(name: str, out: Path | None, check: bool, echo: Callable[[str], None]) -> int:
    """Write the public dataset ``name`` and pin it, or with ``check`` only compare.

    Args:
        name: benchmark of the dataset.
        out: dataset folder; None: ``cases/<name>/synthetic-v1`` below the current one.
        check: compare with what is there, byte for byte, and write nothing.
        echo: prints a line.

    Returns:
        0, or 1 if ``check`` found a difference.

    Raises:
        UsageProblem: no generator has this name, or the extra ``documents`` is
            not installed, or there is nothing to check.
    """
    if name not in NAMES:
        raise UsageProblem(unknown_name("generator", name, NAMES, ""))
    missing = [package for package in NEEDED if find_spec(package) is None]
    if missing:
        raise UsageProblem(
            f"generating needs {', '.join(missing)}.\n"
            "Install it with: pip install 'pytest-benchbed[documents]'"
        )
    folder = Path("cases") / name / tables.FOLDER if out is None else out
    if check:
        return _check(name, folder, echo)
    folder.mkdir(parents=True, exist_ok=True)
    tables.generate(folder, progress=_progress(echo))
    manifest = folder / tables.MANIFEST
    if not manifest.exists():
        manifest.write_bytes(json.dumps(_first_manifest(), indent=1).encode("ascii") + b"\n")
    for line in pin(folder).lines():
        echo(line)
    fixtures = _fixtures(folder, name)
    if fixtures is not None:
        tables.write_fixtures(fixtures)
        echo(f"written: {fixtures}")
    return 0


def _check(name: str, folder: Path, echo: Callable[[str], None]) -> int:
    if not (folder / tables.MANIFEST).is_file():
        raise UsageProblem(
            f"{folder} holds no dataset.\nGenerate it with: benchbed generate {name} --out={folder}"
        )
    different = [str(folder / path) for path in tables.check(folder, progress=_progress(echo))]
    try:
        verify_digests(Dataset.open(folder))
    except DatasetError as error:
        different.append(str(error))
    fixtures = _fixtures(folder, name)
    if fixtures is not None:
        with tempfile.TemporaryDirectory() as scratch:
            tables.write_fixtures(Path(scratch))
            for fresh in sorted(Path(scratch).iterdir()):
                there = fixtures / fresh.name
                if not there.is_file() or there.read_bytes() != fresh.read_bytes():
                    different.append(str(there))
    for line in different:
        echo(f"differs: {line}")
    echo(f"{folder}: {f'{len(different)} differences' if different else 'as generated'}")
    return 1 if different else 0


def _first_manifest() -> dict[str, object]:
    """Return what a person decides about a dataset; pinning adds the rest."""
    return {
        "schema": "benchbed.manifest.v1",
        "id": tables.DATASET_ID,
        "title": TITLE,
        "version": "1",
        "benchmark": tables.BENCHMARK,
        "visibility": "public",
        "license": "CC-BY-4.0",
    }


def _fixtures(folder: Path, name: str) -> Path | None:
    """Return where the fixtures of a dataset in ``cases/<benchmark>/`` lie."""
    parents = folder.resolve().parents
    if len(parents) < 3 or parents[0].name != name or parents[1].name != "cases":
        return None
    return parents[2] / "fixtures" / name


def _progress(echo: Callable[[str], None]) -> tables.Progress:
    def say(done: int, total: int) -> None:
        if done % STEP == 0 or done == total:
            echo(f"{done}/{total} cases")

    return say
