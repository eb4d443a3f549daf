"""Find the code of an adapter by its name, without importing anything.

An entry is ``module:name``, ``path/to/file.py:name``, or the path of an
executable. A module is looked for below the folder pytest was called in, the
root directory, its ``src`` and the search path, then anywhere below the root
directory; no parent package is imported, because it may start threads, read
configuration or hold the answers.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

from pytest_benchbed.adapters.registry import HOW_TO_LIST
from pytest_benchbed.adapters.spec import Located
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name

MAX_FOLDERS = 20_000
"""Folders looked into below the root directory."""

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_MODULE = re.compile(rf"({_NAME}):({_NAME})")
_FILE = re.compile(rf"(.+\.py):({_NAME})", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:")
_MARKS = frozenset({"run.json", "run-set.json", "manifest.json", "pyvenv.cfg"})
"""Files of a folder that holds a run, a dataset or an environment, not source code."""
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})


def locate(
    entry: str,
    *,
    rootdir: Path,
    invocation_dir: Path,
    search: Sequence[Path] = (),
    known: Iterable[str] = (),
    is_windows: bool = os.name == "nt",
) -> Located:
    """Return where the code of ``entry`` lies.

    ``search`` are the folders of pytest's ``pythonpath`` and of ``sys.path``;
    ``known`` the registered names, for the message about an unknown one.

    Raises:
        UsageProblem: nothing of that name, several modules, or no readable file.
    """
    bases = [invocation_dir, rootdir]
    file = _FILE.fullmatch(entry)
    if file and (path := _first_file(file[1], bases)):
        return _python(entry, path, path.parent, path.stem, file[2])
    if file and ("/" in file[1] or os.sep in file[1]):
        raise UsageProblem(_missing_file(entry, file[1], bases))
    module = _MODULE.fullmatch(entry)
    # C:adapter is a file on drive C, but a module of one letter elsewhere.
    if module and not (is_windows and _DRIVE.match(entry)):
        return _find_module(entry, module[1], module[2], bases, search)
    return _executable(entry, bases, known)


def _executable(entry: str, bases: Sequence[Path], known: Iterable[str]) -> Located:
    path = _first_file(entry, bases)
    if path is not None:
        return Located("executable", entry, path, code_sha256=_file_sha256(path, entry))
    if "/" in entry and any((base / entry).is_dir() for base in bases):
        raise UsageProblem(f"adapter {entry[:80]!a} is a folder; name a file in it.")
    if any(mark in entry for mark in ("/", "\\", ":")):
        raise UsageProblem(_missing_file(entry, entry, bases))
    text = unknown_name("adapter", entry, known, HOW_TO_LIST)
    if _first_file(f"{entry}.py", bases):
        text += f"\nFor a class or function in {entry}.py say: --bench-adapter={entry}:NAME"
    raise UsageProblem(text)


def _find_module(
    entry: str, module: str, attribute: str, bases: Sequence[Path], search: Sequence[Path]
) -> Located:
    """Look in the usual places, then below the root directory."""
    usual = [*bases, *(base / "src" for base in bases), *search]
    for base in dict.fromkeys(usual):
        path = module_file(base, module)
        if path is not None:
            return _python(entry, path, base.absolute(), module, attribute)
    installed = _installed(module)
    if installed is not None:
        path, folder = installed
        return _python(entry, path, folder, module, attribute)
    rootdir = bases[-1]
    found = [base for base in _walk(rootdir) if module_file(base, module)]
    if len(found) > 1:
        places = ", ".join(str(path.relative_to(rootdir)) for path in found[:4])
        raise UsageProblem(
            f"adapter {entry[:80]!a}: module {module} is in several folders: {places}.\n"
            f"Name the file: --bench-adapter=FOLDER/{module.replace('.', '/')}.py:{attribute}"
        )
    if not found:
        raise UsageProblem(
            f"adapter {entry[:80]!a}: there is no module {module[:80]!a} below {rootdir} "
            f"or on the import path.\n"
            f"Name the file instead (folder/file.py:{attribute}), or list the adapters with: "
            f"{HOW_TO_LIST}"
        )
    path = module_file(found[0], module)
    assert path is not None
    return _python(entry, path, found[0], module, attribute)


def module_file(base: Path, module: str) -> Path | None:
    """Return the file of a dotted module below ``base``: ``a/b.py`` or ``a/b/__init__.py``."""
    stem = base.joinpath(*module.split("."))
    for path in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
        if path.is_file():
            return path.absolute()
    return None


def _installed(module: str) -> tuple[Path, Path] | None:
    """Ask the import system for the top package only: finding it runs no code of it.

    Some editable installs answer by a hook and stand in no folder of the path.
    """
    top, _, rest = module.partition(".")
    try:
        spec = importlib.util.find_spec(top)
    except Exception:
        # Such as a hook of somebody else that is broken; then it is not installed.
        return None
    if spec is None:
        return None
    if not rest and spec.has_location and spec.origin:
        path = Path(spec.origin).absolute()
        return path, path.parents[1] if path.name == "__init__.py" else path.parent
    for place in spec.submodule_search_locations or ():
        if rest and (path_below := module_file(Path(place), rest)):
            return path_below, Path(place).absolute().parent
    return None


def _walk(root: Path) -> Iterator[Path]:
    """Yield the folders below ``root`` that may hold source code, nearest first."""
    waiting = [root]
    for count, folder in enumerate(waiting):
        if count >= MAX_FOLDERS:
            return
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        if _MARKS & {entry.name for entry in entries} and folder != root:
            continue
        yield folder
        waiting.extend(
            folder / entry.name
            for entry in entries
            if entry.is_dir(follow_symlinks=False)
            and not entry.name.startswith(".")
            and entry.name not in _SKIPPED
        )


def _python(entry: str, path: Path, folder: Path, module: str, attribute: str) -> Located:
    return Located(
        "class", entry, path, folder, module, attribute, code_sha256=_file_sha256(path, entry)
    )


def _first_file(name: str, bases: Iterable[Path]) -> Path | None:
    for base in bases:
        path = base / name
        try:
            if path.is_file():
                return path.absolute()
        except (OSError, ValueError):
            return None
    return None


def _missing_file(entry: str, name: str, bases: Sequence[Path]) -> str:
    places = " and ".join(dict.fromkeys(str(base) for base in bases))
    return f"adapter {entry[:80]!a}: there is no file {name[:80]!a} in {places}."


def _file_sha256(path: Path, entry: str) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageProblem(
            f"adapter {entry[:80]!a}: {path} cannot be read: {error.strerror}."
        ) from None
