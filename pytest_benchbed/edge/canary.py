"""Whether the answer side's token turned up where no answer may be."""

from __future__ import annotations

import base64
import mmap
from pathlib import Path
from typing import Literal

from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.runs.layout import RunPaths


def canary_state(plan: Plan, paths: RunPaths) -> Literal["absent", "clean", "found"]:
    """Search requests, replies and everything the adapter wrote for the token.

    Searched are its raw bytes and its base64, hex and reversed forms. ``absent``: the
    dataset has no token.
    """
    token = plan.answers.canary
    if token is None:
        return "absent"
    needles = _forms(token)
    files = [paths.request, paths.calls]
    # The logs lie there too.
    if paths.adapter.is_dir():
        files += [file for file in sorted(paths.adapter.rglob("*")) if not file.is_symlink()]
    return "found" if any(_holds(file, needles) for file in files) else "clean"


def _forms(token: str) -> list[bytes]:
    raw = token.encode("ascii")
    forms = [raw, raw[::-1], raw.upper(), raw.hex().encode("ascii")]
    # Base64 depends on the position in its group of three; the inner part is fixed.
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw)
        forms.append(encoded[4:-4])
    return forms


def _holds(file: Path, needles: list[bytes]) -> bool:
    if not file.is_file() or not file.stat().st_size:
        return False
    try:
        stream = file.open("rb")
    except PermissionError:
        # The system wrote it, as the same user: what it closed to us can be opened again.
        file.chmod(0o600)
        stream = file.open("rb")
    with stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as view:
        return any(view.find(needle) >= 0 for needle in needles)
