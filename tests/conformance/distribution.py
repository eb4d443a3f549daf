"""Install the second distribution for one process: its folder and its entry points on the path."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from tests.plugin.bench import WITHOUT

FOLDER = Path(__file__).parent.parent / "second_distribution"


def install(target: Path) -> Mapping[str, str]:
    """Write what an installer writes, and return the environment in which it is installed.

    The metadata come from its ``pyproject.toml``; no network and no build is needed.
    """
    with (FOLDER / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    info = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", "utf-8"
    )
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
    paths = [str(FOLDER), str(target), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Settings of the outer session are none of the inner's.
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTEST", "COVERAGE"))
    }
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}


def pytest_with(
    environment: Mapping[str, str], folder: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest in ``folder`` where the distribution is installed."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", *WITHOUT, *words],
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
