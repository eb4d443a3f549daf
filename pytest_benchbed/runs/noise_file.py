"""The file of a noise ledger: ``<baseline>.noise.jsonl`` beside the run directories.

A run directory is never written to again, and a baseline may be a snapshot in
version control, so its ledger lies in the runs directory under its id. The file
is for people and decides nothing: what is wrong with it is a note, never the
end of a session.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pytest_benchbed.compare.noise_ledger import Strike
from pytest_benchbed.compare.noise_ledger import ledger_bytes
from pytest_benchbed.compare.noise_ledger import read_ledger
from pytest_benchbed.compare.noise_ledger import strikes
from pytest_benchbed.compare.noise_ledger import untold
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.noise_line import NoiseLine
from pytest_benchbed.runs.atomic import sync_folder
from pytest_benchbed.runs.find import run_folders
from pytest_benchbed.runs.layout import RUN_FILE
from pytest_benchbed.runs.lines import parse_plain

SUFFIX = ".noise.jsonl"
DECIDED = ("passed", "failed", "incomplete")
"""Statuses of a gate under which its suspects are worth remembering."""

# A system under test may have put a link or a pipe in its place.
_SAFE = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_READ = os.O_RDONLY | _SAFE
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | _SAFE


class NoiseFile:
    """The ledger of one baseline, read when it is opened."""

    def __init__(self, runs_dir: Path, baseline: str) -> None:
        """``baseline``: id of the run; ``SET/BENCHMARK`` lies in the set's folder."""
        self.path = runs_dir / f"{baseline}{SUFFIX}"
        self.lines: list[NoiseLine] = []
        self.notes: list[str] = []
        """What has to be said of the file."""
        self._runs_dir = runs_dir
        self._baseline = baseline
        try:
            content = _content(self.path)
        except OSError as error:
            self._note("read", error)
        else:
            self.lines, self.notes = read_ledger(content, baseline=baseline)

    def append(self, lines: Sequence[NoiseLine]) -> None:
        """Write what is not told yet, in one write; call it with the candidate's lock held.

        A candidate that is scored or resumed again has told its lines before. What goes
        wrong is added to ``notes``.
        """
        fresh = untold(lines, self.lines)
        if not fresh:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _append(self.path, ledger_bytes(fresh))
        except OSError as error:
            self._note("written", error)
            return
        self.lines += fresh
        with suppress(RunError):
            sync_folder(self.path.parent)

    def strikes(
        self,
        benchmark: str,
        profile: str,
        candidate: str | None = None,
        more: Sequence[NoiseLine] = (),
    ) -> list[Strike]:
        """Return the cases that wobbled in several candidate runs.

        Args:
            benchmark: the benchmark.
            profile: one of its profiles.
            candidate: a run that is about to be completed, and so counts.
            more: its lines, which are not written yet.
        """
        known = [*self.lines, *more]
        if not strikes(known, benchmark=benchmark, profile=profile):
            return []
        # Only now the other runs are looked at: there may be thousands.
        runs = {*_candidates(self._runs_dir, self._baseline, benchmark)}
        if candidate is not None:
            runs.add(candidate)
        return strikes(known, benchmark=benchmark, profile=profile, runs=runs)

    def _note(self, what: str, error: OSError) -> None:
        why = error.strerror or str(error)
        self.notes.append(
            f"noise ledger of {term(self._baseline, 80)} cannot be {what}: {term(why, 80)} "
            f"({term(self.path, 200)})"
        )


def _content(path: Path) -> bytes:
    try:
        descriptor = os.open(path, _READ)
    except FileNotFoundError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        _check_file(descriptor)
        return file.read()


def _append(path: Path, data: bytes) -> None:
    descriptor = os.open(path, _APPEND, 0o666)
    try:
        _check_file(descriptor)
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                # A torn line must not take ours with it.
                data = b"\n" + data
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_file(descriptor: int) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "it is no file")


def _candidates(runs_dir: Path, baseline: str, benchmark: str) -> Iterator[str]:
    """Yield the whole runs with a verdict that were compared with this baseline."""
    quoted = canonical(baseline)
    for run_id, folder in run_folders(runs_dir):
        path = folder / RUN_FILE
        with suppress(OSError, RunError, AttributeError):
            content = path.read_bytes()
            # Most runs are of other baselines, and are not parsed.
            if quoted in content:
                record = parse_plain(content, str(path))
                if _counts(record, baseline, benchmark):
                    yield str(record.get("id", run_id))


def _counts(record: dict[str, object], baseline: str, benchmark: str) -> bool:
    """Say whether a run says something of the noise of a baseline, suspects or none."""
    named = {"baseline": baseline, "benchmark": benchmark}
    found = {name: record.get(name) for name in named}
    ids = {name: one.get("id") if isinstance(one, dict) else None for name, one in found.items()}
    gate = record.get("gate")
    status = gate.get("status") if isinstance(gate, dict) else None
    return (
        ids == named
        and record.get("status") == "completed"
        and not record.get("partial")
        and status in DECIDED
    )
