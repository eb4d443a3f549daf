"""Find the saved run that a user names: a directory, or an id below the runs directory."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from pathlib import PurePath

from pytest_benchbed.model.errors import NotAtHand
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.runs.layout import RUN_FILE
from pytest_benchbed.runs.layout import RUN_SET_FILE
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.read import read_run_set

HOW_TO_LIST = "benchbed runs"


def find_run(
    text: str, runs_dir: Path, invocation_dir: Path, snapshots: Sequence[Path] = ()
) -> Run:
    """Open the run named ``text``.

    ``text`` is a run directory (a relative one below ``invocation_dir``), an id
    below ``runs_dir``, or ``SET/BENCHMARK`` below it. A directory that is a run
    is taken before an id, and an id below ``runs_dir`` before one below the
    folders ``snapshots``.

    Raises:
        UsageProblem: no such run, with the nearest id there is; or a run set.
        RunError: the run is there but cannot be read.
    """
    root = _locate(text, runs_dir, invocation_dir, snapshots)
    if (root / RUN_FILE).is_file():
        return Run.open(root)
    members = read_run_set(root)
    first = f"{text.rstrip('/')}/{members[0]}" if members else "SET/BENCHMARK"
    raise UsageProblem(
        f"{text[:80]!a} is a run set, not a run; its benchmarks: {', '.join(members) or 'none'}.\n"
        f"Name one run of it, such as {first}"
    )


def find_runs(
    text: str, runs_dir: Path, invocation_dir: Path, snapshots: Sequence[Path] = ()
) -> list[Run]:
    """Open the run, or every run of the run set, named ``text``; a set's in its own order.

    Raises:
        UsageProblem: no such run or run set, with the nearest id there is.
        RunError: a run is there but cannot be read, or one of a set is missing.
    """
    root = _locate(text, runs_dir, invocation_dir, snapshots)
    if (root / RUN_FILE).is_file():
        return [Run.open(root)]
    return [Run.open(root / name) for name in read_run_set(root)]


def not_at_hand(error: UsageProblem) -> NotAtHand:
    """Return the refusal of a run whose record names one that is not found."""
    cause = str(error).partition("\n")[0]
    return NotAtHand(
        f"a run it was compared with is not at hand: {cause}\n"
        "Restore that one, or compare with another: --baseline=RUN"
    )


def run_folders(runs_dir: Path) -> Iterator[tuple[str, Path]]:
    """Yield (id, folder) of every run below ``runs_dir``, those of run sets included.

    Sorted by id; links and folders that are no run are passed over. A missing
    runs directory has no runs.
    """
    for folder in _folders(runs_dir):
        if (folder / RUN_FILE).is_file():
            yield folder.name, folder
        elif (folder / RUN_SET_FILE).is_file():
            for member in _folders(folder):
                if (member / RUN_FILE).is_file():
                    yield f"{folder.name}/{member.name}", member


def _folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    return sorted(path for path in parent.iterdir() if path.is_dir() and not path.is_symlink())


def _locate(text: str, runs_dir: Path, invocation_dir: Path, snapshots: Sequence[Path]) -> Path:
    """Return the folder of a run or run set."""
    named = invocation_dir / text
    try:
        if text and _is_run_or_set(named):
            return named
        is_id = all(is_case_id(part) for part in text.split("/", 1))
        for parent in (runs_dir, *snapshots) if is_id else ():
            if _is_run_or_set(parent / text):
                return parent / text
        is_folder = bool(text) and named.is_dir()
    except (OSError, ValueError):  # a name that is too long, or has a NUL
        is_folder = False
    if is_folder:
        raise UsageProblem(
            f"{text[:80]!a} is no run: the folder has no run.json.\nList runs with: {HOW_TO_LIST}"
        )
    raise UsageProblem(_unknown(text, runs_dir, snapshots))


def _unknown(text: str, runs_dir: Path, snapshots: Sequence[Path]) -> str:
    known = {run_id for folder in (runs_dir, *snapshots) for run_id, _ in run_folders(folder)}
    known |= {run_id.split("/")[0] for run_id in known if "/" in run_id}
    what = f"unknown run {text[:80]!a}."
    if not known:
        return f"{what} There is no run in {runs_dir}."
    # A wrong path is mostly right in its last part.
    for name in (text, PurePath(text).name):
        near = get_close_matches(name, sorted(known), n=1)
        if near:
            return f"{what} Did you mean {near[0]!r}?\nList runs with: {HOW_TO_LIST}"
    beside = " and beside bench files" if snapshots else ""
    return f"{what} Runs are looked for in {runs_dir}{beside}.\nList them with: {HOW_TO_LIST}"


def _is_run_or_set(folder: Path) -> bool:
    return (folder / RUN_FILE).is_file() or (folder / RUN_SET_FILE).is_file()
