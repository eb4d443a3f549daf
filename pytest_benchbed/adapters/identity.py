"""Which system answered: digests that must agree between a baseline and its controls."""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.errors import UsageProblem

if TYPE_CHECKING:
    from pytest_benchbed.model.run import SourceRecord

GIT_WAIT_S = 10.0


def system_identity(
    *,
    name: str,
    version: str,
    code_sha256: str,
    watch_sha256: str | None,
    model: str | None,
    options: Mapping[str, Any],
    settings: Sequence[str],
    executor: str,
    isolation_level: str,
    network: str,
) -> str:
    """Return the system identity: SHA-256 over everything that makes a system itself.

    Values of environment variables are no part of it, and neither is the source
    commit. ``settings`` are ``name=value`` texts; their order does not count.
    """
    return digest(
        {
            "name": name,
            "version": version,
            "code_sha256": code_sha256,
            "watch_sha256": watch_sha256,
            "model": model,
            "options": dict(options),
            "settings": sorted(settings),
            "executor": executor,
            "isolation": {"level": isolation_level, "network": network},
        }
    )


def watch_digest(patterns: Sequence[str], rootdir: Path) -> str | None:
    """Return the digest over path and bytes of what the bench file watches; None without.

    A pattern is a path below ``rootdir`` with ``*``, ``?``, ``[…]`` and ``**``; a
    folder stands for all files below it. Compiled Python files are left out.

    Raises:
        UsageProblem: a pattern that matches no file, or a file that cannot be read.
    """
    if not patterns:
        return None
    rows: dict[str, str] = {}
    for pattern in patterns:
        found = sorted(_matches(pattern, rootdir))
        if not found:
            raise UsageProblem(
                f"bench file: watch pattern {pattern[:80]!a} matches no file below {rootdir}.\n"
                "Correct or remove it: an empty watch would identify nothing."
            )
        for path in found:
            relative = Path(os.path.relpath(path, rootdir)).as_posix()
            rows[relative] = _file_digest(path)
    return digest(sorted([path, sha256] for path, sha256 in rows.items()))


def source_record(path: Path) -> SourceRecord | None:
    """Return the git commit, branch and dirty flag of the checkout that holds ``path``.

    None without git, outside of a checkout, or if git ignores the file. A file
    git does not know makes it dirty.
    """
    from pytest_benchbed.model.run import SourceRecord

    status = _git(path, "status", "--porcelain=v2", "--branch", "--untracked-files=no")
    if status is None:
        return None
    head = {}
    is_dirty = False
    for line in status.splitlines():
        if line.startswith("# branch."):
            key, _, value = line.removeprefix("# branch.").partition(" ")
            head[key] = value
        else:
            is_dirty = True
    commit = head.get("oid", "(initial)")
    if commit == "(initial)":
        return None
    if _git(path, "ls-files", "--error-unmatch", "--", path.name) is None:
        if _git(path, "check-ignore", "-q", "--", path.name) is not None:
            return None
        is_dirty = True
    branch = head.get("head", "(detached)")
    return SourceRecord(
        commit=commit, branch=None if branch == "(detached)" else branch, dirty=is_dirty
    )


def _git(path: Path, *arguments: str) -> str | None:
    """Return the output of a read-only git command beside ``path``; None if it failed."""
    git = shutil.which("git")
    if git is None:
        return None
    # No lock file for a reader, and no program that the checkout's configuration names.
    command = [git, "--no-optional-locks", "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=path.parent,
            # Inside a git hook these name another repository.
            env={key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_WAIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _matches(pattern: str, rootdir: Path) -> Iterator[Path]:
    for name in glob.glob(pattern, root_dir=rootdir, recursive=True):  # noqa: PTH207 -- absolute ones too
        path = rootdir / name
        for file in [path] if path.is_file() else path.rglob("*"):
            if file.is_file() and file.suffix not in {".pyc", ".pyo"}:
                yield file


def _file_digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageProblem(
            f"bench file: the watched file {path} cannot be read: {error.strerror}."
        ) from None
