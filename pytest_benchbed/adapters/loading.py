"""Import an adapter and build it; runs only in the adapter's own process.

The import path is the adapter's folder and the configured ``pythonpath``,
before the standard library and site-packages; nothing of pytest's path.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_benchbed.adapters.base import Adapter
from pytest_benchbed.adapters.info import declaration_problem
from pytest_benchbed.model.errors import UsageProblem

ENDING = (SystemExit, KeyboardInterrupt)
"""These end the process of the adapter; nothing else does."""


class LoadError(Exception):
    """The adapter cannot be used; ``kind`` says at which step, the text why."""

    def __init__(self, kind: str, text: str) -> None:
        """``kind``: ``import``, ``entry``, ``declaration``, ``constructor`` or ``version``."""
        super().__init__(text)
        self.kind = kind


class _FunctionAdapter(Adapter):
    """A plain function ``predict(case)`` as an adapter."""


def load(entry: Mapping[str, Any]) -> type[Any]:
    """Import the module of an entry and return its adapter class.

    ``entry``: ``path`` (file of the module), ``module``, ``attribute`` and
    ``pythonpath`` (folders to prepend, the adapter's own first).

    Raises:
        LoadError: with the exception of the module, or what the name is instead.
    """
    for folder in reversed(entry["pythonpath"]):
        sys.path.insert(0, folder)
    importlib.invalidate_caches()
    name = entry["module"]
    try:
        module = _imported(name, entry["path"])
    except ENDING:
        raise
    except BaseException as error:
        raise LoadError("import", f"cannot import {name}: {words(error)}") from error
    found = getattr(module, "__file__", None)
    if found is None or not _same_file(found, entry["path"]):
        raise LoadError(
            "import",
            f"module {name} is {found or 'built in'}, not {entry['path']}; rename the file",
        )
    return as_class(_attribute(module, entry["attribute"]), entry["attribute"])


class _FromSource(SourceFileLoader):
    """Reads the source and no compiled file.

    Python takes a compiled file for the present one if length and second of the
    source are the same; then another code would answer than the one whose digest
    is on record.
    """

    def path_stats(self, path: str) -> Any:
        """Say that there is nothing to compare a compiled file with."""
        raise OSError(f"{path}: its compiled file is not used")


def _imported(name: str, path: str) -> ModuleType:
    """Import a module; the file at ``path`` itself from its source."""
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    # Parents were imported by then, and may have imported it themselves.
    if spec is None or spec.origin is None or name in sys.modules:
        return importlib.import_module(name)
    if type(spec.loader) is not SourceFileLoader or not _same_file(spec.origin, path):
        return importlib.import_module(name)
    spec.loader = _FromSource(name, spec.origin)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)
    return sys.modules[name]


def as_class(found: Any, name: str) -> type[Any]:
    """Return an adapter class for a class or a function.

    Raises:
        LoadError: neither, or a class without ``predict``.
    """
    if inspect.isclass(found):
        predict = getattr(found, "predict", None)
        if predict is None or predict is Adapter.predict or not callable(predict):
            raise LoadError("entry", f"class {name} does not define predict(case)")
        return found
    if isinstance(found, Adapter) or not callable(found):
        kind = type(found).__name__
        raise LoadError(
            "entry", f"{name} is an object of {kind}; name a class or a function predict(case)"
        )
    label = getattr(found, "__name__", name)
    return type(label, (_FunctionAdapter,), {"name": label, "predict": staticmethod(found)})


def describe(target: Any) -> dict[str, Any]:
    """Return what a class, or a built adapter, declares (see :mod:`.info`).

    A version that is a method is left out: only :func:`hello` asks it.

    Raises:
        LoadError: an attribute is not of its type.
    """
    owner = target if inspect.isclass(target) else type(target)
    row = {
        key: getattr(target, key, getattr(Adapter, key))
        for key in (
            "paid", "fresh_process", "deterministic", "max_concurrency", "thread_safe",
            "env", "network", "reads", "allow",
        )
    }  # fmt: skip
    row["name"] = getattr(target, "name", "") or owner.__name__
    problem = declaration_problem(row)
    if problem:
        raise LoadError("declaration", f"class {owner.__name__}: {problem}")
    version = getattr(target, "version", "")
    row["version"] = version if isinstance(version, str) else ""
    row["shared"] = is_async(target) or row["thread_safe"]
    del row["thread_safe"]
    for key in ("env", "reads", "allow"):
        row[key] = list(row[key])
    return row


def is_async(target: Any) -> bool:
    """Say whether an adapter answers in an event loop."""
    return inspect.iscoroutinefunction(getattr(target, "predict", None))


def build(
    cls: type[Any],
    options: Mapping[str, Any],
    model: str | None,
    folders: Sequence[str] = (),
) -> Any:
    """Build the adapter from its options, with ``folders`` set before and ``model`` after.

    Raises:
        LoadError: the constructor raised; a bad option is named as Python names it.
    """
    if issubclass(cls, _FunctionAdapter) and options:
        first = sorted(options)[0]
        raise LoadError(
            "constructor", f"{cls.__name__} is a function and takes no option {first!r}"
        )
    try:
        if issubclass(cls, Adapter):
            cls.folders = tuple(Path(folder) for folder in folders)
        adapter = cls(**options)
        adapter.model = model
    except ENDING:
        raise
    except UsageProblem as problem:
        # Words for the user need no type in front and no list of options behind.
        raise LoadError("constructor", str(problem)) from None
    except BaseException as error:
        given = ", ".join(sorted(options)) or "none"
        raise LoadError(
            "constructor", f"{cls.__name__}: {words(error)} (options given: {given})"
        ) from error
    return adapter


def version_of(adapter: Any) -> Any:
    """Return the version of the system, or an awaitable of it, from text or a method."""
    version = getattr(adapter, "version", "")
    try:
        return version() if callable(version) else version
    except Exception as error:
        raise LoadError("version", f"version() raised {words(error)}") from error


def check_version(version: Any) -> str:
    """Return the version as text (``LoadError`` if it is neither text, a number nor None)."""
    if version is None:
        return ""
    if isinstance(version, bool) or not isinstance(version, str | int | float):
        raise LoadError("version", f"version must be text, not {type(version).__name__}")
    return str(version)[:200]


def import_drive(drive: str) -> Any:
    """Return the function a benchmark asks one case with, from ``module:function``."""
    module, _, name = drive.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as error:
        raise LoadError("drive", f"cannot import {drive}: {words(error)}") from error
    if not callable(function):
        raise LoadError("drive", f"{drive} is no function")
    return function


def words(error: BaseException) -> str:
    """Return ``Type: message`` of an exception, whatever its ``__str__`` does."""
    try:
        message = str(error)
    except BaseException:
        message = "(its message cannot be read)"
    name = type(error).__name__
    return f"{name}: {message[:2000]}" if message else name


def _attribute(module: ModuleType, path: str) -> Any:
    found: Any = module
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            near = difflib.get_close_matches(name, list(vars(found)), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise LoadError("entry", f"{module.__name__} has no {path!r}{hint}") from None
    return found


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False
