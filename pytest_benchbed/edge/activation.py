"""Whether this session has anything to do with benchmarks. Light, and asked first."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def is_dry(config: pytest.Config) -> bool:
    """Say whether this session only looks: nothing may be started, written or spent."""
    names = ("collectonly", "setuponly", "setupplan", "showfixtures", "show_fixtures_per_test")
    return any(getattr(config.option, name, False) for name in names)
