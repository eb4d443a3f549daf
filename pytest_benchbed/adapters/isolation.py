"""How far an adapter is kept apart: the record of a run, and paths it may not have.

The level is ``process`` for now: a process of its own with an empty
environment, limits of the operating system and a supervisor. That is hygiene,
not confinement: the same user's files can be read. It is recorded so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.errors import UsageProblem

LEVEL = "process"
OFF = "off"
"""The same without limits of the operating system: what ``--bench-isolation=off`` asks for."""


def isolation_record(spec: AdapterSpec, info: AdapterInfo, level: str = LEVEL) -> dict[str, Any]:
    """Return the object ``isolation`` of ``run.json``."""
    return {
        "level": level,
        "landlock_abi": None,
        "seccomp": False,
        "caps_dropped": False,
        "rlimits": spec.limits.rlimits() if sys.platform != "win32" else {},
        "network": info.network,
        "allow": list(info.allow),
        "reads": list(info.reads),
        "pythonpath": [str(folder) for folder in spec.pythonpath],
        "unavailable": dict.fromkeys(("bwrap", "landlock"), "not built yet"),
    }


def check_paths(spec: AdapterSpec, info: AdapterInfo, protected: Iterable[Path]) -> None:
    """Refuse paths that would hand the answers to the adapter.

    ``protected`` are the folders of registered datasets and the runs folder. A
    folder of code may contain one (the root directory usually does), a path in
    ``reads`` may not.

    Raises:
        UsageProblem: naming both paths, or a path in ``reads`` that does not exist.
    """
    guarded = [folder.resolve() for folder in protected]
    for text in info.reads:
        path = Path(text).expanduser()
        if not path.exists():
            raise UsageProblem(f"adapter {spec.name!r} reads {text[:200]!a}, which does not exist.")
        reads = path.resolve()
        for folder in guarded:
            if reads.is_relative_to(folder) or folder.is_relative_to(reads):
                raise UsageProblem(
                    f"adapter {spec.name!r} reads {reads}, which holds or lies in {folder}.\n"
                    "Name folders in `reads` that hold neither datasets nor runs."
                )
    for code in (spec.folder, *spec.pythonpath):
        for folder in guarded:
            if code is not None and code.resolve().is_relative_to(folder):
                raise UsageProblem(
                    f"adapter {spec.name!r} has its code in {code}, which lies in {folder}.\n"
                    "Move it out: that folder holds a dataset or runs."
                )
