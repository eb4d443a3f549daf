"""Refuse an implementation of our hooks that could never be called, in words.

pluggy checks arguments while a plugin is registered, wherever that happens to
be: in the middle of loading entry points or of importing a ``conftest.py``. Its
error is a traceback there, and a misspelt hook marked ``optionalhook`` is
accepted in silence and registers nothing. So each implementation whose name
has our prefix is looked at first. A prefix that is itself misspelt can be told
from the hook of another plugin only once all plugins are there.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from collections.abc import Collection
from types import ModuleType
from typing import Any

import pytest

PREFIX = "pytest_benchbed_"
_ALIKE = 0.85
"""Least likeness of whole names; hooks of pytest-benchmark reach 0.7."""


def watch(manager: pytest.PytestPluginManager, specifications: ModuleType) -> None:
    """Check our hooks in every plugin: those registered already, and each that comes.

    Call it before the specifications are added, so that the plugins that came
    before this one are checked here too.

    Raises:
        pytest.UsageError: now or while a plugin is registered, naming plugin,
            hook and signature.
    """
    hooks = {
        name: tuple(inspect.signature(function).parameters)
        for name, function in vars(specifications).items()
        if name.startswith(PREFIX)
    }
    for name in [name for name in vars(manager.hook) if name.startswith(PREFIX)]:
        for impl in getattr(manager.hook, name).get_hookimpls():
            options = {"optionalhook": impl.optionalhook}
            _check(hooks, name, impl.function, options, known_as(manager, impl.plugin))
    parse = manager.parse_hookimpl_opts

    def checked(plugin: object, attribute: str) -> Any:
        options = parse(plugin, attribute)
        if options is not None:
            name = options.get("specname") or attribute
            if name.startswith(PREFIX):
                who = known_as(manager, plugin)
                _check(hooks, name, getattr(plugin, attribute), options, who)
        return options

    # An override of the instance: pluggy asks this method for every attribute
    # of a plugin before it checks any, and offers no hook in between.
    manager.parse_hookimpl_opts = checked  # type: ignore[method-assign,assignment]


def check_prefixes(manager: pytest.PytestPluginManager, names: Collection[str]) -> None:
    """Refuse a hook that nobody specifies and whose name is nearly one of ours.

    pytest refuses it too, but not before all tests are collected, and never one
    that is marked ``optionalhook``.

    Raises:
        pytest.UsageError: naming plugin and hook.
    """
    for name, caller in vars(manager.hook).items():
        if name.startswith(PREFIX):
            continue
        near = difflib.get_close_matches(name, names, n=1, cutoff=_ALIKE)
        if near and not caller.has_spec():
            for impl in caller.get_hookimpls():
                who = known_as(manager, impl.plugin)
                raise _unknown(who, name, near)


def _unknown(plugin: str, name: str, near: list[str], known: Collection[str] = ()) -> Exception:
    hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(sorted(known))}."
    return pytest.UsageError(f"plugin {plugin!r}: there is no hook {name!r}. {hint}")


def known_as(manager: pytest.PytestPluginManager, plugin: object) -> str:
    """Return the name of a plugin that may not be registered yet; of an object its class."""
    name = manager.get_name(plugin) or getattr(plugin, "__file__", None)
    name = name or manager.get_canonical_name(plugin)
    return type(plugin).__qualname__ if name.isdigit() else name


def _check(
    hooks: dict[str, tuple[str, ...]],
    name: str,
    function: Callable[..., Any],
    options: Any,
    plugin: str,
) -> None:
    if name not in hooks:
        # Without the prefix, which alone would make any two names alike.
        known_ends = [hook.removeprefix(PREFIX) for hook in hooks]
        ends = difflib.get_close_matches(name.removeprefix(PREFIX), known_ends, n=1, cutoff=0.75)
        near = [PREFIX + end for end in ends]
        # Optional and unlike ours: written for another version of this plugin.
        if options.get("optionalhook") and not near:
            return
        raise _unknown(plugin, name, near, hooks)
    wrong = [argument for argument in _asked(function) if argument not in hooks[name]]
    if wrong:
        raise pytest.UsageError(
            f"plugin {plugin!r}: the hook {name} has no argument {wrong[0]!r}.\n"
            f"Write: def {name}({', '.join(hooks[name])})"
        )


def _asked(function: Callable[..., Any]) -> list[str]:
    """Return the arguments that pluggy must find for a call: those without a default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [
        one.name
        for one in parameters
        if one.kind in plain and one.default is inspect.Parameter.empty
    ]
