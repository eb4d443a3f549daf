"""Whether this session has anything to do with benchmarks. Light, and asked first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_benchbed.model.escape import term

CASES = "cases.jsonl"
MANIFEST = "manifest.json"


def is_wanted(config: pytest.Config) -> bool:
    """Say whether a benchmark is asked for, by ``--bench`` or by a named case path."""
    return bool(config.getoption("bench")) or bool(named_datasets(config))


def named_datasets(config: pytest.Config) -> list[Path]:
    """Return the dataset folders that the arguments name.

    A case file, a dataset folder or a benchmark folder (whose children are
    datasets) names them; a folder further up, or no argument, names none. It
    costs a few ``stat`` calls an argument.
    """
    found: dict[Path, None] = {}
    if config.args_source is pytest.Config.ArgsSource.INVOCATION_DIR:
        return []
    for argument in config.args:
        text = str(argument).split("::", 1)[0]
        path = config.invocation_params.dir / text
        if path.name == CASES and _is_dataset(path.parent):
            found[path.parent.resolve()] = None
        elif path.is_dir():
            if _is_dataset(path):
                found[path.resolve()] = None
            elif path != config.rootpath:
                for manifest in sorted(path.glob(f"*/{MANIFEST}")):
                    if _is_dataset(manifest.parent):
                        found[manifest.parent.resolve()] = None
    return list(found)


def _is_dataset(folder: Path) -> bool:
    """Both files, and ours: other tools have manifests too."""
    manifest = folder / MANIFEST
    if not (manifest.is_file() and (folder / CASES).is_file()):
        return False
    try:
        return b'"benchbed.manifest.' in manifest.read_bytes()[:1_000_000]
    except OSError:
        return False


def runs_dir(config: pytest.Config) -> Path:
    """Return the folder of the run directories (it need not exist)."""
    named: str | None = config.getoption("bench_runs_dir")
    if named:
        return Path(config.invocation_params.dir, named).resolve()
    base = config.inipath.parent if config.inipath else config.rootpath
    return (base / (config.getini("bench_runs_dir") or "runs")).resolve()


def is_run_folder(path: Path, config: pytest.Config) -> bool:
    """Say whether ``path`` is the runs directory of this session, a run, or a run set."""
    if not path.is_dir():
        return False
    if (path / "run.json").is_file() or (path / "run-set.json").is_file():
        return True
    return path.name == runs_dir(config).name and path.resolve() == runs_dir(config)


def refuse_run_folders(config: pytest.Config) -> None:
    """Refuse a session that is started in a run, or told to collect something inside one.

    Asked before pytest imports the ``conftest.py`` of its arguments. Costs two
    ``stat`` calls for each folder above an argument.

    Raises:
        pytest.UsageError: naming the run.
    """
    here = config.invocation_params.dir
    arguments = getattr(config.known_args_namespace, "file_or_dir", None) or ()
    folders: dict[Path, None] = {}
    for argument in ("", *arguments):
        path = Path(os.path.normpath(here / str(argument).split("::", 1)[0]))
        folders.update(dict.fromkeys((path, *path.parents)))
    for folder in folders:
        if _is_own_run(folder):
            raise pytest.UsageError(
                f"{term(str(folder), 200)} holds what a system wrote: run directories are never "
                "collected, and nothing in them is imported.\n"
                "Start pytest outside of it, and name your own tests."
            )


def _is_own_run(folder: Path) -> bool:
    """Say whether a run or a run set of ours lies there; others have files of these names too."""
    for name in ("run.json", "run-set.json"):
        try:
            with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH118, PTH123
                # Not pathlib: this is asked in every session of the environment.
                if b'"benchbed.run' in file.read(1_000_000):
                    return True
        except OSError:
            continue
    return False


def is_dry(config: pytest.Config) -> bool:
    """Say whether this session only looks: nothing may be started, written or spent."""
    names = ("collectonly", "setuponly", "setupplan", "showfixtures", "show_fixtures_per_test")
    return any(getattr(config.option, name, False) for name in names)
