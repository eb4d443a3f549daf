"""Snapshots: promoted runs kept beside the bench file, small enough for version control.

A snapshot is a run directory with ``run.json``, ``results.jsonl`` and, for
public data, the outcomes of ``calls.jsonl``: what the gate needs, and what a
corrected answer is scored against. Of private data it has no reply, and of
each error only its identity.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.runs.atomic import sweep_temporary
from pytest_benchbed.runs.atomic import sync_folder
from pytest_benchbed.runs.atomic import write_atomic
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.atomic import write_lines
from pytest_benchbed.runs.layout import RUN_FILE
from pytest_benchbed.runs.layout import SNAPSHOTS
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lines import parse_plain
from pytest_benchbed.runs.lines import read_document
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.results_file import write_results

_DETAIL = ("expected", "got", "note")
_OUTCOME = b'"kind":"outcome"'
_STAGED = ".tmp"
_STAGED_NAME = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{8}\.tmp")
_DOOMED = ".gone.tmp"


def snapshot_folder(bench_folder: Path, run_id: str) -> Path:
    """Return where the snapshot of a run lies or would lie; a run of a set nests.

    Raises:
        RunError: ``run_id`` is no id of a run.
    """
    parts = run_id.split("/", 1)
    if not all(is_case_id(part) for part in parts):
        raise RunError(f"{run_id[:80]!a} is no id of a run, so it has no snapshot.")
    return bench_folder.joinpath(SNAPSHOTS, *parts)


def kept_snapshot(bench_folder: Path | None, run_id: str) -> Path | None:
    """Return the folder of a run's snapshot, or None if there is none."""
    if bench_folder is None:
        return None
    try:
        folder = snapshot_folder(bench_folder, run_id)
    except RunError:
        return None
    return folder if (folder / RUN_FILE).is_file() else None


def snapshots(bench_folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield (run id, folder) of every snapshot beside a bench file, sorted by id."""
    root = bench_folder / SNAPSHOTS
    found = [*root.glob(f"*/{RUN_FILE}"), *root.glob(f"*/*/{RUN_FILE}")]
    ids = {file.parent.relative_to(root).as_posix(): file.parent for file in found}
    for run_id in sorted(ids):
        # A writer that was killed leaves a folder whose name is no id.
        if all(is_case_id(part) for part in run_id.split("/")):
            yield run_id, ids[run_id]


def place_snapshot(run: Run, folder: Path) -> bool:
    """Write the snapshot of a run to ``folder``; say whether anything changed there.

    It appears as a whole. Whoever replaces one holds the lock of the bench file.

    Raises:
        RunError: a file of the run is damaged, or the folder cannot be written.
    """
    if folder.exists() and folder.resolve() == run.path.resolve():
        return False
    staged = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{_STAGED}")
    try:
        staged.mkdir(parents=True)
        _fill(staged, run)
        if _same_files(staged, folder):
            return False
        _put(staged, folder)
    except OSError as error:
        raise RunError(
            f"{folder}: the snapshot cannot be written: {error.strerror}. Check the disk and the "
            "rights of the folder."
        ) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return True


def remove_snapshot(bench_folder: Path, run_id: str) -> bool:
    """Remove the snapshot of a run; say whether there was one."""
    folder = kept_snapshot(bench_folder, run_id)
    if folder is None:
        return False
    with suppress(OSError):
        # Renamed first: a removal that is cut short leaves no half snapshot.
        doomed = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{_DOOMED}")
        folder.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)
        if folder.parent.name != SNAPSHOTS:
            folder.parent.rmdir()
    return True


def sweep_snapshots(bench_folder: Path) -> None:
    """Clear up what a killed writer left; only for the holder of the bench file's lock."""
    if bench_folder.is_dir():
        sweep_temporary(bench_folder)
    root = bench_folder / SNAPSHOTS
    for left in (*root.glob(f".*{_STAGED}"), *root.glob(f"*/.*{_STAGED}")):
        _clear_up(left)


def restore_snapshot(bench_folder: Path, run_id: str) -> None:
    """Clear up what a killed writer of one snapshot left; only for the holder of the run's lock."""
    with suppress(RunError):
        folder = snapshot_folder(bench_folder, run_id)
        for left in sorted(folder.parent.glob(f".{folder.name}.*{_STAGED}")):
            _clear_up(left)


def _clear_up(left: Path) -> None:
    """Remove a folder that was left, or put it back where nothing took its place.

    ``run.json`` is written last, so a folder that has it is whole.
    """
    found = _STAGED_NAME.fullmatch(left.name)
    folder = left.with_name(found["name"]) if found else None
    if folder is not None and not folder.exists() and (left / RUN_FILE).is_file():
        with suppress(OSError):
            left.rename(folder)
            return
    shutil.rmtree(left, ignore_errors=True)


def snapshot_bytes(folder: Path) -> int:
    """Return the size of a snapshot's files."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def _fill(folder: Path, run: Run) -> None:
    paths = RunPaths(folder)
    if run.record.dataset.visibility == "private":
        rows = (canonical(_without_texts(row)) for row in run.results())
        digest = write_results(paths.results, rows)
        write_json(paths.run, {**read_document(run.paths.run), "results_sha256": digest})
        return
    write_atomic(paths.results, run.paths.results.read_bytes())
    if run.paths.calls.exists():
        write_lines(paths.calls, _outcomes(run.paths.calls))
    write_atomic(paths.run, run.paths.run.read_bytes())


def _without_texts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose errors have their identity alone."""
    slim = {**row, "errors": _identities(row["errors"])}
    for name in ("repeats", "reasks"):
        if row.get(name):
            slim[name] = [
                {**one, "errors": _identities(one["errors"])} if one.get("errors") else one
                for one in row[name]
            ]
    return slim


def _identities(errors: Mapping[str, Any]) -> dict[str, Any]:
    return {
        profile: [
            {key: value for key, value in error.items() if key not in _DETAIL} for error in listed
        ]
        for profile, listed in errors.items()
    }


def _outcomes(path: Path) -> Iterator[bytes]:
    """Yield the last outcome of each case and attempt as it was written, sorted by both."""
    places: dict[tuple[str, int], tuple[int, int]] = {}
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n") and _OUTCOME in line:
                row = parse_plain(line, f"{path}:{number}")
                case, attempt = row.get("case"), row.get("attempt")
                if row.get("kind") == "outcome" and isinstance(case, str) and type(attempt) is int:
                    places[case, attempt] = (offset, len(line))
            offset += len(line)
        for place in sorted(places):
            offset, length = places[place]
            file.seek(offset)
            yield file.read(length).removesuffix(b"\n")


def _same_files(one: Path, two: Path) -> bool:
    if not two.is_dir():
        return False
    names = sorted(path.name for path in one.iterdir())
    if names != sorted(path.name for path in two.iterdir()):
        return False
    return all((one / name).read_bytes() == (two / name).read_bytes() for name in names)


def _put(staged: Path, folder: Path) -> None:
    """Put the new snapshot where the old one was; after a kill in between one is put back."""
    old = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{_STAGED}")
    if folder.exists():
        folder.rename(old)
    staged.rename(folder)
    sync_folder(folder.parent)
    shutil.rmtree(old, ignore_errors=True)
